-- Mentions that are texts the editor has beside its files: @diagnostics, @diff, @quickfix, @terminal.
local git = require('oxide.git')
local ui = require('oxide.ui')

local M = {}

local TERMINAL_LINES = 300 -- of what a terminal shows, the last ones

local SEVERITIES = { 'error', 'warning', 'info', 'hint' }

---@param path string
---@return string
local function shown(path)
  return vim.fn.fnamemodify(path, ':~:.')
end

---@param d vim.Diagnostic
---@return string
local function diagnostic_line(d)
  local from = { d.source, d.code }
  return ('%d:%d: %s: %s%s'):format(
    d.lnum + 1,
    d.col + 1,
    SEVERITIES[d.severity],
    (d.message:gsub('\n', '\n    ')),
    next(from) and (' (%s)'):format(table.concat(from, ' ')) or ''
  )
end

--- What Neovim shows in the buffer, whoever reported it; else what the language server answers.
---@type fun(mention: oxide.Mention, ctx: oxide.MentionContext, done: oxide.MentionDone)
function M.diagnostics(_, ctx, done)
  local buf, why = require('oxide.mentions.places').buffer_of(ctx)
  if not buf then
    return done(nil, why)
  end
  local path = vim.api.nvim_buf_get_name(buf)
  local heading = ('diagnostics of %s'):format(shown(path))
  local list = vim.diagnostic.get(buf)
  if #list > 0 then
    table.sort(list, function(a, b)
      return a.lnum < b.lnum or (a.lnum == b.lnum and a.col < b.col)
    end)
    local lines = vim.tbl_map(diagnostic_line, list)
    return done { { heading = heading, text = table.concat(lines, '\n') .. '\n' } }
  end
  local args, context = { file_path = path }, { buf = buf, text = true }
  require('oxide.core').call('lsp_diagnostic', args, context, function(err, result)
    if err then
      return done(nil, err.message)
    end
    done { { heading = heading, text = vim.trim(result.text) .. '\n' } }
  end)
end

--- Names of buffers with changes that git cannot see.
---@return string[]
local function unsaved()
  local names = {}
  for _, info in ipairs(vim.fn.getbufinfo { bufmodified = 1 }) do
    if require('oxide.buffers').is_file(info.bufnr) then
      table.insert(names, shown(info.name))
    end
  end
  return names
end

---@type fun(mention: oxide.Mention, ctx: oxide.MentionContext, done: oxide.MentionDone)
function M.diff(_, ctx, done)
  local diff = { 'diff', '--no-color', '--no-ext-diff', '--no-textconv', 'HEAD' }
  git.run(ctx.dir, diff, function(changes, why)
    if not changes then
      return done(nil, 'git: ' .. (why:match('[^\n]+') or 'it failed'))
    end
    git.run(ctx.dir, { 'ls-files', '--others', '--exclude-standard' }, function(new)
      if new and new ~= '' then
        changes = ('%sFiles that git does not track:\n%s'):format(changes, new)
      end
      if changes == '' then
        return done(nil, 'nothing differs from the last commit')
      end
      local left, names = '', unsaved()
      if #names > 0 then
        left = (', without the unsaved changes of %s'):format(table.concat(names, ', '))
      end
      done { { heading = 'git diff HEAD' .. left, text = changes } }
    end)
  end)
end

---@param item table
---@return string
local function quickfix_line(item)
  local text = vim.trim(item.text)
  local name = item.bufnr > 0 and vim.fn.bufname(item.bufnr) or ''
  if name == '' then
    return text
  end
  local place = item.lnum > 0 and (':%d:%d'):format(item.lnum, item.col) or ''
  local kind = item.type ~= '' and item.type .. ' ' or ''
  return ('%s%s: %s%s'):format(shown(name), place, kind, text)
end

---@return string?
local function quickfix_text()
  local lines = vim.tbl_map(quickfix_line, vim.fn.getqflist())
  return #lines > 0 and table.concat(lines, '\n') .. '\n' or nil
end

---@type fun(mention: oxide.Mention, ctx: oxide.MentionContext, done: oxide.MentionDone)
function M.quickfix(_, _, done)
  local text = quickfix_text()
  if not text then
    return done(nil, 'the quickfix list is empty')
  end
  local title = vim.fn.getqflist({ title = 1 }).title
  local heading = 'quickfix list' .. (title ~= '' and ': ' .. title or '')
  done { { heading = heading, text = text } }
end

---@return integer?
function M.quickfix_bytes()
  local text = quickfix_text()
  return text and #text
end

---@return integer?
local function recent_terminal()
  local best, at ---@type integer?, integer
  at = -1
  for _, info in ipairs(vim.fn.getbufinfo { bufloaded = 1 }) do
    if vim.bo[info.bufnr].buftype == 'terminal' and info.lastused > at then
      best, at = info.bufnr, info.lastused
    end
  end
  return best
end

---@param buf integer
---@return string[] lines   without the empty ones at the end
local function terminal_lines(buf)
  local lines = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
  while lines[#lines] == '' do
    table.remove(lines)
  end
  return lines
end

---@type fun(mention: oxide.Mention, ctx: oxide.MentionContext, done: oxide.MentionDone)
function M.terminal(_, _, done)
  local buf = recent_terminal()
  if not buf then
    return done(nil, 'no terminal is open')
  end
  local lines = terminal_lines(buf)
  local heading = ('terminal %s'):format(vim.b[buf].term_title or vim.api.nvim_buf_get_name(buf))
  if #lines > TERMINAL_LINES then
    heading = ('%s, the last %d of %s'):format(heading, TERMINAL_LINES, ui.count(#lines, 'line'))
    lines = vim.list_slice(lines, #lines - TERMINAL_LINES + 1)
  end
  done { { heading = heading, text = table.concat(lines, '\n') .. '\n' } }
end

---@return integer?
function M.terminal_bytes()
  local buf = recent_terminal()
  local lines = buf and terminal_lines(buf)
  return lines
    and #table.concat(vim.list_slice(lines, math.max(1, #lines - TERMINAL_LINES + 1)), '\n') + 1
end

return M
