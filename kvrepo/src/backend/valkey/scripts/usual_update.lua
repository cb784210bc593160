-- usual_update.lua: the updates that are nearly all there are, by the fewest commands: other values for fields that are there
-- and in no index, the term as it is.
--
-- Stands in front of update.lua, with its arguments and replies. Does the whole or nothing: where anything is unusual, it goes
-- on to that. A field that is there has nothing below it, and its ancestors are there. The phantom equals the hash, so the same
-- has to be done to it, and its term stays right.

do
  local base, id, changes = KEYS[1], ARGV[4], tonumber(ARGV[10])
  local usual = ARGV[5] == '' and ARGV[7] == '' and ARGV[8] == '' and ARGV[9] == '0' and changes > 0
  local paths, set, at = {}, {}, 11
  while usual and #paths < changes do
    usual = ARGV[at] == 'put' and ARGV[at + 2] == '0'
    if usual then
      local path, own = ARGV[at + 1], at + 4 + 3 * ARGV[at + 3]
      usual = ARGV[own] == '1' and ARGV[own + 1] == path
      paths[#paths + 1] = path
      set[#set + 1] = path
      set[#set + 1] = ARGV[own + 2]
      at = own + 3
    end
  end
  if usual and changes < 3000 then
    local key = base .. ':' .. id
    local phantom = key .. ':phantom'
    local there, copied = redis.pcall('HMGET', key, unpack(paths)), redis.pcall('HLEN', phantom)
    usual = type(copied) == 'number' and not there['err']
    for i = 1, changes do
      usual = usual and there[i]
    end
    local ends = usual and redis.call('PEXPIRETIME', key)
    if usual and ends > 0 then
      usual = redis.pcall('ZSCORE', base .. '#deadlines', id) == string.format('%.0f', ends)
      usual = usual and (copied > 0) == (ARGV[3] == '1')
    end
    if usual and (ends > 0 or copied == 0) then
      local time = redis.call('TIME')
      redis.call('HSET', key, unpack(set))
      if copied > 0 then
        redis.call('HSET', phantom, unpack(set))
      end
      return { 1, ends > 0 and ends or -1, time[1] * 1000 + math.floor(time[2] / 1000) }
    end
  end
end
