-- The text of a review, from what the core asks: a heading for each file and its diff below it.
-- Nothing here touches a buffer.
local notes = require('oxide.review.notes')

local M = {}

local MARKS = { kept = '[x]', part = '[-]', off = '[ ]', stale = '[~]', gone = '[~]' }

--- 'stale': it was changed meanwhile, so nothing can be applied; 'gone': it was offered and is not
--- wanted, so that does not matter.
---@alias oxide.FileState 'kept'|'part'|'off'|'stale'|'gone'

---@class oxide.ReviewFile
---@field path string
---@field shown string
---@field new_path? string
---@field kind 'modify'|'create'|'delete'|'rename'
---@field mode? string   what becomes of it otherwise, as 'mode 0644 -> 0755', 'symbolic link'
---@field hunks integer
---@field added integer
---@field removed integer
---@field where 'buffer'|'disk'
---@field buf? integer
---@field diff string
---@field edited? boolean   its new text is the person's own
---@field offered? boolean   no part of the change unless the person adds it; these come last

---@class oxide.Question
---@field id integer
---@field call integer
---@field who? string     who asks for it, if it is not the person
---@field unattended? boolean   who asks for it does not wait for a person
---@field title string
---@field tool string
---@field server? string
---@field places integer
---@field annotated boolean
---@field labels? string
---@field notes? string   what was found out about the change
---@field refused? string why it needs confirmation
---@field rest? boolean   what was left of a change after an earlier question
---@field renewed? boolean   it was open already: a text was edited, and all of it worked out again
---@field permission? boolean   it is about no change: a yes or a no, and why not
---@field lasting? boolean      and the yes may be for longer than once
---@field again? boolean   where a file has changed meanwhile, the core works it out anew
---@field files oxide.ReviewFile[]
---@field cells? integer  how wide the window is in which it comes up

---@class oxide.ReviewLine
---@field file? integer   index into the question's files; nil for the line above those that are offered
---@field kind 'heading'|'hunk'|'context'|'add'|'delete'|'note'|'offer'
---@field old? integer    line of the old text that it is, or precedes; from 1
---@field hunk? integer   index into the file's hunks, of which each can be left out
---@field block? integer  the line of the @@ that it is below, or is

---@class oxide.ReviewHunk: oxide.Hunk
---@field row integer     its @@ line in the page, from 1
---@field last integer    its last line
---@field kept boolean
---@field drawn boolean   what its @@ line says

---@class oxide.ReviewPage
---@field lines string[]
---@field at table<integer, oxide.ReviewLine>   by line number from 1; lines of no file are absent
---@field offer? integer                        the line above the files that are offered
---@field folded? oxide.FoldedNotes             those of the notes that are folded at first
---@field headings integer[]                    the line of each file's heading
---@field hunks oxide.ReviewHunk[][]            of each file; none where it goes whole
---@field blocks table<integer, integer>        by the line of each @@, those of files that go whole
---  too: the last line of its hunk
---@field pairs { [1]: integer, [2]: integer }[]   a removed line and the added one in its place

local KINDS = { create = 'new file', delete = 'deleted', rename = 'renamed' }

--- How many hunks are kept, and the lines that these add and remove.
---@param hunks oxide.ReviewHunk[]
---@return integer kept
---@return integer added
---@return integer removed
local function kept_of(hunks)
  local kept, added, removed = 0, 0, 0
  for _, hunk in ipairs(hunks) do
    if hunk.kept then
      kept, added, removed = kept + 1, added + hunk.added, removed + hunk.removed
    end
  end
  return kept, added, removed
end

---@param file oxide.ReviewFile
---@param state oxide.FileState
---@param hunks oxide.ReviewHunk[]
---@return string
local function facts(file, state, hunks)
  local count = require('oxide.ui').count
  local added, removed, some = file.added, file.removed, ''
  if state == 'part' then
    local kept
    kept, added, removed = kept_of(hunks)
    some = kept .. ' of '
  end
  local parts = {} ---@type string[]
  table.insert(parts, KINDS[file.kind])
  table.insert(parts, file.offered and 'as text' or nil)
  if file.mode then
    table.insert(parts, file.mode)
  end
  if file.hunks > 0 and (file.kind == 'modify' or file.kind == 'rename') then
    table.insert(parts, some .. count(file.hunks, 'hunk'))
  end
  if added + removed > 0 then
    table.insert(parts, ('+%d -%d'):format(added, removed))
  end
  if file.where == 'buffer' then
    local modified = file.buf and vim.api.nvim_buf_is_valid(file.buf) and vim.bo[file.buf].modified
    table.insert(parts, modified and 'open, modified' or 'open')
  end
  table.insert(parts, file.edited and 'edited by you' or nil)
  return table.concat(parts, '  ')
end

---@param file oxide.ReviewFile
---@return string
function M.name(file)
  if not file.new_path then
    return file.shown
  end
  local dir = vim.fs.dirname(file.path)
  local new = file.new_path
  if vim.fs.dirname(new) == dir then
    new = vim.fs.basename(new)
  end
  return ('%s -> %s'):format(file.shown, new)
end

---@param files oxide.ReviewFile[]
---@return integer
local function widest(files)
  local width = 0
  for _, file in ipairs(files) do
    width = math.max(width, vim.fn.strdisplaywidth(M.name(file)))
  end
  return math.min(width, 60)
