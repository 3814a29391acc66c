-- What a store says of itself, and who uses it: format, layout and writer, the addresses of the servers that live, and
-- of each workspace, the one written longest ago first, name, outline, and the address of the server that holds it.
local found = redis.call('HMGET', HEADER, 'format', 'layout', 'writer')
local places, living, rows = {}, {}, {}
for _, server in ipairs(redis.call('SMEMBERS', SERVERS)) do
  living[server] = address(server) or nil
  places[#places + 1] = living[server]
end
for _, name in ipairs(redis.call('ZRANGE', USED, 0, -1)) do
  local token = redis.call('HGET', HOLDERS, name)
  local outline = redis.call('HGET', OUTLINES, name)
  if outline then rows[#rows + 1] = {name, outline, token and living[owner(token)] or ''} end
end
return {'done', found[1] or '', found[2], found[3] or '', places, rows}
