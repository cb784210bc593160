-- save.lua: writes one entity whole, with its term, its phantom and its place in the id set and the deadline index.
--
-- KEYS[1] base
-- ARGV[1] grace, ARGV[2] retention (see life.lua), ARGV[3] shadow (see write.lua)
-- then: id, the term's two, '1' to keep the term of a living entity instead, a condition, its entries in indexes (see
-- index.lua), and to the end field, value, field, value ...; at least one pair
--
-- Replies {created: 1 or 0, deadline or -1, now}.
-- Refuses, with nothing written: KVCOLLISION <key>, KVEXISTS, KVCONFLICT, KVUNIQUE <index>, KVPASSED, KVRANGE.
-- Invariant: no hash is ever without the TTL of its term; the phantom equals the hash; the indexes follow it.

local id = argument()
local term, millis = argument(), argument()
local keep = argument() == '1'
local key = base .. ':' .. id

local refusal, exists = examined(id, { 'SCARD', key .. ':idx' })
if refusal then
  return refusal
end
local entries = given_entries()
refusal = unfit(id, entries)
if refusal then
  return refusal
end
local unsettled = not exists and redis.call('SISMEMBER', base, id) == 1
if unsettled then
  refusal = collision({ 'XLEN', log, 'HLEN', marks })
  if refusal then
    return refusal
  end
end

local deadline
local span = term == 'idle' and millis
if keep and exists then
  deadline = ends(key)
  span = redis.call('HGET', key, IDLE)
else
  deadline, refusal = due(term, millis)
  if refusal then
    return refusal
  end
end

if unsettled then
  settle({ id })
  finish(true)
else
  redis.call('DEL', key)
end
reindex(id, entries)

batched('HSET', key, ARGV, cursor + 1)
if span then
  redis.call('HSET', key, IDLE, span)
end
redis.call('SADD', base, id)
if deadline then
  arm(id, deadline)
else
  disarm(id)
end
return { exists and 0 or 1, deadline or -1, now }
