-- Highlights of what was said: Markdown, and the languages of its code blocks, by treesitter. A
-- parser of the buffer would read all of a long conversation again for each piece that streams in.
-- So each part of the text is parsed by itself, when nothing more comes to it and a window shows it,
-- and its marks are made a little at a time. What cannot be cut, the reading of a language's query and
-- the parsing of many lines, waits until nobody types.
local buffer = require('oxide.chat.buffer')
local render = require('oxide.chat.render')

local M = {}

local HIGHLIGHTS = vim.api.nvim_create_namespace('oxide.chat.highlights')
local PARTS = vim.api.nvim_create_namespace('oxide.chat.parts')
local SLICE_NS = 7e5 -- at once
local PAUSE_MS = 5 -- between slices
local FRAME_MS = 33 -- between slices while text streams in
local TYPING_NS = 3e8 -- after a key
local FAILED_NS = 1e10 -- after which Neovim's parsing has failed on the way
local AT_ONCE = 50 -- lines that are parsed in a slice, or little more
local IN_SLICES = vim.fn.has('nvim-0.11') == 1 -- Neovim parses more of them with pauses in between
local LONGEST = IN_SLICES and 2000 or 500 -- lines; a longer part stays plain: its parsing would be felt

---@class oxide.ChatPart   some lines that are complete
---@field mark integer     in PARTS
---@field thread? thread   of colour(), once it has begun

---@class oxide.ChatTail   what of the text that streams in is not in a part yet
---@field mark integer     its first line
---@field scanned integer  the lines of it that were looked at
---@field fence? string    that is open behind them

local typed_at = 0 -- vim.uv.hrtime()

---@type table<integer, oxide.ChatView>
local views = setmetatable({}, { __mode = 'v' }) -- by buffer
local wanted = {} ---@type table<integer, oxide.ChatPart[]>   by window: what it shows
local is_running = false

---@class oxide.ChatQueries
---@field highlights? vim.treesitter.Query
---@field injections? vim.treesitter.Query   held alone: Neovim forgets a query that nobody holds

local queries = {} ---@type table<string, oxide.ChatQueries>   by language

--- In a part's thread: goes on once no key has come for a moment.
local function wait_for_pause()
  while vim.uv.hrtime() - typed_at < TYPING_NS do
    coroutine.yield('waits')
  end
end

--- In a part's thread.
---@param language string
---@return vim.treesitter.Query?
local function highlights_of(language)
  if not queries[language] then
    wait_for_pause()
    queries[language] = {
      highlights = vim.treesitter.query.get(language, 'highlights'),
      injections = vim.treesitter.query.get(language, 'injections'),
    }
    coroutine.yield()
  end
  return queries[language].highlights
end

--- In a part's thread.
---@param parser vim.treesitter.LanguageTree
---@param lines integer   that it parses
local function parse(parser, lines)
  if lines <= AT_ONCE then
    parser:parse(true)
    return coroutine.yield()
  end
  wait_for_pause()
  local is_done, ends = not IN_SLICES, vim.uv.hrtime() + FAILED_NS
  parser:parse(true, IN_SLICES and function()
    is_done = true
  end or nil)
  repeat
    coroutine.yield('waits')
  until is_done or vim.uv.hrtime() > ends
end

---@param buf integer
---@param top integer   the row of the part's first line
---@param group string
---@param range Range6  in the part
---@param priority? string|integer
local function mark(buf, top, group, range, priority)
  vim.api.nvim_buf_set_extmark(buf, HIGHLIGHTS, top + range[1], range[2], {
    end_row = top + range[4],
    end_col = range[5],
    hl_group = group,
    priority = tonumber(priority) or 100, -- as Neovim's own
    strict = false, -- the text may have been edited meanwhile
    invalidate = true,
    undo_restore = false,
  })
end

local DIFF = { ['+'] = 'Added', ['-'] = 'Removed' }

