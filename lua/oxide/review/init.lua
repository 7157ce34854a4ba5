-- A change that waits for confirmation: who is asked, and what becomes of the answer. The
-- buffer that shows it is review/buffer.lua's.
--
--   open -> applied    :w; the buffer stays until the core has carried it out
--        -> discarded  :q, or its last window was closed
--        -> gone       the core took the question back, or ended
local stale = require('oxide.review.stale')
local ui = require('oxide.ui')

local M = {}

---@class oxide.Review
---@field id integer
---@field question oxide.Question
---@field states oxide.FileState[]
---@field sources table<integer, oxide.Source>   of files that have no buffer, by index
---@field outcome? 'applied'|'discarded'|'gone'
---@field done boolean       the core has answered the call
---@field err? oxide.Error   how it failed then
---@field writing? boolean   :w waits for that
---@field view? oxide.ReviewView
---@field past oxide.ReviewStep[]   what `u` takes back, the last at the end
---@field checking? integer   a text that was edited is being checked: the index of its file
---@field step? oxide.ReviewStep   that this text is, or takes back: then it is the last of `past`
---@field warned? boolean    that the rename is one in part
---@field hush oxide.Hush    of the command that has accepted it

local open = {} ---@type table<integer, oxide.Review>
local latest ---@type integer?
local unsettled = {} ---@type table<integer, oxide.Review>   accepted, and not yet answered

-- How long :w waits for the core to carry the change out, in milliseconds: without a word, and at all.
local QUIET, WRITE_LIMIT = 500, 30000

---@param path string
---@return boolean
local function visible(path)
  local buf = require('oxide.buffers').of(path)
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if buf and vim.api.nvim_win_get_buf(win) == buf then
      return true
    end
  end
  return false
end

local CHANGED = { stale = true, gone = true }

--- Whether a person sees this change before it is applied.
---@param question oxide.Question
---@param when 'auto'|'always'|'never'
---@param is_visible? fun(path: string): boolean
---@return boolean
function M.wanted(question, when, is_visible)
  if (question.refused or '') ~= '' then
    return true
  elseif when ~= 'auto' then
    return when == 'always'
  end
  local file = question.files[1]
  if question.annotated or #require('oxide.review.header').own(question) > 1 then
    return true
  end
  return file ~= nil
    and (file.kind ~= 'modify' or file.new_path ~= nil or not (is_visible or visible)(file.path))
end

---@param review oxide.Review
---@param accept boolean
---@param force? boolean   in spite of what speaks against it
---@param changed? oxide.ReviewFile   not a no: this file was changed meanwhile
local function reply(review, accept, force, changed)
  local answer = { id = review.id, accept = accept, force = force }
  answer.stale = changed and changed.shown
  if accept then
    answer.files, answer.hunks = require('oxide.review.choice').answer(review)
  end
  require('oxide.core').tell('reply', answer)
end

---@param review oxide.Review
---@param outcome 'applied'|'discarded'|'gone'
local function close(review, outcome)
  review.outcome = outcome
  open[review.id] = nil
  if latest == review.id then
    latest = next(open)
  end
  if review.view then
    local buf = review.view.buf
    require('oxide.review.edit').close(review, outcome ~= 'gone')
    require('oxide.review.buffer').close(review)
    ui.event('ReviewClose', { id = review.id, buf = buf, outcome = outcome })
  end
  require('oxide.review.queue').drop(review.id)
end

--- Looks at the files on disk again. Buffers say themselves when they change.
---@param review oxide.Review
function M.refresh(review)
  local is_still = require('oxide.review.sources').is_still
  for i, source in pairs(review.sources) do
    local file = review.question.files[i]
    if not CHANGED[review.states[i]] and not is_still(source, file.path) then
      M.stale(review, i)
    end
  end
end

--- A file has changed since it was asked about, and stays marked.
---@param review oxide.Review
---@param index integer
function M.stale(review, index)
  local state = review.states[index]
  if not review.outcome and not CHANGED[state] then
    local unwanted = review.question.files[index].offered and state == 'off'
    review.states[index] = unwanted and 'gone' or 'stale'
    require('oxide.review.buffer').redraw(review, { index })
  end
end

--- What the core would refuse, and nobody has decided otherwise. Of a change that is cut it may not be
--- true any more; that is looked at again.
---@param review oxide.Review
---@return boolean
local function is_refused(review)
  local whole = require('oxide.review.choice').is_whole(review)
  return whole and (review.question.refused or '') ~= ''
