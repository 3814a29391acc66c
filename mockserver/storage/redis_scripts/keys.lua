-- The beginning of every script: the keys of a store, and the check of its header. ARGV[1] is the layout; '' for any.
local FORMAT = '3'                            -- counts the changes of these keys
local HEADER = 'mockserver:header'            -- hash: format, layout, writer; turn: counts the commits
local function data(name) return 'mockserver:data:' .. name end       -- hash: field -> content; version: COUNTER-NONCE
local function fields(name) return 'mockserver:fields:' .. name end   -- sorted set: field by its last commit's counter
local function history(name) return 'mockserver:history:' .. name end -- sorted set: the last commits as n:NONCE, and
                                                                      -- the fields that they deleted as g:FIELD
local KEYS_OF = 'mockserver:keys'             -- hash: API key -> names of its workspaces, with spaces between
local USED, DUE = 'mockserver:used', 'mockserver:due'  -- sorted sets: names by turn, by second since 1970
local VALUES, COUNTS = 'mockserver:values', 'mockserver:counts' -- hashes of the store
-- More keys, which expire: `mockserver:server:ID`, `mockserver:turn:NAME` and `mockserver:known:NAME`.

-- Return why this store cannot be used, or nil.
local function refusal()
  local header = redis.call('HMGET', HEADER, 'format', 'layout', 'writer')
  if not header[1] then return {'empty'} end
  if header[1] ~= FORMAT then return {'format', header[1], header[3] or ''} end
  if ARGV[1] ~= '' and header[2] ~= ARGV[1] then return {'layout', header[3] or ''} end
end
