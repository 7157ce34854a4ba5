-- The lines above the files of a review, and the one above those that are offered: what is asked, how large
-- it is, how much of it is kept, what is known against it, and the keys. Nothing here touches a buffer.
local count = require('oxide.ui').count
local diff = require('oxide.review.hunks')
local notes = require('oxide.review.notes')

local M = {}

--- The files of the change itself, without those that are offered.
---@param question oxide.Question
---@return oxide.ReviewFile[]
function M.own(question)
  return vim.tbl_filter(function(file)
    return not file.offered
  end, question.files)
end

--- How many hunks are offered, and are kept of them.
---@param question oxide.Question
---@param states oxide.FileState[]
---@param all oxide.ReviewHunk[][]
---@return integer hunks
---@return integer kept
---@return integer files
local function offer(question, states, all)
  local hunks, kept, files = 0, 0, 0
  for i, file in ipairs(question.files) do
    if file.offered then
      files, hunks = files + 1, hunks + file.hunks
      local some = states[i] ~= 'gone' and all[i] or {}
      kept = kept + diff.kept(some)
    end
  end
  return hunks, kept, files
end

--- The line above what is offered: where the old name still stands as text.
---@param question oxide.Question
---@param states oxide.FileState[]
---@param all oxide.ReviewHunk[][]
---@return string
function M.offer(question, states, all)
  local hunks, kept, files = offer(question, states, all)
  local what = ('# Still as text: %s in %s, %d added'):format(
    count(hunks, 'hunk'),
    count(files, 'file'),
    kept
  )
  local keys = '. <Space> adds one, here all.'
  local is_narrow = #what + #keys > (question.cells or math.huge)
  return what .. (is_narrow and ': <Space>' or keys)
end

--- How large it is: "4 places in 2 files, 1 added, 3 hunks, +4 -2".
---@param question oxide.Question
---@return string
local function size(question)
  local sums = require('oxide.sums')
  local hunks, added, removed, rows = 0, 0, 0, {}
  for _, file in ipairs(M.own(question)) do
    hunks, added, removed = hunks + file.hunks, added + file.added, removed + file.removed
    table.insert(rows, { kind = file.kind, edits = file.hunks }) -- as many as show that it has some
  end
  local sum = sums.of(rows)
  sum.places = question.places
  local places, parts = sums.parts(sum)
  local said = { places }
  for _, part in ipairs(parts) do
    table.insert(said, part.what == '' and part.count or part.count .. ' ' .. part.what)
  end
  local text = table.concat(said, ', ')
  return hunks == 0 and text
    or ('%s, %s, +%d -%d'):format(text, count(hunks, 'hunk'), added, removed)
end

--- What the servers have against it: "; 1 new error, 2 not verified".
---@param question oxide.Question
---@return string
local function found(question)
  local errors, unverified = 0, 0
  for note in vim.gsplit(question.notes or '', '\n', { plain = true }) do
    errors = errors + (vim.startswith(note, 'new error: ') and 1 or 0)
    unverified = unverified + (vim.startswith(note, 'not verified: ') and 1 or 0)
  end
  -- The notes may list some of them alone.
  errors = math.max(errors, tonumber((question.refused or ''):match('(%d+) new error')) or 0)
  local parts = {}
  if errors > 0 then
    table.insert(parts, count(errors, 'new error'))
  end
  if unverified > 0 then
    table.insert(parts, unverified .. ' not verified')
  end
  return #parts > 0 and '; ' .. table.concat(parts, ', ') or ''
end

