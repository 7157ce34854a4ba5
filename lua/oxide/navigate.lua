local ui = require('oxide.ui')

local M = {}

---@class oxide.NavigateOpts
---@field symbol? string   a name, or a path such as Class/method; without it, what is at the cursor
---@field mods? table      the modifiers of the command
---@field loc? boolean     location list instead of quickfix
---@field on_done? fun(err?: oxide.Error, result?: table)

---@class oxide.Target
---@field path string
---@field line integer
---@field column integer

--- Remembers the present place for <C-o> and <C-t>.
---@param place oxide.Place
local function remember(place)
  vim.cmd("normal! m'")
  local from = { place.buf, place.line, place.column, 0 }
  vim.fn.settagstack(place.win, { items = { { tagname = place.word, from = from } } }, 't')
end

---@param mods? table
local function split(mods)
  if not mods then
    return
  end
  if (mods.tab or -1) >= 0 then
    vim.cmd('tab split')
  elseif mods.vertical or mods.horizontal or (mods.split or '') ~= '' then
    require('oxide.scratch').split { mods = { vertical = mods.vertical, split = mods.split } }
  end
end

---@param target oxide.Target
---@param place oxide.Place
---@param mods? table
function M.jump(target, place, mods)
  if not vim.api.nvim_win_is_valid(place.win) then
    return
  end
  vim.api.nvim_set_current_win(place.win)
  remember(place)
  split(mods)
  local buf = require('oxide.scratch').edit(target.path)
  if not buf then
    return
  end
  local last = vim.api.nvim_buf_line_count(buf)
  local line = math.min(target.line, last)
  local text = vim.api.nvim_buf_get_lines(buf, line - 1, line, false)[1] or ''
  vim.api.nvim_win_set_cursor(0, { line, math.min(target.column - 1, #text) })
  vim.cmd('normal! zv')
end

local TITLES = {
  definition = { 'definition', 'definitions' },
  type_definition = { 'type', 'types' },
  implementation = { 'implementation', 'implementations' },
  references = { 'reference', 'references' },
}

--- What a title has of a list that no server made.
---@param result table
---@return string
local function source(result)
  return result.fallback and ' (from the text alone)' or ''
end

---@param query string
---@param result table
---@param place oxide.Place
---@param opts oxide.NavigateOpts
local function list(query, result, place, opts)
  local quickfix = require('oxide.quickfix')
  local items = quickfix.from_locations(result.flat)
  local one, many = unpack(TITLES[query])
  local is_word = (result.fallback or {}).source == 'words'
  local made = quickfix.create {
    title = ('Oxide %s: %s of %s in %s%s'):format(
      many,
      is_word and ui.count(#items, 'occurrence') or ui.count(#items, one, many),
      opts.symbol or place.word,
      ui.count(#result.flat.files, 'file'),
      source(result)
    ),
    items = items,
    kind = query,
    win = opts.loc and place.win or nil,
  }
  quickfix.open(made, opts.mods)
end

--- Goes to a definition that was found by its name: where a server is asked for the definition of
--- that, it may well say where it is declared.
---@param found oxide.FoundSymbol
---@param place oxide.Place
---@param opts oxide.NavigateOpts
local function jump_found(found, place, opts)
  local target = { path = found.file_path, line = found.line, column = found.column or 1 }
  M.jump(target, place, opts.mods)
  if not found.column then
    local name = vim.fn.escape(require('oxide.symbols.find').bare(found.symbol), '\\')
    vim.fn.search('\\V\\<' .. name .. '\\>', 'c', found.line)
  end
  if opts.on_done then
    opts.on_done(nil, found)
  end
end

local send

--- A name that the buffer does not have, or several times: it is looked for in the project, and the
--- user chooses.
---@param question oxide.SymbolQuestion
---@param place oxide.Place
---@param done fun(result: table, place: oxide.Place)
---@return fun(err: oxide.Error): boolean
local function elsewhere(question, place, done)
  local late = require('oxide.late_question').later()
  return function(err)
    local opts, args = question.opts, question.args
    local search = args.query == 'workspace_symbols'
    local known = err.code ~= 'not_found' and err.code ~= 'ambiguous'
    if known or not opts.symbol or search or args.line then
      return false
    end
    local asked = { buf = place.buf, late = late, on_done = opts.on_done }
    require('oxide.symbols.find').find(opts.symbol, asked, function(found)
      if args.query == 'definition' then
        return jump_found(found, place, opts)
      end
      args.file_path, args.line, args.column = found.file_path, found.line, found.column
      args.symbol = not found.column and require('oxide.symbols.find').bare(found.symbol) or nil
      send(question, place, done)
    end)
    return true
  end
end

---@class oxide.SymbolQuestion
---@field args table
---@field opts oxide.NavigateOpts
---@field status string
---@field context oxide.Context

---@param question oxide.SymbolQuestion
---@param place oxide.Place
---@param done fun(result: table, place: oxide.Place)
function send(question, place, done)
  local opts = question.opts
  require('oxide.tool_command').call('lsp_symbol', question.args, {
    buf = place.buf,
    status = question.status,
    looks = 'the look-up',
    context = question.context,
    on_done = opts.on_done,
    handled = elsewhere(question, place, done),
    fallback = function(err)
      require('oxide.fallback').navigate(question.args.query, opts, err)
    end,
  }, function(result)
    done(result, place)
  end)
end

---@param query string
---@param opts oxide.NavigateOpts
---@param status string
---@param context oxide.Context
---@param done fun(result: table, place: oxide.Place)
local function ask(query, opts, status, context, done)
  local place = require('oxide.tool_command').here { symbol = opts.symbol, on_done = opts.on_done }
  if not place then
    return
  end
  local args = { query = query, file_path = place.file_path, symbol = opts.symbol }
  if not opts.symbol then
    args.line, args.column = place.line, place.column
  end
  send({ args = args, opts = opts, status = status, context = context }, place, done)
end

--- Jumps when there is one place, lists several.
---@param query 'definition'|'type_definition'|'implementation'|'references'
---@param opts oxide.NavigateOpts
function M.go(query, opts)
  ask(query, opts, 'looking up', { flat = true }, function(result, place)
    local flat = result.flat
    local count = #flat.line
    if count == 0 then
      ui.notify(('no %s of %s'):format(TITLES[query][1], opts.symbol or place.word))
    elseif count == 1 and query ~= 'references' then
      local target =
        { path = flat.files[flat.file[1] + 1], line = flat.line[1], column = flat.column[1] }
      M.jump(target, place, opts.mods)
      if result.fallback then
        ui.notify('found in the text alone: ' .. result.fallback.reason)
      end
    else
      list(query, result, place, opts)
    end
  end)
end

---@param opts oxide.NavigateOpts
function M.hover(opts)
  local asked_in = vim.api.nvim_get_current_buf()
  ask('hover', opts, 'looking up', {}, function(result, place)
    if (result.hover or '') == '' then
      ui.notify('nothing to say about this')
      return
    end
    local lines = vim.split(result.hover, '\n', { plain = true, trimempty = true })
    if vim.api.nvim_get_current_buf() ~= asked_in then
      return -- its user has gone on
    end
    -- What is asked a second time takes the focus; the answer to another question does not.
    require('oxide.scratch').float(lines, 'markdown', {
      focus_id = ('oxide-hover:%d:%d:%s'):format(place.line, place.column, opts.symbol or ''),
    })
  end)
end

---@param result table
---@return table[] items
local function symbol_items(result)
  local items, bufs = {}, {}
  for i, symbol in ipairs(result.symbols or {}) do
    local path = symbol.file
    if not vim.startswith(path, '/') and result.root then
      path = vim.fs.joinpath(result.root, path)
    end
    bufs[path] = bufs[path] or require('oxide.buffers').add(path)
    items[i] = {
      bufnr = bufs[path],
      lnum = symbol.line,
      col = symbol.column,
      end_lnum = symbol.end_line,
      end_col = symbol.end_column,
      text = ('%s%s  %s'):format(('  '):rep(symbol.depth or 0), symbol.kind, symbol.name),
      valid = 1,
    }
  end
  return items
end

--- The symbols of the file as a tree, or in its location list; or those of the project by a name.
---@param opts oxide.NavigateOpts
function M.symbols(opts)
  if not opts.symbol and not opts.loc then
    return require('oxide.symbols.window').open(opts)
  end
  local query = opts.symbol and 'workspace_symbols' or 'document_symbols'
  ask(query, opts, 'listing symbols', {}, function(result, place)
    local items = symbol_items(result)
    if #items == 0 then
      ui.notify('no symbols')
      return
    end
    local quickfix = require('oxide.quickfix')
    local made = quickfix.create {
      title = ('Oxide symbols: %d%s%s'):format(
        #items,
        opts.symbol and ' like ' .. opts.symbol or '',
        source(result)
      ),
      items = items,
      kind = 'symbols',
      win = (opts.loc or not opts.symbol) and place.win or nil,
    }
    quickfix.open(made, opts.mods)
  end)
end

return M
