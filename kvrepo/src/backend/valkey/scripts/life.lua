-- life.lua: what the other scripts share: how a life ends.
--
-- Not a script of its own: it stands behind stream.lua and in front of each of the others. It leaves these names:
--   base                KEYS[1]: the keyspace's name with the store's prefix, and the key of the id set
--   now                 the server's time, in milliseconds; it stands still while a script runs, also for expiry
--   text(n)             a whole number as text (Lua's own would write 1e+15)
--   alive(id)           whether the hash is there; nil if its key holds another type
--   foreign(reply, key) the refusal that an error is which a key was answered with
--   collision(...)      the refusal, if one of these keys holds another type than kvrepo keeps there
--   placed(key, id)     what stands in a range index
--   unplaced(member)    the key and the id of what stands there
--   unmention(id, name) takes the id out of one index that its helper names
--   unindex(id)         takes it out of all
--   forget(ids)         takes ids out of everything but the id set: deadlines, phantoms, indexes
--   settle(ids, ...)    ends the lives of ids whose hashes are gone; the number of events that made
--   finish(trim)        to be called once, after the last settle
--
-- Settings come as the first two arguments of every script that ends lives:
--   ARGV[1] grace: for how many milliseconds a phantom outlives its entity
--   ARGV[2] retention: for how many milliseconds an event is kept
--
-- An entity is expired when now is past its deadline, as the server itself has it; a score below now is due.
-- Lists of ids are short enough for one call's arguments: a few hundred.

local base = KEYS[1]
local deadlines, log, marks = base .. '#deadlines', base .. '#expired', base .. '#log'
local grace, retention = tonumber(ARGV[1]), tonumber(ARGV[2])

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function text(n)
  return string.format('%.0f', n)
end

local function alive(id)
  local length = redis.pcall('HLEN', base .. ':' .. id)
  if type(length) == 'table' then
    return nil
  end
  return length > 0
end

-- The refusal that an error is: of a key that is not ours, if it holds another type; else what the server said, such as
-- that the user lacks a right.
local function foreign(reply, key)
  if string.find(reply['err'], 'WRONGTYPE', 1, true) then
    return redis.error_reply('KVCOLLISION ' .. key)
  end
  return reply
end

-- Takes pairs of a command that costs nothing and works on one type only, and a key. To be asked before anything is
-- written: a script that fails half way leaves what it has done.
local function collision(checks)
  for i = 1, #checks, 2 do
    local reply = redis.pcall(checks[i], checks[i + 1])
    if type(reply) == 'table' then
      return foreign(reply, checks[i + 1])
    end
  end
end

-- What stands in a sorted index: the key, and behind it the id. A zero byte parts them, and one within the key is marked.
local function placed(key, id)
  return string.gsub(key, '%z', '\0\255') .. '\0' .. id
end

-- The key, and the id; nothing if somebody else put it there.
local function unplaced(member)
  local marked, id = string.match(member, '^(.-)%z([^\255].*)$')
  if id then
    return string.gsub(marked, '%z\255', '\0'), id
  end
end

-- Takes an id out of the index that a member of its helper names: a key, or, of what is ours, the index and the value.
local function unmention(id, mention)
  local rest = string.sub(mention, 1, #base) == base and string.sub(mention, #base + 1) or ''
  local kind, name, value = string.match(rest, '^#(%l+):([^:]*):(.*)$')
  if kind == 'range' then
    redis.pcall('ZREM', base .. '#range:' .. name, placed(value, id))
  elseif kind == 'unique' then
    local key = base .. '#unique:' .. name
    if redis.pcall('HGET', key, value) == id then
      redis.call('HDEL', key, value)
    end
  elseif type(redis.pcall('SREM', mention, id)) == 'table' then
    redis.pcall('ZREM', mention, id)
  end
end

local function unindex(id)
  local names = base .. ':' .. id .. ':idx'
  local mentions = redis.call('SMEMBERS', names)
  if #mentions == 0 then
    return
  end
  for _, mention in ipairs(mentions) do
    unmention(id, mention)
  end
  redis.call('DEL', names)
end

local function keys(ids, suffix)
  local all = {}
  for i, id in ipairs(ids) do
    all[i] = base .. ':' .. id .. suffix
  end
  return all
end

local function forget(ids)
  redis.call('ZREM', deadlines, unpack(ids))
  redis.call('DEL', unpack(keys(ids, ':phantom')))
  if redis.call('EXISTS', unpack(keys(ids, ':idx'))) > 0 then
    for _, id in ipairs(ids) do
      unindex(id)
    end
  end
end

-- Fields that are too many for one call's arguments go as a single one: each value behind its length.
local function packed(fields)
  local parts = {}
  for i, value in ipairs(fields) do
    parts[i] = #value .. ':' .. value
  end
  return { '#packed', table.concat(parts) }
end

local events, last = 0, nil

-- Writes an event, with what the phantom holds. A phantom that outlives the deadline which the entity was given by
-- more than the grace (or the five minutes of Spring, which sets it a moment after the hash) is that of a later life:
-- better no value.
local function record(id, deadline, given, phantom, outlives)
  local fields = {}
  if outlives > 0 and outlives - given <= math.max(grace, 300000) + 1000 then
    fields = redis.pcall('HGETALL', phantom)
    if fields['err'] then
      fields = {}
    elseif #fields > 6000 then
      fields = packed(fields)
    end
  end
  last = redis.call('XADD', log, '*', 'id', id, 'deadline', text(deadline), unpack(fields))
  events = events + 1
end

-- The hashes are known to be gone. It is an expiry if the caller knows so (noticed), if the deadline has passed, or,
-- where Spring wrote the entity and there is no deadline, if the phantom, five minutes older, says so. An id that is not in the
-- id set was deleted by another client, and a hash that went before its deadline was evicted or deleted: no event.
-- scores are the ids' deadlines, where the caller has them.
local function settle(ids, noticed, scores)
  if #ids == 0 then
    return 0
  end
  -- Fails here, with nothing changed, if the log's key is not ours. A log that has gone by itself took with it all
  -- that it held.
  if redis.call('XLEN', log) == 0 then
    local before = redis.call('HGET', marks, 'last')
    if before then
      redis.call('HSET', marks, 'trimmed', before)
    end
  end
  local before = events
  for i, id in ipairs(ids) do
    if redis.call('SREM', base, id) == 1 then
      local phantom = base .. ':' .. id .. ':phantom'
      local outlives = redis.call('PEXPIRETIME', phantom)
      local deadline = tonumber(scores and scores[i] or redis.call('ZSCORE', deadlines, id) or nil)
      if not deadline and outlives > 0 then
        deadline = outlives - 300000
      end
      local given = deadline or now
      if noticed then
        -- Another client can have shortened its life.
        deadline = math.min(given, now)
      end
      if deadline and (deadline < now or noticed) then
        record(id, deadline, given, phantom, outlives)
      end
    end
  end
  forget(ids)
  return events - before
end

-- Called before all events up to a position are dropped: notes for each group what it loses by that, to be told by
-- claim.lua. What was handed out and not acknowledged cannot be handed out again. False if this user may know nothing of
-- groups, and so may drop nothing of theirs.
local function note_losses(dropped)
  if not redis.call('HGET', marks, 'groups') then
    return true
  end
  local groups = redis.pcall('XINFO', 'GROUPS', log)
  if groups['err'] then
    return false
  end
  for _, info in ipairs(groups) do
    local group = about(info)
    local name, read = group['name'], group['last-delivered-id']
    local from = before(read, dropped) and read
    repeat
      local pending = redis.call('XPENDING', log, name, '-', dropped, 1000)
      local ids = {}
      for i, one in ipairs(pending) do
        ids[i] = one[1]
      end
      if #ids > 0 then
        from = from and before(from, ids[1]) and from or prior(ids[1])
        redis.call('XACK', log, name, unpack(ids))
      end
    until #ids < 1000
    if from then
      local untold = redis.call('HGET', marks, 'gap:' .. name)
      from = untold and string.match(untold, '^%S+') or from
      redis.call('HSET', marks, 'gap:' .. name, from .. ' ' .. dropped)
    end
  end
  return true
end

-- The log is gone by itself once nothing in it is younger than the retention, unless it has groups, which would go with
-- it. The marks stay: the last event there was, and the last that was dropped, so that whoever had not read that far can
-- be told.
local function finish(trim)
  if trim then
    local cutoff = text(math.max(now - retention, 0))
    local old = redis.call('XREVRANGE', log, '(' .. cutoff .. '-0', '-', 'COUNT', 1)
    if #old > 0 and note_losses(old[1][1]) then
      redis.call('HSET', marks, 'trimmed', old[1][1])
      redis.call('XTRIM', log, 'MINID', '=', cutoff)
    end
  end
  if last then
    redis.call('HSET', marks, 'last', last)
    if not redis.call('HGET', marks, 'groups') then
      redis.call('PEXPIRE', log, text(retention))
    end
  end
end
