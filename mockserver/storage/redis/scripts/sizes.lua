-- How many bytes are held of several workspaces. ARGV: names
local found = {'done'}
for at = 3, #ARGV do
  local size = 0
  for _, content in ipairs(redis.call('HVALS', contents(ARGV[at]))) do size = size + #content end
  found[#found + 1] = size
end
return found
