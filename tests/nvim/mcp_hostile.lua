-- What a client, or a project, may try against `oxide mcp`. Each is answered, nothing is written
-- where it must not be, and the next call is served.
local fault = require('fault')
local helper = require('helper')
local mcp = require('mcp')
local relay = require('relay')

local MEGABYTE = ('x'):rep(1048576)

---@param where '--here'|'--editor'   by itself, or in Neovim through the relay
return function(where)
  describe('oxide mcp ' .. where, function()
    local child, run, outside, c

    before_each(function()
      run, outside = helper.tempdir(), helper.tempdir()
      helper.write(outside .. '/theirs.txt', 'theirs\n')
      child = relay.start({ ['a.txt'] = 'one\n' }, run, "review = { agent = 'never' }")
      child:cmd('edit a.txt')
    end)

    after_each(function()
      mcp.cleanup()
      helper.cleanup()
      vim.fn.delete(run, 'rf')
      vim.fn.delete(outside, 'rf')
    end)

    local function connect(version)
      c = mcp.start(child.dir, { '--root', child.dir, where }, nil, relay.env(child.dir, run))
      c:initialize(version)
      return c
    end

    local function assert_alive()
      local text, failed = c:call('read_file', { file_path = 'a.txt' })
      assert.is_false(failed, text)
      assert.matches('1: one\n', text)
    end

    local function call_line(id, args)
      return ('{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"read_file","arguments":%s}}'):format(
        vim.json.encode(id),
        args
      )
    end

    --- What comes next of what nobody can be told by an id.
    local function refused(line)
      local n = #c.replies
      c:send(line)
      return fault.wait('an answer', function()
        return c.replies[n + 1]
      end).error
    end

    it('reads and writes nothing outside of the project, by whatever path', function()
      local links = { folder = outside, ['last.txt'] = outside .. '/theirs.txt' }
      links['dangling.txt'] = outside .. '/none.txt'
      for name, target in pairs(links) do
        assert(vim.uv.fs_symlink(target, child.dir .. '/' .. name))
      end
      connect()
      local before = helper.tree(outside)
      local up = '../' .. vim.fs.basename(outside)
      for _, path in ipairs {
        up .. '/theirs.txt',
        'sub/../' .. up .. '/theirs.txt',
        outside .. '/theirs.txt',
        'folder/theirs.txt',
        'folder/new.txt',
        'last.txt',
        'dangling.txt',
      } do
        local one = { file_path = path, old_string = 'theirs', new_string = 'ours' }
        local replace = vim.tbl_extend('error', { edit_type = 'replace' }, one)
        for tool, args in pairs {
          read_file = { file_path = path },
          write_file = { file_path = path, content = 'x\n', overwrite = true },
          edit_file = one,
          multi_edit = { operations = { replace } },
          apply_patch = {
            patch = ('--- a/%s\n+++ b/%s\n@@ -1 +1 @@\n-theirs\n+ours\n'):format(path, path),
          },
        } do
          local text, failed = c:call(tool, args)
          assert.is_true(failed, ('%s %s: %s'):format(tool, path, text))
          assert.not_matches('1: theirs', text)
        end
      end
      assert.same(before, helper.tree(outside))
      assert_alive()
    end)

    it('runs nothing that the project names', function()
      local touch = ("os.execute('touch %s/ran')"):format(run)
      local server = ("{ cmd = { 'touch', '%s/ran' }, filetypes = { 'text' } }"):format(run)
      local config = ('%s return { servers = { theirs = %s } }'):format(touch, server)
      local json = vim.json.encode {
        mcpServers = { theirs = { command = 'touch', args = { run .. '/ran' } } },
        servers = { theirs = { cmd = { 'touch', run .. '/ran' }, filetypes = { 'text' } } },
      }
      for _, name in ipairs { '.oxide.lua', 'oxide.lua', '.oxide/config.lua', '.nvim.lua', '.exrc' } do
        helper.write(child.dir .. '/' .. name, name == '.exrc' and 'lua ' .. touch or config)
      end
      for _, name in ipairs { '.mcp.json', '.oxide.json', 'oxide.json', '.vscode/settings.json' } do
        helper.write(child.dir .. '/' .. name, json)
      end
      connect()
      local text, failed = c:call('lsp_symbol', { query = 'document_symbols', file_path = 'a.txt' })
      assert.is_true(failed)
      assert.matches('no language server is known', text)
      assert_alive()
      assert.is_nil(vim.uv.fs_stat(run .. '/ran'))
      -- the same, where the person names it
      helper.write(run .. '/config.lua', config)
      mcp.pipe(child.dir, { '--here', '--config', run .. '/config.lua' }, {}):wait()
      assert.is_table(vim.uv.fs_stat(run .. '/ran'))
    end)

    it('takes 200 MB, in one line and in many', function()
      connect()
      c.run:write(
        '{"id":"big","method":"tools/call","params":{"name":"read_file","arguments":{"x":"'
      )
      for _ = 1, 200 do
        c.run:write(MEGABYTE)
      end
      c:send('"}}}')
      assert.matches('exceeds the limit', c:reply('big').error.message)
      for i = 1, 200 do
        c:send(call_line('m' .. i, ('{"file_path":"a.txt","x":"%s"}'):format(MEGABYTE)))
      end
      for i = 1, 200 do
        assert.matches('unknown argument x', c:reply('m' .. i).result.content[1].text)
      end
      assert_alive()
    end)

    it('answers what is no message, each with its error', function()
      connect()
      assert.equal(-32700, refused('{half').code)
      assert.equal(-32700, refused(call_line('u', '{"file_path":"\255"}')).code)
      local deep = ('['):rep(10000) .. (']'):rep(10000)
      assert.equal(-32700, refused('{"id":"d","method":"ping","params":{"a":' .. deep .. '}}').code)
      c:send(call_line('deep', '{"file_path":' .. deep .. '}'))
      assert.is_true(c:reply('deep').result.isError)
      c:send(call_line('twice', '{"file_path":"a.txt","file_path":"b.txt"}'))
      local twice = c:reply('twice').result
      assert.is_true(twice.isError)
      assert.matches('two members "file_path"', twice.content[1].text, 1, true)
      local params = '"name":"read_file","arguments":{"file_path":"a.txt"},"arguments":{}'
      assert.matches(
        'two members "arguments"',
        refused('{"id":"t","method":"tools/call","params":{' .. params .. '}}').message,
        1,
        true
      )
      c:send(call_line('crlf', '{"file_path":"a.txt"}') .. '\r')
      assert.is_false(c:reply('crlf').result.isError)
      assert_alive()
    end)

    it('has batches in the one revision that has them', function()
      local line = ('[%s,%s]'):format(
        call_line(1, '{"file_path":"a.txt"}'),
        call_line(2, '{"file_path":"none.txt"}')
      )
      for _, version in ipairs { '2024-11-05', '2025-06-18', '2025-11-25' } do
        connect(version)
        assert.equal(-32600, refused(line).code)
        assert_alive()
      end
      connect('2025-03-26')
      local batch
      function c.take(_, message)
        batch = vim.islist(message) and message or batch
      end
      c:send(line)
      fault.wait('the batch', function()
        return batch
      end)
      table.sort(batch, function(a, b)
        return a.id < b.id
      end)
      assert.same({ false, true }, { batch[1].result.isError, batch[2].result.isError })
    end)

    it('answers a thousand calls at once, each with its own', function()
      for i = 1, 1000 do
        helper.write(('%s/f%d.txt'):format(child.dir, i), ('text %d\n'):format(i))
      end
      connect()
      for i = 1, 1000 do
        c:send(call_line('f' .. i, ('{"file_path":"f%d.txt"}'):format(i)))
      end
      for i = 1, 1000 do
        assert.matches(('1: text %d\n'):format(i), c:reply('f' .. i).result.content[1].text)
      end
      assert_alive()
    end)

    it('takes an id once at a time', function()
      connect()
      local both = {}
      local take = c.take
      function c:take(message)
        table.insert(both, message)
        take(self, message)
      end
      local line = call_line('twice', '{"file_path":"a.txt"}')
      c:send(line .. '\n' .. line)
      fault.wait('both answers', function()
        return #both == 2
      end)
      local refusals = vim.tbl_filter(function(m)
        return m.error ~= nil
      end, both)
      assert.equal(1, #refusals)
      assert.equal(-32600, refusals[1].error.code)
      assert_alive()
    end)

    it('lets a client go in the middle of a call', function()
      connect()
      c.run:write(
        call_line('whole', '{"file_path":"a.txt"}') .. '\n' .. call_line('half', '{"file')
      )
      assert.equal(0, c:close().code)
      assert.is_false(c.replies.whole.result.isError)
      assert.equal(-32700, c.replies.half.error.code)
      connect()
      c:ask('tools/call', { name = 'read_file', arguments = { file_path = 'a.txt' } })
      c.run:kill('sigkill')
      connect()
      assert_alive()
      assert.same({ 'one' }, child:lines())
    end)
  end)
end
