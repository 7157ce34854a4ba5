-- `:Oxide TOOL`: a tool of the core by its name, and its answer as `oxide call --text` prints it.
local M = {}

---@param name string
---@param given table<string, string>   as typed; the core knows what each is
---@param confirm 'auto'|'always'|'never'
---@param inv oxide.Invocation
function M.run(name, given, confirm, inv)
  local tool_command = require('oxide.tool_command')
  tool_command.call(name, given, {
    buf = vim.api.nvim_get_current_buf(),
    status = name,
    handled = function(err)
      if err.code == 'cancelled' then -- of a tool that changes files that says so
        require('oxide.ui').notify(('%s: %s'):format(name, err.message))
      end
      return err.code == 'cancelled'
    end,
    context = { text = true, diff = true, confirm = confirm },
    force = inv.bang,
    mods = inv.mods,
  }, function(result)
    if result.transaction then
      tool_command.changed(result)
    end
    require('oxide.scratch').open(name, vim.split(vim.trim(result.text), '\n'), inv.mods)
  end)
end

return M
