-- give_back.lua: undoes the delivery of events that a reader has not looked at.
--
-- KEYS[1] base
-- ARGV[1] the group's name, ARGV[2] the reader's
-- ARGV[3...] '0' and a position in the log, or '1' and a place among those put aside, in turn
-- Replies how many were still this reader's. The next to claim gets them, as if they had not been handed out.

local given = 0
for i = 3, #ARGV, 2 do
  local stream, id = ARGV[i] == '0' and log or aside, ARGV[i + 1]
  local pending = redis.pcall('XPENDING', stream, group, id, id, 1, ARGV[2])
  if not is_missing(pending) and #pending > 0 then
    offer(stream, id, math.max(tonumber(pending[1][4]) - 1, 0))
    given = given + 1
  end
end
return given