end

--- Waits until an edited text was checked.
---@param review oxide.Review
---@return string? reason why it cannot be applied yet
local function await_check(review)
  local function is_done()
    return not review.checking or review.outcome ~= nil
  end
  if not require('oxide.messages').wait(QUIET, is_done, 10) then
    vim.api.nvim_echo(
      { { 'Oxide: the edited text is being checked; CTRL-C stops waiting' } },
      false,
      {}
    )
    vim.cmd.redraw()
    require('oxide.messages').wait(WRITE_LIMIT, is_done, 10)
  end
  return not is_done() and 'the edited text is still being checked; nothing was applied' or nil
end

---@param review oxide.Review
---@param force? boolean
---@return string? reason why it cannot be applied
local function obstacle(review, force)
  M.refresh(review)
  local unwritten = require('oxide.review.edit').unwritten(review)
  if unwritten then
    return ('the new text of %s is being edited; :w there takes it, :q! drops it'):format(unwritten)
  end
  local changed = stale.file(review)
  if changed then
    return stale.reason(review.question, changed)
  end
  local kept = false
  for _, state in ipairs(review.states) do
    kept = kept or (state ~= 'off' and state ~= 'gone')
  end
  if not kept then
    return 'every file is left out; nothing to apply. :q discards the change.'
  elseif not force and is_refused(review) then
    return ('%s; nothing was applied. :w! applies it anyway.'):format(review.question.refused)
  end
end

--- Waits until the core has carried out what was accepted: a write that ends Neovim must not leave it
--- behind. CTRL-C ends the wait, not the change.
---@param review oxide.Review
---@return string? reason why it cannot be said to be written
local function await(review)
  local function is_done()
    return review.done
  end
  review.writing = true
  local _, why = require('oxide.messages').wait(QUIET, is_done, 10)
  if why == -1 then
    local text = ('Oxide: %s is being applied; CTRL-C stops waiting'):format(review.question.title)
    vim.api.nvim_echo({ { text } }, false, {})
    vim.cmd.redraw()
    require('oxide.messages').wait(WRITE_LIMIT, is_done, 10)
  end
  review.writing = nil
  if not review.done then
    require('oxide.review.buffer').redraw(review, {})
    return review.question.title .. ' is still being applied; the review closes when it is done.'
  end
  close(review, 'applied')
  return review.err and review.err.message
end

--- Has the core work it out anew, with what was changed meanwhile. A command that ends Neovim is
--- refused instead: nobody would see it.
---@param review oxide.Review
---@return boolean asked   false: it is not that, or cannot be
local function anew(review)
  M.refresh(review)
  local changed = stale.file(review)
  if require('oxide.review.exit').leaving() then
    return false
  elseif
    not changed
    or not review.question.again
    or require('oxide.review.edit').unwritten(review)
  then
    return false
  end
  stale.expect(review, changed)
  reply(review, false, nil, changed)
  close(review, 'gone')
  return true
end

--- Applies what is kept. Waits for the core, so that `:wq` knows how it ended.
---@param review oxide.Review
---@param force? boolean   in spite of what speaks against it
---@return string? reason why it is not applied; where the core did not fail, the review stays open
function M.write(review, force)
  if review.outcome == 'applied' and not review.writing then
    return await(review)
  elseif review.outcome then
    return nil
  end
  local reason = review.checking and await_check(review)
  if review.outcome then
    return nil
  end
  if not reason and anew(review) then
    return nil
  end
  reason = reason or obstacle(review, force)
  if reason then
    return reason
  end
  review.outcome = 'applied'
  unsettled[review.id] = not review.done and review or nil
  review.hush = require('oxide.messages').hush()
  local call = require('oxide.core').pending(review.question.call)
  if call and review.hush then
    call.hush = review.hush
  end
  reply(review, true, force)
  return await(review)
end

---@param review oxide.Review
function M.discard(review)
  if not review.outcome then
    local asked = review.question.who and not review.question.again
    reply(review, false, nil, asked and stale.file(review) or nil)
    close(review, 'discarded')
  end
end

---@param review oxide.Review
---@param err? oxide.Error
local function settled(review, err)
  if review.done then
    return
  end
  review.done, review.err = true, err
  unsettled[review.id] = nil
  if review.writing and err then
    err.told = true -- by :w
  elseif review.outcome == 'applied' and not review.writing then
    close(review, 'applied')
  end
