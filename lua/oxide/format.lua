local ui = require('oxide.ui')

local M = {}

---@class oxide.FormatOpts
---@field buf? integer
---@field first? integer   line from 1; without it the whole buffer
---@field last? integer
---@field review? 'auto'|'always'|'never'
---@field timeout_ms? integer
---@field on_done? fun(err?: oxide.Error, result?: table)

---@param result table
---@return string
function M.summary(result)
  local by = result.server and (' by ' .. result.server) or ''
  if (result.edits or 0) == 0 then
    return ('Already formatted%s.'):format(by ~= '' and ', says ' .. result.server or '')
  end
  local text = ('Formatted%s: %s.'):format(by, ui.count(result.edits, 'edit'))
  return text .. require('oxide.verb').changed(result)
end

---@param opts oxide.FormatOpts
function M.run(opts)
  local verb = require('oxide.verb')
  local place, why = require('oxide.place').here(opts.buf)
  if not place then
    return verb.refuse(assert(why), opts.on_done)
  end
  local args = {
    file_path = place.file_path,
    start_line = opts.first,
    end_line = opts.last,
  }
  verb.call('lsp_format', args, {
    buf = place.buf,
    status = 'formatting',
    context = {
      confirm = opts.review or 'auto',
      style = {
        tab_size = vim.api.nvim_buf_call(place.buf, vim.fn.shiftwidth),
        spaces = vim.bo[place.buf].expandtab,
      },
      timeout_ms = opts.timeout_ms or require('oxide.config').get('format.timeout_ms'),
    },
    on_done = opts.on_done,
    fallback = function(err)
      require('oxide.fallback').format(opts, err)
    end,
  }, function(result)
    ui.notify(M.summary(result))
  end)
end

--- 'operatorfunc' of <Plug>(oxide-format).
function M.operatorfunc()
  M.run { first = vim.fn.line("'["), last = vim.fn.line("']") }
end

--- Begins the operator; in visual mode it takes the selected lines.
---@return string keys
function M.operator()
  vim.o.operatorfunc = "v:lua.require'oxide.format'.operatorfunc"
  return 'g@'
end

--- For 'formatexpr', so that gq formats with Oxide. Leaves typing in insert mode to Neovim.
---@return integer
function M.formatexpr()
  if vim.fn.mode():match('^[iR]') then
    return 1
  end
  M.run { first = vim.v.lnum, last = vim.v.lnum + vim.v.count - 1 }
  return 0
end

return M
