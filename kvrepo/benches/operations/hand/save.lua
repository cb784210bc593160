#!lua
-- Saves one entity as kvrepo does, for a type with equality indexes alone and no version.
--
-- KEYS[1] base
-- ARGV: id, term in ms or '', '1' if it may not be there, how many index keys, the keys, and to the end field, value ...
-- Replies {created, deadline or -1, now}.

local base, id, term, last = KEYS[1], ARGV[1], ARGV[2], 4 + ARGV[4]
local key, deadlines = base .. ':' .. id, base .. '#deadlines'
local phantom, names = key .. ':phantom', key .. ':idx'

local exists, stale, covered = 0, nil, false
if redis.call('EXISTS', key, phantom, names) > 0 then
  exists, stale = redis.pcall('HLEN', key), redis.pcall('SMEMBERS', names)
  covered = redis.pcall('HLEN', phantom)
  if type(exists) == 'table' or stale['err'] or type(covered) == 'table' then
    return redis.error_reply('COLLISION ' .. key)
  end
  if ARGV[3] == '1' and exists > 0 then
    return redis.error_reply('EXISTS it exists already')
  end
end
for i = 5, last do
  if type(redis.pcall('SCARD', ARGV[i])) == 'table' then
    return redis.error_reply('COLLISION ' .. ARGV[i])
  end
end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
-- Fails with nothing written if the key is another's.
local listed = redis.call('SADD', base, id)
if listed == 0 and exists == 0 then
  -- It has expired and nobody reaped it: its event, before it is written over.
  local at = tonumber(redis.call('ZSCORE', deadlines, id) or nil)
  if at and at < now then
    local outlives, fields = redis.call('PEXPIRETIME', phantom), {}
    if outlives > 0 and outlives - at <= 301000 then
      fields = redis.call('HGETALL', phantom)
    end
    local event = redis.call('XADD', base .. '#expired', '*', 'id', id, 'deadline', at, unpack(fields))
    redis.call('HSET', base .. '#log', 'last', event)
    if redis.call('HEXISTS', base .. '#log', 'groups') == 0 then
      redis.call('PEXPIRE', base .. '#expired', 3600000)
    end
  end
end

local deadline = -1
if term ~= '' then
  deadline = now + term
  local placed = redis.pcall('ZADD', deadlines, deadline, id)
  if type(placed) == 'table' then
    if listed == 1 then
      redis.call('SREM', base, id)
    end
    return placed
  end
else
  redis.call('ZREM', deadlines, id)
  if covered then
    redis.call('DEL', phantom)
  end
end

if exists > 0 then
  redis.call('DEL', key)
end
redis.call('HSET', key, unpack(ARGV, last + 1))
if stale and #stale > 0 then
  for _, index in ipairs(stale) do
    redis.pcall('SREM', index, id)
  end
  redis.call('DEL', names)
end
if last > 4 then
  for i = 5, last do
    redis.call('SADD', ARGV[i], id)
  end
  redis.call('SADD', names, unpack(ARGV, 5, last))
end
if deadline > 0 then
  redis.call('COPY', key, phantom, 'REPLACE')
  redis.call('PEXPIREAT', phantom, deadline + 300000)
  redis.call('PEXPIREAT', key, deadline)
end
return { exists > 0 and 0 or 1, deadline, now }
