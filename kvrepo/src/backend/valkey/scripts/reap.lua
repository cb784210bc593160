-- reap.lua: turns what has expired into events, and takes away all that is left of it.
--
-- KEYS[1] base
-- ARGV[1] grace, ARGV[2] retention (see life.lua)
-- ARGV[3] how many due entities to reap at most
-- ARGV[4] '1' to drop events older than the retention
-- ARGV[5] a token, if only the holder of the lease may reap; else ''
-- ARGV[6] the length of the lease in milliseconds; a holder renews it several times in each half second
-- ARGV[7...] ids that the server said have expired
--
-- Replies {leader: 1 or 0, events, due, wait, named, now}: due is how many entities still are, known to the leader only;
-- wait is in milliseconds until the next deadline has passed, -1 if there is none; for who is not the leader, until it
-- is worth asking again; named is how many of the events are of ids that the server named and the deadlines did not bring.
-- Invariant: exactly one event for each life of an entity, whoever calls and however often. Asking for the hash
-- also makes the server expire it, and tell everybody else.

-- What the server named needs no lease: nobody else may have been told. Only where the deadlines do not bring it is
-- there anything to do: another client set its term.
local function see_to_named()
  local noticed = {}
  for i = 7, #ARGV do
    local id = ARGV[i]
    if redis.call('SISMEMBER', base, id) == 1 and alive(id) == false then
      local deadline = redis.call('ZSCORE', deadlines, id)
      if not deadline or tonumber(deadline) >= now then
        noticed[#noticed + 1] = id
      end
    end
  end
  return settle(noticed, true)
end

if ARGV[5] ~= '' then
  local reaper = base .. '#reaper'
  local holder = redis.call('GET', reaper)
  if holder and holder ~= ARGV[5] then
    -- A holder that lets a deadline pass and has not renewed for half a second is taken for dead.
    local left = redis.call('PTTL', reaper)
    local next = redis.call('ZRANGE', deadlines, 0, 0, 'WITHSCORES')
    local overdue = #next > 0 and tonumber(next[2]) + 100 < now
    if not overdue or left > ARGV[6] - 500 then
      local named = see_to_named()
      finish(false)
      local wait = left
      if overdue then
        wait = left - (ARGV[6] - 500) + 1
      elseif #next > 0 then
        wait = next[2] + 100 - now
      end
      return { 0, events, 0, math.max(math.min(wait, 1000), 50), named, now }
    end
  end
  redis.call('SET', reaper, ARGV[5], 'PX', ARGV[6])
end

local due = redis.call('ZRANGEBYSCORE', deadlines, '-inf', '(' .. text(now), 'WITHSCORES', 'LIMIT', 0, ARGV[3])
local ids, scores = {}, {}
for i = 1, #due, 2 do
  ids[#ids + 1] = due[i]
  scores[#scores + 1] = due[i + 1]
end
if #ids > 0 and redis.call('EXISTS', unpack(keys(ids, ''))) == 0 then
  settle(ids, false, scores)
else
  local gone = {}
  for _, id in ipairs(ids) do
    if alive(id) == false then
      gone[#gone + 1] = id
    else
      -- Another client gave it more time. What never expires has no deadline.
      local at = redis.call('PEXPIRETIME', base .. ':' .. id)
      if at > 0 then
        redis.call('ZADD', deadlines, text(at), id)
        redis.call('PEXPIREAT', base .. ':' .. id .. ':phantom', text(at + grace), 'GT')
      else
        redis.call('ZREM', deadlines, id)
      end
    end
  end
  settle(gone)
end
local named = see_to_named()
finish(ARGV[4] == '1')

local wait, left = -1, 0
local next = redis.call('ZRANGE', deadlines, 0, 0, 'WITHSCORES')
if #next > 0 then
  wait = math.max(next[2] + 1 - now, 0)
  left = wait == 0 and redis.call('ZCOUNT', deadlines, '-inf', '(' .. text(now)) or 0
end
return { 1, events, left, wait, named, now }
