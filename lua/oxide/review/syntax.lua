-- The colours of the language in the hunks of a review: of those that are on the screen, once each, by
-- treesitter where there is a parser, else by 'syntax'. However large the change, opening it costs the same.
local M = {}

local ns = vim.api.nvim_create_namespace('oxide.review.syntax')

local PRIORITY = 120 -- above the diff's own, below the marks of the review
local LOOKED_AT = 200 -- lines of a file, for its filetype
local MOST_LINES = 2000 -- of one hunk
local MOST_SYNTAX = 300 -- of one hunk, where 'syntax' is asked cell by cell

---@class oxide.ReviewSide   the old or the new text of a hunk
---@field lines string[]
---@field rows (integer|false)[]   by line: the row of the page, from 0, that is coloured by it

---@type table<integer, oxide.Review>   by buffer
local shown = {}

--- What Neovim takes a text of this name for. It looks at the text too, as for `.h`, and in Neovim
--- 0.10 at that of a buffer alone.
---@param path string
---@param lines string[]
---@return string filetype   empty when it has none
function M.filetype(path, lines)
  local scratch = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(scratch, 0, -1, false, lines)
  local filetype = vim.filetype.match { buf = scratch, filename = path }
  vim.api.nvim_buf_delete(scratch, { force = true })
  return filetype or ''
end

---@param file oxide.ReviewFile
---@return string[]
local function first_lines(file)
  local there = file.kind ~= 'create' and vim.fn.filereadable(file.path) == 1
  local lines = there and vim.fn.readfile(file.path, '', LOOKED_AT) or {}
  return vim.tbl_map(function(line)
    return (line:gsub('\n', ' ')) -- a zero byte
  end, lines)
end

---@param view oxide.ReviewView
---@param file oxide.ReviewFile
---@return string
local function filetype_of(view, file)
  local open = file.buf and vim.api.nvim_buf_is_valid(file.buf)
  local filetype = open and vim.bo[file.buf].filetype or view.filetypes[file]
  if not filetype or filetype == '' then
    filetype = M.filetype(file.new_path or file.path, first_lines(file))
    view.filetypes[file] = filetype
  end
  return filetype
end

--- Both texts of a hunk. Lines that both have are coloured as the new ones.
---@param page oxide.ReviewPage
---@param head integer   the line of its @@
---@param last integer   its last line
---@return oxide.ReviewSide[]
local function sides(page, head, last)
  local old, new = { lines = {}, rows = {} }, { lines = {}, rows = {} }
  for line = head + 1, last do
    local kind, text = page.at[line].kind, page.lines[line]:sub(2)
    if kind == 'delete' or kind == 'context' then
      table.insert(old.lines, text)
      table.insert(old.rows, kind == 'delete' and line - 1)
    end
    if kind == 'add' or kind == 'context' then
      table.insert(new.lines, text)
      table.insert(new.rows, line - 1)
    end
  end
  return { old, new }
end

