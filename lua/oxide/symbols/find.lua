-- A symbol by its name, wherever in the project it is: where a name is not of the buffer, and for
-- completion of names. What is meant is never guessed: of several the user chooses.
local M = {}

---@class oxide.FoundSymbol
---@field file_path string
---@field line integer     from 1
---@field column? integer  from 1, in bytes; without it `symbol` is on that line
---@field symbol string    its name path

---@param file string   absolute, or from the project's root
---@return string
local function absolute(file)
  local root = require('oxide.process').root
  return vim.startswith(file, '/') and file or vim.fs.joinpath(root or vim.fn.getcwd(), file)
end

---@param prompt string
---@param candidates { file: string, line: integer, symbol_name: string, kind: string }[]
---@param done fun(found?: oxide.FoundSymbol)
local function choose(prompt, candidates, done)
  require('oxide.ui').select(candidates, {
    prompt = prompt .. ':',
    kind = 'oxide.symbol',
    format_item = function(one)
      return ('%s  %s  %s:%d'):format(one.symbol_name, one.kind, one.file, one.line)
    end,
  }, function(one)
    done(one and {
      file_path = absolute(one.file),
      line = one.line,
      symbol = one.symbol_name,
    })
  end)
end

--- Without a server: what the texts of the project declare so, of which the user chooses, also where
--- it is one.
---@param name string
---@param buf integer
---@param late oxide.AskLate
---@param chosen fun(found?: oxide.FoundSymbol)
---@param none fun()
local function find_in_texts(name, buf, late, chosen, none)
  local path = vim.api.nvim_buf_get_name(buf)
  local args = { query = 'workspace_symbols', symbol = name, file_path = path }
  require('oxide.core').call('lsp_symbol', args, { buf = buf }, function(_, result)
    local candidates = {}
    for _, symbol in ipairs(result and result.symbols or {}) do
      symbol.symbol_name = symbol.name_path
      table.insert(candidates, symbol)
    end
    if #candidates == 0 then
      return none()
    end
    late('which ' .. name, function()
      choose(name .. ' (from the text alone)', candidates, chosen)
    end, chosen)
  end)
end

--- Looks for it in the whole project.
---@param name string
---@param buf integer   that the question is asked in
---@param on_done? fun(err: oxide.Error)   when it is not found, which the user is told
---@param done fun(found: oxide.FoundSymbol)
---@param late? oxide.AskLate   where the user asked for it earlier
---@param missed? oxide.Error   why the buffer has none: what is said where no server looks further,
---                             and texts alone tell of none
function M.find(name, buf, on_done, done, late, missed)
  local errors = require('oxide.errors')
  late = late or require('oxide.late_question').later()
  local function chosen(found)
    if found then
      done(found)
    elseif on_done then
      on_done(errors.new('cancelled', 'no symbol was chosen'))
    end
  end
  require('oxide.tool_command').call('get_symbol_info', { symbol_name = name }, {
    buf = buf,
    status = 'looking for ' .. name,
    looks = 'the search for ' .. name,
    handled = function(err)
      if err.code == 'no_server' and missed then
        find_in_texts(name, buf, late, chosen, function()
          require('oxide.ui').error(missed)
          if on_done then
            on_done(missed)
          end
        end)
        return true
      elseif err.code ~= 'ambiguous' or #(err.candidates or {}) == 0 then
        return false
      end
      late('which ' .. name, function()
        choose(name, err.candidates, chosen)
      end, chosen)
      return true
    end,
    on_done = function(err)
      if err and on_done then
        on_done(err)
      end
    end,
  }, function(info)
    done {
      file_path = absolute(info.file_path),
      line = info.position.line,
      column = info.position.column,
      symbol = info.symbol,
    }
  end)
end

local WAIT = 250 -- milliseconds that a completion may take

---@class oxide.SymbolNames
---@field key string     what they were asked for
---@field names string[]
---@field asked boolean   and not answered yet
---@field by_text? boolean   no server said so

---@type table<'buffer'|'project', oxide.SymbolNames>
local known = {}

--- Asks, unless that is what is known or asked.
---@param what 'buffer'|'project'
---@param key string
---@param args table
---@param buf integer
local function learn(what, key, args, buf)
  if known[what] and known[what].key == key then
    return
  end
  local names = { key = key, names = {}, asked = true }
  known[what] = names
  args.file_path = vim.api.nvim_buf_get_name(buf)
  require('oxide.core').call(
    'lsp_symbol',
    args,
    { buf = buf, background = true },
    function(err, result)
      names.asked = false
      if err then
        names.key = '' -- is asked again
      end
      names.by_text = (result or err).fallback ~= nil or (err or {}).code == 'no_server'
      for _, symbol in ipairs(not err and result.symbols or {}) do
        local own = what == 'buffer' or not vim.startswith(symbol.file, '/')
        if own and not symbol.name_path:find('%s') then
          table.insert(names.names, symbol.name_path)
        end
      end
    end
  )
end

--- Adds words of the buffer, where no server has said anything in time.
---@param lead string
---@param buf integer
---@param seen table<string, true>
---@param list string[]
local function add_words(lead, buf, seen, list)
  for _, line in ipairs(vim.api.nvim_buf_get_lines(buf, 0, 5000, false)) do
    for word in line:gmatch('[%a_\128-\255][%w_\128-\255]*') do
      if not seen[word] and vim.startswith(word, lead) then
        seen[word] = true
        table.insert(list, word)
      end
    end
  end
end

--- Names that begin so, or whose last part does: those of the buffer, then the project's.
---@param lead string
---@return string[]
function M.complete(lead)
  local buf = require('oxide.cursor').file_buffer()
  if not buf then
    return {}
  end
  local tick = vim.api.nvim_buf_get_changedtick(buf)
  learn('buffer', ('%d %d'):format(buf, tick), { query = 'document_symbols' }, buf)
  local is_project = lead ~= '' and not known.buffer.by_text -- texts tell of whole names alone
  if is_project then
    local symbol = lead:match('[^/]*$')
    learn('project', lead, { query = 'workspace_symbols', symbol = symbol }, buf)
  end
  local sources = { known.buffer, is_project and known.project or nil }
  vim.wait(WAIT, function()
    return not vim.iter(sources):any(function(source)
      return source.asked
    end)
  end, 5)
  local seen, list = {}, {}
  for _, source in ipairs(sources) do
    for _, path in ipairs(source.names) do
      local name = vim.startswith(path, lead) and path or path:match('[^/]*$')
      if vim.startswith(name, lead) and not seen[path] then
        seen[path] = true
        table.insert(list, path)
      end
    end
  end
  if #list == 0 or known.buffer.by_text then
    add_words(lead, buf, seen, list)
  end
  return list
end

return M