end

--- One heading. It says by its text, not by its colour, what becomes of the file.
---@param file oxide.ReviewFile
---@param state oxide.FileState
---@param hunks oxide.ReviewHunk[]
---@param width integer
---@return string
function M.heading(file, state, hunks, width)
  local name = M.name(file)
  local pad = (' '):rep(math.max(0, width - vim.fn.strdisplaywidth(name)))
  local note = (state == 'stale' or state == 'gone') and '  changed meanwhile' or ''
  return ('## %s %s%s  %s%s'):format(MARKS[state], name, pad, facts(file, state, hunks), note)
end

--- The @@ line of a hunk, with what becomes of it behind the numbers: the diff stays one.
---@param hunk oxide.ReviewHunk
---@return string
---@return integer at   where the mark begins, in bytes from 0
function M.hunk_head(hunk)
  local numbers, rest = hunk.head:match('^(@@ .- @@)(.*)$')
  local mark = hunk.kept and MARKS.kept or MARKS.off
  return ('%s %s%s'):format(numbers, mark, rest), #numbers + 1
end

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
      kept = kept + kept_of(some)
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
  local count = require('oxide.ui').count
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
  local count, sums = require('oxide.ui').count, require('oxide.sums')
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
    table.insert(parts, require('oxide.ui').count(errors, 'new error'))
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
    kept = kept + kept_of(all[i] or {})
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
  return number.part == 0 and text
    or ('%s; %d of %s'):format(text, kept, require('oxide.ui').count(hunks, 'hunk'))
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
function M.header(question, states, hunks, doing)
  local count, cells = require('oxide.ui').count, question.cells or math.huge
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

---@param page oxide.ReviewPage
---@param text string
---@param info? oxide.ReviewLine
local function put(page, text, info)
  table.insert(page.lines, text)
  if info then
    page.at[#page.lines] = info
  end
end

--- Pairs the removed lines of a block with the added ones that follow, when there are as many.
---@param page oxide.ReviewPage
---@param deletes integer[]
---@param adds integer[]
local function pair(page, deletes, adds)
  if #deletes > 0 and #deletes == #adds then
    for i = 1, #deletes do
      table.insert(page.pairs, { deletes[i], adds[i] })
    end
  end
end

local LINE_KINDS = { ['+'] = 'add', ['-'] = 'delete', [' '] = 'context', [''] = 'context' }

---@param page oxide.ReviewPage
---@param index integer
---@param hunk oxide.Hunk
---@param own? integer   the hunk's own number, where it can be left out
local function put_hunk(page, index, hunk, own)
  local old = hunk.old
  local deletes, adds = {}, {}
  local head = own and M.hunk_head(hunk --[[@as oxide.ReviewHunk]]) or hunk.head
  local block = #page.lines + 1
  put(page, head, { file = index, kind = 'hunk', old = old, hunk = own, block = block })
  for _, line in ipairs(hunk.lines) do
    local kind = LINE_KINDS[line:sub(1, 1)] or 'note'
    if kind ~= 'note' and (kind == 'context' or (kind == 'delete' and #adds > 0)) then
      pair(page, deletes, adds)
      deletes, adds = {}, {}
    end
    put(page, line, { file = index, kind = kind, old = old, hunk = own, block = block })
    if kind == 'delete' then
      table.insert(deletes, #page.lines)
    elseif kind == 'add' then
      table.insert(adds, #page.lines)
    end
    if kind == 'delete' or kind == 'context' then
      old = old + 1
    end
  end
  page.blocks[block] = #page.lines
  pair(page, deletes, adds)
end

---@param page oxide.ReviewPage
---@param index integer
---@param file oxide.ReviewFile
---@param kept boolean
local function put_hunks(page, index, file, kept)
  local parts = file.kind == 'modify' or file.kind == 'rename'
  page.hunks[index] = {}
  for i, hunk in ipairs(require('oxide.review.hunks').parse(file.diff or '')) do
    if parts then
      ---@cast hunk oxide.ReviewHunk
      hunk.kept, hunk.drawn, hunk.row = kept, kept, #page.lines + 1
      page.hunks[index][i] = hunk
    end
    put_hunk(page, index, hunk, parts and i or nil)
    hunk.last = #page.lines
  end
end

--- The whole review. A file is kept or not; which hunks are, is decided in the page.
---@param question oxide.Question
---@param states oxide.FileState[]
---@return oxide.ReviewPage
function M.page(question, states)
  local page = { lines = {}, at = {}, headings = {}, hunks = {}, blocks = {}, pairs = {} } ---@type oxide.ReviewPage
  local width = widest(question.files)
  local header, folded = M.header(question, states, {})
  page.folded = folded
  for _, line in ipairs(header) do
    put(page, line)
  end
  for i, file in ipairs(question.files) do
    put(page, '')
    if file.offered and not page.offer then
      put(page, M.offer(question, states, {}), { kind = 'offer' })
      page.offer = #page.lines
    end
    put(page, M.heading(file, states[i], {}, width), { file = i, kind = 'heading' })
    page.headings[i] = #page.lines
    put_hunks(page, i, file, states[i] ~= 'off')
  end
  return page
end

---@param question oxide.Question
---@return integer
function M.width(question)
  return widest(question.files)
end

return M
