-- residue.lua: finds what stands in an index and is not in the helper of the entity that it names.
--
-- KEYS[1] base
-- ARGV[1] grace, ARGV[2] retention (see life.lua), ARGV[3] '' (see write.lua)
-- then: '1' to take it out, what the index is ('set', 'zset' or 'hash'), its key, and to the end what stands there: ids, of a
-- range index its members, and of a unique one values and ids in turn
--
-- Replies for each the id, 'stale' and the entry.

local mend, kind, key = argument() == '1', argument(), argument()
local range = string.match(string.sub(key, #base + 1), '^#range:')
local replies = {}

-- Whoever read the index read it a moment ago.
local function stands(member)
  if kind == 'set' then
    return redis.pcall('SISMEMBER', key, member) == 1
  end
  return type(redis.pcall('ZSCORE', key, member)) == 'string'
end

local function look(id, mention, command, member)
  if kind ~= 'hash' and not stands(member) then
    return
  end
  if redis.pcall('SISMEMBER', base .. ':' .. id .. ':idx', mention) ~= 1 then
    replies[#replies + 1] = id
    replies[#replies + 1] = 'stale'
    replies[#replies + 1] = mention
    if mend then
      redis.call(command, key, member)
    end
  end
end

local i = cursor + 1
while i <= #ARGV do
  local member = ARGV[i]
  if kind == 'set' then
    look(member, key, 'SREM', member)
  elseif kind == 'hash' then
    i = i + 1
    local id = ARGV[i]
    if redis.call('HGET', key, member) == id then
      look(id, key .. ':' .. member, 'HDEL', member)
    end
  elseif range then
    local value, id = unplaced(member)
    if id then
      look(id, key .. ':' .. value, 'ZREM', member)
    end
  else
    look(member, key, 'ZREM', member)
  end
  i = i + 1
end
return replies
