-- Nothing is done in a store that is of another layout by now, or was emptied.
local found = redis.call('HMGET', HEADER, 'layout', 'writer')
if not found[1] then return {'empty'} end
if LAYOUT ~= '' and found[1] ~= LAYOUT then return {'layout', found[2] or ''} end
