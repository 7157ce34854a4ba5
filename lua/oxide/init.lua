--- The functions behind `:Oxide`, for mappings and scripts. None of them waits; each takes a table
--- whose `on_done(err, result)` is called once.
local M = {}

---@alias oxide.ReviewAction 'apply'|'discard'|'next'|'prev'|'accept'|'reject'

---@class oxide.ReviewOpts
---@field action? oxide.ReviewAction   without it, the review is shown
---@field force? boolean   apply it in spite of new errors

---@param opts? oxide.Opts
function M.setup(opts)
  require('oxide.config').set(opts)
end

---@param opts? oxide.RenameOpts
function M.rename(opts)
  require('oxide.rename').run(opts or {})
end

---@param opts? oxide.FormatOpts
function M.format(opts)
  require('oxide.format').run(opts or {})
end

---@param opts? oxide.DiagnosticsOpts
function M.diagnostics(opts)
  require('oxide.diagnostics').run(opts or {})
end

---@param opts? { mods?: table, open?: boolean }
---@return integer count
function M.places(opts)
  return require('oxide.places').run(opts or {})
end

---@param opts? oxide.FixOpts
function M.fix(opts)
  require('oxide.fix').run(opts or {})
end

---@param opts? oxide.ActionsOpts
function M.actions(opts)
  require('oxide.actions').run(opts or {})
end

---@param opts? oxide.CheckOpts
function M.check(opts)
  require('oxide.check').check(opts or {})
end

---@param opts? oxide.TestOpts
function M.test(opts)
  require('oxide.tests').run(opts or {})
end

function M.next_error()
  require('oxide.quickfix.step').step(vim.v.count1)
end

function M.prev_error()
  require('oxide.quickfix.step').step(-vim.v.count1)
end

---@param opts? oxide.NavigateOpts
function M.definition(opts)
  require('oxide.navigate').go('definition', opts or {})
end

---@param opts? oxide.NavigateOpts
function M.type_definition(opts)
  require('oxide.navigate').go('type_definition', opts or {})
end

---@param opts? oxide.NavigateOpts
function M.implementation(opts)
  require('oxide.navigate').go('implementation', opts or {})
end

---@param opts? oxide.NavigateOpts
function M.references(opts)
  require('oxide.navigate').go('references', opts or {})
end

---@param opts? oxide.NavigateOpts
function M.hover(opts)
  require('oxide.navigate').hover(opts or {})
end

---@param opts? oxide.NavigateOpts
function M.symbols(opts)
  require('oxide.navigate').symbols(opts or {})
end

---@param opts oxide.EditOpts
function M.edit(opts)
  require('oxide.edit').run(opts)
end

---@param opts? oxide.SignatureOpts
function M.signature(opts)
  require('oxide.signature').run(opts or {})
end

---@param opts? oxide.ReviewOpts
function M.review(opts)
  opts = opts or {}
  local problem = require('oxide.review.command').run(opts.action, opts.force)
  if problem then
    require('oxide.ui').notify(problem, vim.log.levels.WARN)
  end
end

---@param opts? oxide.UndoOpts
function M.undo(opts)
  require('oxide.history.undo').run(opts or {})
end

---@param opts? oxide.UndoOpts
function M.redo(opts)
  require('oxide.history.undo').redo(opts or {})
end

---@param opts oxide.TurnOpts
function M.turn(opts)
  require('oxide.turn').run(opts)
end

---@param opts? oxide.RecordsOpts
function M.records(opts)
  require('oxide.records').run(opts or {})
end

---@param opts? oxide.ExportOpts
function M.export_record(opts)
  require('oxide.records').export(opts or {})
end

---@param opts? oxide.HistoryOpts
function M.history(opts)
  require('oxide.history').run(opts or {})
end

---@param opts? oxide.ProjectsOpts
function M.projects(opts)
  require('oxide.projects').run(opts or {})
end

---@param opts? oxide.PatchOpts
function M.patch(opts)
  require('oxide.patch').run(opts or {})
end

---@param opts oxide.AskOpts
function M.ask(opts)
  require('oxide.chat').ask(opts)
end

---@param opts? oxide.ChatOpts
function M.chat(opts)
  require('oxide.chat').open(opts or {})
end

---@param opts? oxide.SendOpts|oxide.AgentSendOpts
function M.send(opts)
  opts = opts or {}
  if opts.agent then
    require('oxide.agent_terminal').send(opts --[[@as oxide.AgentSendOpts]])
  else
    require('oxide.chat').send(opts)
  end
end

---@param opts? oxide.AgentOpts
function M.agent(opts)
  require('oxide.agent_terminal').open(opts or {})
end

---@param opts? oxide.IdeOpts
function M.ide(opts)
  require('oxide.ide').run(opts or {})
end

---@param opts? oxide.ContextOpts
function M.context(opts)
  require('oxide.context').run(opts or {})
end

--- Numbers the lines of a text: "1: first line".
---@param text string
---@return string
function M.add_line_numbers(text)
  return require('oxide.numbers').text(text)
end

---@return string keys for an expression mapping
function M.context_operator()
  return require('oxide.context').operator()
end

---@return string keys for an expression mapping
function M.ask_operator()
  return require('oxide.chat').operator()
end

---@return string keys for an expression mapping
function M.format_operator()
  return require('oxide.format').operator()
end

---@return integer
function M.formatexpr()
  return require('oxide.format').formatexpr()
end

--- What the servers are busy with, for a status line; empty when nothing is.
---@return string
function M.status()
  return package.loaded['oxide.ui'] and require('oxide.ui').status() or ''
end

return M
