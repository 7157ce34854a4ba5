-- `:Oxide symbols`: the symbols of the buffer as a tree beside it, which follows the cursor there and
-- the file that one goes to. Kinds stand under one another at the right, where names leave room for
-- them, and a filter leaves what one looks for.
local M = {}

local ns = vim.api.nvim_create_namespace('oxide.symbols')
local kinds = vim.api.nvim_create_namespace('oxide.symbols.kinds')

---@class oxide.Symbol   as lsp_symbol has it
---@field name string
---@field kind string
---@field line integer
---@field column integer
---@field depth integer

---@class oxide.SymbolTree
---@field buf integer       the tree's
---@field source integer    the buffer that it is of
---@field symbols oxide.Symbol[]
---@field shown oxide.Symbol[]   by line of the tree
---@field filter string     Lua's lower case of what has to be in a name; empty: all are shown
---@field asked? integer    the call under way
---@field wanted integer    the buffer that it is about, or was
---@field by_text? boolean   the text alone was read
---@field missing? boolean   neither a server nor the text tells any

local tree ---@type oxide.SymbolTree?
local group = vim.api.nvim_create_augroup('oxide.symbols', {})

--- Those that match, and what they are in.
---@param symbols oxide.Symbol[]
---@param filter string
---@return oxide.Symbol[]
local function matching(symbols, filter)
  local shown, wanted = {}, {} ---@type oxide.Symbol[], table<integer, true>
  local above = {} ---@type integer[]   by depth: the last one there
  for i, symbol in ipairs(symbols) do
    above[symbol.depth] = i
    if symbol.name:lower():find(filter, 1, true) then
      for depth = 0, symbol.depth do
        wanted[above[depth] or i] = true
      end
    end
  end
  for i, symbol in ipairs(symbols) do
    table.insert(shown, wanted[i] and symbol or nil)
  end
  return shown
end

---@return integer? win
local function window()
  return tree and vim.fn.win_findbuf(tree.buf)[1]
end

--- Marks the symbol that the cursor of its buffer is on, or the last one above it, and brings it into
--- view.
local function follow()
  local win = window()
  if not win or vim.api.nvim_get_current_buf() ~= tree.source then
    return
  end
  local cursor, here = vim.api.nvim_win_get_cursor(0), nil ---@type integer[], integer?
  for i, symbol in ipairs(tree.shown) do
    local nearer = symbol.line <= cursor[1] and (not here or symbol.line >= tree.shown[here].line)
    here = nearer and i or here
  end
  vim.api.nvim_buf_clear_namespace(tree.buf, ns, 0, -1)
  if here then
    vim.api.nvim_buf_set_extmark(tree.buf, ns, here - 1, 0, { line_hl_group = 'OxideSymbolHere' })
    vim.api.nvim_win_set_cursor(win, { here, 0 })
  end
end

--- Writes the kinds, where they hide nothing of a name.
local function draw_kinds()
  local now, win = assert(tree), window()
  vim.api.nvim_buf_clear_namespace(now.buf, kinds, 0, -1)
  local cells = win and vim.api.nvim_win_get_width(win) or 0
  for i, symbol in ipairs(now.shown) do
    local line = vim.api.nvim_buf_get_lines(now.buf, i - 1, i, true)[1]
    if vim.fn.strdisplaywidth(line) + 1 + #symbol.kind <= cells then
      vim.api.nvim_buf_set_extmark(now.buf, kinds, i - 1, 0, {
        virt_text = { { symbol.kind, 'OxideSymbolKind' } },
        virt_text_pos = 'right_align',
        hl_mode = 'combine',
      })
    end
  end
end

--- 'winbar': the filter, and that no server said what is shown.
---@param now oxide.SymbolTree
---@return string
local function bar(now)
  local filter = now.filter:gsub('%%', '%%%%')
  if filter == '' then
    return now.by_text and 'from the text alone' or ''
  end
  return ('%s%%<filter: %s'):format(now.by_text and 'text alone, ' or '', filter)
