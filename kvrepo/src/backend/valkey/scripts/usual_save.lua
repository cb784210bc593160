-- usual_save.lua: the saves that are nearly all there are, by the fewest commands: under no other condition than that nothing
-- be there or a version, and with no other indexes than equality's.
--
-- Not a script of its own: save_one.lua and save_many.lua stand behind it. It leaves this name:
--   usual_save(first, last)   saves what these arguments say: 1 if it is new or else 0, the deadline or -1, and the time. nil, with
--                             nothing written, if anything is unusual: a refusal, or an earlier life to settle
--
-- KEYS[1] base
-- ARGV[1] grace, ARGV[2] retention (see life.lua), ARGV[3] shadow (see write.lua); and from first on those of save.lua
--
-- Whole numbers may be arguments of commands: servers write them out (only Lua itself would write 1e+15).

local usual_save
do
  local call, pcall = redis.call, redis.pcall
  local base, grace, shadow = KEYS[1], tonumber(ARGV[1]), ARGV[3] == '1'
  local deadlines, ours, now = base .. '#deadlines', base .. ':', nil

  function usual_save(first, last)
    local id, term, condition = ARGV[first], ARGV[first + 1], ARGV[first + 4]
    local key = ours .. id
    local phantom, names = key .. ':phantom', key .. ':idx'
    local at = condition == 'version' and first + 7 or first + 5
    if condition == 'same' or last - at > 6000 then
      return nil
    end
    local exists, covered, stale, entered = false, false, nil, nil
    local there = pcall('EXISTS', key, phantom, names)
    if type(there) ~= 'number' then
      -- This user may not, and shall not be the end of the others in the same call.
      return nil
    end
    if there > 0 then
      local length, copied = pcall('HLEN', key), pcall('HLEN', phantom)
      stale = pcall('SMEMBERS', names)
      if type(length) ~= 'number' or type(copied) ~= 'number' or stale['err'] then
        return nil
      end
      exists, covered = length > 0, copied > 0
      if exists and (ARGV[first + 3] == '1' or condition == 'absent') then
        return nil
      end
      for _, mention in ipairs(stale) do
        if string.sub(mention, 1, #ours) ~= ours then
          return nil
        end
      end
    end
    if condition == 'version' and (exists and call('HGET', key, ARGV[first + 5]) or '0') ~= ARGV[first + 6] then
      return nil
    end
    local fields = at + 1 + 3 * ARGV[at]
    if fields > at + 1 then
      entered = {}
      for i = at + 1, fields - 1, 3 do
        local index = ours .. ARGV[i + 1] .. ':' .. ARGV[i + 2]
        if ARGV[i] ~= 'equality' or type(pcall('SCARD', index)) ~= 'number' then
          return nil
        end
        entered[#entered + 1] = index
      end
    end

    if not now then
      local time = call('TIME')
      now = time[1] * 1000 + math.floor(time[2] / 1000)
    end
    local deadline
    if term ~= 'never' then
      deadline = term == 'at' and tonumber(ARGV[first + 2]) or now + ARGV[first + 2]
      if deadline <= now or deadline + grace > 9007199254740991 then
        return nil
      end
    end
    -- The two whose types were not looked at: where one is another's, nothing is left behind.
    local listed = pcall('SADD', base, id)
    if listed ~= 1 and not (listed == 0 and exists) then
      return nil
    end
    if type(deadline and pcall('ZADD', deadlines, deadline, id) or pcall('ZREM', deadlines, id)) ~= 'number' then
      if listed == 1 then
        call('SREM', base, id)
      end
      return nil
    end

    if exists then
      call('DEL', key)
    end
    call('HSET', key, unpack(ARGV, fields, last))
    if term == 'idle' then
      call('HSET', key, '#idle', ARGV[first + 2])
    end
    if stale and #stale > 0 then
      local kept = {}
      for _, index in ipairs(entered or {}) do
        kept[index] = true
      end
      for _, mention in ipairs(stale) do
        if not kept[mention] then
          if type(pcall('SREM', mention, id)) == 'table' then
            pcall('ZREM', mention, id)
          end
          call('SREM', names, mention)
        end
      end
    end
    if entered then
      for _, index in ipairs(entered) do
        call('SADD', index, id)
      end
      call('SADD', names, unpack(entered))
    end
    if deadline and shadow then
      -- The phantom's term first; see arm in write.lua.
      call('COPY', key, phantom, 'REPLACE')
      call('PEXPIREAT', phantom, deadline + grace)
    elseif covered then
      call('DEL', phantom)
    end
    if deadline then
      call('PEXPIREAT', key, deadline)
    end
    return exists and 0 or 1, deadline or -1, now
  end
end
