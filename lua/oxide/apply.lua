-- Carries out what the core has planned for open buffers: all of it or nothing. The edits come in
-- order, and each addresses the text as those before it have left it.
local ui = require('oxide.ui')

local M = {}

-- What was modified before the last change. The core hears of 'modified' a moment late.
local was_modified = {} ---@type table<integer, boolean>

---@class oxide.Edits
---@field at integer[]     row, column, end row, end column of each edit, from 0, columns in bytes
---@field text string[]

---@class oxide.BufferEdit
---@field buf integer
---@field tick integer
---@field path string
---@field new_path? string
---@field edits? oxide.Edits

---@param file oxide.BufferEdit
---@return string? reason why it cannot be done
local function refusal(file)
  local buf = file.buf
  if not vim.api.nvim_buf_is_valid(buf) or not vim.api.nvim_buf_is_loaded(buf) then
    return 'its buffer is gone'
  end
  if vim.api.nvim_buf_get_changedtick(buf) ~= file.tick then
    return 'it was changed meanwhile'
  end
  if not vim.bo[buf].modifiable then
    return "its buffer is not 'modifiable'"
  end
  if vim.bo[buf].readonly then
    return "its buffer is 'readonly'"
  end
end

---@param file oxide.BufferEdit
local function edit(file)
  local at, texts, buf = file.edits.at, file.edits.text, file.buf
  local set, split = vim.api.nvim_buf_set_text, vim.split
  local line = { '' } -- one table for all edits within a line
  for i, text in ipairs(texts) do
    local k = i * 4
    line[1] = text
    local lines = text:find('\n', 1, true) and split(text, '\n', { plain = true }) or line
    set(buf, at[k - 3], at[k - 2], at[k - 1], at[k], lines)
  end
end

--- Renames the buffer with its file. The name that it had is left to no buffer.
---@param buf integer
---@param path string
local function rename(buf, path)
  local old = vim.api.nvim_buf_get_name(buf)
  vim.api.nvim_buf_set_name(buf, path)
  local left = vim.fn.bufnr('^' .. vim.fn.escape(old, '\\*?[]{},') .. '$')
  if left > 0 and left ~= buf and not vim.api.nvim_buf_is_loaded(left) then
    vim.api.nvim_buf_delete(left, { force = true })
  end
end

---@class oxide.View
---@field win integer
---@field buf integer
---@field mark integer   an extmark on the first line that the window shows
---@field view table

local ns = vim.api.nvim_create_namespace('oxide.apply')

--- What each window on these buffers shows. The cursor moves with the text by itself; the first
--- line of the window does not.
---@param files oxide.BufferEdit[]
---@return oxide.View[]
local function views(files)
  local list = {} ---@type oxide.View[]
  for _, file in ipairs(files) do
    for _, win in ipairs(vim.fn.win_findbuf(file.buf)) do
      local view = vim.api.nvim_win_call(win, vim.fn.winsaveview)
      local row = math.min(view.topline, vim.api.nvim_buf_line_count(file.buf)) - 1
      local mark = vim.api.nvim_buf_set_extmark(file.buf, ns, row, 0, {})
      table.insert(list, { win = win, buf = file.buf, mark = mark, view = view })
    end
  end
  return list
end

---@param list oxide.View[]
local function restore(list)
  for _, v in ipairs(list) do
    local row = vim.api.nvim_buf_get_extmark_by_id(v.buf, ns, v.mark, {})[1]
    if row and vim.api.nvim_win_is_valid(v.win) then
      vim.api.nvim_win_call(v.win, function()
        vim.fn.winrestview {
          topline = row + 1,
          topfill = v.view.topfill,
          leftcol = v.view.leftcol,
          skipcol = v.view.skipcol,
        }
      end)
    end
    vim.api.nvim_buf_del_extmark(v.buf, ns, v.mark)
  end
end

---@class oxide.Mark
---@field buf integer
---@field name string
---@field id integer   an extmark that moves with the text

