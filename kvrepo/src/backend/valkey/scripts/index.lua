-- index.lua: what an entity has in indexes, and how it comes there and goes.
--
-- Not a script of its own: it stands behind write.lua and in front of others. It leaves these names:
--   given_entries()          reads entries from the arguments
--   given_indexes()          reads indexes from the arguments
--   derived(fields, list)    the entries of these fields in these indexes, by their mention
--   unfit(id, entries)       the refusal, if a key is not ours, or a unique value is another living entity's
--   enter(id, entry)         puts the id into an index
--   reindex(id, entries)     has the id in just these indexes
--   amend(id, before, after) has it in those of after instead of those of before, and leaves what others wrote
--
-- An entry is a kind, a name and a value: 'equality', 'range' (the value is the key to sort by) and 'unique'; or 'geo', whose
-- name is the end of its key, with a longitude and a latitude. Its mention is what the helper `:idx` has of it: the key, or
-- what unmention in life.lua takes apart.
-- An index is a kind, an order, a path or '', a Lua pattern that ends in a position capture, how many parts its name has, and
-- the parts, between which the keys of maps go. Paths are those of mapping; backend/index/entry.rs derives the same.

local PROBE = { equality = 'SCARD', range = 'ZCARD', unique = 'HLEN', geo = 'ZCARD' }

local function key_of(kind, name, value)
  if kind == 'equality' then
    return base .. ':' .. name .. ':' .. value
  elseif kind == 'geo' then
    return base .. ':' .. name
  end
  return base .. '#' .. kind .. ':' .. name
end

local function entry_of(kind, name, value, lon, lat)
  local key = key_of(kind, name, value)
  local whole = kind == 'equality' or kind == 'geo'
  return { kind = kind, name = name, value = value, lon = lon, lat = lat, key = key,
    mention = whole and key or key .. ':' .. value }
end

local function given_entries()
  local entries = {}
  for i = 1, tonumber(argument()) do
    local kind, name = argument(), argument()
    if kind == 'geo' then
      local lon, lat = argument(), argument()
      entries[i] = entry_of(kind, name, nil, lon, lat)
    else
      entries[i] = entry_of(kind, name, argument())
    end
  end
  return entries
end

local function given_indexes()
  local indexes = {}
  for i = 1, tonumber(argument()) do
    local index = { kind = argument(), order = argument(), path = argument(), pattern = argument(), parts = {} }
    for part = 1, tonumber(argument()) do
      index.parts[part] = argument()
    end
    indexes[i] = index
  end
  return indexes
end

-- The keys to sort by, as backend/index/order.rs makes them. nil is none.