--- What is kept: "4 kept, 1 in part, 0 left out; 3 of 4 hunks".
---@param question oxide.Question
---@param states oxide.FileState[]
---@param all oxide.ReviewHunk[][]
---@return string
local function choice(question, states, all)
  local number = { kept = 0, part = 0, off = 0, stale = 0 }
  local kept, hunks = 0, 0
  for i in ipairs(M.own(question)) do
    number[states[i]] = number[states[i]] + 1
    hunks = hunks + #(all[i] or {})
    kept = kept + diff.kept(all[i] or {})
  end
  local parts = { ('%d kept'):format(number.kept) }
  if number.part > 0 then
    table.insert(parts, ('%d in part'):format(number.part))
  end
  table.insert(parts, ('%d left out'):format(number.off))
  if number.stale > 0 then
    table.insert(parts, ('%d changed meanwhile'):format(number.stale))
  end
  local text = table.concat(parts, ', ')
  return number.part == 0 and text or ('%s; %d of %s'):format(text, kept, count(hunks, 'hunk'))
end

--- What is kept, and how large the whole is: one line, or in a narrow window one of what changes with the
--- keys and below it those of what does not, so that their number stays the same.
---@param question oxide.Question
---@param states oxide.FileState[]
---@param all oxide.ReviewHunk[][]
---@return string[]
local function sum(question, states, all)
  local cells = question.cells or math.huge
  local server = (question.server or '') ~= '' and '; from ' .. question.server or ''
  local kept, lasting = choice(question, states, all), size(question) .. found(question) .. server
  if #('# %d kept, 0 left out; '):format(#M.own(question)) + #lasting <= cells then
    return { ('# %s; %s'):format(kept, lasting) }
  end
  return vim.list_extend({ '# ' .. kept }, notes.lines(lasting, cells))
end

local KEYS = { '# :w applies   :q discards   g? help', '   <Space> switches a hunk, = a file' }

--- The keys, or what goes on instead, on as many lines.
---@param cells integer
---@param state? 'applying'|'checking'
---@param more? string   instead of the keys, too
---@return string[]
local function footer(cells, state, more)
  local keys = { table.concat(KEYS) }
  if #keys[1] > cells then
    keys = { KEYS[1], '#' .. KEYS[2] }
  end
  local texts = {
    applying = 'Being applied; the review closes when it is done.',
    checking = 'The new text is being checked; then it is shown here.',
  }
  local text = state and texts[state] or more
  local lines = text and notes.lines(text, #keys > 1 and cells or math.huge) or keys
  for i = #lines + 1, #keys do
    lines[i] = '#'
  end
  return lines
end

--- The lines above the files; their number does not depend on what is kept.
---@param question oxide.Question
---@param states oxide.FileState[]
---@param hunks oxide.ReviewHunk[][]
---@param doing? 'applying'|'checking'
---@return string[] lines
---@return oxide.FoldedNotes? folded
function M.lines(question, states, hunks, doing)
  local cells = question.cells or math.huge
  local lines, folded = { '# Oxide: ' .. question.title }, nil ---@type string[], oxide.FoldedNotes?
  ---@param text string
  local function put_broken(text)
    vim.list_extend(lines, notes.lines(text, cells))
  end
  local function put_notes()
    local all, more = notes.header(question.notes or '', cells)
    if more then
      folded = { first = #lines + more.first, last = #lines + more.last, count = more.count }
    end
    vim.list_extend(lines, all)
  end
  local refused = (question.refused or '') ~= ''
  if refused then
    local what = question.refused:gsub('^%l', string.upper)
    put_broken(what .. ': :w! applies it anyway')
    put_notes()
  end
  vim.list_extend(lines, sum(question, states, hunks))
  local texts, added = offer(question, states, hunks)
  if texts > 0 then
    local what = count(texts, 'hunk has', 'hunks have')
    table.insert(lines, ('# %s the old name as text, at the end; %d added'):format(what, added))
  end
  if question.who then
    put_broken('asked for by ' .. question.who .. ', who is waiting')
  end
  if question.annotated and question.labels and question.labels ~= '' then
    for label in vim.gsplit(question.labels, '\n', { plain = true, trimempty = true }) do
      put_broken('The server asks to confirm: ' .. label)
    end
  end
  if not refused then
    put_notes()
  end
  local stale = vim.list_contains(states, 'stale')
    and require('oxide.review.stale').advice(question)
  vim.list_extend(lines, footer(cells, doing, stale or nil))
  return lines, folded
end

return M
