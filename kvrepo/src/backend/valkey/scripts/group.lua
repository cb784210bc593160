-- group.lua: what the scripts about groups share.
--
-- Not a script of its own: it stands behind stream.lua and in front of each of the others. It leaves these names:
--   log, marks, aside   the event log, what is remembered of it (see life.lua), and the events put aside for the group: a
--                       stream with a group of the same name, in which those that are being replayed are pending
--   group               the group's name
--   is_missing(reply)   whether a reply says that there is no such log or group
--   exists()            whether there is the group
--   offer(stream, ...)  has an event pending so that the next to claim gets it, as one handed out so often
--   drop_if_empty()     of the events put aside
--
-- KEYS[1] base
-- ARGV[1] the group's name

local group = ARGV[1]
local log, marks, aside = KEYS[1] .. '#expired', KEYS[1] .. '#log', KEYS[1] .. '#parked:' .. group

local function is_missing(reply)
  return type(reply) == 'table' and reply['err'] and string.find(reply['err'], 'NOGROUP', 1, true) ~= nil
end

local function exists()
  return not is_missing(redis.pcall('XPENDING', log, group))
end

-- With a reader that is nobody. Like others it is forgotten once it has nothing.
local function offer(stream, id, count)
  local a_year = 31536000000
  redis.call('XCLAIM', stream, group, '#nobody', 0, id, 'IDLE', a_year, 'RETRYCOUNT', count, 'FORCE', 'JUSTID')
end

local function drop_if_empty()
  if redis.call('XLEN', aside) == 0 then
    redis.call('DEL', aside)
  end
end
