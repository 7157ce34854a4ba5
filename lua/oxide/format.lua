local ui = require('oxide.ui')

local M = {}

local SLACK = 500 -- milliseconds that the core has to say that the server has had its time

---@class oxide.FormatOpts
---@field buf? integer
---@field first? integer   line from 1; without it the whole buffer
---@field last? integer
---@field client? string   the name of the server that formats
---@field changed? boolean  only the lines that git says differ from the last commit
---@field quiet? boolean    say nothing when it went well
---@field review? 'auto'|'always'|'never'
---@field force? boolean   in spite of new errors
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
  return text .. require('oxide.tool_command').changed(result)
end

local formatting = {} ---@type table<integer, integer>   how many formats of a buffer are under way

--- Whether a buffer is being formatted: that leaves it unwritten, as typing does, unless `apply.save` is
--- "all". Where Neovim is about to write it, nobody else has to.
---@param buf integer
---@return boolean
function M.is_formatting(buf)
  return formatting[buf] ~= nil
end

--- Counts a format of the buffer until it has ended.
---@param buf integer
---@param on_done? fun(err?: oxide.Error, result?: table)
---@return fun(err?: oxide.Error, result?: table)
local function begin(buf, on_done)
  formatting[buf] = (formatting[buf] or 0) + 1
  return function(err, result)
    local left = formatting[buf] - 1
    formatting[buf] = left > 0 and left or nil
    if on_done then
      on_done(err, result)
    end
  end
end

--- The servers that can be named for a buffer: clients that format, and installed presets.
---@param buf integer
---@return string[]
function M.clients(buf)
  local names, filetype = {}, vim.bo[buf].filetype ---@type table<string, true>
  for _, client in ipairs(vim.lsp.get_clients { bufnr = buf }) do
    local can = client.server_capabilities or {}
    if can.documentFormattingProvider or can.documentRangeFormattingProvider then
      names[client.name] = true
    end
  end
  for name, server in pairs(require('oxide.lsp_config').servers()) do
    local serves = vim.list_contains(server.filetypes or {}, filetype)
    if serves and vim.fn.executable((server.cmd or {})[1] or '') == 1 then
      names[name] = true
    end
  end
  local list = vim.tbl_keys(names)
  table.sort(list)
  return list
end

---@param place oxide.Place
---@param opts oxide.FormatOpts
---@param ranges? { [1]: integer, [2]: integer }[]
---@return integer call
local function call(place, opts, ranges)
  local tool_command = require('oxide.tool_command')
  local args = {
    file_path = place.file_path,
    start_line = opts.first,
    end_line = opts.last,
    line_ranges = ranges,
    server = opts.client
      or require('oxide.config').get('format.client')[vim.bo[place.buf].filetype],
  }
  if opts.quiet then
    args.verify = false -- while a buffer is written there is no time for it
  end
  return tool_command.call('lsp_format', args, {
    buf = place.buf,
    status = 'formatting',
    quiet = opts.quiet,
    force = opts.force,
    context = {
      confirm = opts.review or 'auto',
      style = tool_command.style(place.buf),
      timeout_ms = opts.timeout_ms or require('oxide.config').get('format.timeout_ms'),
    },
    on_done = begin(place.buf, opts.on_done),
    fallback = not ranges and function(err)
      require('oxide.fallback').format(opts, err)
    end or nil,
  }, function(result)
    if opts.quiet then
      tool_command.changed(result)
    else
      require('oxide.tool_command').report(result, M.summary(result))
    end
  end)
end

---@param place oxide.Place
---@param opts oxide.FormatOpts
local function run_changed(place, opts)
  require('oxide.git.lines').changed(place.buf, function(ranges, why)
    if not ranges then
      require('oxide.tool_command').refuse(assert(why), opts.on_done)
    elseif #ranges > 0 then
      call(place, opts, ranges)
    else
      ui.notify('No line differs from the last commit.')
      if opts.on_done then
        opts.on_done(nil, { success = true, edits = 0, files = {} })
      end
    end
  end)
end

---@param opts oxide.FormatOpts
---@return integer? call   the core's call, where it was made at once
function M.run(opts)
  local place = require('oxide.tool_command').here(opts)
  if place and opts.changed then
    run_changed(place, opts)
  elseif place then
    return call(place, opts)
  end
end

local saving = {} ---@type table<integer, boolean>  buffers that are about to be written

--- Before a buffer is written, with `format.on_save`: the one place where Neovim waits for the core.
--- Where that takes too long, or fails, the buffer is written as it is.
---@param buf integer
function M.on_save(buf)
  local config = require('oxide.config')
  if
    not config.get('format.on_save')
    or vim.b[buf].oxide_format_on_save == false
    or not require('oxide.buffers').is_file(buf)
    or saving[buf]
  then
    return
  end
  local limit = config.get('format.timeout_ms')
  local done = false
  saving[buf] = true
  local id = M.run {
    buf = buf,
    review = 'never',
    quiet = true,
    on_done = function()
      done = true
    end,
  }
  local over = function()
    return done
  end
  if not require('oxide.messages').wait(limit + SLACK, over, 5) and id then
    require('oxide.core').cancel(id)
    ui.notify(('written unformatted: no answer within %d ms'):format(limit), vim.log.levels.WARN)
  end
  saving[buf] = nil
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
