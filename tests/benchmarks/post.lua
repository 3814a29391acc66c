-- A sender that is not there yet, with every request.
local count = 0
local run = tostring({}):gsub("%W", "")

wrk.headers["Content-Type"] = "application/json"

request = function()
  count = count + 1
  local body = string.format('{"name":"Ops","email":"ops%d@%s.test"}', count, run)
  return wrk.format("POST", nil, nil, body)
end
