-- The live preview of `:Oxide rename NAME`, for 'inccommand'. The rename is computed once, with a
-- placeholder for the name; each further key only puts the typed name in. Nothing is loaded and no
-- text is changed: marks over the text show the new name, and the preview window lists the rest.
local lines = require('oxide.review.preview_lines')

local M = {}

local ns = vim.api.nvim_create_namespace('oxide.review.preview')

---@class oxide.PreviewFile
---@field path string
---@field shown string
---@field lines oxide.PreviewLine[]

---@class oxide.PreviewState
---@field key string               place, text and placeholder that it was computed for
---@field call? integer            not yet answered
---@field old_name? string
---@field files? oxide.PreviewFile[]
---@field conceal table<integer, { [1]: integer, [2]: string }>   options of windows, to give back

local state ---@type oxide.PreviewState?

local function finish()
  local old = state
  if not old then
    return
  end
  state = nil -- before the call ends, which would ask for the preview again
  if old.call then
    require('oxide.core').cancel(old.call)
  end
  for win, options in pairs(old.conceal) do
    if vim.api.nvim_win_is_valid(win) then
      vim.wo[win].conceallevel, vim.wo[win].concealcursor = options[1], options[2]
    end
  end
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buf) then
      vim.api.nvim_buf_clear_namespace(buf, ns, 0, -1)
    end
  end
end

--- Lets Neovim ask for the preview again: it does when the command line changes.
local function again()
  if state and vim.fn.getcmdtype() == ':' then
    vim.api.nvim_feedkeys(vim.keycode('a<BS>'), 'ni', false)
  end
end

---@param diff string
---@param asked string
---@param root string
---@return oxide.PreviewFile[]
local function files_of(diff, asked, root)
  diff = diff:gsub(asked, lines.STAND_IN)
  return vim.tbl_map(function(part)
    local absolute = vim.startswith(part.name, '/')
    return {
      path = absolute and part.name or vim.fs.joinpath(root, part.name),
      shown = part.name,
      lines = lines.lines(part.diff),
    }
  end, lines.split(diff))
end

---@param place oxide.Place
---@param asked string   the placeholder
---@param key string
local function compute(place, asked, key)
  finish()
  local this = { key = key, conceal = {} } ---@type oxide.PreviewState
  state = this
  vim.api.nvim_create_autocmd('CmdlineLeave', { once = true, callback = finish })
  local waits, id = require('oxide.waits'), nil
  id = require('oxide.core').call('lsp_rename', {
    file_path = place.file_path,
    line = place.line,
    column = place.column,
    new_name = asked,
    dry_run = true,
  }, { buf = place.buf, confirm = 'never' }, function(err, result)
    waits.done(id)
    this.call = nil
    if state ~= this then
      return
    end
    -- What is wrong is said when the name is entered, not at each key.
    this.files = err and {} or files_of(result.diff, asked, require('oxide.process').root)
    this.old_name = result and result.old_name or place.word
    again()
  end)
  this.call = id
  waits.begin(id, { title = 'preview', buf = place.buf })
end

---@param file oxide.PreviewFile
---@param buf integer
---@param name string
local function mark(file, buf, name)
  for _, line in ipairs(file.lines) do
    if vim.api.nvim_buf_get_lines(buf, line.row, line.row + 1, false)[1] == line.old then
      for _, span in ipairs(lines.spans(line, state.old_name, name)) do
        vim.api.nvim_buf_set_extmark(buf, ns, line.row, span.from, {
          end_col = span.to,
          conceal = '',
          virt_text = { { span.text, 'OxideRename' } },
          virt_text_pos = 'inline',
        })
      end
    end
  end
end

---@param file oxide.PreviewFile
---@param name string
---@return boolean shown in a window
local function mark_windows(file, name)
  local buf = require('oxide.buffers').of(file.path)
  local wins = buf and vim.fn.win_findbuf(buf) or {}
  if not buf or #wins == 0 then
    return false
  end
  for _, win in ipairs(wins) do
    local wo = vim.wo[win]
    state.conceal[win] = state.conceal[win] or { wo.conceallevel, wo.concealcursor }
    wo.conceallevel, wo.concealcursor = 3, 'nvic'
  end
  vim.api.nvim_buf_clear_namespace(buf, ns, 0, -1)
  mark(file, buf, name)
  return true
end

---@param preview_ns integer
---@param buf integer
---@param files oxide.PreviewFile[]
---@param name string
local function list(preview_ns, buf, files, name)
  local row = 0
  local function put(text)
    vim.api.nvim_buf_set_lines(buf, row, row + 1, false, { text })
    row = row + 1
  end
  for _, file in ipairs(files) do
    put(('%s (%s):'):format(file.shown, require('oxide.ui').count(#file.lines, 'line')))
    vim.api.nvim_buf_set_extmark(
      buf,
      preview_ns,
      row - 1,
      0,
      { end_row = row, hl_group = 'OxideReviewFile' }
    )
    for _, line in ipairs(file.lines) do
      local prefix = ('|%d| '):format(line.row + 1)
      put(prefix .. lines.with_name(line.new, name))
      local at = 1
      while true do
        local s, e = line.new:find(lines.STAND_IN, at, true)
        if not s then
          break
        end
        local before = lines.with_name(line.new:sub(1, s - 1), name)
        vim.api.nvim_buf_set_extmark(buf, preview_ns, row - 1, #prefix + #before, {
          end_col = #prefix + #before + #name,
          hl_group = 'OxideRename',
        })
        at = e + 1
      end
    end
  end
end

--- The preview function of `:Oxide`. Returns how much there is to show, as Neovim wants to know.
---@param opts table
---@param preview_ns integer
---@param buf integer?   of the preview window, where 'inccommand' is "split"
---@return 0|1|2
function M.show(opts, preview_ns, buf)
  local word, name = opts.fargs[1], opts.fargs[2]
  local is_rename = word == 'rename' or word == 'rename!'
  if
    not is_rename
    or not name
    or #opts.fargs > 2
    or not require('oxide.config').get('rename.preview')
  then
    return 0
  end
  local place = require('oxide.cursor').here()
  if not place then
    return 0
  end
  require('oxide.highlights')
  local tick = vim.api.nvim_buf_get_changedtick(place.buf)
  local asked = lines.asked(name)
  local key = table.concat({ place.buf, tick, place.line, place.column, asked }, ' ')
  if not state or state.key ~= key then
    compute(place, asked, key)
  end
  if not state or not state.files then
    return 0
  end
  local hidden = {} ---@type oxide.PreviewFile[]
  for _, file in ipairs(state.files) do
    if not mark_windows(file, name) then
      table.insert(hidden, file)
    end
  end
  if not buf or #hidden == 0 then
    return 1
  end
  list(preview_ns, buf, hidden, name)
  return 2
end

return M
