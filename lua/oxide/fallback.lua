-- Without a core Neovim's own commands do what they can, and it is said once that they do.
local M = {}

---@param err oxide.Error
local function notice(err)
  require('oxide.ui').notify_once(
    'fallback',
    err.message .. " Until then Neovim's own commands are used."
  )
end

--- Without a language server they would only say that there is none, in the place of what is to be done
--- about the core.
---@param err oxide.Error
---@param buf? integer
---@param run fun()
local function with_server(err, buf, run)
  if #vim.lsp.get_clients { bufnr = buf or 0 } == 0 then
    return require('oxide.ui').error(err)
  end
  notice(err)
  run()
end

--- Whole lines, as vim.lsp.buf takes them.
---@param opts oxide.FormatOpts|oxide.ActionsOpts
---@return { start: integer[], end: integer[] }?
local function range_of(opts)
  return opts.first and { start = { opts.first, 0 }, ['end'] = { opts.last, 0 } } or nil
end

---@param name string
---@param err oxide.Error
function M.rename(name, err)
  with_server(err, nil, function()
    vim.lsp.buf.rename(name)
  end)
end

---@param opts oxide.FormatOpts
---@param err oxide.Error
function M.format(opts, err)
  with_server(err, opts.buf, function()
    vim.lsp.buf.format {
      async = true,
      bufnr = opts.buf,
      name = opts.client,
      range = range_of(opts),
      timeout_ms = opts.timeout_ms,
    }
  end)
end

---@param err oxide.Error
function M.fix(err)
  with_server(err, nil, function()
    vim.lsp.buf.code_action { context = { only = { 'quickfix' }, diagnostics = {} }, apply = true }
  end)
end

---@param opts oxide.ActionsOpts
---@param err oxide.Error
function M.actions(opts, err)
  with_server(err, nil, function()
    vim.lsp.buf.code_action { range = range_of(opts) }
  end)
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
  with_server(err, nil, function()
    local own = vim.lsp.buf[OWN[query]]
    if query == 'references' then
      own(nil)
    elseif query == 'workspace_symbols' then
      own(opts.symbol)
    else
      own()
    end
  end)
end

return M
