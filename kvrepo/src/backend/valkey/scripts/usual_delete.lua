-- usual_delete.lua: the deletes that are nearly all there are, by the fewest commands: without a condition, of what is alive and
-- in no other indexes than equality's and places', or of what is not there at all.
--
-- Not a script of its own: delete_one.lua and delete_many.lua stand behind it. It leaves this name:
--   usual_delete(id)   1 if it was alive, 0 if nothing was there; nil, with nothing changed, if anything is unusual: a refusal, or
--                      an earlier life to settle
--
-- KEYS[1] base

local usual_delete
do
  local call, pcall = redis.call, redis.pcall
  local base = KEYS[1]
  local deadlines, ours = base .. '#deadlines', base .. ':'

  function usual_delete(id)
    local key = ours .. id
    local phantom, names = key .. ':phantom', key .. ':idx'
    local length, copied, mentions = pcall('HLEN', key), pcall('HLEN', phantom), pcall('SMEMBERS', names)
    if type(length) ~= 'number' or type(copied) ~= 'number' or mentions['err'] then
      return nil
    end
    if length == 0 then
      local nothing = copied == 0 and #mentions == 0 and pcall('SISMEMBER', base, id) == 0
      return nothing and type(pcall('ZREM', deadlines, id)) == 'number' and 0 or nil
    end
    for _, mention in ipairs(mentions) do
      if string.sub(mention, 1, #ours) ~= ours then
        return nil
      end
    end
    -- The two whose types were not looked at: where one is another's, nothing is left changed.
    local listed = pcall('SREM', base, id)
    if type(listed) ~= 'number' then
      return nil
    end
    if type(pcall('ZREM', deadlines, id)) ~= 'number' then
      if listed == 1 then
        call('SADD', base, id)
      end
      return nil
    end
    for _, mention in ipairs(mentions) do
      if type(pcall('SREM', mention, id)) == 'table' then
        pcall('ZREM', mention, id)
      end
    end
    call('DEL', key, phantom, names)
    return 1
  end
end
