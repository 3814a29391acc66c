-- Read a workspace, whoever holds it. ARGV: name
local name = ARGV[3]
if redis.call('HEXISTS', OUTLINES, name) == 0 then return {'missing'} end
return {'done', redis.call('HGETALL', contents(name))}
