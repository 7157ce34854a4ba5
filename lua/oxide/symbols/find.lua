-- A symbol by its name, wherever in the project it is: where a name is not of the buffer. What is meant
-- is never guessed: of several the user chooses.
local M = {}

---@class oxide.FoundSymbol
---@field file_path string
---@field line integer     from 1
---@field column? integer  from 1, in bytes; without it `symbol`, bare(), is on that line
---@field symbol string    its name path

--- What a symbol is called in the text: without what it lies in, Go's receiver or its number among
--- several.
---@param path string
---@return string
function M.bare(path)
  local name = path:match('[^/]*$'):gsub('%[%d+%]$', '')
  return name:match('%)%.(.+)$') or name
end

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

---@class oxide.FindSymbolOpts
---@field buf integer   that the question is asked in
---@field late? oxide.AskLate   where the user asked for it earlier
---@field missed? oxide.Error   why the buffer has none: what is said where no server looks further, and
---                             texts alone tell of none
---@field on_done? fun(err: oxide.Error)   when it is not found, which the user is told

--- Looks for it in the whole project.
---@param name string
---@param opts oxide.FindSymbolOpts
---@param done fun(found: oxide.FoundSymbol)
function M.find(name, opts, done)
  local late = opts.late or require('oxide.late_question').later()
  ---@param err? oxide.Error
  local function ended(err)
    if err and opts.on_done then
      opts.on_done(err)
    end
  end
  local function chosen(found)
    if found then
      done(found)
    else
      ended(require('oxide.errors').new('cancelled', 'no symbol was chosen'))
    end
  end
  local function handled(err)
    if err.code == 'no_server' and opts.missed then
      find_in_texts(name, opts.buf, late, chosen, function()
        require('oxide.ui').error(opts.missed)
        ended(opts.missed)
      end)
      return true
    elseif #(err.candidates or {}) == 0 then
      return false
    end
    local prompt = err.code == 'ambiguous' and name or ('Nothing is called %s; which'):format(name)
    late('which ' .. name, function()
      choose(prompt, err.candidates, chosen)
    end, chosen)
    return true
  end
  require('oxide.tool_command').call('get_symbol_info', { symbol_name = name }, {
    buf = opts.buf,
    status = 'looking for ' .. name,
    looks = 'the search for ' .. name,
    context = { flat = true },
    handled = handled,
    on_done = ended,
  }, function(info)
    done {
      file_path = absolute(info.file_path),
      line = info.position.line,
      column = info.position.column,
      symbol = info.symbol,
    }
  end)
end

return M
