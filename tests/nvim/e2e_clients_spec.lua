-- The person's own client of a real server: Oxide works through it, and no second server starts.
local e2e = require('e2e')
local helper = require('helper')

local sample = e2e.samples.clangd
local before, after = e2e.before(sample), e2e.after(sample, 'größe_2')

-- Neovim starts its client for each buffer of the type, as with vim.lsp.enable().
local START = [[
  local dir = ...
  vim.api.nvim_create_autocmd('FileType', { pattern = 'c', callback = function(ev)
    vim.lsp.start(
      { name = 'clangd', cmd = { 'clangd', '--log=error' }, root_dir = dir },
      { bufnr = ev.buf }
    )
  end })
]]

--- The processes below this one that run clangd.
---@param pid integer
---@return integer[]
local function servers_of(pid)
  local parents, found = {}, {}
  for name in vim.fs.dir('/proc') do
    local file = name:match('^%d+$') and io.open('/proc/' .. name .. '/stat')
    if file then
      -- nil: it ended since it was opened
      local comm, state, parent = (file:read('*a') or ''):match('%((.*)%) (%a) (%d+)')
      file:close()
      if comm and state ~= 'Z' then
        parents[tonumber(name)] = { comm = comm, parent = tonumber(parent) }
      end
    end
  end
  for id, process in pairs(parents) do
    local up = process
    while up and up.parent ~= pid do
      up = parents[up.parent]
    end
    if up and process.comm:find('^clangd') then
      table.insert(found, id)
    end
  end
  return found
end

