-- join_group.lua: makes a group of readers of the log, unless there is one.
--
-- KEYS[1] base
-- ARGV[1] the group's name
-- ARGV[2] the position behind which it begins; '' for the log's end
-- Replies 1 if it is new.
-- Invariant: while there is a group the log does not expire, since all that is known of the group would go with it.

local from = ARGV[2]
local last, trimmed = unpack(redis.call('HMGET', marks, 'last', 'trimmed'))
-- A position behind all that there was is that of another log: nothing is to be passed over for it.
if from == '' or last and before(last, from) then
  from = '$'
end
local made = redis.pcall('XGROUP', 'CREATE', log, group, from, 'MKSTREAM')
if made['err'] then
  if string.find(made['err'], 'BUSYGROUP', 1, true) then
    return 0
  end
  return made
end
redis.call('PERSIST', log)
redis.call('HSET', marks, 'groups', '1')
-- Whoever begins at the very start asks for what there is.
if trimmed and from ~= '$' and from ~= '0-0' and before(from, trimmed) then
  redis.call('HSET', marks, 'gap:' .. group, from .. ' ' .. trimmed)
end
return 1
