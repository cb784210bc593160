#!lua
-- Deletes entities, and all that belongs to them; for a type with equality indexes alone.
--
-- KEYS[1] base
-- ARGV: ids
-- Replies how many were alive.

local base, deleted = KEYS[1], 0
local deadlines = base .. '#deadlines'

for i = 1, #ARGV do
  local id = ARGV[i]
  local key = base .. ':' .. id
  local phantom, names = key .. ':phantom', key .. ':idx'
  local exists, covered, stale = redis.pcall('HLEN', key), redis.pcall('HLEN', phantom), redis.pcall('SMEMBERS', names)
  if type(exists) == 'table' or type(covered) == 'table' or stale['err'] then
    return redis.error_reply('COLLISION ' .. key)
  end
  local listed = redis.call('SREM', base, id)
  if exists > 0 then
    deleted = deleted + 1
  elseif listed == 1 then
    -- It has expired and nobody reaped it.
    local time = redis.call('TIME')
    local now = time[1] * 1000 + math.floor(time[2] / 1000)
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
  for j = 1, #stale do
    redis.pcall('SREM', stale[j], id)
  end
  redis.call('DEL', key, phantom, names)
end
redis.call('ZREM', deadlines, unpack(ARGV))
return deleted
