-- claim.lua: hands out again what was not acknowledged in time, or was replayed.
--
-- KEYS[1] base
-- ARGV[1] the group's name, ARGV[2] the reader's
-- ARGV[3] after how many milliseconds without an acknowledgement
-- ARGV[4] how often an event is handed out at most; then it is put aside
-- ARGV[5] how many events to look at
-- ARGV[6] '1' to forget readers that have nothing and were not heard of for long
--
-- Replies {'' or the positions between which events were lost, how many were put aside, more: 1 or 0, events...}, each
-- event {1 if it had been put aside, how often it was handed out, {position, fields}}; nil if there is no such group.
-- Invariant: an event is acknowledged in the same step in which it is put aside.

local reader, after, most, limit = ARGV[2], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])
if not exists() then
  return nil
end

local parked, replies = 0, {}

local function park(id, count)
  local found = redis.call('XRANGE', log, id, id)
  if #found > 0 then
    redis.call('XADD', aside, '*', 'position', id, 'deliveries', count, unpack(found[1][2]))
    parked = parked + 1
  end
  redis.call('XACK', log, group, id)
end

-- Looks at what is pending in a stream; says how much.
local function overdue(stream, was_aside)
  local pending = redis.pcall('XPENDING', stream, group, 'IDLE', after, '-', '+', limit)
  if is_missing(pending) then
    return 0
  end
  for _, one in ipairs(pending) do
    local id, count = one[1], tonumber(one[4])
    if count < most then
      local claimed = redis.call('XCLAIM', stream, group, reader, 0, id)
      if #claimed > 0 and claimed[1] then
        replies[#replies + 1] = { was_aside, count + 1, claimed[1] }
      end
    elseif was_aside == 1 then
      -- It is there as long as it is not discarded, and waits to be replayed again.
      redis.call('XACK', stream, group, id)
      parked = parked + 1
    else
      park(id, count)
    end
  end
  return #pending
end

-- A reader that is alive asks several times in this time.
local function forget_readers(stream)
  local readers = redis.pcall('XINFO', 'CONSUMERS', stream, group)
  if readers['err'] then
    return
  end
  local long = math.max(10 * after, 600000)
  for _, info in ipairs(readers) do
    local other = about(info)
    if other['pending'] == 0 and other['idle'] > long and other['name'] ~= reader then
      redis.call('XGROUP', 'DELCONSUMER', stream, group, other['name'])
    end
  end
end

local gap = redis.call('HGET', marks, 'gap:' .. group)
if gap then
  redis.call('HDEL', marks, 'gap:' .. group)
end
local looked_at = math.max(overdue(log, 0), overdue(aside, 1))
if ARGV[6] == '1' then
  forget_readers(log)
  forget_readers(aside)
end
return { gap or '', parked, looked_at >= limit and 1 or 0, unpack(replies) }
