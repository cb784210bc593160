-- replay.lua: has events that were put aside handed out once more, or drops them.
--
-- KEYS[1] base
-- ARGV[1] the group's name
-- ARGV[2] '1' to have them handed out, '0' to drop them
-- ARGV[3...] their places
-- Replies how many there were.

local there = 0
if ARGV[2] == '1' and redis.call('EXISTS', aside) == 1 then
  local made = redis.pcall('XGROUP', 'CREATE', aside, group, '$')
  if made['err'] and not string.find(made['err'], 'BUSYGROUP', 1, true) then
    return made
  end
end
for i = 3, #ARGV do
  if ARGV[2] == '0' then
    there = there + redis.call('XDEL', aside, ARGV[i])
    redis.pcall('XACK', aside, group, ARGV[i])
  elseif #redis.call('XRANGE', aside, ARGV[i], ARGV[i]) > 0 then
    offer(aside, ARGV[i], 0)
    there = there + 1
  end
end
drop_if_empty()
return there
