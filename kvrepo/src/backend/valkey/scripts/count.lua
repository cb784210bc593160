-- count.lua: how many entities are alive: the ids less those whose deadline has passed and that wait to be reaped.
--
-- KEYS[1] base
-- Replies the number. Writes nothing.

local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
local ids = redis.call('SCARD', KEYS[1])
local expired = redis.call('ZCOUNT', KEYS[1] .. '#deadlines', '-inf', '(' .. now)
return math.max(ids - expired, 0)
