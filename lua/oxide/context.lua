-- Numbered text for a model, into a register, a scratch buffer or the message of a chat: lines of the
-- buffer, or files as the core reads them. What is shown is never touched.
local ui = require('oxide.ui')

local M = {}

---@class oxide.ContextOpts
---@field files? string[]    paths; without them, lines of the buffer
---@field buf? integer
---@field first? integer     line from 1; without it the whole buffer
---@field last? integer
---@field to? string         a register, 'scratch' or 'chat'; without it what the option context.to says
---@field mods? table        the modifiers of the command
---@field on_done? fun(err?: oxide.Error, result?: { text: string, to: string })

local REGISTER = '^[%w"+*%-_/]$'

---@param to? string
---@return string? to
---@return string? why not
local function target(to)
  local clipboard = vim.fn.has('clipboard') == 1
  to = to or require('oxide.config').get('context.to')
  if not to or to == '' then
    return clipboard and '+' or '"'
  elseif (to == '+' or to == '*') and not clipboard then
    return nil, ('no clipboard for register %s; see :help clipboard'):format(to)
  elseif to == 'scratch' or to == 'chat' or to:match(REGISTER) then
    return to
  end
  return nil, ("'%s' is not a writable register, nor 'scratch' or 'chat'"):format(to)
end

---@param lines string[]
---@param what string     as the message names it
---@param to string
---@param opts oxide.ContextOpts
local function deliver(lines, what, to, opts)
  if to == 'scratch' then
    require('oxide.scratch').open('context', lines, opts.mods)
  else
    require('oxide.text_source').set(to, lines)
    ui.notify(('%s of %s, in register %s'):format(ui.count(#lines, 'line'), what, to))
  end
  if opts.on_done then
    opts.on_done(nil, { text = table.concat(lines, '\n') .. '\n', to = to })
  end
end

---@param path string
---@return string
local function shown(path)
  return vim.fn.fnamemodify(path, ':~:.')
end

--- Absolute paths of what was named: `%` and `#` are buffers, patterns are expanded.
---@param names string[]
---@return string[]? paths
---@return string? why not
local function paths_of(names)
  local paths = {} ---@type string[]
  for _, name in ipairs(names) do
    local path = name:match('^[%%#]') and vim.fn.expand(name) or vim.fs.normalize(name)
    local found = { path }
    if path ~= '' and not vim.uv.fs_stat(path) and path:find('[*?%[]') then
      found = vim.fn.glob(path, false, true)
    end
    if path == '' or #found == 0 then
      return nil, ('no file is called %s'):format(name)
    end
    for _, one in ipairs(found) do
      table.insert(paths, vim.fn.fnamemodify(one, ':p'))
    end
  end
  return paths
end

--- Reads the files one after the other.
---@param paths string[]
---@param opts oxide.ContextOpts
---@param done fun(lines: string[])
local function read(paths, opts, done)
  local lines = {} ---@type string[]
  local function next_file(i)
    local path = paths[i]
    if not path then
      return done(lines)
    end
    require('oxide.tool_command').call('read_file', { file_path = path, numbered = true }, {
      buf = vim.api.nvim_get_current_buf(),
      status = 'reading',
      looks = 'reading',
      fallback = ui.error,
      on_done = function(err)
        if err and opts.on_done then
          opts.on_done(err)
        end
      end,
    }, function(result)
      if #paths > 1 then
        table.insert(lines, 'FILE: ' .. shown(path))
      end
      local text = result.content:gsub('\n$', '')
      if text ~= '' then
        vim.list_extend(lines, vim.split(text, '\n', { plain = true }))
      end
      next_file(i + 1)
    end)
  end
  next_file(1)
end

--- What is mentioned in a message is numbered when that is sent, as the text is then.
---@param paths? string[]
---@param opts oxide.ContextOpts
local function mention(paths, opts)
  local words = vim.tbl_map(require('oxide.chat.context').mention, paths or {})
  local text = paths and table.concat(words, ' ') or nil
  require('oxide.chat').send {
    text = text,
    buf = opts.buf,
    first = opts.first,
    last = opts.last,
    mods = opts.mods,
  }
  if opts.on_done then
    opts.on_done(nil, { text = text or '', to = 'chat' })
  end
end

---@param opts oxide.ContextOpts
function M.run(opts)
  local tool_command = require('oxide.tool_command')
  local to, why = target(opts.to)
  if not to then
    return tool_command.refuse(assert(why), opts.on_done)
  end
  if opts.files and #opts.files > 0 then
    local paths
    paths, why = paths_of(opts.files)
    if opts.first or not paths then
      return tool_command.refuse(why or 'give either files or a range of the buffer', opts.on_done)
    end
    if to == 'chat' then
      return mention(paths, opts)
    end
    return read(paths, opts, function(lines)
      local what = #paths == 1 and shown(paths[1]) or ui.count(#paths, 'file')
      deliver(lines, what, to, opts)
    end)
  end
  if to == 'chat' then
    return mention(nil, opts)
  end
  local buf = opts.buf or vim.api.nvim_get_current_buf()
  local first = opts.first or 1
  local lines = vim.api.nvim_buf_get_lines(buf, first - 1, opts.last or -1, false)
  if #lines == 0 or (not opts.first and #lines == 1 and lines[1] == '') then
    return tool_command.refuse('no lines to number', opts.on_done)
  end
  local name = vim.api.nvim_buf_get_name(buf)
  local numbered = require('oxide.numbers').lines(lines, first)
  deliver(numbered, name == '' and 'the buffer' or shown(name), to, opts)
end

--- 'operatorfunc' of <Plug>(oxide-context).
function M.operatorfunc()
  M.run { first = vim.fn.line("'["), last = vim.fn.line("']") }
end

---@return string keys
function M.operator()
  vim.o.operatorfunc = "v:lua.require'oxide.context'.operatorfunc"
  return 'g@'
end

return M
