-- Hold a name of which there is no workspace. ARGV: name, token, the token by which the server holds it already, or ''
-- Gives: the token by which it is held, or none.
local name, token, before = unpack(ARGV, 3)
if redis.call('HEXISTS', OUTLINES, name) == 1 or elsewhere(name) then return {'done'} end
if before ~= '' and redis.call('HGET', HOLDERS, name) == before then return {'done', before} end
hold(name, token)
return {'done', token}
