-- Read a value of the store. ARGV: layout, name, and a content to store if there is none. Gives: done, content or nil.
local refused = refusal()
if refused then return refused end
if ARGV[3] then redis.call('HSETNX', VALUES, ARGV[2], ARGV[3]) end
return {'done', redis.call('HGET', VALUES, ARGV[2])}