describe('with a client of Neovim', function()
  local child, pid

  local function text(file)
    return e2e.text(child, file)
  end

  local function open(file)
    child:cmd('edit ' .. file)
    child:wait(
      'a client of ' .. file,
      [[(function(client)
      return client and client.initialized and client.attached_buffers[vim.api.nvim_get_current_buf()]
    end)(vim.lsp.get_clients({ bufnr = 0 })[1])]]
    )
  end

  local function diagnose(path)
    local answer = child:call('lsp_diagnostic', { file_path = path })
    assert.is_nil(answer.err)
    return answer.result
  end

  local function status()
    child:lua(
      "_G.status = nil; require('oxide.core').query('status', function(_, s) _G.status = s end)"
    )
    return child:wait('the status', '_G.status')
  end

  local function begin(config)
    local extra = vim.tbl_extend('force', {}, sample, { config = config })
    child = e2e.start(extra)
    pid = child:lua('return vim.fn.getpid()')
    child:lua(START, child.dir)
  end

  before_each(begin)
  after_each(helper.cleanup)

  it('renames what is typed and not saved, with one server', function()
    open(sample.edited)
    child:type(('ggO%s<Esc>'):format(sample.comment))
    child:wait(
      'the typed line',
      "vim.fn.mode() == 'n' and vim.fn.getline(1) == ...",
      sample.comment
    )
    open(sample.main)
    child:cmd([[call search('😀 area')]])
    child:cmd([[call search('\<area\>(')]])
    child:type(':Oxide! rename größe_2<CR>')
    assert.matches('Renamed 5 places', child:message('Renamed'))
    assert.equal(after[sample.main], text(sample.main))
    assert.equal(sample.comment .. '\n' .. after[sample.edited], text(sample.edited))
    local disk = vim.deepcopy(after)
    disk[sample.edited] = before[sample.edited]
    assert.same(disk, e2e.disk(sample, child.dir))
    -- One more looked at the change: the person's does not see headers that are not saved.
    local servers
    assert.is_true(vim.wait(600000, function()
      servers = status().servers
      return #servers == 1 and #servers_of(pid) == 1
    end))
    assert.equal(1, servers[1].client)
    assert.equal('ready', servers[1].state)
  end)

  it('hears its diagnostics, of the text that stands there', function()
    open(sample.main)
    local path = child.dir .. '/' .. sample.main
    local result = diagnose(path)
    assert.equal(0, result.counts.error or 0)
    child:type('Goint broken = missing;<Esc>')
    child:wait('the typed line', "vim.fn.mode() == 'n' and vim.fn.getline('$') ~= '}'")
    result = diagnose(path)
    assert.equal(1, result.counts.error)
    assert.is_true(result.complete)
    child:type('dd')
    child:wait('the line gone', "vim.fn.getline('$') == '}'")
    result = diagnose(path)
    assert.equal(0, result.counts.error or 0)
    assert.equal(1, #servers_of(pid))
  end)

  it('answers the person at the same time', function()
    open(sample.main)
    -- A file that is no buffer: Oxide opens it at the person's server.
    local path = child.dir .. '/' .. sample.edited
    child:lua(
      [[
        local path = ...
        local args = { query = 'references', file_path = path, line = 3, symbol = 'area' }
        require('oxide.core').call('lsp_symbol', args, {}, function(err, result)
          _G.answer = { err = err, result = result }
        end)
        vim.lsp.buf_request(0, 'textDocument/hover', {
          textDocument = vim.lsp.util.make_text_document_params(),
          position = { line = 2, character = 4 },
        }, function(err, result) _G.hover = { err = err, result = result } end)
      ]],
      path
    )
    local hover = child:wait('the answer to the person', '_G.hover')
    local answer = child:wait('the answer to Oxide', '_G.answer')
    assert.is_nil(answer.err)
    assert.equal(sample.places, answer.result.total)
    assert.is_nil(hover.err)
    assert.matches('main', hover.result.contents.value)
    assert.equal(1, #servers_of(pid))
  end)

  it('shows its server a change on trial, and Neovim nothing of it', function()
    open(sample.edited)
    local tick, path = child:lua('return vim.b.changedtick'), child.dir .. '/' .. sample.edited
    local function replace(new)
      local operation =
        { edit_type = 'replace', file_path = path, old_string = 'w * h', new_string = new }
      return child:call('multi_edit', { verify = true, operations = { operation } })
    end
    child:lua([[
      _G.shown = {}
      vim.api.nvim_create_autocmd('DiagnosticChanged', { callback = function()
        for _, d in ipairs(vim.diagnostic.get(0)) do table.insert(_G.shown, d.message) end
      end })
    ]])
    local refused = replace('w * nothing').err
    assert.equal('conflict', refused.code)
    assert.matches('1 new error.*shape.c:5: .*nothing', refused.message)
    assert.equal(before[sample.edited], text(sample.edited))
    assert.equal(tick, child:lua('return vim.b.changedtick'))
    assert.equal('no problems', diagnose(path).summary)
    local made = replace('h * w').result
    assert.same({ 'ok', true }, { made.syntax_check, made.complete })
    assert.equal((before[sample.edited]:gsub('w %* h', 'h * w')), text(sample.edited))
    assert.same({}, child:lua('return _G.shown'))
    local now = diagnose(path)
    assert.same({ 'no problems', true }, { now.summary, now.complete })
    -- and the server goes on with what is typed
    child:cmd('normal! Goint broken = missing;')
    assert.equal(1, diagnose(path).counts.error)
    assert.equal(1, #servers_of(pid))
  end)

  it('formats, byte by byte', function()
    helper.write(child.dir .. '/.clang-format', 'BasedOnStyle: LLVM\n')
    helper.write(child.dir .. '/ugly.c', 'int  a;\nint b;\nint  größe;\n')
    open('ugly.c')
    child:type(':Oxide format<CR>')
    child:message('Formatted')
    assert.same({ 'int a;', 'int b;', 'int größe;' }, child:lines())
    assert.equal(1, #servers_of(pid))
  end)

  it('that is stopped, Oxide starts its own server', function()
    open(sample.main)
    local path = child.dir .. '/' .. sample.main
    diagnose(path)
    child:lua('vim.lsp.stop_client(vim.lsp.get_clients())')
    child:wait('the end of the client', '#vim.lsp.get_clients() == 0')
    diagnose(path)
    local servers = status().servers
    assert.equal(1, #servers)
    assert.is_nil(servers[1].client)
    assert.equal(1, #servers_of(pid))
  end)

  it('that is not to be shared, Oxide starts its own server', function()
    helper.cleanup()
    begin('lsp = { share = false, timeout_ms = 600000 }')
    open(sample.main)
    diagnose(child.dir .. '/' .. sample.main)
    assert.equal(2, #servers_of(pid))
  end)
end)
