-- delete.lua: deletes one entity and all that belongs to it.
--
-- KEYS[1] base
-- ARGV[1] grace, ARGV[2] retention (see life.lua)
-- ARGV[3] id
--
-- Replies 1 if it was alive, else 0. What had expired and was not reaped becomes its event.
-- Refuses, with nothing written: KVCOLLISION <key>.
-- Invariant: afterwards no key holds anything of the entity, but for the event log.

local id = ARGV[3]
local key = base .. ':' .. id
local refusal = collision({
  'HLEN', key, 'SCARD', base, 'ZCARD', deadlines, 'HLEN', key .. ':phantom', 'SCARD', key .. ':idx', 'XLEN', log, 'HLEN', marks,
})
if refusal then
  return refusal
end
if not alive(id) then
  settle({ id })
  finish(true)
  return 0
end
redis.call('DEL', key)
redis.call('SREM', base, id)
forget({ id })
return 1
