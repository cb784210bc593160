-- renew.lua: lets idle terms begin anew.
--
-- KEYS[1] base
-- ARGV[1] grace, ARGV[2] retention (see life.lua), ARGV[3] shadow (see write.lua)
-- then to the end: ids
--
-- Only those are touched that are alive, have an idle term, and have used up a thirtieth of it: who asks may have looked
-- a while ago. Replies how many that were.
-- Invariant: what is not alive stays so; the phantom outlives the hash by the grace.

local renewed = 0
for i = 4, #ARGV do
  local id = ARGV[i]
  local key = base .. ':' .. id
  local span = redis.pcall('HGET', key, IDLE)
  span = type(span) == 'string' and tonumber(span)
  local left = span and redis.call('PTTL', key) or -1
  if left >= 0 and left <= span - math.floor(span / 30) then
    local deadline = now + span
    local phantom = key .. ':phantom'
    if shadow and redis.call('PEXPIREAT', phantom, text(deadline + grace)) == 0 then
      redis.call('COPY', key, phantom)
      redis.call('PEXPIREAT', phantom, text(deadline + grace))
    end
    redis.call('PEXPIREAT', key, text(deadline))
    redis.call('ZADD', deadlines, text(deadline), id)
    renewed = renewed + 1
  end
end
return renewed
