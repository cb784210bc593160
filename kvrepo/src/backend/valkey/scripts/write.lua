-- write.lua: what those scripts share that write entities: arguments, conditions, terms.
--
-- Not a script of its own: it stands behind life.lua and in front of others. It leaves these names:
--   argument()          the next argument
--   hash(key)           the fields of an entity as a table, and how many there are
--   examined(id, ...)   reads a condition from the arguments; the refusal, if it does not hold or a key is not ours; and
--                       whether the id is alive
--   ends(key)           the deadline of a hash, nil if it never ends
--   batched(...)        a command with more arguments than fit into one call
--   due(term, millis)   the deadline of a term, nil if it never ends; and the refusal, if there cannot be such a term
--   arm(id, deadline)   gives a hash that is whole its term: phantom, TTL, place in the deadline index
--   disarm(id)          takes them away, but for the TTL
--   IDLE                the field that holds the span of an idle term in milliseconds; no field of the entity
--
-- ARGV[3] '1' to keep a phantom
--
-- A condition is one of
--   ''                                          none
--   'absent'                                    nothing living is there; else KVEXISTS
--   'version', path, number                     the version is this; 0 is also that of what is not there; else KVCONFLICT
--   'same', how many, field, value, field ...   just these fields are there; else KVCONFLICT
-- A term is two arguments: 'never', 'after', 'at' or 'idle', and the milliseconds of the term or span or, of 'at',
-- the deadline in milliseconds since 1970.

local IDLE = '#idle'
local shadow = ARGV[3] == '1'
local cursor = 3

local function argument()
  cursor = cursor + 1
  return ARGV[cursor]
end

local function hash(key)
  local flat, fields, count = redis.call('HGETALL', key), {}, 0
  for i = 1, #flat, 2 do
    if flat[i] ~= IDLE then
      fields[flat[i]] = flat[i + 1]
      count = count + 1
    end
  end
  return fields, count
end

local function violated(key, living)
  local kind = argument()
  if kind == '' then
    return nil
  elseif kind == 'absent' then
    return living and redis.error_reply('KVEXISTS it exists already') or nil
  end
  local holds
  if kind == 'version' then
    local path, expected = argument(), argument()
    local stored = living and redis.call('HGET', key, path)
    holds = (stored or '0') == expected
  else
    local wanted = tonumber(argument())
    local fields, count = {}, -1
    if living then
      fields, count = hash(key)
    end
    holds = count == wanted
    for _ = 1, wanted do
      local path, value = argument(), argument()
      holds = holds and fields[path] == value
    end
  end
  return not holds and redis.error_reply('KVCONFLICT it is at another version') or nil
end

local function examined(id, more)
  local key = base .. ':' .. id
  local checks = { 'HLEN', key, 'SCARD', base, 'ZCARD', deadlines, 'HLEN', key .. ':phantom' }
  for _, check in ipairs(more) do
    checks[#checks + 1] = check
  end
  local refusal = collision(checks)
  if refusal then
    return refusal
  end
  local living = alive(id)
  return violated(key, living), living
end

local function ends(key)
  local at = redis.call('PEXPIRETIME', key)
  return at > 0 and at or nil
end

-- Takes what stands in the list from first on. An even number at a time, so that pairs stay together.
local function batched(command, key, list, first)
  local last = #list
  for from = first, last, 6000 do
    redis.call(command, key, unpack(list, from, math.min(from + 5999, last)))
  end
end

local function due(term, millis)
  local deadline
  if term == 'after' or term == 'idle' then
    deadline = now + tonumber(millis)
  elseif term == 'at' then
    deadline = tonumber(millis)
    if deadline <= now then
      return nil, redis.error_reply('KVPASSED the deadline has passed')
    end
  end
  if deadline and deadline + grace > 9007199254740991 then
    return nil, redis.error_reply('KVRANGE the deadline is out of range')
  end
  return deadline, nil
end

local function arm(id, deadline)
  local key = base .. ':' .. id
  local phantom = key .. ':phantom'
  -- The phantom first: Redis 7.0 lets time go on in a script, and deletes at once what is due when its term is set.
  if shadow then
    redis.call('COPY', key, phantom, 'REPLACE')
    redis.call('PEXPIREAT', phantom, text(deadline + grace))
  else
    redis.call('DEL', phantom)
  end
  redis.call('PEXPIREAT', key, text(deadline))
  redis.call('ZADD', deadlines, text(deadline), id)
end

local function disarm(id)
  redis.call('ZREM', deadlines, id)
  redis.call('DEL', base .. ':' .. id .. ':phantom')
end
