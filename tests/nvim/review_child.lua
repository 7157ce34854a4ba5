-- A child Neovim whose core is a script: it asks about a rename in two languages, or, by the new name,
-- about one that is refused (`bad`), has many notes (`noted`, `long`), or is in a header alone (`header`,
-- `wide`). What is replied is in `.reply`.
local helper = require('helper')

local M = {}

-- What each core begins and ends with; between them is what asks() and replied() do.
local HEAD = [[
local core, call, dir, name
--- One of the files that it asks about; what is added and removed is counted in the diff.
local function file(path, diff, more)
  local function count(what)
    return select(2, ('\n' .. diff):gsub('\n' .. what, ''))
  end
  return vim.tbl_extend('force', { path = dir .. '/' .. path, shown = path, kind = 'modify',
    where = 'disk', diff = diff, hunks = count('@@'), added = count('%+'), removed = count('%-') },
    more or {})
end
local function confirm(files, more)
  core.event('confirm', vim.tbl_extend('force', { id = 7, call = call, title = 'rename old to new',
    tool = 'lsp_rename', origin = 'nvim', server = 'clangd', places = 3, annotated = false,
    files = files }, more or {}))
end
local function note(path, text)
  local f = assert(io.open(dir .. '/' .. path, 'wb'))
  f:write(text)
  f:close()
end
]]
local TAIL = [[
return function(from, method, params)
  core = from
  if method == 'configure' then
    core.ready()
  elseif method == 'call' then
    call = params[1]
    local args = vim.json.decode(params[3])
    dir, name = vim.fs.dirname(args.file_path), args.new_name
    asks()
  elseif method == 'reply' then
    note('.reply', params[1])
    replied(vim.json.decode(params[1]))
  end
end
]]

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
local notes = {
  bad = 'new error: a.c:2: no such name\nnot verified: m.py: no server',
  noted = NOTES,
  long = 'not verified: no server could say what 1 of the places called new would mean, nor could '
    .. 'any other that was asked',
}
local function asks()
  local headers = { header = H, wide = WIDE }
  confirm(headers[name] and { file('h.h', headers[name]) }
    or { file('a.c', C), file('m.py', PY),
      file('n.c', '@@ -0,0 +1 @@\n+int n; // a comment\n', { kind = 'create' }) },
    { refused = name == 'bad' and 'the change would bring 12 new errors' or nil,
      notes = notes[name] })
end
local function replied(reply)
  if reply.accept then
    core.answer(call, { success = true, edits = 1, files_changed = 1, files = {} })
  else
    core.fail(call, 'cancelled', 'refused')
  end
end
]]

--- A child whose core does what `script` says: Lua that defines asks(), called when a change is
--- asked for, with `core`, `call`, the project's `dir` and the new `name`, and replied(reply). It has
--- file(path, diff, more) and confirm(files, more) to ask with, and note(path, text) to leave a file.
---@param script string
---@param files table<string, string>
---@return test.Child
function M.start_with(script, files)
  return helper.start_fake(HEAD .. script .. TAIL, files)
end

--- The cursor is on `old` in a.c.
---@return test.Child
function M.start()
  local child = M.start_with(CORE, { ['a.c'] = 'int old;\n', ['m.py'] = '' })
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
