-- What an agent that takes Neovim for an IDE is about to write, from its request to the review that is
-- shown: a file of 1,000 lines, which no language server looks after, in a buffer with unsaved changes.
local bench = require('bench')

local LINES = 1000

--- A WebSocket frame as a client sends it: with a mask, of zeros.
---@param message table
local function frame(message)
  local text = vim.json.encode(message)
  local high, low = math.floor(#text / 256), #text % 256
  local length = #text < 126 and string.char(0x80 + #text) or string.char(0xfe, high, low)
  assert(high < 256, 'the message is too long')
  return '\x81' .. length .. '\0\0\0\0' .. text
end

local function request(id, method, params)
  return frame { jsonrpc = '2.0', id = id, method = method, params = params }
end

--- A Neovim with the file, whose core serves agents; it tells when a review is shown.
---@param file string
---@return bench.Child
---@return table lock   what the file for agents says, and `port`
local function open_editor(file)
  local child = bench.child(file, { review = { agent_focus = 'always' } })
  local lock = child:await(
    [[
      vim.env.CLAUDE_CONFIG_DIR = ...
      vim.bo.filetype = ''
      vim.api.nvim_buf_set_lines(0, 0, 0, false, { 'not saved' })
      vim.api.nvim_create_autocmd('User', {
        pattern = 'OxideReviewOpen',
        callback = function()
          vim.cmd('redraw')
          _G.shown = vim.uv.hrtime()
        end,
      })
      require('oxide').ide {
        action = 'start',
        on_done = function(err, status)
          local server = assert(not err and status, err and err.message).servers.claude
          local text = table.concat(vim.fn.readfile(server.lock), '\n')
          say(vim.tbl_extend('error', vim.json.decode(text), { port = server.port }))
        end,
      }
    ]],
    vim.fs.dirname(file) .. '/claude'
  )
  return child, lock
end

---@param lock table
---@return uv.uv_tcp_t
local function connect(lock)
  local tcp, open = assert(vim.uv.new_tcp()), false
  tcp:connect('127.0.0.1', lock.port, function(err)
    assert(not err, err)
    tcp:read_start(function(_, data)
      open = open or (data or ''):find('101 Switching', 1, true) ~= nil
    end)
    tcp:write(
      ('GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n'):format(
        lock.port
      )
        .. 'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n'
        .. ('x-claude-code-ide-authorization: %s\r\n\r\n'):format(lock.authToken)
    )
  end)
  assert(vim.wait(10000, function()
    return open
  end, 1))
  tcp:write(request(1, 'initialize', {
    protocolVersion = '2025-11-25',
    capabilities = vim.empty_dict(),
    clientInfo = { name = 'bench', version = '1' },
  }) .. request(nil, 'notifications/initialized', vim.empty_dict()))
  return tcp
end

return function()
  local dir = bench.out .. '/ide'
  local file = dir .. '/list.txt'
  local lines = vim.iter(vim.fn.range(1, LINES)):map(tostring):totable()
  bench.write(file, table.concat(lines, '\n') .. '\n')
  local child, lock = open_editor(file)
  local tcp = connect(lock)
  local took = {}
  for i = 1, (bench.rounds or 50) + 1 do
    lines[500] = 'changed ' .. i
    child:lua('_G.shown = nil')
    local begun = vim.uv.hrtime()
    tcp:write(request(i + 1, 'tools/call', {
      name = 'openDiff',
      arguments = {
        old_file_path = file,
        new_file_path = file,
        new_file_contents = table.concat(lines, '\n') .. '\n',
        tab_name = 'bench',
      },
    }))
    local shown
    assert(vim.wait(10000, function()
      shown = child:lua('return _G.shown')
      return shown ~= vim.NIL
    end, 2))
    if i > 1 then -- the first loads what a review needs
      table.insert(took, (shown - begun) / 1e6)
    end
    child:lua("vim.cmd('quit')")
  end
  tcp:close()
  return {
    {
      what = 'IDE: from openDiff to the review, 1,000 lines',
      unit = 'ms',
      ours = took,
      base = took,
      against = '',
      relation = 'plain',
      goal = 30,
    },
  }
end
