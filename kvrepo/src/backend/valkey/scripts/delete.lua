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
local exists = alive(id)
if exists == nil then
  return redis.error_reply('KVCOLLISION ' .. base .. ':' .. id)
end
if not exists then
  settle({ id })
  finish(true)
  return 0
end
redis.call('DEL', base .. ':' .. id)
redis.call('SREM', base, id)
forget({ id })
return 1
