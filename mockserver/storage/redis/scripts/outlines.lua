-- All outlines, the workspace written longest ago first: name, outline, and whether a living server holds it.
-- They come with the number of the last event, which they know of.
local found, living = {}, {}
for _, server in ipairs(redis.call('SMEMBERS', SERVERS)) do living[server] = address(server) and 1 or nil end
for _, name in ipairs(redis.call('ZRANGE', USED, 0, -1)) do
  local token = redis.call('HGET', HOLDERS, name)
  local outline = redis.call('HGET', OUTLINES, name)
  if outline then found[#found + 1] = {name, outline, token and living[owner(token)] or 0} end
end
return {'done', tonumber(redis.call('GET', EVENT) or 0), found}
