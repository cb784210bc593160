-- save.lua: writes one entity whole, with its term, its phantom and its place in the id set and the deadline index.
--
-- KEYS[1] base
-- ARGV[1] grace, ARGV[2] retention (see life.lua)
-- ARGV[3] id
-- ARGV[4] term: 'never', 'after' or 'at'
-- ARGV[5] milliseconds of the term, or the deadline in milliseconds since 1970
-- ARGV[6] '1' to keep a phantom
-- ARGV[7...] field, value, field, value ...; at least one pair
--
-- Replies {created: 1 or 0, deadline or -1, now}.
-- Refuses, with nothing written: KVCOLLISION <key>, KVPASSED, KVRANGE.
-- Invariant: no hash is ever without the TTL of its term; the phantom equals the hash.

local id, term = ARGV[3], ARGV[4]
local key = base .. ':' .. id
local phantom = key .. ':phantom'

local refusal = collision({ 'HLEN', key, 'SCARD', base, 'ZCARD', deadlines, 'HLEN', phantom, 'SCARD', key .. ':idx' })
if refusal then
  return refusal
end
local exists = alive(id)
local unsettled = not exists and redis.call('SISMEMBER', base, id) == 1
if unsettled then
  refusal = collision({ 'XLEN', log, 'HLEN', marks })
  if refusal then
    return refusal
  end
end

local deadline
if term == 'after' then
  deadline = now + tonumber(ARGV[5])
elseif term == 'at' then
  deadline = tonumber(ARGV[5])
  if deadline <= now then
    return redis.error_reply('KVPASSED the deadline has passed')
  end
end
if deadline and deadline + grace > 9007199254740991 then
  return redis.error_reply('KVRANGE the deadline is out of range')
end

if unsettled then
  settle({ id })
  finish(true)
else
  unindex(id)
  redis.call('DEL', key)
end

local last = #ARGV
for first = 7, last, 6000 do
  redis.call('HSET', key, unpack(ARGV, first, math.min(first + 5999, last)))
end
redis.call('SADD', base, id)

if deadline then
  -- The phantom first: Redis 7.0 lets time go on in a script, and deletes at once what is due when its term is set.
  if ARGV[6] == '1' then
    redis.call('COPY', key, phantom, 'REPLACE')
    redis.call('PEXPIREAT', phantom, text(deadline + grace))
  else
    redis.call('DEL', phantom)
  end
  redis.call('PEXPIREAT', key, text(deadline))
  redis.call('ZADD', deadlines, text(deadline), id)
else
  redis.call('ZREM', deadlines, id)
  redis.call('DEL', phantom)
end
return { exists and 0 or 1, deadline or -1, now }
