-- usual_delete.lua: the deletes that are nearly all there are, by the fewest commands: without a condition, of what is alive and
-- in no other indexes than equality's and places'.
--
-- Stands in front of delete.lua, with its arguments and replies. Does the whole or nothing: where anything is unusual, it goes
-- on to that.

do
  local base, id = KEYS[1], ARGV[4]
  local key, deadlines = base .. ':' .. id, base .. '#deadlines'
  local phantom, names = key .. ':phantom', key .. ':idx'
  if ARGV[5] == '0' and ARGV[6] == '' then
    local length, copied, mentions = redis.pcall('HLEN', key), redis.pcall('HLEN', phantom), redis.pcall('SMEMBERS', names)
    local usual = type(length) == 'number' and length > 0 and type(copied) == 'number' and not mentions['err']
    for _, mention in ipairs(mentions) do
      usual = usual and string.sub(mention, 1, #base + 1) == base .. ':'
    end
    -- The two whose types were not looked at: where one is another's, nothing is left changed.
    local listed = usual and redis.pcall('SREM', base, id)
    if type(listed) == 'number' then
      if type(redis.pcall('ZREM', deadlines, id)) == 'number' then
        for _, mention in ipairs(mentions) do
          if type(redis.pcall('SREM', mention, id)) == 'table' then
            redis.pcall('ZREM', mention, id)
          end
        end
        redis.call('DEL', key, phantom, names)
        return 1
      elseif listed == 1 then
        redis.call('SADD', base, id)
      end
    end
  end
end
