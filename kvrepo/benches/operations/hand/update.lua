#!lua
-- Sets one field, that is no container and not indexed, of a living entity; its term stays.
--
-- KEYS[1] base
-- ARGV: id, field, value
-- Replies 1 if it is there.

local key = KEYS[1] .. ':' .. ARGV[1]
local phantom = key .. ':phantom'
local exists, covered = redis.pcall('HLEN', key), redis.pcall('HLEN', phantom)
if type(exists) == 'table' or type(covered) == 'table' then
  return redis.error_reply('COLLISION ' .. key)
end
if exists == 0 then
  return 0
end
redis.call('HSET', key, ARGV[2], ARGV[3])
if covered > 0 then
  redis.call('HSET', phantom, ARGV[2], ARGV[3])
end
return 1
