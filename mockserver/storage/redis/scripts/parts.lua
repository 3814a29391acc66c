-- Read one field of several workspaces. ARGV: field, names
local found = {'done'}
for at = 4, #ARGV do found[#found + 1] = redis.call('HGET', contents(ARGV[at]), ARGV[3]) end
return found
