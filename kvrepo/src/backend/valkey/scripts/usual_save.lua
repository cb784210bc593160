-- usual_save.lua: the saves that are nearly all there are, by the fewest commands: under no other condition than that nothing
-- be there or a version, and with no other indexes than equality's.
--
-- Stands in front of save.lua, with its arguments and replies. Does the whole or nothing: where anything is unusual, a refusal
-- or an earlier life to settle, it goes on to that. The functions that save.lua needs are not even made before.
-- Whole numbers may be arguments of commands: servers write them out (only Lua itself would write 1e+15).

do
  local base, id, term, condition = KEYS[1], ARGV[4], ARGV[5], ARGV[8]
  local key, deadlines = base .. ':' .. id, base .. '#deadlines'
  local phantom, names = key .. ':phantom', key .. ':idx'
  local at = condition == 'version' and 11 or 9
  local fields = at + 1 + 3 * (tonumber(ARGV[at]) or 0)
  local usual, exists, covered = condition ~= 'same' and #ARGV - fields < 6000, false, false
  local stale, entered

  if usual and redis.call('EXISTS', key, phantom, names) > 0 then
    local length, copied = redis.pcall('HLEN', key), redis.pcall('HLEN', phantom)
    stale = redis.pcall('SMEMBERS', names)
    usual = type(length) == 'number' and type(copied) == 'number' and not stale['err']
    exists, covered = usual and length > 0, usual and copied > 0
    usual = usual and not (exists and (ARGV[7] == '1' or condition == 'absent'))
  end
  if usual and condition == 'version' then
    usual = (exists and redis.call('HGET', key, ARGV[9]) or '0') == ARGV[10]
  end
  if usual and fields > at + 1 then
    entered = {}
    for i = at + 1, fields - 1, 3 do
      local index = base .. ':' .. ARGV[i + 1] .. ':' .. ARGV[i + 2]
      entered[#entered + 1] = index
      usual = usual and ARGV[i] == 'equality' and type(redis.pcall('SCARD', index)) == 'number'
    end
  end
  for i = 1, usual and stale and #stale or 0 do
    usual = usual and string.sub(stale[i], 1, #base + 1) == base .. ':'
  end

  local time = redis.call('TIME')
  local now, deadline = time[1] * 1000 + math.floor(time[2] / 1000), nil
  if usual and term ~= 'never' then
    deadline = term == 'at' and tonumber(ARGV[6]) or now + ARGV[6]
    usual = deadline > now and deadline + ARGV[1] <= 9007199254740991
  end
  -- The two whose types were not looked at: where one is another's, nothing is left behind.
  local listed = usual and redis.pcall('SADD', base, id)
  if listed == 1 or listed == 0 and exists then
    local placed = deadline and redis.pcall('ZADD', deadlines, deadline, id) or redis.pcall('ZREM', deadlines, id)
    if type(placed) == 'number' then
      if exists then
        redis.call('DEL', key)
      end
      redis.call('HSET', key, unpack(ARGV, fields))
      if term == 'idle' then
        redis.call('HSET', key, '#idle', ARGV[6])
      end
      if stale and #stale > 0 then
        local kept = {}
        for _, index in ipairs(entered or {}) do
          kept[index] = true
        end
        for _, mention in ipairs(stale) do
          if not kept[mention] then
            if type(redis.pcall('SREM', mention, id)) == 'table' then
              redis.pcall('ZREM', mention, id)
            end
            redis.call('SREM', names, mention)
          end
        end
      end
      if entered then
        for _, index in ipairs(entered) do
          redis.call('SADD', index, id)
        end
        redis.call('SADD', names, unpack(entered))
      end
      if deadline and ARGV[3] == '1' then
        -- The phantom's term first; see arm in write.lua.
        redis.call('COPY', key, phantom, 'REPLACE')
        redis.call('PEXPIREAT', phantom, deadline + ARGV[1])
      elseif covered then
        redis.call('DEL', phantom)
      end
      if deadline then
        redis.call('PEXPIREAT', key, deadline)
      end
      return { exists and 0 or 1, deadline or -1, now }
    elseif listed == 1 then
      redis.call('SREM', base, id)
    end
  end
end
