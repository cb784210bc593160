-- repair.lua: cleans up after ids whose hash is gone.
--
-- KEYS[1] base
-- ARGV[1] grace, ARGV[2] retention (see life.lua)
-- ARGV[3] '1' to clean up, '0' only to say which
-- ARGV[4...] ids
--
-- Those meant are in the id set without a hash and without an expiry to explain it: evicted, or deleted by another
-- client. Living ones are not touched, nor are those whose deadline has passed: they wait to be reaped, in the order of
-- their deadlines. Those that Spring wrote, and whose phantom says that they expired, become their events.
--
-- Replies their ids; of a clean-up, {events, how many were cleaned up after without one}.

local gone, listed = {}, {}
for i = 4, #ARGV do
  local id = ARGV[i]
  if alive(id) == false then
    local deadline = redis.call('ZSCORE', deadlines, id)
    if not deadline or tonumber(deadline) >= now then
      gone[#gone + 1] = id
      if redis.call('SISMEMBER', base, id) == 1 then
        listed[#listed + 1] = id
      end
    end
  end
end
if ARGV[3] == '0' then
  return listed
end
local expired = settle(gone)
finish(true)
return { expired, #listed - expired }
