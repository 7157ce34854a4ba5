-- Completion of names of symbols: those of the buffer, then those of the project, as servers tell
-- them; as the texts have them, while none does.
local M = {}

local FIRST = 100 -- milliseconds that servers have before the texts are read as well
local WAIT = 250 -- that a completion may take in all

---@class oxide.SymbolNames
---@field key string     what they were asked for
---@field names string[]
---@field id? integer     of the question that is not answered yet
---@field failed? boolean
---@field by_text? boolean   no server said so, and of the project whole names alone

---@type table<'buffer'|'project'|'texts', oxide.SymbolNames>
local known = {}
local is_late = false -- servers did not answer in time, the last time that they were asked

--- Asks, unless that is what is known or asked.
---@param what 'buffer'|'project'|'texts'
---@param key string
---@param args table
---@param context table
---@param names_of fun(result: table): string[]
---@return oxide.SymbolNames
local function learn(what, key, args, context, names_of)
  local last = known[what]
  if last and last.key == key and not last.failed then
    return last
  elseif last and last.id then
    require('oxide.core').cancel(last.id)
  end
  local names = { key = key, names = {} } ---@type oxide.SymbolNames
  known[what] = names
  args.file_path = vim.api.nvim_buf_get_name(context.buf)
  names.id = require('oxide.core').call('lsp_symbol', args, context, function(err, result)
    names.id, names.failed = nil, err ~= nil
    names.by_text = (result or err).fallback ~= nil or (err or {}).code == 'no_server'
    names.names = result and names_of(result) or {}
  end)
  return names
end

--- Of what servers list. What they know of the project's dependencies is not of the project.
---@param is_project boolean
---@return fun(result: table): string[]
local function paths(is_project)
  return function(result)
    local names = {}
    for _, symbol in ipairs(result.symbols) do
      local own = not is_project or not vim.startswith(symbol.file, '/')
      if own and not symbol.name_path:find('%s') then
        table.insert(names, symbol.name_path)
      end
    end
    return names
  end
end

--- What the texts have that begins so; of nothing, what that of the buffer declares.
---@param lead string
---@param buf integer
---@param tick string
---@return oxide.SymbolNames
local function learn_texts(lead, buf, tick)
  local context = { buf = buf, background = true, by_text = true, names = lead ~= '' }
  local args = { query = lead == '' and 'document_symbols' or 'workspace_symbols', symbol = lead }
  return learn('texts', tick .. lead, args, context, function(result)
    return result.names or paths(false)(result)
  end)
end

--- Adds words of the buffer, where nobody has said anything in time.
---@param lead string
---@param buf integer
---@param add fun(name: string)
local function add_words(lead, buf, add)
  for _, line in ipairs(vim.api.nvim_buf_get_lines(buf, 0, 5000, false)) do
    for word in line:gmatch('[%a_\128-\255][%w_\128-\255]*') do
      if vim.startswith(word, lead) then
        add(word)
      end
    end
  end
end

--- Asks servers, and reads the texts where these are late or tell of whole names alone.
---@param lead string
---@param buf integer
---@return oxide.SymbolNames[]   in the order in which their names are shown
local function ask(lead, buf)
  local tick = ('%d %d '):format(buf, vim.api.nvim_buf_get_changedtick(buf))
  local context = { buf = buf, background = true }
  local asked = { learn('buffer', tick, { query = 'document_symbols' }, context, paths(false)) }
  if lead ~= '' and not asked[1].by_text then
    local args = { query = 'workspace_symbols', symbol = lead:match('[^/]*$') }
    table.insert(asked, learn('project', lead, args, context, paths(true)))
  end
  local texts = is_late and learn_texts(lead, buf, tick)
  local function told()
    return vim.iter(asked):all(function(names)
      return not names.id
    end)
  end
  -- Of the project servers know nothing at first, or without its compile_commands.json.
  local function suffices()
    local project = asked[2]
    return told() and (lead == '' or project ~= nil and #project.names > 0 and not project.by_text)
  end
  vim.wait(FIRST, told, 5)
  if not suffices() then
    texts = texts or learn_texts(lead, buf, tick)
    vim.wait(WAIT - FIRST, function()
      return suffices() or not texts.id
    end, 5)
    table.insert(asked, not suffices() and texts or nil)
  end
  is_late = not told()
  return asked
end

--- Names that begin so, or whose last part does: those of the buffer, then the project's.
---@param lead string
---@return string[]
function M.complete(lead)
  local buf = require('oxide.cursor').file_buffer()
  if not buf then
    return {}
  end
  local seen, list = {}, {}
  --- Texts and servers may write a path in two ways: "Class/method" and "Class::method".
  local function add(path)
    local plain = path:gsub('::', '/'):gsub('%.', '/')
    if not seen[plain] then
      seen[plain] = true
      table.insert(list, path)
    end
  end
  for _, source in ipairs(ask(lead, buf)) do
    for _, path in ipairs(source.names) do
      local name = vim.startswith(path, lead) and path or path:match('[^/]*$')
      if vim.startswith(name, lead) then
        add(path)
      end
    end
  end
  if #list == 0 then
    add_words(lead, buf, add)
  end
  return list
end

return M
