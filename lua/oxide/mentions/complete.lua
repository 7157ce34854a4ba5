-- Completion of mentions, with their sizes, and of an agent's slash commands: an 'omnifunc', and the
-- items that the sources for nvim-cmp and blink.cmp are made of (lua/oxide/integrations/).
local mentions = require('oxide.mentions')

local M = {}

---@class oxide.MentionItem
---@field word string     the whole mention: '@file:a.c'
---@field detail string   its size, or what has to follow
---@field doc string
---@field kind 'mention'|'file'|'directory'|'symbol'|'command'
---@field open? boolean   more of it can follow

--- The slash commands that the agent offers, where a message may begin with one.
---@param line integer   from 0
---@return oxide.MentionItem[]
local function commands(line)
  return vim.tbl_map(function(command)
    return {
      word = '/' .. command.name,
      detail = vim.tbl_get(command, 'input', 'hint') or '',
      doc = command.description or '',
      kind = 'command',
    }
  end, require('oxide.chat.agent').commands(line))
end

--- Where what is being typed begins, from 0; nil: it is nothing that can be completed.
---@param before string   the line up to the cursor
---@param line integer    from 0
---@return integer?
function M.start(before, line)
  if before:match('^/%S*$') and #commands(line) > 0 then
    return 0
  end
  local at = before:match('()@[%a_]*:?"[^"]*$') or before:match('()@%S*$')
  local ahead = at and before:sub(at - 1, at - 1) or ''
  return at and not ahead:match('[%w_@/%.%-]') and at - 1 or nil
end

---@param ctx oxide.MentionContext
---@return oxide.MentionItem[]
local function kinds(ctx)
  local items = {}
  for name, kind in pairs(require('oxide.mentions.kinds')) do
    local bytes = kind.bytes and kind.bytes(ctx)
    if bytes or not kind.bytes then
      table.insert(items, {
        word = '@' .. name .. (kind.argument and ':' or ''),
        detail = bytes and mentions.size(bytes) or kind.argument or '',
        doc = kind.doc,
        kind = 'mention',
        open = kind.argument ~= nil,
      })
    end
  end
  table.sort(items, function(a, b)
    return a.word < b.word
  end)
  return items
end

