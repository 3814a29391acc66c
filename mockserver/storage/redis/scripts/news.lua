-- What other servers have done since an event. ARGV: its number
-- Gives: the number of the last event, and kind, name and content of each; `behind` if some are not kept any more.
local seen = tonumber(ARGV[3])
local last = tonumber(redis.call('GET', EVENT) or 0)
if last == seen then return {'done', last, {}} end
local rows = redis.call('XRANGE', EVENTS, string.format('%.0f-0', seen + 1), '+')
if last < seen or #rows ~= last - seen then return {'behind'} end
local found = {}
for _, row in ipairs(rows) do
  local event = row[2]
  if event[2] ~= SERVER then found[#found + 1] = {event[4], event[6], event[8]} end
end
return {'done', last, found}
