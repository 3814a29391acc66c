-- What all scripts begin with: the keys of a store, and what is done in several of them.
-- ARGV[1] is the layout of the bytes, '' for any, and ARGV[2] the id of the server that asks.
-- The first write of a script is refused when the engine is full, so that nothing is left half done.

local PREFIX = 'mockserver:'
local HEADER = PREFIX .. 'header'     -- hash: format, layout, writer
local OUTLINES = PREFIX .. 'outlines' -- hash: name of a workspace -> outline
local USED = PREFIX .. 'used'         -- sorted set: names by the turn in which they were written last
local TURN = PREFIX .. 'turn'         -- the last turn
local HOLDERS = PREFIX .. 'holders'   -- hash: name -> token of who holds it, `SERVER:NUMBER`
local VALUES = PREFIX .. 'values'     -- hash: values of all servers
local COUNTS = PREFIX .. 'counts'     -- hash: numbers to which all servers add
local EVENTS = PREFIX .. 'events'     -- stream: what servers have done, numbered without a gap
local EVENT = PREFIX .. 'event'       -- the number of the last event
local SERVERS = PREFIX .. 'servers'   -- set: ids of the servers that may hold something
local MOST_EVENTS = 10000             -- how many are kept; a server that has missed one reads all outlines

local LAYOUT, SERVER = ARGV[1], ARGV[2]

-- hash: `p:PART`, `e:LOG:POSITION`, and `b:LOG`, the bounds of the positions
local function contents(name) return PREFIX .. 'workspace:' .. name end
-- set: the names that a server holds
local function holds(server) return PREFIX .. 'holds:' .. server end
-- string that runs out when a server is not heard of: its address
local function address(server) return redis.call('GET', PREFIX .. 'server:' .. server) end

local function owner(token) return token and string.match(token, '^[^:]+') end

-- The address of another living server that holds a name, or nil.
local function elsewhere(name)
  local server = owner(redis.call('HGET', HOLDERS, name))
  return server and server ~= SERVER and address(server) or nil
end

local function hold(name, token)
  local before = owner(redis.call('HGET', HOLDERS, name))
  redis.call('HSET', HOLDERS, name, token)
  if before and before ~= SERVER then redis.call('SREM', holds(before), name) end
  redis.call('SADD', holds(SERVER), name)
end

local function let_go(name)
  local server = owner(redis.call('HGET', HOLDERS, name))
  redis.call('HDEL', HOLDERS, name)
  if server then redis.call('SREM', holds(server), name) end
end

-- Tell all servers but one of an event.
local function tell(server, kind, name, content)
  local number = string.format('%d', redis.call('INCR', EVENT))
  redis.call('XADD', EVENTS, 'MAXLEN', '~', MOST_EVENTS, number .. '-0',
    'by', server, 'kind', kind, 'name', name, 'content', content)
end

-- Remove a workspace; whether there was one.
local function remove(name)
  redis.call('DEL', contents(name))
  redis.call('ZREM', USED, name)
  return redis.call('HDEL', OUTLINES, name) == 1
end

-- Let go of up to 1000 names of a server, and tell their outlines; whether that was all.
local function sweep(server, teller)
  local names = redis.call('SPOP', holds(server), 1000)
  for _, name in ipairs(names) do
    if owner(redis.call('HGET', HOLDERS, name)) == server then
      redis.call('HDEL', HOLDERS, name)
      local outline = redis.call('HGET', OUTLINES, name)
      if outline then tell(teller, 'known', name, outline) end
    end
  end
  local is_done = redis.call('EXISTS', holds(server)) == 0
  if is_done then redis.call('SREM', SERVERS, server) end
  return is_done
end
