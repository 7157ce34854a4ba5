-- A child Neovim whose core is a script: it asks about a rename in two languages, or, by the new name,
-- about one that is refused (`bad`), has many notes (`noted`, `long`), or is in a header alone (`header`,
-- `wide`). What is replied is in `.reply`.
local helper = require('helper')

local M = {}

local CORE = [[
local C = '@@ -1,3 +1,3 @@\n int f(void)\n-  return old(1, "x"); // was\n+  return new(1, "x"); // was\n }\n'
  .. '@@ -9 +9 @@\n-int old;\n+int new;\n'
local PY = '@@ -1,2 +1,2 @@\n def f(x):\n-    return old(x)\n+    return new(x)\n'
local FIRST = 'int parse_file(FILE *file, handler_function *handler, void *user, const char *name'
local WIDE = '@@ -1 +1 @@\n-' .. FIRST .. ');\n+' .. FIRST .. ', int flags);\n'
local H = '@@ -1 +1 @@\n-int old(void); // was\n+int new(void); // was\n'
local NOTES = 'new error: a.c:2: no such name\nnew error: a.c:3: no such type\n'
for i = 1, 20 do
  NOTES = NOTES .. ('not verified: f%d.c: server %d has published nothing, though it was asked\n')
    :format(i, i)
end
local call
return function(core, method, params)
  if method == 'configure' then
    core.ready()
  elseif method == 'call' then
    call = params[1]
    local args = vim.json.decode(params[3])
    local dir = vim.uv.cwd() .. '/'
    local function file(name, diff, hunks, lines)
      return { path = dir .. name, shown = name, kind = 'modify', hunks = hunks, added = lines,
        removed = lines, where = 'disk', diff = diff }
    end
    local bad, long = args.new_name == 'bad', args.new_name == 'long'
    local files = args.new_name == 'header' and { file('h.h', H, 1, 1) }
      or args.new_name == 'wide' and { file('h.h', WIDE, 1, 1) }
    core.event('confirm', { id = 7, call = call, title = 'rename old to new', tool = 'lsp_rename',
      origin = 'nvim', server = 'clangd', places = 3, annotated = false,
      refused = bad and 'the change would bring 12 new errors' or nil,
      notes = bad and 'new error: a.c:2: no such name\nnot verified: m.py: no server' or
        args.new_name == 'noted' and NOTES or
        long and 'not verified: no server could say what 1 of the places called new would mean, nor '
          .. 'could any other that was asked' or nil,
      files = files or { file('a.c', C, 2, 2), file('m.py', PY, 1, 1),
        { path = dir .. 'n.c', shown = 'n.c', kind = 'create', hunks = 1, added = 1, removed = 0,
          where = 'disk', diff = '@@ -0,0 +1 @@\n+int n; // a comment\n' } } })
  elseif method == 'reply' then
    core.data.reply = params[1]
    local f = assert(io.open('.reply', 'wb'))
    f:write(params[1])
    f:close()
    local reply = vim.json.decode(params[1])
    if reply.accept then
      core.answer(call, { success = true, edits = 1, files_changed = 1, files = {} })
    else
      core.fail(call, 'cancelled', 'refused')
    end
  end
end
]]

--- The cursor is on `old` in a.c.
---@return test.Child
function M.start()
  local child = helper.start_fake(CORE, { ['a.c'] = 'int old;\n', ['m.py'] = '' })
  child:cmd('syntax on')
  child:cmd('edit a.c')
  return child
end

--- Opens the review.
---@param child test.Child
---@param name? string   the new one; `new` by default
function M.ask(child, name)
  child:cmd('Oxide rename ' .. (name or 'new'))
  child:event('ReviewOpen')
end

return M
