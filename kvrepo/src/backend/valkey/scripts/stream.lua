-- stream.lua: positions in streams, and what the server tells of their groups.
--
-- Not a script of its own: it stands in front of others. It leaves these names:
--   before(a, b)      whether one position stands before another
--   prior(position)   the greatest position before another
--   about(reply)      names and values in turn, as a table

local function before(a, b)
  local millis, number = string.match(a, '^(%d+)-(%d+)$')
  local millis2, number2 = string.match(b, '^(%d+)-(%d+)$')
  millis, millis2 = tonumber(millis), tonumber(millis2)
  return millis < millis2 or millis == millis2 and tonumber(number) < tonumber(number2)
end

local function prior(position)
  local millis, number = string.match(position, '^(%d+)-(%d+)$')
  if tonumber(number) > 0 then
    return string.format('%s-%.0f', millis, number - 1)
  end
  return string.format('%.0f-18446744073709551615', millis - 1)
end

local function about(reply)
  local values = {}
  for i = 1, #reply, 2 do
    values[reply[i]] = reply[i + 1]
  end
  return values
end
