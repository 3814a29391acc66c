-- Write a batch. Every list in ARGV begins with the number of its items:
--   workspaces, their number alone at first
--   removed: name, token or '' if the server does not hold it, whether it is written again
--   workspaces: name, token, outline, what is told of it or '',
--     logs: name, first position, end, whether anew; fields that are gone; pairs of fields and contents (twice as many)
--   values: name, content; names of values that are gone; counts: name, number
-- Gives: the names of workspaces that the server does not hold, of which nothing was written.
local at = 2
local function following() at = at + 1; return ARGV[at] end
local function number() return tonumber(following()) end
-- As many arguments as a call of Lua can take.
local MOST = 4000

local function is_held(name, token) return redis.call('HGET', HOLDERS, name) == token end

local refused = {}

local function may_remove(name, token)
  if token ~= '' then return is_held(name, token) end
  local server = owner(redis.call('HGET', HOLDERS, name))
  return not server or (server ~= SERVER and not address(server))
end

local function remove_all()
  for _ = 1, number() do
    local name, token, stays = following(), following(), following() == '1'
    if not may_remove(name, token) then
      if not stays then table.insert(refused, name) end
    else
      local was_there = remove(name)
      if not stays then let_go(name) end
      if was_there and not stays then tell(SERVER, 'dropped', name, '') end
    end
  end
end

local function delete_entries(key, log, first, stop)
  local fields = {}
  for position = first, stop - 1 do
    fields[#fields + 1] = string.format('e:%s:%.0f', log, position)
    if #fields == MOST or position == stop - 1 then
      redis.call('HDEL', key, unpack(fields))
      fields = {}
    end
  end
end

local function cut_log(key)
  local log, first, stop, is_anew = following(), number(), number(), following() == '1'
  local bounds = redis.call('HGET', key, 'b:' .. log)
  if bounds then
    local low, high = string.match(bounds, '(%d+) (%d+)')
    low, high = tonumber(low), tonumber(high)
    delete_entries(key, log, low, is_anew and high or math.min(first, high))
    if not is_anew then stop = math.max(stop, high) end
  end
  redis.call('HSET', key, 'b:' .. log, string.format('%.0f %.0f', first, stop))
end

-- Call a command with the arguments that follow, some thousands at a time.
local function call_with_all(command, key)
  local count = number()
  for _ = 1, count, MOST do
    local most = math.min(MOST, count)
    redis.call(command, key, unpack(ARGV, at + 1, at + most))
    at, count = at + most, count - most
  end
end

local function pass_over()
  for _ = 1, 4 * number() do at = at + 1 end
  for _ = 1, 2 do local count = number(); at = at + count end
end

local function write_workspace(turn)
  local name, token, outline, told = following(), following(), following(), following()
  if not is_held(name, token) then
    table.insert(refused, name)
    return pass_over()
  end
  local key = contents(name)
  redis.call('HSET', OUTLINES, name, outline)
  redis.call('ZADD', USED, turn, name)
  for _ = 1, number() do cut_log(key) end
  call_with_all('HDEL', key)
  call_with_all('HSET', key)
  if told ~= '' then tell(SERVER, 'known', name, told) end
end

local workspaces = number()
local turn = workspaces > 0 and redis.call('INCRBY', TURN, workspaces) - workspaces or 0
remove_all()
for _ = 1, workspaces do
  turn = turn + 1
  write_workspace(turn)
end
call_with_all('HSET', VALUES)
call_with_all('HDEL', VALUES)
for _ = 1, number() do redis.call('HINCRBY', COUNTS, following(), following()) end
table.insert(refused, 1, 'done')
return refused
