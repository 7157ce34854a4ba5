-- Without a core Neovim's own commands do what they can, and it is said once that they do.
local M = {}

---@param err oxide.Error
local function notice(err)
  require('oxide.ui').notify_once(
    'fallback',
    err.message .. " Until then Neovim's own commands are used."
  )
end

--- Whether they can do anything here: without a language server they would only say that there is none,
--- in the place of what is to be done.
---@param err oxide.Error
---@param buf? integer
---@return boolean
local function takes_over(err, buf)
  if #vim.lsp.get_clients { bufnr = buf or 0 } == 0 then
    require('oxide.ui').error(err)
    return false
  end
  notice(err)
  return true
end

---@param name string
---@param err oxide.Error
function M.rename(name, err)
  if not takes_over(err) then
    return
  end
  vim.lsp.buf.rename(name)
end

---@param opts oxide.FormatOpts
---@param err oxide.Error
function M.format(opts, err)
  if not takes_over(err, opts.buf) then
    return
  end
  local range
  if opts.first then
    range = { start = { opts.first, 0 }, ['end'] = { opts.last, 0 } }
  end
  vim.lsp.buf.format {
    async = true,
    bufnr = opts.buf,
    name = opts.client,
    range = range,
    timeout_ms = opts.timeout_ms,
  }
end

---@param err oxide.Error
function M.fix(err)
  if not takes_over(err) then
    return
  end
  vim.lsp.buf.code_action { context = { only = { 'quickfix' }, diagnostics = {} }, apply = true }
end

---@param opts oxide.ActionsOpts
---@param err oxide.Error
function M.actions(opts, err)
  if not takes_over(err) then
    return
  end
  local range
  if opts.first then
    range = { start = { opts.first, 0 }, ['end'] = { opts.last, 0 } }
  end
  vim.lsp.buf.code_action { range = range }
end

local LEVELS = { error = 'ERROR', warn = 'WARN', warning = 'WARN', info = 'INFO', hint = 'HINT' }

---@param opts oxide.DiagnosticsOpts
---@param err oxide.Error
function M.diagnostics(opts, err)
  notice(err)
  local severity = opts.min and { min = vim.diagnostic.severity[LEVELS[opts.min]] } or nil
  if opts.loc then
    vim.diagnostic.setloclist { severity = severity }
  else
    vim.diagnostic.setqflist { severity = severity }
  end
end

local OWN = {
  definition = 'definition',
  type_definition = 'type_definition',
  implementation = 'implementation',
  references = 'references',
  hover = 'hover',
  document_symbols = 'document_symbol',
  workspace_symbols = 'workspace_symbol',
}

---@param query string
---@param opts oxide.NavigateOpts
---@param err oxide.Error
function M.navigate(query, opts, err)
  if not takes_over(err) then
    return
  end
  local own = vim.lsp.buf[OWN[query]]
  if query == 'references' then
    own(nil)
  elseif query == 'workspace_symbols' then
    own(opts.symbol)
  else
    own()
  end
end

return M
