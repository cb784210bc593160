-- delete_many.lua: deletes several entities, each for itself.
--
-- KEYS[1] base
-- ARGV ids
--
-- Replies for each 1 if it was alive or else 0; -1 for what is not deleted, and is to be asked of delete.lua.

local replies = {}
for i, id in ipairs(ARGV) do
  replies[i] = usual_delete(id) or -1
end
return replies
