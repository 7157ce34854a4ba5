-- The keys of a review's buffer: one row each. The page of `g?` and the help file list the rows.
local M = {}

--- What `.` does again, where the cursor is then.
---@param run fun(review: oxide.Review)
---@return fun(review: oxide.Review)
local function repeatable(run)
  return function(review)
    review.view.repeated = run
    run(review)
  end
end

---@param keep? boolean   nil: the other of what it is
---@return fun(review: oxide.Review)
local function under(keep)
  return repeatable(function(review)
    local first, last = vim.fn.line('.'), vim.fn.line('.')
    if vim.fn.mode():match('^[vV\22]') then
      first = vim.fn.line('v')
      vim.cmd('normal! \27')
    end
    require('oxide.review.choice').lines(review, math.min(first, last), math.max(first, last), keep)
  end)
end

--- Keeps or leaves out the whole file that the cursor is on.
---@param review oxide.Review
local file = repeatable(function(review)
  local line = review.view.page.at[vim.fn.line('.')]
  if line and line.file then
    local keep = review.states[line.file] ~= 'kept'
    require('oxide.review.choice').change(review, { [line.file] = keep })
  end
end)

---@param review oxide.Review
local function again(review)
  if review.view.repeated then
    review.view.repeated(review)
  end
end

--- Closes what a key shows in a float; without one, asks what is to become of the change.
---@param review oxide.Review
local function quit(review)
  local float = review.view.float
  review.view.float = nil
  if float and vim.api.nvim_win_is_valid(float) then
    vim.api.nvim_win_close(float, true)
    return
  end
  local win = vim.api.nvim_get_current_win()
  local answers = { 'Apply', 'Discard', 'Stay' }
  local prompt = review.question.title .. ':'
  require('oxide.ui').select(answers, { prompt = prompt, kind = 'oxide-review' }, function(answer)
    if review.outcome or not vim.api.nvim_win_is_valid(win) then
      return
    elseif answer == 'Discard' then
      require('oxide.review').discard(review)
    elseif answer == 'Apply' then
      vim.api.nvim_set_current_win(win)
      local ok, why = require('oxide.review.unasked').asked(vim.cmd.write)
      if not ok then
        local reason = tostring(why):gsub('^.-Oxide: ', '')
        require('oxide.ui').notify(reason, vim.log.levels.ERROR)
      end
    end
  end)
end

---@param keep boolean
local function all(keep)
  return function(review)
    require('oxide.review.choice').all(review, keep)
  end
end

---@param step 1|-1
---@param pattern string
local function move(step, pattern)
  return function()
    for _ = 1, vim.v.count1 do
      vim.fn.search(pattern, step == 1 and 'W' or 'bW')
    end
  end
end

---@param name string
local function action(name)
  return function(review)
    require('oxide.review.actions')[name](review)
  end
end

---@class oxide.Key
---@field key string
---@field doc string
---@field visual? boolean   in Visual mode too; what changes files and hunks is for all it touches
---@field run fun(review: oxide.Review)

local show_help

---@type oxide.Key[]
M.keys = {
  {
    key = '<Space>',
    doc = 'keep or leave out the hunk, on a heading the file',
    visual = true,
    run = under(),
  },
  {
    key = 'a',
    doc = 'accept: keep the hunk, or on a heading the file',
    visual = true,
    run = under(true),
  },
  {
    key = 'x',
    doc = 'reject: leave it out',
    visual = true,
    run = under(false),
  },
  { key = '=', doc = 'keep this file, or leave it out', run = file },
  { key = 'A', doc = 'keep all, without what is found as text alone', run = all(true) },
  { key = 'X', doc = 'leave all out', run = all(false) },
  {
    key = 'u',
    doc = 'undo the last of these, or of your edits (e)',
    run = function(review)
      require('oxide.review.choice').back(review)
    end,
  },
  { key = '.', doc = 'repeat <Space>, a, x or = where the cursor is', run = again },
  { key = 'gra', doc = 'choose what to do with the hunk', run = action('choose') },
  { key = ']c', doc = 'to the next hunk', visual = true, run = move(1, '^@@ ') },
  { key = '[c', doc = 'to the previous hunk', visual = true, run = move(-1, '^@@ ') },
  { key = ']f', doc = 'to the next file', visual = true, run = move(1, '^## ') },
  { key = '[f', doc = 'to the previous file', visual = true, run = move(-1, '^## ') },
  { key = 'gO', doc = 'list the files, in the location list', run = action('outline') },
  { key = '<CR>', doc = 'go to this place in the source', run = action('jump') },
  { key = 'K', doc = 'the lines around the hunk; a count says how many', run = action('around') },
  { key = 'o', doc = 'old and new text side by side', run = action('side_by_side') },
  {
    key = 'e',
    doc = 'edit the new text of the file, where the cursor is',
    run = function(review)
      require('oxide.review.edit').open(review, vim.fn.line('.'))
    end,
  },
  { key = 'q', doc = 'close a float, else ask: apply, discard or stay', run = quit },
  {
    key = 'g?',
    doc = 'this help',
    run = function(review)
      show_help(review)
    end,
  },
}

---@param review oxide.Review
show_help = function(review)
  local lines = {
    '`:w`       apply what is kept, all or nothing',
    '`:wq` `ZZ`   the same',
    '`:q` `ZQ`    discard the change',
    "`:'<,'>w!` apply what these lines touch, and nothing else",
    '`za`       fold or unfold the file, or the notes',
    '',
  }
  for _, key in ipairs(M.keys) do
    table.insert(lines, ('`%s`%s %s'):format(key.key, (' '):rep(8 - #key.key), key.doc))
  end
  local win = require('oxide.scratch').float(lines, 'markdown', {
    focus_id = 'oxide-review-help',
    wrap = false,
  })
  vim.wo[win][0].concealcursor = 'n'
  require('oxide.scratch').centre(win, 'g? again goes there')
  review.view.float = win
end

---@param review oxide.Review
function M.map(review)
  for _, key in ipairs(M.keys) do
    vim.keymap.set(key.visual and { 'n', 'x' } or 'n', key.key, function()
      key.run(review)
    end, { buffer = review.view.buf, nowait = true, desc = 'Oxide review: ' .. key.doc })
  end
end

return M
