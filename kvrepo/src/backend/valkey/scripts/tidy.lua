-- tidy.lua: takes ids out of the indexes of a plan, where these name what is gone and the ids' helpers do not know of it.
--
-- KEYS[1] base
-- ARGV[1] grace, ARGV[2] retention (see life.lua), ARGV[3] '' (see write.lua)
-- then: a plan (see plan.lua), and to the end ids
--
-- Such entries are left where a helper was evicted, or an entity deleted by a client that does not know our indexes. With
-- its helper an entity is cleaned up after by repair.lua. Replies how many entries that were.

local plan = given_plan()
local gone, count = {}, 0
for i = cursor + 1, #ARGV do
  gone[ARGV[i]] = alive(ARGV[i]) == false or nil
end

local function drop(id, mention, ...)
  if gone[id] and redis.pcall('SISMEMBER', base .. ':' .. id .. ':idx', mention) == 0 then
    count = count + redis.call(...)
  end
end

local function tidy(plan)
  for _, part in ipairs(plan.all or plan.any or {}) do
    tidy(part)
  end
  if plan.kind == 'equality' then
    for _, key in ipairs(plan.keys) do
      for id in pairs(gone) do
        drop(id, key, 'SREM', key, id)
      end
    end
  elseif plan.kind == 'within' then
    local key = base .. ':' .. plan.name
    for id in pairs(gone) do
      drop(id, key, 'ZREM', key, id)
    end
  elseif plan.kind == 'range' then
    local key = base .. '#range:' .. plan.name
    for _, member in ipairs(redis.call('ZRANGEBYLEX', key, plan.from, plan.to)) do
      local value, id = unplaced(member)
      if id then
        drop(id, key .. ':' .. value, 'ZREM', key, member)
      end
    end
  end
end

tidy(plan)
return count
