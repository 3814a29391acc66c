-- Say that a server lives, and sweep those that do not. A header is written where there is none.
-- ARGV: format, writer, address, milliseconds until the server counts as dead, whether it is just opening the store
-- Gives: whether it has lived without a gap, else the names that it still holds.
local format, writer, place, lease, is_opening = unpack(ARGV, 3)
local found = redis.call('HMGET', HEADER, 'format', 'layout', 'writer')
if not found[2] then
  if redis.call('EXISTS', OUTLINES, VALUES, HOLDERS) > 0 then return {'headless'} end
  redis.call('HSET', HEADER, 'format', format, 'layout', LAYOUT, 'writer', writer)
elseif found[1] ~= format then return {'format', found[1] or '', found[3] or ''}
elseif found[2] ~= LAYOUT then return {'layout', found[3] or ''}
elseif is_opening == '1' and found[3] ~= writer then redis.call('HSET', HEADER, 'writer', writer)
end

-- An engine that is full still extends a lease, where it would refuse to set a key.
local has_lived = redis.call('PEXPIRE', PREFIX .. 'server:' .. SERVER, lease) == 1
if not has_lived then
  redis.call('SET', PREFIX .. 'server:' .. SERVER, place, 'PX', lease)
  redis.call('SADD', SERVERS, SERVER)
end
for _, server in ipairs(redis.call('SMEMBERS', SERVERS)) do
  if server ~= SERVER and not address(server) then sweep(server, '') end
end
if has_lived then return {'done', 1} end
return {'done', 0, redis.call('SMEMBERS', holds(SERVER))}
