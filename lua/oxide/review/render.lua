-- The text of a review, from what the core asks: what header.lua says above, then a heading for each file
-- and its diff below it. Nothing here touches a buffer.
local diff = require('oxide.review.hunks')
local header = require('oxide.review.header')

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

---@param file oxide.ReviewFile
---@param state oxide.FileState
---@param hunks oxide.ReviewHunk[]
---@return string
local function facts(file, state, hunks)
  local count = require('oxide.ui').count
  local added, removed, some = file.added, file.removed, ''
  if state == 'part' then
    local kept
    kept, added, removed = diff.kept(hunks)
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

--- How wide the names of the files are.
---@param question oxide.Question
---@return integer
function M.width(question)
  local width = 0
  for _, file in ipairs(question.files) do
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
  for i, hunk in ipairs(diff.parse(file.diff or '')) do
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
  local width = M.width(question)
  local lines, folded = header.lines(question, states, {})
  page.folded = folded
  for _, line in ipairs(lines) do
    put(page, line)
  end
  for i, file in ipairs(question.files) do
    put(page, '')
    if file.offered and not page.offer then
      put(page, header.offer(question, states, {}), { kind = 'offer' })
      page.offer = #page.lines
    end
    put(page, M.heading(file, states[i], {}, width), { file = i, kind = 'heading' })
    page.headings[i] = #page.lines
    put_hunks(page, i, file, states[i] ~= 'off')
  end
  return page
end

return M