--- Neovim brings no parser of diffs.
---@param view oxide.ChatView
---@param top integer   the row of the first line
---@param lines string[]
local function colour_diffs(view, top, lines)
  local fence, is_diff ---@type string?, boolean?
  for i, line in ipairs(lines) do
    local before = fence
    fence = render.fence_behind(line, fence)
    if not before and fence then
      is_diff = line:match('^%s*`+diff%s*$') ~= nil
    end
    local group = before and fence and is_diff and DIFF[line:sub(1, 1)]
    if group and not line:find('^%+%+%+ ') and not line:find('^%-%-%- ') then
      mark(view.buf, top, group, { i - 1, 0, 0, i - 1, #line, 0 }, 110)
    end
  end
end

---@param view oxide.ChatView
---@param part oxide.ChatPart
---@return integer? first   from 0
---@return integer? last    the first line behind it
local function lines_of(view, part)
  local place = vim.api.nvim_buf_get_extmark_by_id(view.buf, PARTS, part.mark, { details = true })
  if place[1] and not place[3].invalid then
    return place[1], place[3].end_row
  end
end

--- Highlights a part; yields between its marks.
---@param view oxide.ChatView
---@param part oxide.ChatPart
local function colour(view, part)
  local first, last = lines_of(view, part)
  if not first or last - first > LONGEST then
    return
  end
  vim.api.nvim_buf_clear_namespace(view.buf, HIGHLIGHTS, first, last) -- begun before, and left
  local lines = vim.api.nvim_buf_get_lines(view.buf, first, last, false)
  colour_diffs(view, first, lines)
  local text = table.concat(lines, '\n') .. '\n'
  local parser = vim.treesitter.get_string_parser(text, 'markdown')
  parse(parser, #lines)
  parser:for_each_tree(function(tree, of)
    local query = highlights_of(of:lang())
    for id, node, metadata in (query and query:iter_captures(tree:root(), text) or function() end) do
      local name, about = query.captures[id], metadata[id] or {}
      local top = lines_of(view, part)
      if top and not name:find('^_') and name ~= 'spell' and name ~= 'nospell' then
        local range = vim.treesitter.get_range(node, text, about)
        local priority = metadata.priority or about.priority
        mark(view.buf, top, ('@%s.%s'):format(name, of:lang()), range, priority)
        coroutine.yield()
      end
    end
  end)
end

--- Goes on with a part, and forgets it when nothing is left of it.
---@param view oxide.ChatView
---@param part oxide.ChatPart
---@return boolean   something is left
---@return boolean   which has to wait
local function go_on(view, part)
  part.thread = part.thread or coroutine.create(colour)
  local ok, waits = coroutine.resume(part.thread, view, part) -- fails where no parser is installed
  if ok and coroutine.status(part.thread) ~= 'dead' then
    return true, waits ~= nil
  end
  vim.api.nvim_buf_del_extmark(view.buf, PARTS, part.mark)
  view.parts[part.mark] = nil
  return false, false
end

--- Works on what windows show for a slice of time.
---@param ends integer   vim.uv.hrtime()
---@return oxide.ChatView?   that something is left of
local function work(ends)
  for win, parts in pairs(wanted) do
    local view = vim.api.nvim_win_is_valid(win) and views[vim.api.nvim_win_get_buf(win)]
    while view and #parts > 0 do
      local is_left, waits = false, false
      if vim.uv.hrtime() >= ends then
        return view
      elseif view.parts[parts[#parts].mark] then
        is_left, waits = go_on(view, parts[#parts])
      end
      if waits then
        return view
      elseif not is_left then
        table.remove(parts)
      end
    end
    wanted[win] = nil
  end
end

local function slice()
  local view = work(vim.uv.hrtime() + SLICE_NS)
  is_running = view ~= nil
  if view then
    vim.defer_fn(slice, view.tail and FRAME_MS or PAUSE_MS)
  end
end

--- A window shows these parts now. Those that it does not show any more are begun anew if they are
--- shown again: each that is under way holds parsers, and text that streams in leaves hundreds behind.
---@param win integer
---@param parts oxide.ChatPart[]
local function turn_to(win, parts)
  for _, part in ipairs(wanted[win] or {}) do
    if not vim.list_contains(parts, part) then
      part.thread = nil
    end
  end
  wanted[win] = parts
end

-- Whenever a window is drawn: asks for the highlights that its lines lack.
vim.api.nvim_set_decoration_provider(PARTS, {
  on_win = function(_, win, buf, first, last)
    local view = views[buf]
    if not view or not next(view.parts) then
      return false
    end
    local shown = {}
    local marks = vim.api.nvim_buf_get_extmarks(
      buf,
      PARTS,
      { first, 0 },
      { last, -1 },
      { overlap = true }
    )
    for _, place in ipairs(marks) do
      table.insert(shown, view.parts[place[1]])
    end
    turn_to(win, shown)
    if #shown > 0 and not is_running then
      is_running = true
      vim.defer_fn(slice, view.tail and FRAME_MS or PAUSE_MS)
    end
    return false
  end,
})

vim.on_key(function()
  typed_at = vim.uv.hrtime()
end, HIGHLIGHTS)

---@param view oxide.ChatView
function M.attach(view)
  view.parts = {}
  views[view.buf] = view
end

--- Some lines are complete.
---@param view oxide.ChatView
---@param first integer   from 0
---@param last integer    the first one behind them
function M.add(view, first, last)
  if last > first then
    local id = vim.api.nvim_buf_set_extmark(view.buf, PARTS, first, 0, {
      end_row = last,
      invalidate = true,
      undo_restore = false,
    })
    view.parts[id] = { mark = id }
  end
end

--- Text streams in from this row on.
---@param view oxide.ChatView
---@param row integer   from 0
function M.begin(view, row)
  view.tail = { mark = buffer.mark(view.buf, row, 0), scanned = 0 }
end

--- More of it is there: what ends with an empty line, or with a fence, is complete.
---@param view oxide.ChatView
function M.grow(view)
  local tail = view.tail
  if not tail then
    return
  end
  local first = buffer.position(view.buf, tail.mark)
  local pen = buffer.position(view.buf, view.pen) -- whose line may go on
  local lines = vim.api.nvim_buf_get_lines(view.buf, first + tail.scanned, pen, false)
  local begin = first
  for i, line in ipairs(lines) do
    local fence = render.fence_behind(line, tail.fence)
    if not fence and (tail.fence or line:match('^%s*$')) then
      local ends = first + tail.scanned + i
      M.add(view, begin, ends)
      begin = ends
    end
    tail.fence = fence
  end
  tail.scanned = first + tail.scanned + #lines - begin
  buffer.mark(view.buf, begin, 0, { id = tail.mark })
end

--- Nothing more comes.
---@param view oxide.ChatView
function M.finish(view)
  if view.tail then
    M.grow(view)
    local pen = buffer.position(view.buf, view.pen)
    M.add(view, buffer.position(view.buf, view.tail.mark), pen + 1)
    M.forget(view)
  end
end

--- What streamed in was taken away.
---@param view oxide.ChatView
function M.forget(view)
  if view.tail then
    buffer.unmark(view.buf, view.tail.mark)
    view.tail = nil
  end
end

return M
