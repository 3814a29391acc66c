-- Note that a server lives, and make a store where there is none.
-- ARGV: layout, writer, id of the server, milliseconds until it counts as dead. Gives: done.
local refused = refusal()
if refused then
  if refused[1] ~= 'empty' then return refused end
  if redis.call('EXISTS', HEADER, KEYS_OF, USED, DUE, VALUES, COUNTS) > 0 then return {'foreign'} end
  redis.call('HSET', HEADER, 'format', FORMAT, 'layout', ARGV[1])
end
redis.call('HSET', HEADER, 'writer', ARGV[2])
redis.call('SET', 'mockserver:server:' .. ARGV[3], '', 'PX', ARGV[4])
return {'done'}