--- The marks a-z and A-Z of these buffers: Neovim 0.10 drops those on a line that is edited.
---@param files oxide.BufferEdit[]
---@return oxide.Mark[]
local function marks(files)
  local list = {} ---@type oxide.Mark[]
  local global = vim.fn.getmarklist()
  for _, file in ipairs(files) do
    for _, mark in ipairs(vim.list_extend(vim.fn.getmarklist(file.buf), global)) do
      local name, row = mark.mark:match("^'(%a)$"), mark.pos[2] - 1
      local line = vim.api.nvim_buf_get_lines(file.buf, row, row + 1, false)[1]
      if name and line and mark.pos[1] == file.buf then
        local column = math.min(math.max(mark.pos[3] - 1, 0), #line)
        local id = vim.api.nvim_buf_set_extmark(file.buf, ns, row, column, {})
        table.insert(list, { buf = file.buf, name = name, id = id })
      end
    end
  end
  return list
end

---@param list oxide.Mark[]
local function restore_marks(list)
  for _, m in ipairs(list) do
    local at = vim.api.nvim_buf_get_extmark_by_id(m.buf, ns, m.id, {})
    if at[1] and vim.api.nvim_buf_get_mark(m.buf, m.name)[1] == 0 then
      vim.api.nvim_buf_set_mark(m.buf, m.name, at[1] + 1, at[2], {})
    end
    vim.api.nvim_buf_del_extmark(m.buf, ns, m.id)
  end
end

--- Ends the undo block that the buffer is in, so that what follows is one of its own.
---@param buf integer
local function new_undo_block(buf)
  vim.api.nvim_buf_call(buf, function()
    vim.cmd('noautocmd let &g:undolevels = &g:undolevels')
  end)
end

---@param done oxide.BufferEdit[]   edited so far, the last one perhaps in part
---@param undo table<integer, integer>   where each buffer was in its undo history
---@param modified table<integer, boolean>
local function take_back(done, undo, modified)
  for i = #done, 1, -1 do
    local buf = done[i].buf
    vim.api.nvim_buf_call(buf, function()
      if vim.fn.changenr() ~= undo[buf] then
        vim.cmd('silent! undo! ' .. undo[buf])
      end
    end)
    vim.bo[buf].modified = modified[buf]
  end
end

---@param files oxide.BufferEdit[]
---@return oxide.BufferEdit? failed
---@return string? reason
local function edit_all(files)
  local done, undo, modified = {}, {}, {}
  was_modified = modified
  for _, file in ipairs(files) do
    table.insert(done, file)
    modified[file.buf] = vim.bo[file.buf].modified
    undo[file.buf] = vim.api.nvim_buf_call(file.buf, vim.fn.changenr)
    new_undo_block(file.buf)
    local ok, err = pcall(function()
      if file.edits and #file.edits.text > 0 then
        edit(file)
      end
      if file.new_path then
        rename(file.buf, file.new_path)
      end
    end)
    if not ok then
      for _, changed in ipairs(done) do
        if changed.new_path and vim.api.nvim_buf_get_name(changed.buf) == changed.new_path then
          rename(changed.buf, changed.path)
        end
      end
      take_back(done, undo, modified)
      return file, tostring(err)
    end
  end
end

--- The core may be dead by the time that its question is answered, and whoever finished or took back
--- what it had begun cannot ask here. So it is written down, in a file that must not be there yet,
--- before a buffer is touched, and again when that is done; native/edit/txn.h says what it means.
---@param path? string
---@return { say: fun(word: string) }? claim
---@return string? reason   why nothing may be changed any more
local function begin(path)
  if not path then
    return { say = function() end }
  end
  local fd, err, code = vim.uv.fs_open(path, 'wx', 384) -- 0600
  if not fd then
    return nil,
      code == 'EEXIST' and 'the change was undone, because the core that requested it has ended'
        or err
  end
  local claim = {}
  function claim.say(word)
    vim.uv.fs_write(fd, word, 0)
    if word ~= 'begun' then
      vim.uv.fs_close(fd)
    end
  end
  claim.say('begun')
  return claim
end

--- What was changed and is to be written yet: when the core says so, which it may have said already, or
--- should it end before.
local unwritten ---@type { buf: integer, was_modified: boolean }[]?

---@param files oxide.BufferEdit[]
local function remember(files)
  unwritten = vim.tbl_map(function(file)
    return { buf = file.buf, was_modified = was_modified[file.buf] }
  end, files)
end

---@param request { title: string, claim?: string, files?: oxide.BufferEdit[], deleted?: { buf: integer }[] }
---@return table
function M.apply(request)
  local files = request.files or {}
  unwritten = nil
  local claim, taken = begin(request.claim)
  if not claim then
    return { ok = false, path = files[1] and files[1].path or '', reason = taken }
  end
  for _, file in ipairs(files) do
    local reason = refusal(file)
    if reason then
      claim.say('back.')
      return { ok = false, path = file.path, reason = reason }
    end
  end
  local kept, marked = views(files), marks(files)
  local failed, reason = edit_all(files)
  restore_marks(marked)
  restore(kept)
  if failed then
    claim.say('back.')
    return { ok = false, path = failed.path, reason = reason }
  end
  claim.say('done.')
  remember(files)
  for _, gone in ipairs(request.deleted or {}) do
    if vim.api.nvim_buf_is_valid(gone.buf) then
      vim.api.nvim_buf_delete(gone.buf, { force = true })
    end
  end
  require('oxide.history.undo_alone').watch(
    request.title,
    vim.tbl_map(function(file)
      return file.buf
    end, files)
  )
  local ticks = {}
  for i, file in ipairs(files) do
    ticks[i] = { buf = file.buf, tick = vim.api.nvim_buf_get_changedtick(file.buf) }
  end
  return { ok = true, files = ticks }
end

--- Edits of one buffer, which is as the core has it, as an undo step of their own.
---@param file oxide.BufferEdit
function M.merge(file)
  local kept, marked = views { file }, marks { file }
  new_undo_block(file.buf)
  if #file.edits.text > 0 then
    edit(file)
  end
  restore_marks(marked)
  restore(kept)
end

--- Calls it, and what others do to a text before it is written, such as to format it, does not happen: the
--- file gets what was reviewed, as those do that are not open, and can be undone.
---@param fn fun()
local function as_it_is(fn)
  local ignored = vim.o.eventignore
  vim.opt.eventignore:append('BufWritePre')
  local ok, err = pcall(fn)
  vim.o.eventignore = ignored
  assert(ok, err)
end

---@param buf integer
---@return string? reason why it could not be written
local function write(buf)
  if not vim.api.nvim_buf_is_loaded(buf) then
    return 'its buffer is gone'
  end
  -- :write would stop and ask.
  local buffers = require('oxide.buffers')
  if not buffers.disk_is_same(buf) or buffers.is_behind(buf) then
    local is_there = vim.uv.fs_stat(vim.api.nvim_buf_get_name(buf))
    return ('the file was %s since it was read'):format(is_there and 'changed on disk' or 'deleted')
  end
  local ok, err = pcall(vim.api.nvim_buf_call, buf, function()
    -- A last line without a newline stays without one.
    local fix = vim.bo.fixendofline
    vim.bo.fixendofline = fix and vim.bo.endofline
    local written, why = pcall(as_it_is, function()
      vim.cmd('silent lockmarks keepalt write!')
    end)
    vim.bo.fixendofline = fix
    assert(written, why)
  end)
  return not ok and require('oxide.errors').of_command(err) or nil
end

-- What the user has been told was not written, as the answer to a call says it.
local told = {} ---@type table<string, true>

---@param failed { path: string, reason: string }[]
local function tell(failed)
  local texts = {}
  for _, file in ipairs(failed) do
    local text = ('%s was not written: %s'):format(file.path, file.reason)
    ui.notify(text, vim.log.levels.WARN)
    table.insert(texts, file.path .. ': ' .. file.reason)
  end
  if #texts > 0 then
    told['not written: ' .. table.concat(texts, '; ')] = true
  end
end

--- What is new to the user in the warning of an answer: agents make changes too, and whoever makes one,
--- the user is told at once what was not written.
---@param warning string
---@return string   empty: nothing
function M.untold(warning)
  for text in pairs(told) do
    local first, last = warning:find(text, 1, true)
    if first then
      told[text] = nil
      local before = warning:sub(1, first - 1):gsub('; $', '')
      local after = warning:sub(last + 1):gsub('^; ', '')
      warning = before .. (before ~= '' and after ~= '' and '; ' or '') .. after
    end
  end
  return warning
end

--- Writes what M.apply() has changed. Asked right behind that: what it refused is not written.
---@param request { files: { buf: integer, was_modified: boolean }[] }
---@return table
function M.save(request)
  local how = require('oxide.config').get('apply.save')
  local answer = { saved = {}, failed = {} }
  if not unwritten then
    return answer
  end
  unwritten = nil
  for _, file in ipairs(request.files or {}) do
    local modified = file.was_modified
      or was_modified[file.buf]
      or require('oxide.format').is_formatting(file.buf)
    if how == 'all' or (how == 'unmodified' and not modified) then
      local reason = write(file.buf)
      if reason then
        table.insert(answer.failed, { path = vim.api.nvim_buf_get_name(file.buf), reason = reason })
      else
        table.insert(answer.saved, file.buf)
      end
    end
  end
  tell(answer.failed)
  return answer
end

--- After the core has ended: what it could no longer ask for is done all the same.
function M.finish()
  if unwritten then
    M.save { files = unwritten }
  end
end

return M
