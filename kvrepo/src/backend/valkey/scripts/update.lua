-- update.lua: changes some fields of a living entity, or its term, or both.
--
-- KEYS[1] base
-- ARGV[1] grace, ARGV[2] retention (see life.lua), ARGV[3] shadow (see write.lua)
-- then: id, the term's two ('' keeps what remains), the path of the version that is to count on or '', a condition, the
-- indexes that the changes can concern (see index.lua), how many changes, and the changes, each
--   'put', a place, how many fields, field, value ...    these instead of what stands there; none takes it away
--   'add', a place, by, least, greatest                  adds to a whole number; what is not there counts as 0
-- A place is: path, how many other paths, other path ..., how many ancestors, ancestor, '1' if it is optional, its
-- marker, ancestor ...
--
-- A field is all that stands at its path and below it. Ancestors are the structs, maps and lists it stands in, the
-- outermost first. If nothing is in one, its marker stands at its path; if not even that, an optional one is None.
-- change.rs does the same in Rust.
--
-- Replies {there: 1 or 0, deadline or -1, now}.
-- Refuses, with nothing written: KVCOLLISION <key>, KVCONFLICT, KVUNIQUE <index>, KVPASSED, KVRANGE; and KVABSENT, KVWHOLE,
-- KVNONUMBER, KVSUM, each with the path.
-- Invariant: what is not alive stays so; the phantom equals the hash; the indexes follow it.

local id = argument()
local term, millis = argument(), argument()
local version = argument()
local key = base .. ':' .. id

local refusal, exists = examined(id, { 'SCARD', key .. ':idx' })
if refusal then
  return refusal
end
if not exists then
  return { 0, -1, now }
end

local function within(field, path)
  return field == path or string.sub(field, 1, #path + 1) == path .. '.'
end

local function stands(fields, path)
  if fields[path] then
    return true
  end
  for field in pairs(fields) do
    if within(field, path) then
      return true
    end
  end
  return false
end

local function place()
  local path, others, ancestors = argument(), {}, {}
  for i = 1, tonumber(argument()) do
    others[i] = argument()
  end
  for i = 1, tonumber(argument()) do
    local ancestor, optional = argument(), argument() == '1'
    ancestors[i] = { path = ancestor, optional = optional, marker = argument() }
  end
  return { path = path, others = others, ancestors = ancestors }
end

local function put(fields, where, new)
  for _, ancestor in ipairs(where.ancestors) do
    if fields[ancestor.path] and fields[ancestor.path] ~= ancestor.marker then
      return redis.error_reply('KVWHOLE ' .. ancestor.path)
    end
  end
  local empty = next(new) == nil
  local there = {}
  for i, ancestor in ipairs(where.ancestors) do
    there[i] = stands(fields, ancestor.path)
    if not empty and not there[i] and ancestor.optional then
      return redis.error_reply('KVABSENT ' .. ancestor.path)
    end
  end
  local stale = {}
  for field in pairs(fields) do
    local hit = within(field, where.path)
    for _, other in ipairs(where.others) do
      hit = hit or within(field, other)
    end
    if hit then
      stale[#stale + 1] = field
    end
  end
  for _, field in ipairs(stale) do
    fields[field] = nil
  end
  if empty then
    for i = #where.ancestors, 1, -1 do
      local ancestor = where.ancestors[i]
      if not there[i] or stands(fields, ancestor.path) then
        break
      end
      fields[ancestor.path] = ancestor.marker
    end
  else
    for _, ancestor in ipairs(where.ancestors) do
      fields[ancestor.path] = nil
    end
    for field, value in pairs(new) do
      fields[field] = value
    end
  end
end

-- A whole number of up to 20 digits as two that Lua counts exactly: so many times a billion, and the rest.
local function split(number)
  local sign, digits = 1, number
  if string.sub(number, 1, 1) == '-' then
    sign, digits = -1, string.sub(number, 2)
  end
  local high = #digits > 9 and tonumber(string.sub(digits, 1, -10)) or 0
  return sign * high, sign * tonumber(string.sub(digits, -9))
end

-- The rest made positive, so that such pairs compare as the numbers do.
local function level(high, low)
  local carry = math.floor(low / 1000000000)
  return high + carry, low - carry * 1000000000
end

local function less(high, low, other_high, other_low)
  return high < other_high or high == other_high and low < other_low
end

local function joined(high, low)
  local sign = ''
  if high < 0 then
    sign, high, low = '-', level(-high, -low)
  end
  if high == 0 then
    return sign .. text(low)
  end
  return sign .. text(high) .. string.format('%09.0f', low)
end

local function add(fields, where, by, least, greatest)
  local stored = fields[where.path]
  for _, other in ipairs(where.others) do
    stored = stored or fields[other]
  end
  stored = stored or '0'
  local digits = string.match(stored, '^%-?(%d+)$')
  if not digits or #digits > 20 then
    return redis.error_reply('KVNONUMBER ' .. where.path)
  end
  local high, low = split(stored)
  local by_high, by_low = split(by)
  high, low = level(high + by_high, low + by_low)
  local past = redis.error_reply('KVSUM ' .. where.path)
  local greatest_high, greatest_low = level(split(greatest))
  if less(high, low, level(split(least))) or less(greatest_high, greatest_low, high, low) then
    return past
  end
  return put(fields, where, { [where.path] = joined(high, low) })
end

local indexes = given_indexes()
local count = tonumber(argument())
local before, after = {}, {}
if count > 0 or version ~= '' then
  before = hash(key)
  for field, value in pairs(before) do
    after[field] = value
  end
end
for _ = 1, count do
  local kind, where = argument(), place()
  if kind == 'put' then
    local new = {}
    for _ = 1, tonumber(argument()) do
      local field = argument()
      new[field] = argument()
    end
    refusal = put(after, where, new)
  else
    local by, least, greatest = argument(), argument(), argument()
    refusal = add(after, where, by, least, greatest)
  end
  if refusal then
    return refusal
  end
end
if version ~= '' then
  refusal = add(after, { path = version, others = {}, ancestors = {} }, '1', '0', '18446744073709551615')
  if refusal then
    return refusal
  end
end
local deadline
if term == '' then
  deadline = ends(key)
else
  deadline, refusal = due(term, millis)
  if refusal then
    return refusal
  end
end

local entries, former
if count > 0 and #indexes > 0 then
  former, entries = derived(before, indexes), derived(after, indexes)
  refusal = unfit(id, entries)
  if refusal then
    return refusal
  end
end

-- A hash without fields would be gone, and its TTL with it.
if next(before) and not next(after) then
  after['_class'] = ''
end
local set, gone = {}, {}
for field, value in pairs(after) do
  if before[field] ~= value then
    set[#set + 1] = field
    set[#set + 1] = value
  end
end
for field in pairs(before) do
  if not after[field] then
    gone[#gone + 1] = field
  end
end
if term == 'idle' then
  set[#set + 1] = IDLE
  set[#set + 1] = millis
elseif term ~= '' then
  gone[#gone + 1] = IDLE
end
-- New ones first, for the same reason.
batched('HSET', key, set, 1)
batched('HDEL', key, gone, 1)
if entries then
  amend(id, former, entries)
end
if deadline then
  if #set > 0 or #gone > 0 or term ~= '' then
    arm(id, deadline)
  end
elseif term ~= '' then
  redis.call('PERSIST', key)
  disarm(id)
end
return { 1, deadline or -1, now }