local function integer_key(stored)
  local sign, digits = string.match(stored, '^(%-?)(%d+)$')
  if not digits then
    return nil
  end
  digits = string.match(digits, '^0*(%d+)$')
  if #digits > 39 then
    return nil
  end
  if sign == '-' and digits ~= '0' then
    local turned = string.gsub(digits, '%d', function(digit)
      return tostring(9 - digit)
    end)
    return string.format('n%02d%s', 99 - #digits, turned)
  end
  return string.format('p%02d%s', #digits, digits)
end

local function float_key(stored)
  local number
  if stored == 'Infinity' then
    number = math.huge
  elseif stored == '-Infinity' then
    number = -math.huge
  elseif string.match(stored, '^[%d+%-.eE]+$') then
    number = tonumber(stored)
  end
  if not number then
    return nil
  end
  if number == 0 then
    number = 0
  end
  local packed = struct.pack('>d', number)
  local bytes = { string.byte(packed, 1, 8) }
  if bytes[1] >= 128 then
    for i = 1, 8 do
      bytes[i] = 255 - bytes[i]
    end
  else
    bytes[1] = bytes[1] + 128
  end
  return string.format('%02x%02x%02x%02x%02x%02x%02x%02x', unpack(bytes))
end

local function pair_key(seconds, nanos)
  local key = string.match(nanos, '^%d+$') and #nanos <= 9 and integer_key(seconds)
  return key and key .. '.' .. string.rep('0', 9 - #nanos) .. nanos or nil
end

local function billionths(fraction)
  return string.sub(fraction .. '000000000', 1, 9)
end

local function duration_key(stored)
  local rest = string.match(stored, '^PT(.+)$')
  if not rest then
    return integer_key(stored)
  end
  local seconds, nanos = 0, '0'
  for _, unit in ipairs({ { 'H', 3600 }, { 'M', 60 } }) do
    local number, behind = string.match(rest, '^(%d+)' .. unit[1] .. '(.*)$')
    if number then
      seconds = seconds + number * unit[2]
      rest = behind
    end
  end
  if rest ~= '' then
    local number, fraction = string.match(rest, '^(%d+)%.?(%d*)S$')
    if not number then
      return nil
    end
    seconds, nanos = seconds + number, billionths(fraction)
  end
  return seconds < 9007199254740992 and pair_key(text(seconds), nanos) or nil
end

local function time_key(stored)
  local sign, year, month, day, hour, minute, rest =
    string.match(stored, '^([+-]?)(%d+)%-(%d+)%-(%d+)[T ](%d+):(%d+):(.*)$')
  if not year then
    return integer_key(stored)
  end
  local second, fraction, zone, offset = string.match(rest, '^(%d+)%.?(%d*) *([Z+-])([%d:]*)')
  if not second then
    return nil
  end
  local ahead = 0
  if zone ~= 'Z' then
    local hours, minutes, seconds = string.match(offset, '^(%d+):(%d+):?(%d*)$')
    if not hours then
      return nil
    end
    ahead = hours * 3600 + minutes * 60 + (tonumber(seconds) or 0)
    ahead = zone == '-' and -ahead or ahead
  end
  year, month = tonumber(sign .. year), tonumber(month)
  if month <= 2 then
    year = year - 1
  end
  local era = math.floor(year / 400)
  local of_era = year - era * 400
  local of_year = math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1
  local days = era * 146097 + of_era * 365 + math.floor(of_era / 4) - math.floor(of_era / 100) + of_year - 719468
  return pair_key(text(days * 86400 + hour * 3600 + minute * 60 + second - ahead), billionths(fraction))
end

local ORDER = {
  text = function(stored)
    return stored
  end,
  integer = integer_key,
  float = float_key,
  duration = duration_key,
  time = time_key,
}

local PARTS = {
  duration = { '.secs', '.nanos' },
  time = { '.secs_since_epoch', '.nanos_since_epoch' },
}

local function sort_key(order, fields, path)
  if fields[path] then
    return ORDER[order](fields[path])
  end
  local parts = PARTS[order]
  local seconds = parts and fields[path .. parts[1]]
  local nanos = parts and fields[path .. parts[2]]
  return seconds and nanos and pair_key(seconds, nanos) or nil
end

local function on_earth(lon, lat)
  lon, lat = tonumber(lon), tonumber(lat)
  return lon and lat and lon >= -180 and lon <= 180 and lat >= -85.05112878 and lat <= 85.05112878
end

local function entry_at(index, fields, path, name)
  if index.kind == 'geo' then
    local lon, lat = fields[path .. '.x'], fields[path .. '.y']
    if lon and lat and on_earth(lon, lat) then
      -- Servers have no cell for the one meridian from the west.
      lon = tonumber(lon) == 180 and '-180' or lon
      -- In the key the last dot is a colon.
      local above, last = string.match(name, '^(.*)%.([^.]*)$')
      return entry_of('geo', above and above .. ':' .. last or name, nil, lon, lat)
    end
  elseif index.kind == 'range' then
    local key = sort_key(index.order, fields, path)
    return key and entry_of('range', name, key)
  elseif fields[path] then
    return entry_of(index.kind, name, fields[path])
  end
end

local function derived(fields, indexes)
  local found = {}
  local function add(index, path, name)
    local entry = entry_at(index, fields, path, name)
    if entry then
      found[entry.mention] = entry
    end
  end
  for _, index in ipairs(indexes) do
    if index.path ~= '' then
      add(index, index.path, index.parts[1])
    else
      for field in pairs(fields) do
        local captures = { string.match(field, index.pattern) }
        local stop = captures[#captures]
        if stop and (stop > #field or string.sub(field, stop, stop) == '.') then
          local name = index.parts[1]
          for part = 2, #index.parts do
            name = name .. captures[part - 1] .. index.parts[part]
          end
          add(index, string.sub(field, 1, stop - 1), name)
        end
      end
    end
  end
  return found
end

local function is_held(holder, entry)
  return alive(holder) and redis.pcall('SISMEMBER', base .. ':' .. holder .. ':idx', entry.mention) == 1
end

local function unfit(id, entries)
  for _, entry in pairs(entries) do
    local reply = redis.pcall(PROBE[entry.kind], entry.key)
    if type(reply) == 'table' then
      return foreign(reply, entry.key)
    end
    if entry.kind == 'unique' then
      local holder = redis.call('HGET', entry.key, entry.value)
      if holder and holder ~= id and is_held(holder, entry) then
        return redis.error_reply('KVUNIQUE ' .. entry.name)
      end
    end
  end
end

local function enter(id, entry)
  if entry.kind == 'equality' then
    redis.call('SADD', entry.key, id)
  elseif entry.kind == 'range' then
    redis.call('ZADD', entry.key, 0, placed(entry.value, id))
  elseif entry.kind == 'unique' then
    redis.call('HSET', entry.key, entry.value, id)
  else
    redis.call('GEOADD', entry.key, entry.lon, entry.lat, id)
  end
end

local function amend(id, before, after)
  local names, gone, new = base .. ':' .. id .. ':idx', {}, {}
  for mention in pairs(before) do
    if not after[mention] then
      unmention(id, mention)
      gone[#gone + 1] = mention
    end
  end
  for mention, entry in pairs(after) do
    enter(id, entry)
    new[#new + 1] = mention
  end
  batched('SREM', names, gone, 1)
  batched('SADD', names, new, 1)
end

local function reindex(id, entries)
  local before, after = {}, {}
  for _, mention in ipairs(redis.call('SMEMBERS', base .. ':' .. id .. ':idx')) do
    before[mention] = true
  end
  for _, entry in pairs(entries) do
    after[entry.mention] = entry
  end
  amend(id, before, after)
end
