-- `:Oxide places`: the places that the last change told of, in the quickfix list. They are where the old
-- name still stands as text, new errors, other meanings, and what could not be changed; also of a change
-- that is in a review, or was discarded there.
local M = {}

---@class oxide.ToldPlaces
---@field title string
---@field root string     that paths are told from
---@field rows { row: table, text: string, type: string }[]

local told ---@type oxide.ToldPlaces?

---@class oxide.PlaceKind
---@field key string    of the answer
---@field type string   as quickfix entries have it
---@field text fun(row: table): string

---@param row table
---@return string
local function message(row)
  return row.message or row.why or row.reason or row.text or ''
end

---@type oxide.PlaceKind[]
local KINDS = {
  { key = 'new_errors', type = 'E', text = message },
  { key = 'sites', type = 'E', text = message },
  { key = 'captures', type = 'W', text = message },
  {
    key = 'mentions',
    type = 'N',
    text = function(row)
      return vim.trim(row.text or '')
    end,
  },
}

--- Keeps what an answer tells of. One without places leaves what is known.
---@param tool string
---@param answer table   a result, or an error
function M.remember(tool, answer)
  local rows = {}
  for _, kind in ipairs(KINDS) do
    local list = answer[kind.key]
    for _, row in ipairs(type(list) == 'table' and list or {}) do
      if row.file and row.line then
        table.insert(rows, { row = row, type = kind.type, text = kind.text(row) })
      end
    end
  end
  if #rows > 0 then
    local root = require('oxide.process').root or vim.fn.getcwd()
    local renamed = answer.new_name and ('rename %s to %s'):format(answer.old_name, answer.new_name)
    local title = answer.message or answer.title or renamed or tool:gsub('^lsp_', '')
    told = { title = title:match('[^\n]*'), root = root, rows = rows }
  end
end

local NOTED = { { 'new error', 'E' }, { 'another meaning', 'W' } }

--- Keeps what the servers have against a change that waits for its review.
---@param title string
---@param notes string   a line each, as the core has them
function M.note(title, notes)
  local rows = {}
  for _, noted in ipairs(NOTED) do
    for note in vim.gsplit(notes, '\n', { plain = true }) do
      local kind, file, line, text = note:match('^([%a ]+): (.-):(%d+): (.*)$')
      if kind == noted[1] then
        local row = { file = file, line = tonumber(line) }
        table.insert(rows, { row = row, type = noted[2], text = text })
      end
    end
  end
  if #rows > 0 then
    told = { title = title, root = require('oxide.process').root or vim.fn.getcwd(), rows = rows }
  end
end

---@param path string
---@return string
local function absolute(path)
  return vim.startswith(path, '/') and path or vim.fs.joinpath(assert(told).root, path)
end

--- Puts them into the quickfix list.
---@param opts { mods?: table, open?: boolean }
---@return integer count
function M.run(opts)
  if not told then
    require('oxide.ui').notify('the last change told of no places')
    return 0
  end
  local items = {}
  for _, one in ipairs(told.rows) do
    table.insert(items, {
      bufnr = require('oxide.buffers').add(absolute(one.row.file)),
      lnum = one.row.line,
      col = one.row.column or 1,
      type = one.type,
      text = one.text,
    })
  end
  local quickfix = require('oxide.quickfix')
  local list = quickfix.create {
    title = 'Oxide places: ' .. told.title,
    items = items,
    kind = 'places',
  }
  if opts.open ~= false then
    quickfix.open(list, opts.mods)
  end
  return #items
end

return M
