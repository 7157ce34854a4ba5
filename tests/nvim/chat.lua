-- Conversations in a child Neovim.
local helper = require('helper')

local M = {}

--- A Neovim that has the conversations kept in a directory, and works there. What it offers, the user
--- takes the first of, which _G.asked has then; _G.pick: another one.
---@param server test.ModelServer
---@param dir string
---@return test.Child
function M.resuming(server, dir)
  local child = helper.start({}, {
    env = { XDG_STATE_HOME = dir .. '/.state' },
    config = ("{ core = { path = %q }, models = { fast = { url = %q, model = 'm1' } } }"):format(
      helper.core,
      server.url
    ),
  })
  child:lua(
    [[
      vim.cmd.cd(...)
      _G.pick = 1
      vim.ui.select = function(items, opts, cb)
        _G.asked = { prompt = opts.prompt, items = items }
        cb(items[_G.pick], _G.pick)
      end
    ]],
    dir
  )
  return child
end

--- Waits until that many turns have ended.
---@param child test.Child
---@param count? integer   1 by default
---@return table data   of the last one's event
function M.ended(child, count)
  return child:wait(
    'the end of a turn',
    [[(function(count)
      local ends = vim.tbl_filter(function(e)
        return e.name == 'OxideChatTurn' and e.data.phase == 'end'
      end, _G.events)
      return #ends >= count and ends[count].data
    end)(...)]],
    count or 1
  )
end

--- The window's text.
---@param child test.Child
---@param number? integer   of the conversation, 1 by default
---@return string
function M.text(child, number)
  local lines = child:lua(
    'return vim.api.nvim_buf_get_lines(vim.fn.bufnr(...), 0, -1, false)',
    ('^oxide://chat/%d$'):format(number or 1)
  )
  return table.concat(lines, '\n')
end

return M
