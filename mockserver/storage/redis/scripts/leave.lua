-- Let go of all that a server holds, a thousand names at a time. Gives: whether that was all.
local is_done = sweep(SERVER, SERVER)
if is_done then redis.call('DEL', PREFIX .. 'server:' .. SERVER) end
return {'done', is_done and 1 or 0}
