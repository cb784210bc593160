-- save_many.lua: saves of several entities, each for itself.
--
-- KEYS[1] base
-- ARGV[1...3] as in save.lua; then for each: how many arguments it has, and those that save.lua has behind these three
--
-- Replies {now, and for each created: 1 or 0, deadline or -1 ...}; -1, -1 for what is not saved, and is to be asked of save.lua.

local replies, at = { 0 }, 4
while at < #ARGV do
  local last = at + ARGV[at]
  local created, deadline, now = usual_save(at + 1, last)
  replies[#replies + 1] = created or -1
  replies[#replies + 1] = deadline or -1
  replies[1] = now or replies[1]
  at = last + 1
end
return replies
