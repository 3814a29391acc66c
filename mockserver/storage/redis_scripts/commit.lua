-- Write a batch: all of it, or nothing if one of its workspaces has another version than the batch expects, or if it is
-- the turn of another server to write it.
-- ARGV: layout, nonce, id of the server; then lists, each of which begins with the number of its items:
--   name, version that is expected: '' for no workspace, '*' for any; count, number to add; name that is removed;
--   name that is written, second when it is due or '', list of fields that are gone, list of fields with contents
-- Gives: done; or conflict and names.
local refused = refusal()
if refused then return refused end
local nonce, server, at = ARGV[2], ARGV[3], 3
local function following() at = at + 1; return ARGV[at] end
local function number() return tonumber(following()) end

-- Note whether a workspace has an API key, if a field is one.
local function index(field, name, has_it)
  if string.sub(field, 1, 2) ~= 'k:' then return end
  local key, names = string.sub(field, 3), {}
  for other in string.gmatch(redis.call('HGET', KEYS_OF, key) or '', '%S+') do
    if other == name and has_it then return end
    if other ~= name then names[#names + 1] = other end
  end
  if has_it then names[#names + 1] = name end
  if #names > 0 then redis.call('HSET', KEYS_OF, key, table.concat(names, ' '))
  else redis.call('HDEL', KEYS_OF, key) end
end

local function remove(name)
  for _, field in ipairs(redis.call('HKEYS', data(name))) do index(field, name, false) end
  redis.call('DEL', data(name), fields(name), history(name))
  redis.call('ZREM', USED, name)
  redis.call('ZREM', DUE, name)
  redis.call('PUBLISH', 'mockserver:changed', name .. ' ')
end

local function write(name, due)
  local counter = tonumber(string.match(redis.call('HGET', data(name), 'version') or '0', '^%d+')) + 1
  local version = string.format('%.0f-%s', counter, nonce)
  redis.call('HSET', data(name), 'version', version)
  redis.call('ZADD', history(name), counter, 'n:' .. nonce)
  for _ = 1, number() do
    local field = following()
    redis.call('HDEL', data(name), field)
    redis.call('ZREM', fields(name), field)
    redis.call('ZADD', history(name), counter, 'g:' .. field)
    index(field, name, false)
  end
  for _ = 1, number() do
    local field, content = following(), following()
    redis.call('HSET', data(name), field, content)
    redis.call('ZADD', fields(name), counter, field)
    index(field, name, true)
  end
  redis.call('ZREMRANGEBYSCORE', history(name), '-inf', counter - 64)
  redis.call('ZADD', USED, redis.call('HINCRBY', HEADER, 'turn', 1), name)
  if due == '' then redis.call('ZREM', DUE, name) else redis.call('ZADD', DUE, due, name) end
  redis.call('PUBLISH', 'mockserver:changed', name .. ' ' .. version)
end

local conflicts = {'conflict'}
for _ = 1, number() do
  local name, expected = following(), following()
  local version = redis.call('HGET', data(name), 'version') or ''
  local turn = redis.call('GET', 'mockserver:turn:' .. name) or server
  if (expected ~= '*' and expected ~= version) or turn ~= server then conflicts[#conflicts + 1] = name end
end
if #conflicts > 1 then return conflicts end
for _ = 1, number() do redis.call('HINCRBY', COUNTS, following(), following()) end
-- Redis refuses the first write of a script where it is full, and none after that: nothing is half done.
for _ = 1, number() do remove(following()) end
for _ = 1, number() do write(following(), following()) end
return {'done'}
