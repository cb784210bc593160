-- due.lua: how many entities are past their deadline and wait to be reaped.
--
-- KEYS[1] base
-- Replies {how many, for how many milliseconds the first of them has been due}; {0, 0} if none is. Writes nothing.

local deadlines = KEYS[1] .. '#deadlines'
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local due = redis.call('ZCOUNT', deadlines, '-inf', '(' .. string.format('%.0f', now))
if due == 0 then
  return { 0, 0 }
end
local first = redis.call('ZRANGE', deadlines, 0, 0, 'WITHSCORES')
return { due, now - first[2] }
