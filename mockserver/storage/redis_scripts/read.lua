-- Read what is new in a workspace since a version. ARGV: layout, name, version that is known or ''.
-- Gives: missing; same; or `all` or `some`, version, fields with contents, and the history since the known version.
-- If this history lacks the known version (it is old, or Redis was emptied or went back to an older state): all.
local refused = refusal()
if refused then return refused end
local name, known = ARGV[2], ARGV[3]
local version = redis.call('HGET', data(name), 'version')
if not version then return {'missing'} end
if version == known then return {'same'} end

local counter, nonce = string.match(known, '^(%d+)%-(.+)$')
if not counter or redis.call('ZSCORE', history(name), 'n:' .. nonce) ~= counter then
  return {'all', version, redis.call('HGETALL', data(name)), {}}
end
local found = {}
for _, field in ipairs(redis.call('ZRANGEBYSCORE', fields(name), '(' .. counter, '+inf')) do
  found[#found + 1] = field
  found[#found + 1] = redis.call('HGET', data(name), field)
end
return {'some', version, found, redis.call('ZRANGEBYSCORE', history(name), '(' .. counter, '+inf')}