---@param path string   as typed, a quote before it too
---@param dir string
---@return string[]     likewise, without one
local function paths(path, dir)
  local typed = path:gsub('^"', ''):gsub('\\(["\\])', '%1')
  local at = require('oxide.mentions.places').absolute(typed:match('^(.*/)') or '', dir)
  local names, head = {}, typed:match('^(.*/)') or ''
  for name, kind in vim.fs.dir(at) do
    local hidden = vim.startswith(name, '.') and not vim.startswith(typed:sub(#head + 1), '.')
    if vim.startswith(name, typed:sub(#head + 1)) and not hidden then
      local stat = kind == 'link' and vim.uv.fs_stat(vim.fs.joinpath(at, name))
      local is_dir = kind == 'directory' or stat and stat.type == 'directory'
      table.insert(names, head .. name .. (is_dir and '/' or ''))
    end
  end
  table.sort(names)
  return names
end

--- With an open quote for a directory, in which more can follow.
---@param path string
---@return string
local function word_of(path)
  local quoted = mentions.quote(path)
  return quoted ~= path and vim.endswith(path, '/') and quoted:sub(1, -2) or quoted
end

---@param name 'file'|'dir'
---@param path string
---@param ctx oxide.MentionContext
---@return oxide.MentionItem[]
local function files(name, path, ctx)
  local items = {}
  for _, found in ipairs(paths(path, ctx.dir)) do
    local is_dir = vim.endswith(found, '/')
    local absolute = require('oxide.mentions.places').absolute(found, ctx.dir)
    local stat = not is_dir and vim.uv.fs_stat(absolute)
    if is_dir or name == 'file' then
      table.insert(items, {
        word = '@' .. name .. ':' .. word_of(found),
        detail = stat and mentions.size(stat.size) or 'directory',
        doc = found,
        kind = is_dir and 'directory' or 'file',
        open = is_dir,
      })
    end
  end
  return items
end

--- The symbols of the buffer, by its language server.
---@param ctx oxide.MentionContext
---@param cb fun(items: oxide.MentionItem[])
local function symbols(ctx, cb)
  local buf = ctx.buf
  if not buf or not require('oxide.buffers').is_file(buf) then
    return cb {}
  end
  local args = { query = 'document_symbols', file_path = vim.api.nvim_buf_get_name(buf) }
  require('oxide.core').call('lsp_symbol', args, { buf = buf }, function(err, result)
    local items, seen = {}, {}
    for _, s in ipairs(not err and result.symbols or {}) do
      if not s.name_path:find('%s') and not seen[s.name_path] then
        seen[s.name_path] = true
        table.insert(items, {
          word = '@symbol:' .. s.name_path,
          detail = s.kind,
          doc = (s.detail or '') ~= '' and s.detail or s.kind,
          kind = 'symbol',
        })
      end
    end
    cb(items)
  end)
end

--- What may be meant by `base`, which begins with `@` or `/`. Calls `cb` once, at once but for symbols.
---@param base string
---@param line integer   from 0, where it is typed
---@param ctx? oxide.MentionContext
---@param cb fun(items: oxide.MentionItem[])
function M.items(base, line, ctx, cb)
  local context = mentions.context(ctx)
  local name, argument = base:match('^@(%a+):(.*)$')
  if vim.startswith(base, '/') then
    cb(commands(line))
  elseif name == 'file' or name == 'dir' then
    cb(files(name, argument, context))
  elseif name == 'symbol' then
    symbols(context, cb)
  else
    cb(kinds(context))
  end
end

---@param items oxide.MentionItem[]
---@param base string
---@return table[]   complete-items
local function matching(items, base)
  local found, typed = {}, (base:gsub('"', ''))
  for _, item in ipairs(items) do
    if vim.startswith((item.word:gsub('"', '')), typed) then
      table.insert(found, { word = item.word, menu = item.detail, info = item.doc, dup = 1 })
    end
  end
  return found
end

--- Symbols come later, and are shown if the cursor is still there.
---@param base string
---@param start integer
local function show_later(base, start)
  local before = vim.api.nvim_get_current_line():sub(1, vim.fn.col('.') - 1)
  M.items(base, vim.fn.line('.') - 1, nil, function(items)
    local still = vim.api.nvim_get_current_line():sub(1, vim.fn.col('.') - 1) == before
    if still and vim.fn.mode():match('^[iR]') and #items > 0 then
      vim.fn.complete(start + 1, matching(items, base))
    end
  end)
end

--- For 'omnifunc': v:lua.require'oxide.mentions.complete'.omnifunc
---@param findstart integer
---@param base string
---@return integer|table[]
function M.omnifunc(findstart, base)
  if findstart == 1 then
    local before = vim.api.nvim_get_current_line():sub(1, vim.fn.col('.') - 1)
    local start = M.start(before, vim.fn.line('.') - 1)
    if start and vim.startswith(before:sub(start + 1), '@symbol:') then
      vim.schedule(function()
        show_later(before:sub(start + 1), start)
      end)
      return -2
    end
    return start or -3
  end
  local found = {}
  M.items(base, vim.fn.line('.') - 1, nil, function(items)
    found = matching(items, base)
  end)
  return found
end

local KINDS = { mention = 18, file = 17, directory = 19, symbol = 3, command = 3 } -- of LSP's CompletionItemKind

--- As LSP's CompletionItems that replace what was typed; lines from 0, columns in bytes.
---@param before string   the line up to the cursor
---@param line integer
---@param cb fun(items: table[])
function M.lsp_items(before, line, cb)
  local start = M.start(before, line)
  if not start then
    return cb {}
  end
  M.items(before:sub(start + 1), line, nil, function(items)
    cb(vim.tbl_map(function(item)
      return {
        label = item.word,
        filterText = item.word,
        detail = item.detail,
        labelDetails = { description = item.detail }, -- which menus show
        documentation = { kind = 'plaintext', value = item.doc },
        kind = KINDS[item.kind],
        textEdit = {
          newText = item.word,
          range = {
            start = { line = line, character = start },
            ['end'] = { line = line, character = #before },
          },
        },
      }
    end, items))
  end)
end

return M
