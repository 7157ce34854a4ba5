-- `:Oxide` alone: what is running and what waits for the user, each with its keys, and the state of
-- the rest below. The page renews itself while calls begin and end. A core that does not answer soon
-- does not keep it: then it says so in place of the rest.
local messages = require('oxide.messages')

local M = {}

local NAME = 'status'
local ns = vim.api.nvim_create_namespace('oxide.overview')
local EVENTS = {
  'OxideReady',
  'OxideReviewOpen',
  'OxideReviewClose',
  'OxidePermission',
  'OxideChatTurn',
  'OxideAgent',
}

---@class oxide.OverviewRow
---@field label string
---@field text string
---@field cancel? fun()   what x does
---@field open? fun()     what <CR> does, in the window from which the page was opened

---@class oxide.OverviewPage
---@field buf integer
---@field rows oxide.OverviewRow[]   by line
---@field status? table   the core's, as of when it was asked; nil: it has not answered yet
---@field why? string   and will not
---@field origin integer   the window that it was opened from

local page ---@type oxide.OverviewPage?

---@param since integer
---@return string
local function for_how_long(since)
  local seconds = math.floor((vim.uv.now() - since) / 1000)
  return seconds < 60 and seconds .. ' s' or ('%d min %d s'):format(seconds / 60, seconds % 60)
end

---@param rows oxide.OverviewRow[]
local function add_calls(rows)
  for _, wait in ipairs(require('oxide.waits').list()) do
    table.insert(rows, {
      label = 'Running',
      text = ('%s, for %s'):format(wait.text, for_how_long(wait.since)),
      cancel = function()
        require('oxide.core').cancel(wait.id)
      end,
    })
  end
end

---@param rows oxide.OverviewRow[]
local function add_turns(rows)
  local chat = package.loaded['oxide.chat']
  for _, talk in ipairs(chat and chat.answering() or {}) do
    table.insert(rows, {
      label = 'Asked',
      text = talk:title(),
      cancel = function()
        talk:cancel()
      end,
      open = function()
        chat.show(talk)
      end,
    })
  end
end

---@param rows oxide.OverviewRow[]
local function add_agents(rows)
  local agents = package.loaded['oxide.agent_terminal']
  for _, agent in ipairs(agents and agents.list() or {}) do
    table.insert(rows, {
      label = 'Agent',
      text = agent.text,
      cancel = agent.stop,
      open = agent.show,
    })
  end
end

---@param rows oxide.OverviewRow[]
local function add_reviews(rows)
  local reviews = require('oxide.review')
  for _, review in ipairs(reviews.all()) do
    local who = review.question.who
    table.insert(rows, {
      label = 'Review',
      text = review.question.title .. (who and ', asked for by ' .. who or ''),
      cancel = function()
        reviews.discard(review)
      end,
      open = function()
        if review.view and review.view.seen then
          require('oxide.review.window').show(review)
        else
          require('oxide.review.queue').take(review.id)
        end
      end,
    })
  end
end

---@param rows oxide.OverviewRow[]
local function add_questions(rows)
  local permission = require('oxide.permission')
  for _, question in ipairs(permission.list()) do
    table.insert(rows, {
      label = 'Question',
      text = ('%s: %s'):format(question.who or question.tool, question.title),
      cancel = function()
        permission.answer(question.id, 'no')
      end,
      open = function()
        require('oxide.review.queue').take(question.id)
      end,
    })
  end
end

---@param rows oxide.OverviewRow[]
local function add_late_questions(rows)
  local queue = require('oxide.review.queue')
  for _, question in ipairs(queue.late()) do
    table.insert(rows, {
      label = 'Question',
      text = question.title,
      cancel = function()
        queue.cancel(question.id)
      end,
      open = function()
        queue.take(question.id)
      end,
    })
  end
end

--- What the core says of itself, or why it does not.
---@param now oxide.OverviewPage
---@return oxide.OverviewRow[]
local function core_rows(now)
  if now.status then
    return require('oxide.core_command').describe(now.status)
  end
  local is_up = require('oxide.core').running()
  local text = now.why or (is_up and 'has not answered yet' or 'is starting')
  return { { label = 'Core', text = text } }
end

