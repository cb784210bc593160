-- save_one.lua: the usual way, if it will do; save.lua, behind it, has the arguments, and the general one. What that needs is
-- not even made before.

do
  local created, deadline, now = usual_save(4, #ARGV)
  if created then
    return { created, deadline, now }
  end
end
