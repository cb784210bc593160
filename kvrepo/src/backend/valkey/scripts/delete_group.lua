-- delete_group.lua: drops a group, and what was put aside for it.
--
-- KEYS[1] base
-- ARGV[1] the group's name
-- ARGV[2] retention: for how many milliseconds an event is kept
-- Replies 1 if there was one. A log without groups expires again.

if not exists() then
  return 0
end
redis.call('XGROUP', 'DESTROY', log, group)
redis.call('DEL', aside)
redis.call('HDEL', marks, 'gap:' .. group)
if #redis.call('XINFO', 'GROUPS', log) == 0 then
  redis.call('HDEL', marks, 'groups')
  if redis.call('XLEN', log) == 0 then
    redis.call('DEL', log)
  else
    redis.call('PEXPIRE', log, ARGV[2])
  end
end
return 1
