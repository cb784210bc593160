#!lua flags=no-writes,allow-oom
-- How many entities are alive: the ids less those that have expired and that nobody reaped.
--
-- KEYS[1] base
-- Replies the number.

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
return redis.call('SCARD', KEYS[1]) - redis.call('ZCOUNT', KEYS[1] .. '#deadlines', '-inf', '(' .. now)
