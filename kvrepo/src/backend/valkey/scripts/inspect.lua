-- inspect.lua: compares all that there is of some ids, and mends what disagrees.
--
-- KEYS[1] base
-- ARGV[1] grace, ARGV[2] retention (see life.lua), ARGV[3] shadow (see write.lua)
-- then: '1' to mend, the path of the id, the type's indexes (see index.lua), and to the end ids
--
-- Replies for each disagreement three: the id, what it is, and the index or nothing:
--   gone        the id is listed and has no hash, and no deadline that has passed
--   left        phantom, deadline or helper of an id that is neither listed nor has a hash
--   unlisted    a hash whose id is not listed; mended if the hash holds that id
--   deadline    the deadline is not that of the hash's TTL
--   phantom     the phantom is missing, differs, ends at another time, or is there although it should not
--   missing     an entry in an index
--   stale       an entry in an index of a value that the hash does not have
--   taken       a unique value is another's as well; not mended
-- What has expired waits to be reaped, and is no disagreement.

local mend, id_path = argument() == '1', argument()
local indexes = given_indexes()
local replies = {}

local function tell(id, what, index)
  replies[#replies + 1] = id
  replies[#replies + 1] = what
  replies[#replies + 1] = index or ''
end

local function has(id, entry)
  if entry.kind == 'equality' then
    return redis.pcall('SISMEMBER', entry.key, id) == 1
  elseif entry.kind == 'range' then
    return type(redis.pcall('ZSCORE', entry.key, placed(entry.value, id))) == 'string'
  elseif entry.kind == 'unique' then
    return redis.pcall('HGET', entry.key, entry.value) == id
  end
  return type(redis.pcall('ZSCORE', entry.key, id)) == 'string'
end

local function inspect_indexes(id, key)
  local entries = derived(hash(key), indexes)
  local named = {}
  for _, mention in ipairs(redis.call('SMEMBERS', key .. ':idx')) do
    named[mention] = true
    if not entries[mention] then
      tell(id, 'stale', mention)
    end
  end
  local taken = {}
  for mention, entry in pairs(entries) do
    local holder = entry.kind == 'unique' and redis.pcall('HGET', entry.key, entry.value)
    if holder and holder ~= id and is_held(holder, entry) then
      tell(id, 'taken', mention)
      taken[#taken + 1] = mention
    elseif not named[mention] or not has(id, entry) then
      tell(id, 'missing', mention)
    end
  end
  if mend then
    for _, mention in ipairs(taken) do
      entries[mention] = nil
    end
    reindex(id, entries)
  end
end

-- Spring gives a phantom its TTL a moment after the hash, and in seconds.
local function is_apart(a, b)
  return math.abs(a - b) > 2000
end

local function inspect_term(id, key)
  local at, phantom = ends(key), key .. ':phantom'
  local score = tonumber(redis.call('ZSCORE', deadlines, id) or nil)
  if score ~= at then
    tell(id, 'deadline')
    if mend and at then
      redis.call('ZADD', deadlines, text(at), id)
    elseif mend then
      redis.call('ZREM', deadlines, id)
    end
  end
  local wanted = shadow and at
  local until_then = redis.call('PEXPIRETIME', phantom)
  local same = not wanted and until_then == -2
  if wanted and until_then > 0 and not is_apart(until_then, at + grace) then
    local held, count = hash(phantom)
    local fields, expected = hash(key)
    same = count == expected
    for field, value in pairs(fields) do
      same = same and held[field] == value
    end
  end
  if not same then
    tell(id, 'phantom')
    if mend and wanted then
      redis.call('COPY', key, phantom, 'REPLACE')
      redis.call('PEXPIREAT', phantom, text(at + grace))
    elseif mend then
      redis.call('DEL', phantom)
    end
  end
end

for i = cursor + 1, #ARGV do
  local id = ARGV[i]
  local key = base .. ':' .. id
  local living, listed = alive(id), redis.call('SISMEMBER', base, id) == 1
  if living == false then
    local score = redis.call('ZSCORE', deadlines, id)
    if not score or tonumber(score) >= now or not listed then
      if listed then
        tell(id, 'gone')
        if mend then
          settle({ id })
        end
      elseif score or redis.call('EXISTS', key .. ':phantom', key .. ':idx') > 0 then
        tell(id, 'left')
        if mend then
          forget({ id })
        end
      end
    end
  elseif living and collision({ 'HLEN', key .. ':phantom', 'SCARD', key .. ':idx' }) == nil then
    local ours = listed
    if not listed then
      tell(id, 'unlisted')
      ours = mend and redis.call('HGET', key, id_path) == id
      if ours then
        redis.call('SADD', base, id)
      end
    end
    if ours then
      inspect_term(id, key)
      inspect_indexes(id, key)
    end
  end
end
finish(true)
return replies
