-- delete_one.lua: the usual way, if it will do; delete.lua, behind it, has the arguments, and the general one. What that needs is
-- not even made before.

if ARGV[5] == '0' and ARGV[6] == '' then
  local deleted = usual_delete(ARGV[4])
  if deleted then
    return deleted
  end
end