---@param now oxide.OverviewPage
---@return oxide.OverviewRow[]
local function rows_of(now)
  local rows = {} ---@type oxide.OverviewRow[]
  add_calls(rows)
  add_turns(rows)
  add_agents(rows)
  add_reviews(rows)
  add_questions(rows)
  add_late_questions(rows)
  if #rows == 0 then
    rows[1] = { label = 'Running', text = 'nothing' }
  end
  table.insert(rows, 1, {
    label = 'Oxide',
    text = 'x cancels or declines, <CR> opens, q closes',
  })
  return vim.list_extend(rows, core_rows(now))
end

--- Shows how it is now.
local function fill()
  local now = assert(page)
  now.rows = rows_of(now)
  local lines = vim.tbl_map(function(row)
    return ('%-9s%s'):format(row.label, messages.one_line(row.text))
  end, now.rows)
  require('oxide.scratch').fill(now.buf, lines)
  for i, row in ipairs(now.rows) do
    local group = (row.cancel or i == 1) and 'OxideOverviewBusy' or 'OxideOverview'
    vim.api.nvim_buf_set_extmark(now.buf, ns, i - 1, 0, { end_col = #row.label, hl_group = group })
  end
end

--- Renews the page, if it is there.
function M.renew()
  if page and vim.api.nvim_buf_is_valid(page.buf) then
    fill()
  end
end

---@return oxide.OverviewRow
local function here()
  return assert(page).rows[vim.fn.line('.')]
end

local function cancel()
  local row = here()
  if not row.cancel then
    return require('oxide.ui').notify('nothing here can be cancelled')
  end
  row.cancel()
  M.renew()
end

local function open()
  local row, origin = here(), assert(page).origin
  if row.open then
    vim.cmd.close()
    if vim.api.nvim_win_is_valid(origin) then
      vim.api.nvim_set_current_win(origin)
    end
    row.open()
  end
end

--- As high as its rows, where it is not beside another window.
local function fit()
  local win = vim.fn.win_findbuf(page.buf)[1]
  if win and vim.api.nvim_win_get_width(win) == vim.o.columns then
    vim.api.nvim_win_set_height(win, math.min(#page.rows, math.max(3, vim.o.lines - 8)))
  end
end

---@param status? table   the core's
---@param mods? table
local function show(status, mods)
  local origin = vim.api.nvim_get_current_win()
  if page and vim.api.nvim_get_current_buf() == page.buf then
    origin = page.origin
  end
  local buf = require('oxide.scratch').open(NAME, { '' }, mods)
  require('oxide.highlights')
  page = { buf = buf, rows = {}, status = status, origin = origin }
  fill()
  vim.bo[buf].filetype = 'oxide-status'
  vim.api.nvim_create_autocmd('User', {
    group = vim.api.nvim_create_augroup('oxide.overview', {}),
    pattern = EVENTS,
    desc = 'Oxide: renew the page of what is running',
    callback = vim.schedule_wrap(M.renew),
  })
  fit()
  vim.api.nvim_win_set_cursor(0, { math.min(2, #page.rows), 0 })
  for key, run in pairs { x = cancel, ['<CR>'] = open } do
    vim.keymap.set('n', key, run, { buffer = buf, nowait = true, desc = 'Oxide status' })
  end
end

--- What the core has answered, on the page that was shown before it did.
---@param early oxide.OverviewPage
---@param err? oxide.Error
---@param status? table
local function complete(early, err, status)
  if page == early and vim.api.nvim_buf_is_valid(early.buf) then
    early.status, early.why = status, err and err.message
    fill()
    fit()
  end
end

--- Asks the core for its status, and shows it.
---@param mods? table   the modifiers of the command
function M.open(mods)
  local answered, early = false, nil ---@type boolean, oxide.OverviewPage?
  require('oxide.core').query('status', function(err, status)
    answered = true
    if early then
      complete(early, err, status)
    elseif err then
      require('oxide.ui').error(err)
    else
      show(status, mods)
    end
  end)
  vim.defer_fn(function()
    if not answered and vim.api.nvim_get_mode().mode == 'n' then
      show(nil, mods)
      early = page
    end
  end, require('oxide.config').get('wait.after_ms'))
end

return M
