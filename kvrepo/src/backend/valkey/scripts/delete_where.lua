-- delete_where.lua: deletes those of some entities that a plan finds, and all that belongs to them.
--
-- KEYS[1] base
-- ARGV[1] grace, ARGV[2] retention (see life.lua), ARGV[3] '' (see write.lua)
-- then: a plan (see plan.lua), and to the end ids: no more than a few hundred
--
-- Replies how many were alive and were deleted.
-- Refuses, with nothing written: KVCOLLISION <key>.
-- Invariant: afterwards no key holds anything of those, but for the event log. What has expired is not found, and waits to
-- be reaped.

local plan = given_plan()
local ids = { unpack(ARGV, cursor + 1) }
local found = living(evaluate({ kind = 'and', all = { { kind = 'ids', ids = ids }, plan }, none = {} }))
for _, id in ipairs(found) do
  local key = base .. ':' .. id
  local refusal = collision({ 'HLEN', key, 'HLEN', key .. ':phantom', 'SCARD', key .. ':idx' })
  if refusal then
    return refusal
  end
end
local deleted = kept(found, alive)
if #deleted > 0 then
  redis.call('DEL', unpack(keys(deleted, '')))
  redis.call('SREM', base, unpack(deleted))
  forget(deleted)
end
return #deleted