--- Colours a part of one line of a side.
---@param buf integer
---@param side oxide.ReviewSide
---@param line integer   from 1
---@param from integer   bytes from 0
---@param to integer
---@param group string
local function mark(buf, side, line, from, to, group)
  local row = side.rows[line]
  to = math.min(to, #(side.lines[line] or ''))
  if row and from < to then
    vim.api.nvim_buf_set_extmark(buf, ns, row, from + 1, {
      end_col = to + 1,
      hl_group = group,
      priority = PRIORITY,
    })
  end
end

---@param filetype string
---@return string? lang
---@return vim.treesitter.Query? query
local function treesitter(filetype)
  local lang = vim.treesitter.language.get_lang(filetype) or filetype
  local ok, added = pcall(vim.treesitter.language.add, lang)
  if not ok or added == false or added == nil and vim.fn.has('nvim-0.11') == 1 then
    return nil
  end
  local got, query = pcall(vim.treesitter.query.get, lang, 'highlights')
  return lang, got and query or nil
end

---@param buf integer
---@param side oxide.ReviewSide
---@param lang string
---@param query vim.treesitter.Query
local function by_treesitter(buf, side, lang, query)
  local text = table.concat(side.lines, '\n')
  local root = vim.treesitter.get_string_parser(text, lang):parse()[1]:root()
  for id, node in query:iter_captures(root, text, 0, -1) do
    local name = query.captures[id]
    local first, from, last, to = node:range()
    if not vim.startswith(name, '_') and name ~= 'spell' and name ~= 'nospell' then
      for line = first, last do
        mark(
          buf,
          side,
          line + 1,
          line == first and from or 0,
          line == last and to or math.huge,
          ('@%s.%s'):format(name, lang)
        )
      end
    end
  end
end

--- The parts of a line that 'syntax' colours, in the buffer that has it.
---@param line integer
---@param length integer
---@return { [1]: integer, [2]: integer, [3]: string }[]
local function syntax_parts(line, length)
  local parts, last = {}, nil
  for column = 1, length do
    local id = vim.fn.synIDtrans(vim.fn.synID(line, column, 1))
    local group = id > 0 and vim.fn.synIDattr(id, 'name') or ''
    if last and last[3] == group then
      last[2] = column
    else
      last = { column - 1, column, group }
      table.insert(parts, last)
    end
  end
  return parts
end

---@param buf integer
---@param side oxide.ReviewSide
---@param filetype string
local function by_syntax(buf, side, filetype)
  local scratch = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(scratch, 0, -1, false, side.lines)
  vim.api.nvim_buf_call(scratch, function()
    vim.bo.syntax = filetype
    for line, text in ipairs(side.lines) do
      for _, part in ipairs(side.rows[line] and syntax_parts(line, #text) or {}) do
        if part[3] ~= '' then
          mark(buf, side, line, part[1], part[2], part[3])
        end
      end
    end
  end)
  vim.api.nvim_buf_delete(scratch, { force = true })
end

--- Colours one hunk.
---@param review oxide.Review
---@param head integer   the line of its @@
local function colour(review, head)
  local view = review.view
  local page, last = view.page, view.page.blocks[head]
  local filetype = filetype_of(view, review.question.files[page.at[head].file])
  if filetype == '' or last - head > MOST_LINES then
    return
  end
  local lang, query = treesitter(filetype)
  local by_cell = vim.g.syntax_on and last - head <= MOST_SYNTAX
  for _, side in ipairs(sides(page, head, last)) do
    if lang and query and #side.lines > 0 then
      by_treesitter(view.buf, side, lang, query)
    elseif by_cell and #side.lines > 0 then
      by_syntax(view.buf, side, filetype)
    end
  end
end

local waiting = {} ---@type { review: oxide.Review, head: integer }[]

local function drain()
  local list = waiting
  waiting = {}
  for _, one in ipairs(list) do
    local view = one.review.view
    if view and vim.api.nvim_buf_is_valid(view.buf) then
      pcall(colour, one.review, one.head) -- a query may be of another version than its parser
    end
  end
end

--- A line is about to be drawn: its hunk is coloured after that, since nothing may change meanwhile.
---@param buf integer
---@param row integer   from 0
local function on_line(_, _, buf, row)
  local review = shown[buf]
  local line = review and review.view.page.at[row + 1]
  local head = line and line.block
  if not head or review.view.coloured[head] then
    return
  end
  review.view.coloured[head] = true
  table.insert(waiting, { review = review, head = head })
  if #waiting == 1 then
    vim.schedule(drain)
  end
end

vim.api.nvim_set_decoration_provider(ns, {
  on_win = function(_, _, buf)
    return shown[buf] ~= nil
  end,
  on_line = on_line,
})

--- Colours a review's hunks as they come into sight; from the start, where its text is another one.
---@param review oxide.Review
function M.follow(review)
  if require('oxide.config').get('review.syntax') then
    vim.api.nvim_buf_clear_namespace(review.view.buf, ns, 0, -1)
    review.view.coloured, review.view.filetypes = {}, {}
    shown[review.view.buf] = review
  end
end

---@param buf integer
function M.forget(buf)
  shown[buf] = nil
end

return M
