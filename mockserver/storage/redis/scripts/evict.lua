-- Remove a workspace, whoever holds it. ARGV: name. Gives: whether there was one.
local name = ARGV[3]
local was_there = remove(name)
if was_there then
  let_go(name)
  tell(SERVER, 'evicted', name, '')
end
return {'done', was_there and 1 or 0}