end

local function draw()
  local now = assert(tree)
  now.shown = now.filter == '' and now.symbols or matching(now.symbols, now.filter)
  local lines = vim.tbl_map(function(symbol)
    return ((' '):rep(2 * symbol.depth) .. require('oxide.messages').one_line(symbol.name))
  end, now.shown)
  if #lines == 0 then
    lines = {
      now.asked and ''
        or now.missing and 'symbols are not known'
        or now.filter == '' and 'no symbols'
        or 'no symbol matches',
    }
  end
  require('oxide.scratch').fill(now.buf, lines)
  draw_kinds()
  local win = window()
  if win then
    vim.wo[win][0].winbar = bar(now)
  end
  follow()
end

--- Shows what came of a question, unless another one was asked meanwhile.
---@param now oxide.SymbolTree
---@param id? integer
---@param source integer
---@param err? oxide.Error
---@param result? table
local function take(now, id, source, err, result)
  local known = now.by_text and now.source == source -- which is better than nothing
  if tree ~= now or now.asked ~= id or not vim.api.nvim_buf_is_valid(now.buf) or err and known then
    return
  end
  now.source, now.symbols = source, result and result.symbols or {} -- none of another file's
  now.by_text, now.missing = result ~= nil and result.fallback ~= nil, err ~= nil
  draw()
end

--- While a server takes its time what the text alone tells is shown; not where the server has told
--- of that file before, as it is written again and again.
---@param now oxide.SymbolTree
---@param id integer
---@param args table
---@param source integer
local function show_text(now, id, args, source)
  local told = now.source == source and #now.symbols > 0 and not now.by_text
  if tree == now and now.asked == id and not told and vim.api.nvim_buf_is_valid(source) then
    local context = { buf = source, by_text = true }
    require('oxide.core').call('lsp_symbol', args, context, function(err, result)
      if not err then
        take(now, id, source, nil, result)
      end
    end)
  end
end

--- Asks for the symbols of a buffer, and shows them.
---@param source integer
---@param done? fun(err?: oxide.Error, result?: table)   of who asked for the tree
local function renew(source, done)
  local now = assert(tree)
  if now.asked then
    require('oxide.core').cancel(now.asked)
  end
  local args = { query = 'document_symbols', file_path = vim.api.nvim_buf_get_name(source) }
  local waits, id = require('oxide.waits'), nil
  id = require('oxide.core').call('lsp_symbol', args, { buf = source }, function(err, result)
    waits.done(id)
    if tree == now and now.asked == id then
      -- That there is no server for a file that one only comes by is seen in the tree.
      if err and err.code ~= 'cancelled' and (done or err.code ~= 'no_server') then
        require('oxide.ui').error(err)
      end
      now.asked = nil
      take(now, nil, source, err, result)
    end
    if done then
      done(err, result)
    end
  end)
  now.asked, now.wanted = id, source
  waits.begin(id, { title = 'listing symbols', buf = source })
  vim.defer_fn(function()
    show_text(now, id, args, source)
  end, require('oxide.config').get('wait.after_ms'))
end

--- Of another file that the user has gone to, or of one that was written.
---@param event vim.api.keyset.create_autocmd.callback_args
local function changed(event)
  local buf = vim.api.nvim_get_current_buf()
  if not window() then
    vim.api.nvim_clear_autocmds { group = group }
    tree = nil
  elseif event.event == 'BufWinEnter' and tree.asked and tree.wanted == buf then
    return -- it is asked about as it is
  elseif buf ~= tree.buf and require('oxide.buffers').is_file(buf) then
    renew(buf)
  end
end

--- Beside another one it takes no more than it needs.
---@param win integer
local function fit(win)
  vim.api.nvim_win_set_width(win, math.max(24, math.min(40, math.floor(vim.o.columns / 3))))
end

