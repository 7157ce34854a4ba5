-- The texts that a review was made of, as they were then: what is written again with the same text has
-- not changed.
local M = {}

---@class oxide.Source   a file on disk
---@field text? string   nil: there was none
---@field stamp string   when it had this text

---@param path string
---@return string?
local function read(path)
  local stat = vim.uv.fs_stat(path)
  local file = stat and stat.type == 'file' and io.open(path, 'rb')
  if not file then
    return nil
  end
  local text = file:read('*a')
  file:close()
  return text
end

---@param path string
---@return oxide.Source
function M.of(path)
  local stamp = require('oxide.buffers').stamp(path)
  return { stamp = stamp, text = read(path) }
end

---@param source oxide.Source
---@param path string
---@return boolean
function M.is_still(source, path)
  local stamp = require('oxide.buffers').stamp(path)
  if stamp == source.stamp then
    return true
  elseif not source.text or read(path) ~= source.text then
    return false
  end
  source.stamp = stamp
  return true
end

--- Calls fn once the text of a buffer is another one.
---@param buf integer
---@param is_over fun(): boolean   nobody wants to know any more
---@param fn fun()
function M.watch(buf, is_over, fn)
  local function text()
    return table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), '\n')
  end
  local before, told = text(), false
  local look = vim.schedule_wrap(function()
    if not told and not is_over() and vim.api.nvim_buf_is_loaded(buf) and text() ~= before then
      told = true
      fn()
    end
  end)
  vim.api.nvim_buf_attach(buf, false, {
    on_lines = function()
      if told or is_over() then
        return true
      end
      look()
    end,
    on_reload = look,
  })
end

return M
