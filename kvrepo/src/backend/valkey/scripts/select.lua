-- select.lua: finds ids by a plan, among the living, and cuts out a part of them in order.
--
-- KEYS[1] base
-- ARGV[1] grace, ARGV[2] retention (see life.lua), ARGV[3] shadow (see write.lua)
-- then: a plan (see plan.lua)
--   what to sort by: 'distance'; or 'by', how many, and of each its path, its order and '1' to have the greatest first
--   '' or 'after', how many keys, key ... ('-' is none, else '+' and the key), and the id
--   how many to leave out, how many at most or '', and '1' to look whether the entities are there
--
-- Replies {how many there are in all, {ids that are gone}, {id ...}}; where there are keys, or a distance, these stand behind
-- each id. Writes nothing. All comparisons are of bytes, whatever the server's locale; ids come last.
-- Without keys, a distance or a limit the ids have no order.

local root = given_plan()

local sorting, keys = argument(), {}
if sorting == 'by' then
  for i = 1, tonumber(argument()) do
    keys[i] = { path = argument(), order = argument(), descending = argument() == '1' }
  end
end

local after
if argument() == 'after' then
  after = { keys = {} }
  for i = 1, tonumber(argument()) do
    local key = argument()
    after.keys[i] = string.sub(key, 1, 1) == '+' and string.sub(key, 2)
  end
  after.id = argument()
end
local skip, limit, look = tonumber(argument()), tonumber(argument()), argument() == '1'

-- Lua compares by the locale, which can ignore case and signs.
local binary = 'B' < 'a' and '_' < 'a' and 'a-c' < 'ab' and 'z' < '\195\164'
local function less(a, b)
  if binary then
    return a < b
  end
  for i = 1, math.min(#a, #b) do
    local x, y = string.byte(a, i), string.byte(b, i)
    if x ~= y then
      return x < y
    end
  end
  return #a < #b
end

-- An item is an id, or where there is more to sort by a table.
local plain = #keys == 0 and sorting ~= 'distance'

local function comes_before(a, b)
  if plain then
    return less(a, b)
  end
  for i, key in ipairs(keys) do
    local x, y = a.keys[i], b.keys[i]
    if x ~= y then
      if key.descending then
        x, y = y, x
      end
      return not x or (y and less(x, y)) or false
    end
  end
  if a.distance ~= b.distance then
    return a.distance < b.distance
  end
  return less(a.id, b.id)
end

-- With the keys that it is sorted by. Those of several fields are read together.
local function sortable(id)
  local item = { id = id, keys = {} }
  if sorting == 'distance' then
    item.distance = tonumber(distances[id])
    item.keys[1] = distances[id]
    return item
  end
  local paths, fields = {}, {}
  for _, key in ipairs(keys) do
    paths[#paths + 1] = key.path
    for _, part in ipairs(PARTS[key.order] or {}) do
      paths[#paths + 1] = key.path .. part
    end
  end
  local values = redis.pcall('HMGET', base .. ':' .. id, unpack(paths))
  for i, path in ipairs(paths) do
    fields[path] = values[i]
  end
  for i, key in ipairs(keys) do
    item.keys[i] = sort_key(key.order, fields, key.path) or false
  end
  return item
end

-- The first so many in order. Of many a few are found without sorting all: a heap, the last of them on top.
local function first(items, count)
  if count * 8 > #items then
    table.sort(items, comes_before)
    return items
  end
  local heap = {}
  local function sink(at, size)
    while true do
      local last = at
      for child = 2 * at, 2 * at + 1 do
        if child <= size and comes_before(heap[last], heap[child]) then
          last = child
        end
      end
      if last == at then
        return
      end
      heap[at], heap[last] = heap[last], heap[at]
      at = last
    end
  end
  for i = 1, count do
    heap[i] = items[i]
  end
  for at = math.floor(count / 2), 1, -1 do
    sink(at, count)
  end
  for i = count + 1, #items do
    if count > 0 and comes_before(items[i], heap[1]) then
      heap[1] = items[i]
      sink(1, count)
    end
  end
  table.sort(heap, comes_before)
  return heap
end

local function contains_nobody_due()
  return redis.call('ZCOUNT', deadlines, '-inf', '(' .. text(now)) == 0
end

-- How many there are can often be told without looking at each.
if limit == 0 and contains_nobody_due() then
  local sets, others = {}, 0
  for _, part in ipairs(root.kind == 'and' and root.all or { root }) do
    if is_set(part) then
      sets[#sets + 1] = key_of_set(part)
    else
      others = others + 1
    end
  end
  if others == 0 and #(root.none or {}) == 0 then
    return { redis.call('SINTERCARD', #sets, unpack(sets)), {}, {} }
  end
end

local ids = living(evaluate(root))
local ordered = not plain or limit or skip > 0 or after

if limit == 0 or not ordered and not look then
  return { #ids, {}, limit == 0 and {} or ids }
end

local total, gone = #ids, {}
local items = ids
if not plain then
  items = {}
  for i, id in ipairs(ids) do
    items[i] = sortable(id)
  end
end
if after then
  if sorting == 'distance' then
    after.distance = tonumber(after.keys[1])
    after.keys = {}
  end
  local last, behind = plain and after.id or after, {}
  for _, item in ipairs(items) do
    if comes_before(last, item) then
      behind[#behind + 1] = item
    end
  end
  items = behind
end

local hits
repeat
  local before, missing = #gone, {}
  local count = limit and math.min(skip + limit, #items) or #items
  local sorted = ordered and first(items, count) or items
  hits = {}
  for i = 1, count do
    local item = sorted[i]
    local id = plain and item or item.id
    if look and not alive(id) then
      gone[#gone + 1] = id
      missing[id] = true
    elseif i > skip then
      hits[#hits + 1] = item
    end
  end
  if #gone > before then
    items = kept(items, function(item)
      return not missing[plain and item or item.id]
    end)
  end
until #gone == before

local reply = hits
if not plain then
  reply = {}
  for _, item in ipairs(hits) do
    reply[#reply + 1] = item.id
    for i = 1, math.max(#keys, sorting == 'distance' and 1 or 0) do
      reply[#reply + 1] = item.keys[i] or false
    end
  end
end
return { total - #gone, gone, reply }