--- Goes to a window of the buffer that the tree is of; beside the tree, where all others were closed.
---@return boolean   false: the buffer is gone
local function to_source()
  local now = assert(tree)
  local win = vim.fn.win_findbuf(now.source)[1]
  if win then
    vim.api.nvim_set_current_win(win)
    return true
  elseif not vim.api.nvim_buf_is_valid(now.source) then
    return false
  end
  require('oxide.scratch').split { mods = { vertical = true, split = 'topleft' } }
  require('oxide.scratch').show(0, now.source)
  fit(assert(window()))
  return true
end

local function jump()
  local symbol = assert(tree).shown[vim.fn.line('.')]
  if not symbol or not to_source() then
    return
  end
  vim.cmd("normal! m'")
  local last = vim.api.nvim_buf_line_count(tree.source) -- lines may have gone since
  vim.api.nvim_win_set_cursor(0, { math.min(symbol.line, last), symbol.column - 1 })
  vim.cmd('normal! zv')
end

--- Asks what a name has to have in it; nothing shows all again.
local function filter()
  require('oxide.ui').input(
    { prompt = 'Names with: ', default = assert(tree).filter },
    function(text)
      if text and tree then
        tree.filter = vim.trim(text):lower()
        draw()
      end
    end
  )
end

--- 'foldexpr': what a symbol has in it folds with it.
---@param lnum integer
---@return string
function M.fold(lnum)
  local symbol, below = tree and tree.shown[lnum], tree and tree.shown[lnum + 1]
  if not symbol then
    return '0'
  end
  return below and below.depth > symbol.depth and '>' .. symbol.depth + 1 or tostring(symbol.depth)
end

---@param buf integer
local function set_up(buf)
  require('oxide.highlights')
  vim.bo[buf].filetype = 'oxide-symbols'
  local win = vim.api.nvim_get_current_win()
  local wo = require('oxide.scratch').plain(win)
  wo.wrap, wo.cursorline, wo.winfixwidth = false, true, true
  wo.foldmethod, wo.foldexpr = 'expr', "v:lua.require'oxide.symbols.window'.fold(v:lnum)"
  wo.foldtext, wo.foldlevel = 'getline(v:foldstart)', 99
  if vim.api.nvim_win_get_width(win) < vim.o.columns then
    fit(win)
  end
  for key, run in pairs { ['<CR>'] = jump, f = filter } do
    vim.keymap.set('n', key, run, { buffer = buf, nowait = true, desc = 'Oxide symbols' })
  end
  vim.api.nvim_clear_autocmds { group = group }
  vim.api.nvim_create_autocmd('CursorMoved', { group = group, callback = follow })
  vim.api.nvim_create_autocmd('WinResized', {
    group = group,
    callback = function()
      if window() then
        draw_kinds()
      end
    end,
  })
  vim.api.nvim_create_autocmd({ 'BufWinEnter', 'BufWritePost' }, {
    group = group,
    callback = vim.schedule_wrap(changed),
  })
end

--- Opens the tree for the current buffer, and stays there; where it is open for that already, goes to it.
---@param opts oxide.NavigateOpts
function M.open(opts)
  local shown = window()
  if shown and tree.source == vim.api.nvim_get_current_buf() then
    vim.api.nvim_set_current_win(shown)
    return opts.on_done and opts.on_done(nil, { symbols = tree.symbols })
  end
  local place = require('oxide.tool_command').here { on_done = opts.on_done }
  if not place then
    return
  end
  local mods = opts.mods or {}
  local is_placed = mods.vertical or mods.horizontal or (mods.tab or -1) >= 0
  if not is_placed and (mods.split or '') == '' then
    mods = { vertical = true, split = 'botright' }
  end
  local buf = require('oxide.scratch').open('symbols', { 'no answer yet' }, mods)
  tree =
    { buf = buf, source = place.buf, wanted = place.buf, symbols = {}, shown = {}, filter = '' }
  set_up(buf)
  vim.api.nvim_set_current_win(place.win)
  renew(place.buf, opts.on_done or function() end)
end

return M
