-- release.lua: gives the lease back, if it is still ours.
--
-- KEYS[1] base
-- ARGV[1] the token
-- Replies 1 if it was.

local reaper = KEYS[1] .. '#reaper'
if redis.call('GET', reaper) == ARGV[1] then
  return redis.call('DEL', reaper)
end
return 0