end

--- The call of somebody else that a review belonged to has ended.
---@param id integer
---@param why? string   it failed
---@return boolean told   the person has been told why, by :w
---@return oxide.Hush   of the command that has accepted it
function M.settled(id, why)
  local review = unsettled[id]
  if review then
    settled(review, why and require('oxide.errors').new('failed', why))
  end
  return review ~= nil and review.err ~= nil and review.err.told == true, review and review.hush
end

--- A call that asks again has carried out what it asked about before, or found what speaks against
--- what is left of it.
---@param question oxide.Question
local function settle_earlier(question)
  for _, earlier in pairs(vim.tbl_values(unsettled)) do
    if earlier.question.call == question.call then
      local why = question.rest and question.refused
      settled(earlier, why and require('oxide.errors').new('conflict', why) or nil)
    end
  end
end

---@param question oxide.Question
---@return oxide.Review
local function new(question)
  local states, sources = {}, {} ---@type oxide.FileState[], table<integer, oxide.Source>
  for i, file in ipairs(question.files) do
    states[i] = file.offered and 'off' or 'kept'
    if file.where ~= 'buffer' then
      sources[i] = require('oxide.review.sources').of(file.path)
    end
  end
  return {
    id = question.id,
    question = question,
    states = states,
    sources = sources,
    past = {},
    done = false,
  }
end

--- Hears how the call ends that the question belongs to.
---@param review oxide.Review
local function follow(review)
  local call = require('oxide.core').pending(review.question.call)
  if call then
    local cb = call.cb
    call.cb = function(err, result)
      settled(review, err)
      cb(err, result)
    end
  end
end

---@param question oxide.Question
---@return integer[] buffers that show a file of it
local function buffers(question)
  local bufs = {} ---@type integer[]
  for _, file in ipairs(question.files) do
    table.insert(bufs, file.where == 'buffer' and file.buf or nil)
  end
  return bufs
end

--- A question of the core about a change.
---@param question oxide.Question
---@param context oxide.Context
function M.confirm(question, context)
  question.files = question.files or {}
  if question.renewed then
    local asked = open[question.id]
    if asked and not asked.outcome then
      require('oxide.review.edit').renew(asked, question)
    end
    return
  end
  settle_earlier(question)
  local review = new(question)
  local when = context.confirm or 'auto'
  if question.who then
    when = require('oxide.remote_client').when(question)
  elseif when == 'auto' then
    when = require('oxide.config').get('review.when')
  end
  local wanted = M.wanted(question, when)
  if not wanted or question.unattended then
    reply(review, not wanted)
    return
  end
  follow(review)
  require('oxide.review.exit')
  open[review.id] = review
  latest = review.id
  local before = stale.expected(question)
  require('oxide.review.queue').add {
    id = review.id,
    title = question.title,
    who = not before and question.who or nil,
    bufs = buffers(question),
    open = function()
      require('oxide.review.window').open(review)
      if before then
        stale.take_over(review, before)
      end
    end,
  }
end

local deciding = 0

--- While something else decides about what is under review, its end is no news.
---@param more 1|-1
function M.decides(more)
  deciding = deciding + more
end

--- The core has taken a question back.
---@param id integer
function M.gone(id)
  local review = open[id]
  if not review or review.outcome then
    return
  end
  close(review, 'gone')
  if deciding == 0 then
    ui.notify(review.question.title .. ': no longer possible; the review was closed')
  end
end

--- The core has ended.
---@param err oxide.Error
function M.close_all(err)
  for _, review in pairs(vim.tbl_values(open)) do
    if review.outcome then
      settled(review, vim.deepcopy(err))
    else
      close(review, 'gone')
    end
  end
end

---@return oxide.Review?
function M.current()
  return latest and open[latest] or nil
end

---@return oxide.Review[] that are not over, the oldest first
function M.all()
  return require('oxide.review.queue').by_age(open)
end

---@param id integer
---@return oxide.Review?
function M.get(id)
  return open[id]
end

--- Before Neovim exits: gives changes that were accepted the time to be carried out.
---@param limit_ms integer
function M.settle(limit_ms)
  if next(unsettled) then
    vim.wait(limit_ms, function()
      return next(unsettled) == nil
    end, 10)
  end
end

return M
