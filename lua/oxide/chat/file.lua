-- The file of a transcript, as long as a conversation writes to it: nobody else does then. The
-- lock is the system's (flock), so it goes with Neovim, however that ends, and `oxide chat` sees it.
local M = {}

local LOCK_EX, LOCK_NB = 2, 4

---@type fun(file: integer): boolean
local lock = function()
  return true -- a Neovim without LuaJIT has none
end

local has_ffi, ffi = pcall(require, 'ffi')
if has_ffi then
  pcall(ffi.cdef, 'int flock(int fd, int operation);') -- another plugin may have done so
  lock = function(file)
    return ffi.C.flock(file, LOCK_EX + LOCK_NB) == 0
  end
end

--- Opens it to write at its end.
---@param path string
---@param flags 'a'|'ax'   'ax': it must not be there yet
---@return integer? file
---@return string? why   not, with the path; nil: another one writes to it
function M.open(path, flags)
  local file, why = vim.uv.fs_open(path, flags, 384) -- 0600
  if not file then
    return nil, why
  elseif lock(file) then
    return file
  end
  vim.uv.fs_close(file)
end

---@param file integer
---@param row table
---@return string? problem
function M.write(file, row)
  local text = vim.json.encode(row) .. '\n'
  repeat -- a disk that is nearly full takes some of it
    local count, problem = vim.uv.fs_write(file, text)
    if not count then
      return (problem:gsub('^%u+: ', ''))
    end
    text = text:sub(count + 1)
  until text == ''
end

--- Deletes it, unless somebody writes to it.
---@param path string
function M.delete(path)
  local file = M.open(path, 'a')
  if file then
    vim.uv.fs_unlink(path)
    vim.uv.fs_close(file)
  end
end

return M
