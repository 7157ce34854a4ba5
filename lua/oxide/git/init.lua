-- Asks git, without the file system monitor that a repository's configuration may name.
local M = {}

---@param dir string
---@param args string[]
---@param cb fun(out?: string, reason?: string)   on the main loop
function M.run(dir, args, cb)
  cb = require('oxide.messages').later(cb)
  local argv = { 'git', '-C', dir, '-c', 'core.fsmonitor=false', '-c', 'core.quotePath=false' }
  local ok, why = pcall(vim.system, vim.list_extend(argv, args), {}, function(done)
    vim.schedule(function()
      if done.code == 0 then
        cb(done.stdout)
      else
        cb(nil, vim.trim(done.stderr))
      end
    end)
  end)
  if not ok then
    cb(nil, tostring(why))
  end
end

return M
