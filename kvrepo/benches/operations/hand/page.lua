#!lua flags=no-writes,allow-oom
-- The first ids of one index, by their bytes, and how many there are; without those that have expired and that nobody reaped.
--
-- KEYS[1] base
-- ARGV: the index's key, how many
-- Replies {how many there are, {id ...}}.

local base, index = KEYS[1], ARGV[1]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local due = redis.call('ZRANGEBYSCORE', base .. '#deadlines', '-inf', '(' .. now)
if #due == 0 then
  return { redis.call('SCARD', index), redis.call('SORT_RO', index, 'ALPHA', 'LIMIT', 0, ARGV[2]) }
end
local expired = {}
for _, id in ipairs(due) do
  expired[id] = true
end
local ids, total, some = redis.call('SORT_RO', index, 'ALPHA'), 0, {}
for _, id in ipairs(ids) do
  if not expired[id] then
    total = total + 1
    if total <= tonumber(ARGV[2]) then
      some[total] = id
    end
  end
end
return { total, some }
