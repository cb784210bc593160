-- leave_group.lua: forgets a reader that has nothing.
--
-- KEYS[1] base
-- ARGV[1] the group's name, ARGV[2] the reader's
-- Replies 1 if it is forgotten. What it has not acknowledged would be lost with it.

for _, stream in ipairs({ log, aside }) do
  local pending = redis.pcall('XPENDING', stream, group, '-', '+', 1, ARGV[2])
  if not is_missing(pending) then
    if #pending > 0 then
      return 0
    end
    redis.call('XGROUP', 'DELCONSUMER', stream, group, ARGV[2])
  end
end
return 1
