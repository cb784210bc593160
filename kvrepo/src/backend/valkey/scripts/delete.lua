-- delete.lua: deletes one entity and all that belongs to it.
--
-- KEYS[1] base
-- ARGV[1] grace, ARGV[2] retention (see life.lua), ARGV[3] '' (see write.lua)
-- then: id, '1' to reply what it held, a condition
--
-- Replies 1 if it was alive, else 0; or {the hash, PTTL, PEXPIRETIME}, of what was not alive {nothing, -2, -2}. What had
-- expired and was not reaped becomes its event.
-- Refuses, with nothing written: KVCOLLISION <key>, KVCONFLICT.
-- Invariant: afterwards no key holds anything of the entity, but for the event log.

local id = argument()
local take = argument() == '1'
local key = base .. ':' .. id
local refusal, exists = examined(id, { 'SCARD', key .. ':idx', 'XLEN', log, 'HLEN', marks })
if refusal then
  return refusal
end
if not exists then
  settle({ id })
  finish(true)
  return take and { {}, -2, -2 } or 0
end
local held
if take then
  held = { redis.call('HGETALL', key), redis.call('PTTL', key), redis.call('PEXPIRETIME', key) }
end
redis.call('DEL', key)
redis.call('SREM', base, id)
forget({ id })
return held or 1
