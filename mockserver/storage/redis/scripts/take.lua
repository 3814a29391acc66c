-- Hold a workspace from now on. ARGV: name, token, the token by which the server holds it already, or ''
-- Gives: its outline and contents, or the address of the server that holds it.
local name, token, before = unpack(ARGV, 3)
local place = elsewhere(name)
if place then return {'elsewhere', place} end
local outline = redis.call('HGET', OUTLINES, name)
if not outline then
  -- What a server has claimed and could not write is not claimed any more.
  if redis.call('HGET', HOLDERS, name) ~= before then let_go(name) end
  return {'missing'}
end
hold(name, token)
return {'done', outline, redis.call('HGETALL', contents(name))}
