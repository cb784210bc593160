-- acknowledge.lua: takes note that events of a group were seen to.
--
-- KEYS[1] base
-- ARGV[1] the group's name
-- ARGV[2...] '0' and a position in the log, or '1' and a place among those put aside, in turn
-- Replies for how many that was new. What had been put aside is gone for good then.

local noted = 0
for i = 2, #ARGV, 2 do
  if ARGV[i] == '0' then
    noted = noted + redis.call('XACK', log, group, ARGV[i + 1])
  elseif redis.call('XDEL', aside, ARGV[i + 1]) == 1 then
    redis.call('XACK', aside, group, ARGV[i + 1])
    noted = noted + 1
    drop_if_empty()
  end
end
return noted
