-- plan.lua: what a plan finds.
--
-- Not a script of its own: it stands behind index.lua and in front of others. It leaves these names:
--   given_plan()     reads a plan from the arguments
--   evaluate(plan)   the ids that it finds, each once, in no order; also of what has expired
--   distances        meters to the middle of an area, by id, once the plan has been evaluated that notes them
--   living(ids)      those that have not expired
--   chunks(list)     for loops over parts of a list that fit into one call
--
-- A plan is one of
--   'all'
--   'ids', how many, id ...
--   'equality', name, '' or a Lua pattern that the field's path has to match, how many values, value ...
--   'unique', name, how many values, value ...
--   'range', name, from, to               as ZRANGEBYLEX has them
--   'within', name, longitude, latitude, '1' to note the distances, how many words, and these words of GEOSEARCH
--   'stored', how many, field, value ...  of what other parts of an 'and' find
--   'and', how many, plan ..., how many not, plan ...
--   'or', how many, plan ...

local distances = {}

local function chunks(list)
  local from = 1 - 6000
  return function()
    from = from + 6000
    if from <= #list then
      return { unpack(list, from, math.min(from + 5999, #list)) }
    end
  end
end

local function given_plan()
  local function several(read)
    local list = {}
    for i = 1, tonumber(argument()) do
      list[i] = read()
    end
    return list
  end
  local plan = { kind = argument() }
  if plan.kind == 'ids' then
    plan.ids = several(argument)
  elseif plan.kind == 'equality' then
    plan.name, plan.exact = argument(), argument()
    plan.values = several(argument)
    plan.keys = {}
    for i, value in ipairs(plan.values) do
      plan.keys[i] = key_of('equality', plan.name, value)
    end
  elseif plan.kind == 'unique' then
    plan.name = argument()
    plan.values = several(argument)
  elseif plan.kind == 'range' then
    plan.name, plan.from, plan.to = argument(), argument(), argument()
  elseif plan.kind == 'within' then
    plan.name, plan.lon, plan.lat, plan.notes = argument(), argument(), argument(), argument() == '1'
    plan.area = several(argument)
  elseif plan.kind == 'stored' then
    plan.fields, plan.values = {}, {}
    for i = 1, tonumber(argument()) do
      plan.fields[i], plan.values[i] = argument(), argument()
    end
  elseif plan.kind == 'and' then
    plan.all = several(given_plan)
    plan.none = several(given_plan)
  elseif plan.kind == 'or' then
    plan.any = several(given_plan)
  end
  return plan
end

local function set_of(list)
  local set = {}
  for _, id in ipairs(list) do
    set[id] = true
  end
  return set
end

-- Those ids of the list of which it says so.
local function kept(list, holds)
  local some = {}
  for _, id in ipairs(list) do
    if holds(id) then
      some[#some + 1] = id
    end
  end
  return some
end

-- Those ids of the list that are, or are not, in a set on the server.
local function by_membership(list, key, wanted)
  local some = {}
  for chunk in chunks(list) do
    for i, is in ipairs(redis.call('SMISMEMBER', key, unpack(chunk))) do
      if is == wanted then
        some[#some + 1] = chunk[i]
      end
    end
  end
  return some
end

local function holds_exactly(id, plan)
  local values = set_of(plan.values)
  local fields = redis.call('HGETALL', base .. ':' .. id)
  for i = 1, #fields, 2 do
    if values[fields[i + 1]] and string.match(fields[i], plan.exact) then
      return true
    end
  end
  return false
end

local function is_stored(id, plan)
  local stored = redis.pcall('HMGET', base .. ':' .. id, unpack(plan.fields))
  for i, value in ipairs(plan.values) do
    if stored[i] ~= value then
      return false
    end
  end
  return true
end

-- Whether a plan is a set on the server as it stands.
local function is_set(plan)
  return plan.kind == 'all' or plan.kind == 'equality' and plan.exact == '' and #plan.keys == 1
end

local function key_of_set(plan)
  return plan.kind == 'all' and base or plan.keys[1]
end

local function united(lists)
  local all, seen = {}, {}
  for _, list in ipairs(lists) do
    for _, id in ipairs(list) do
      if not seen[id] then
        seen[id] = true
        all[#all + 1] = id
      end
    end
  end
  return all
end

local function union_of(keys)
  if #keys == 1 then
    return redis.call('SMEMBERS', keys[1])
  end
  local lists = {}
  for chunk in chunks(keys) do
    lists[#lists + 1] = redis.call('SUNION', unpack(chunk))
  end
  return #lists == 1 and lists[1] or united(lists)
end

local evaluate

local EVALUATE = {
  all = function()
    return redis.call('SMEMBERS', base)
  end,

  ids = function(plan)
    return by_membership(united({ plan.ids }), base, 1)
  end,

  equality = function(plan)
    local ids = union_of(plan.keys)
    if plan.exact == '' then
      return ids
    end
    return kept(ids, function(id)
      return holds_exactly(id, plan)
    end)
  end,

  unique = function(plan)
    local ids = {}
    for _, value in ipairs(plan.values) do
      local entry = entry_of('unique', plan.name, value)
      local id = redis.call('HGET', entry.key, value)
      if id and is_held(id, entry) then
        ids[#ids + 1] = id
      end
    end
    return united({ ids })
  end,

  range = function(plan)
    local ids = {}
    for i, member in ipairs(redis.call('ZRANGEBYLEX', base .. '#range:' .. plan.name, plan.from, plan.to)) do
      ids[i] = string.match(member, '%z([^\255].*)$')
    end
    return united({ ids })
  end,

  within = function(plan)
    if not plan.notes then
      return redis.call('GEOSEARCH', base .. ':' .. plan.name, 'FROMLONLAT', plan.lon, plan.lat, unpack(plan.area))
    end
    plan.area[#plan.area + 1] = 'WITHDIST'
    local ids = {}
    local found = redis.call('GEOSEARCH', base .. ':' .. plan.name, 'FROMLONLAT', plan.lon, plan.lat,
      unpack(plan.area))
    for i, hit in ipairs(found) do
      ids[i] = hit[1]
      distances[hit[1]] = hit[2]
    end
    return ids
  end,

  ['or'] = function(plan)
    local keys, lists = {}, {}
    for _, part in ipairs(plan.any) do
      if is_set(part) then
        keys[#keys + 1] = key_of_set(part)
      else
        lists[#lists + 1] = evaluate(part)
      end
    end
    if #keys > 0 then
      lists[#lists + 1] = union_of(keys)
    end
    return #lists == 1 and lists[1] or united(lists)
  end,

  ['and'] = function(plan)
    local keys, stored, others, ids = {}, {}, {}, nil
    for _, part in ipairs(plan.all) do
      if is_set(part) then
        keys[#keys + 1] = key_of_set(part)
      elseif part.kind == 'stored' then
        stored[#stored + 1] = part
      else
        others[#others + 1] = part
      end
    end
    for _, part in ipairs(others) do
      local found = evaluate(part)
      if not ids then
        ids = found
      else
        local set = set_of(found)
        ids = kept(ids, function(id)
          return set[id]
        end)
      end
      if #ids == 0 then
        return ids
      end
    end
    if not ids then
      ids = #keys == 1 and redis.call('SMEMBERS', keys[1]) or redis.call('SINTER', unpack(keys))
    else
      for _, key in ipairs(keys) do
        ids = by_membership(ids, key, 1)
      end
    end
    for _, part in ipairs(stored) do
      ids = kept(ids, function(id)
        return is_stored(id, part)
      end)
    end
    for _, part in ipairs(plan.none) do
      if is_set(part) then
        ids = by_membership(ids, key_of_set(part), 0)
      else
        local set = set_of(evaluate(part))
        ids = kept(ids, function(id)
          return not set[id]
        end)
      end
    end
    return ids
  end,
}

evaluate = function(plan)
  return EVALUATE[plan.kind](plan)
end

-- What is due is not there, unless another client gave it more time.
local function living(ids)
  local before = '(' .. text(now)
  local count = redis.call('ZCOUNT', deadlines, '-inf', before)
  if count == 0 then
    return ids
  end
  if count <= #ids then
    local due = set_of(redis.call('ZRANGEBYSCORE', deadlines, '-inf', before))
    return kept(ids, function(id)
      return not due[id] or alive(id)
    end)
  end
  local some = {}
  for chunk in chunks(ids) do
    for i, score in ipairs(redis.call('ZMSCORE', deadlines, unpack(chunk))) do
      if not score or tonumber(score) >= now or alive(chunk[i]) then
        some[#some + 1] = chunk[i]
      end
    end
  end
  return some
end
