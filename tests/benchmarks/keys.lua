-- Requests with one key after the other: `wrk -s keys.lua URL -- KEY...`.
local requests, turn = {}, 0

function init(keys)
  for number, key in ipairs(keys) do
    requests[number] = wrk.format("GET", nil, {["api-key"] = key})
  end
end

function request()
  turn = turn % #requests + 1
  return requests[turn]
end
