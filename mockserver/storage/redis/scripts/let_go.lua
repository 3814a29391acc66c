-- Hold a workspace no longer. ARGV: name, token, outline
local name, token, outline = unpack(ARGV, 3)
if redis.call('HGET', HOLDERS, name) == token then
  let_go(name)
  if redis.call('HEXISTS', OUTLINES, name) == 1 then
    redis.call('HSET', OUTLINES, name, outline)
    tell(SERVER, 'known', name, outline)
  end
end
return {'done'}
