-- `:Oxide test output`: what a failed test has printed, or all that tests which still run have.
local scratch = require('oxide.scratch')
local ui = require('oxide.ui')

local M = {}

---@param text? string
---@param otherwise string   where there is none
---@return string[]
local function lines_of(text, otherwise)
  text = vim.trim(text or '')
  return vim.split(text ~= '' and text or otherwise, '\n', { plain = true })
end

---@param lines string[]
---@param title string
---@param focus_id? string   the next call goes into it
---@return integer win
local function float(lines, title, focus_id)
  local win = scratch.float(lines, 'text', {
    focus_id = focus_id,
    title = (' %s '):format(title),
    max_width = math.max(20, vim.o.columns - 4),
  })
  scratch.centre(win)
  return win
end

---@param failure { name: string, message?: string, output?: string }
function M.of_failure(failure)
  local message = (failure.message or '') ~= '' and failure.message or 'it printed nothing'
  float(lines_of(failure.output, message), failure.name, 'oxide-test-output')
end

--- Up to the last line, with what is counted so far above it.
function M.of_run()
  require('oxide.core').query('runs', function(err, answer)
    local runs = not err and answer and answer.runs or {}
    local run = vim.iter(runs):find(function(one)
      return vim.startswith(one.title, 'test ')
    end) or runs[1] -- what is built for them
    if not run then
      return ui.notify('the tests have printed nothing yet')
    end
    local lines = lines_of(run.output, 'nothing was printed yet')
    local title = run.message == '' and run.title or ('%s: %s'):format(run.title, run.message)
    local win = float(lines, title)
    vim.api.nvim_win_set_cursor(win, { #lines, 0 })
  end)
end

return M
