-- A client of Neovim whose server does what a script says: who opens what, who is told what, and
-- what becomes of a call whose server dies.
local fault = require('fault')
local screen = require('screen')

local FILES = { ['a.txt'] = 'old one\n', ['b.txt'] = 'two old\n' }
local ALL = { rename = { files = { 'a.txt', 'b.txt' } } }

local APPLY = {
  request = 'workspace/applyEdit',
  params = {
    edit = {
      changes = {
        ['file://{ROOT}/a.txt'] = {
          {
            range = {
              start = { line = 0, character = 0 },
              ['end'] = { line = 0, character = 0 },
            },
            newText = 'mine ',
          },
        },
      },
    },
  },
}

--- A child with a.txt before it, and a client that Neovim has started for it.
local function start(script, files)
  local p = fault.project(script)
  local child = p:nvim(files or FILES)
  child:cmd('edit a.txt')
  p:attach(child)
  return p, child
end

local function rename(child)
  return fault.ask(child, 'rename', { name = 'new', review = 'never' })
end

local function opened(p)
  return vim.tbl_map(function(entry)
    return vim.fs.basename(entry.params.textDocument.uri)
  end, p:received('textDocument/didOpen'))
end

local function received(p)
  return p:logged(function(entry)
    return entry.method == 'textDocument/didChange' and entry.params
  end)
end

--- What it was shown of the buffer, or in its place.
local function texts(p)
  return vim.tbl_map(function(entry)
    return entry.params.contentChanges[1].text
  end, received(p))
end

local function faults(p)
  return p:logged(function(entry)
    return entry.fault
  end)
end

describe("with a scripted server of Neovim's", function()
  after_each(fault.cleanup)

  for name, filetype in pairs {
    ['of a type that no server of Oxide takes'] = 'ruby',
    ['of an unknown type'] = 'odd',
  } do
    it('files ' .. name .. ' are searched, too', function()
      local p = fault.project({
        on = { ['textDocument/rename'] = { rename = { files = { 'a.rb' } } } },
      }, { ['reach.files'] = 100 })
      local child = p:nvim { ['a.rb'] = 'old one\n', ['b.rb'] = 'two old\n' }
      child:cmd('edit a.rb | setfiletype ' .. filetype)
      p:attach(child)
      local done = fault.done(child, rename(child))
      assert.is_false(done.result.complete)
      assert.same({ 'b.rb:1: fake cannot tell what the name means there' }, done.result.reasons)
    end)
  end

  it('a buffer is shown by Neovim alone, and what is typed is what is renamed', function()
    local p, child = start { on = { ['textDocument/rename'] = ALL } }
    child:type('Iold <Esc>')
    child:wait('the typed text', "vim.fn.mode() == 'n' and vim.fn.getline(1) == 'old old one'")
    local done = fault.done(child, rename(child))
    assert.is_nil(done.message)
    assert.same({ 'new new one' }, child:lines())
    assert.equal('two new\n', child:file('b.txt'))
    assert.same({ 'a.txt' }, opened(p))
    assert.same({}, faults(p))
    assert.equal(1, #p:received('initialize'))
  end)

  for _, columns in ipairs { 60, 80, 200 } do
    it(("inlay hints and code lenses stay the user's, %d columns wide"):format(columns), function()
      local p, child = start({
        capabilities = {
          textDocumentSync = 2,
          renameProvider = true,
          hoverProvider = true,
          inlayHintProvider = true,
          codeLensProvider = { resolveProvider = false },
        },
        on = {
          ['textDocument/rename'] = ALL,
          ['textDocument/hover'] = { result = { contents = 'what it is' } },
          ['textDocument/inlayHint'] = {
            result = { { position = { line = 0, character = 3 }, label = 'HINT' } },
          },
          ['textDocument/codeLens'] = {
            result = {
              { range = fault.range(1, 0, 3), command = { title = 'LENS', command = 'x' } },
            },
          },
        },
      }, { ['a.txt'] = 'old one\nuntouched\n', ['b.txt'] = 'two old\n' })
      screen.size(child, columns, 12)
      child:lua([[
        vim.lsp.inlay_hint.enable(true, { bufnr = 0 })
        if vim.fn.has('nvim-0.12') == 1 then
          vim.lsp.codelens.enable(true, { bufnr = 0 })
        else
          vim.lsp.codelens.refresh { bufnr = 0 }
        end
      ]])
      screen.shows_some(child, { 'HINT' })
      screen.shows_some(child, { 'LENS' })
      assert.is_nil(fault.done(child, fault.ask(child, 'hover', {})).message)
      assert.is_nil(fault.done(child, rename(child)).message)
      assert.same({ 'new one', 'untouched' }, child:lines())
      assert.is_nil(fault.done(child, fault.ask(child, 'undo')).message)
      screen.shows_some(child, { 'HINT' })
      screen.shows_some(child, { 'LENS' })
      assert.is_true(child:lua('return vim.lsp.inlay_hint.is_enabled { bufnr = 0 }'))
      assert.same({}, faults(p))
    end)
  end

  it('what dies in the middle fails the call, and the next one starts over', function()
    local p, child = start {
      lives = {
        { on = { ['textDocument/rename'] = { before = { { kill = true } }, silent = true } } },
        { on = { ['textDocument/rename'] = ALL } },
      },
    }
    local done = fault.done(child, rename(child))
    assert.matches('fake', done.message)
    assert.matches('which Neovim started, has exited', done.message)
    assert.equal('old one\n', child:file('a.txt'))
    done = fault.done(child, rename(child))
    assert.is_nil(done.message)
    assert.same({ 'new one' }, child:lines())
    assert.equal('two new\n', child:file('b.txt'))
    assert.equal(2, #p:received('initialize'))
  end)

  it('typing into a buffer whose change is on trial ends the trial, and nothing is lost', function()
    local p, child = start {
      capabilities = { referencesProvider = true, documentSymbolProvider = true },
      on = {
        ['textDocument/documentSymbol'] = { result = {} },
        ['textDocument/didOpen'] = { after = { { publish = '{ROOT}/a.txt', version = 'same' } } },
        ['textDocument/rename'] = ALL,
      },
    }
    child:lua([[
      local operation =
        { edit_type = 'replace', file_path = 'a.txt', old_string = 'old', new_string = 'other' }
      local args = { verify = true, operations = { operation } }
      _G.id = require('oxide.core').call('multi_edit', args, { confirm = 'never' }, function(err)
        _G.err = err
      end)
    ]])
    p:wait_received('textDocument/didChange')
    child:type('Iold <Esc>')
    local shown = fault.wait('what is typed', function()
      local all = texts(p)
      return #all > 2 and all
    end)
    assert.same({ 'other one\n', 'old one\n' }, { shown[1], shown[2] })
    child:lua("require('oxide.core').cancel(_G.id)")
    assert.equal('cancelled', child:wait('the end of the call', '_G.err').code)
    child:wait('the typed text', "vim.fn.mode() == 'n' and vim.fn.getline(1) == 'old old one'")
    local done = fault.done(child, rename(child))
    assert.is_nil(done.message)
    assert.same({ 'new new one' }, child:lines())
    assert.same({}, faults(p))
  end)

  --- Puts `bad` for `old` into these files, if the server has nothing against that.
  local function change_to_bad(child, ...)
    child:lua(
      [[
        local args = { verify = true, operations = {} }
        for _, path in ipairs { ... } do
          local operation =
            { edit_type = 'replace', file_path = path, old_string = 'old', new_string = 'bad' }
          table.insert(args.operations, operation)
        end
        require('oxide.core').call('multi_edit', args, { confirm = 'never' }, function(err, result)
          _G.came = { err = err or false, result = result or false }
        end)
      ]],
      ...
    )
    return child:wait('what came of it', '_G.came')
  end

  local ASKED = { diagnosticProvider = { interFileDependencies = true } }

  --- Each time before and after the core asks what is wrong with a text.
  local function around_asking(child, code)
    child:lua(
      [[
        local code = loadstring(...)
        local links = require('oxide.clients.link')
        local ask = links.ask
        links.ask = function(link, method, ...)
          if method ~= 'textDocument/diagnostic' then
            return ask(link, method, ...)
          end
          code(link.client)
          local sent, id = ask(link, method, ...)
          _G.asked = vim.list_extend(_G.asked or {}, { id })
          code(link.client)
          return sent, id
        end
      ]],
      code
    )
  end

  it('that has Neovim ask again what is wrong, which waits while a change is on trial', function()
    local p, child = start { capabilities = ASKED, lint = { { word = 'bad' } } }
    -- As the server's request would; Neovim 0.10 knows none.
    around_asking(
      child,
      [[
        local client, method = ..., 'workspace/diagnostic/refresh'
        local handler = client.handlers[method] or vim.lsp.handlers[method]
        if handler then
          handler(nil, nil, { client_id = client.id, method = method })
        end
      ]]
    )
    local came = change_to_bad(child, 'a.txt')
    assert.matches('1 new error', came.err and came.err.message or vim.inspect(came))
    assert.equal('old one\n', child:file('a.txt'))
    if child:lua("return vim.lsp.handlers['workspace/diagnostic/refresh'] ~= nil") then
      p:wait_log('Neovim to ask about the buffer', function(entry)
        return received(p)[2] and entry.method == 'textDocument/diagnostic' and entry.id > 3
      end)
    end
    fault.wait('the buffer again', function()
      return received(p)[2]
    end)
    assert.same({ 'bad one\n', 'old one\n' }, texts(p))
    assert.same({}, child:lua('return vim.diagnostic.get(0)'))
    -- Neovim then cancels what it has asked before about this buffer: nothing of the core's is.
    local asked = child:lua('return _G.asked')
    assert.is_true(#asked >= 2)
    for _, cancel in ipairs(p:received('$/cancelRequest')) do
      assert.is_false(vim.list_contains(asked, cancel.params.id))
    end
  end)

  it('is told of files that are no buffers without a word to who listens to Neovim', function()
    local p, child = start { capabilities = ASKED, lint = { { word = 'bad' } } }
    child:lua([[
      _G.heard = {}
      vim.api.nvim_create_autocmd('LspNotify', { callback = function(ev)
        local document = (ev.data.params or {}).textDocument
        table.insert(_G.heard, document and vim.fs.basename(document.uri) or ev.data.method)
      end })
    ]])
    local came = change_to_bad(child, 'a.txt', 'b.txt')
    assert.matches('2 new errors', came.err and came.err.message or vim.inspect(came))
    assert.same({ 'a.txt', 'b.txt' }, opened(p))
    child:cmd('normal! x')
    child:wait('what Neovim says of a.txt', "vim.list_contains(_G.heard, 'a.txt')")
    assert.is_false(child:lua("return vim.list_contains(_G.heard, 'b.txt')"))
  end)

  it('what it says of a buffer does not count for the change that was on trial', function()
    local p, child = start {
      capabilities = ASKED,
      lint = { { word = 'bad' } },
      on = { ['textDocument/hover'] = { result = { contents = 'what it is' } } },
    }
    around_asking(
      child,
      [[
        local where = vim.lsp.util.make_position_params(0, 'utf-16')
        vim.lsp.buf_request(0, 'textDocument/hover', where, function() end)
      ]]
    )
    local came = change_to_bad(child, 'a.txt')
    assert.is_false(came.err)
    assert.is_false(came.result.complete, vim.inspect(came.result))
    assert.same({ 'bad one\n', 'old one\n' }, { texts(p)[1], texts(p)[2] })
  end)

  it('an edit that the server asks for by itself is carried out by Neovim', function()
    local p, child = start {}
    p:act(APPLY)
    child:wait('the edit', "vim.fn.getline(1) == 'mine old one'")
    assert.is_true(p:wait_log('the answer', function(entry)
      return entry.result and entry.result.applied ~= nil
    end).result.applied)
    assert.is_true(child:lua('return #_G.events == 0'))
  end)

  it('an edit for a command of Oxide comes to Oxide', function()
    local p, child = start {
      on = { ['workspace/executeCommand'] = { before = { APPLY }, hold = 'it' } },
    }
    -- What the core says for a command.
    child:lua([[
      require('oxide.core').query('status', function() _G.ready = true end)
    ]])
    child:wait('the core', '_G.ready')
    child:lua([[
      local command = { id = 999, method = 'workspace/executeCommand', params = { command = 'x' } }
      require('oxide.clients').take(vim.lsp.get_clients()[1].id, vim.json.encode(command))
    ]])
    assert.is_true(p:wait_log('the answer', function(entry)
      return entry.result and entry.result.applied ~= nil
    end).result.applied)
    assert.same({ 'mine old one' }, child:lines())
    local done = fault.done(child, fault.ask(child, 'undo'))
    assert.is_true(done.result and done.result.success, done.message)
    assert.same({ 'old one' }, child:lines())
  end)

  it('an edit is its own again once a command of Oxide was cancelled', function()
    local cancelled = { error = { code = -32800, message = 'cancelled' }, hold = 'it' }
    local p, child = start { on = { ['workspace/executeCommand'] = cancelled } }
    child:lua([[
      require('oxide.core').query('status', function() _G.ready = true end)
    ]])
    child:wait('the core', '_G.ready')
    child:lua([[
      local command = { id = 999, method = 'workspace/executeCommand', params = { command = 'x' } }
      local cancel = { method = '$/cancelRequest', params = { id = 999 } }
      local lines = vim.json.encode(command) .. '\n' .. vim.json.encode(cancel)
      require('oxide.clients').take(vim.lsp.get_clients()[1].id, lines)
    ]])
    p:wait_received('$/cancelRequest')
    p:act { release = 'it' }
    p:act(APPLY)
    child:wait('the edit', "vim.fn.getline(1) == 'mine old one'")
    local events = child:lua('return _G.events')
    assert.same({ 1, 'OxideReady' }, { #events, events[1].name }) -- no OxideApplied
  end)

  it('a call that is cancelled is cancelled at the server', function()
    local p, child = start { on = { ['textDocument/rename'] = { hold = 'it' } } }
    child:lua([[
        local args = { file_path = 'a.txt', line = 1, symbol = 'old', new_name = 'new' }
        _G.id = require('oxide.core').call('lsp_rename', args, {}, function(err) _G.err = err end)
      ]])
    local asked = p:wait_received('textDocument/rename')
    child:lua("require('oxide.core').cancel(_G.id)")
    assert.equal('cancelled', child:wait('the end of the call', '_G.err').code)
    local cancelled = p:wait_received('$/cancelRequest')
    assert.equal(asked.id, cancelled.params.id)
  end)
end)

-- 0.10 has no such thing.
local since_11 = vim.fn.has('nvim-0.11') == 1 and describe or function() end

since_11('vim.lsp.config', function()
  after_each(fault.cleanup)

  it('configures the server that Oxide starts, below the options', function()
    local p = fault.project {
      on = {
        ['textDocument/didOpen'] = { after = { { publish = '{ROOT}/a.txt', version = 'same' } } },
        ['textDocument/rename'] = ALL,
      },
    }
    local child = p:nvim(
      FILES,
      { servers = { fake = { filetypes = { 'none' } }, bashls = { cmd = p:argv() } } }
    )
    child:lua([[
        vim.lsp.config('bashls', {
          cmd = { 'nothing' },
          filetypes = { 'text' },
          root_markers = { { 'a.txt', 'b.txt' }, '.git' },
          init_options = { mine = true },
          on_attach = function() end,
        })
    ]])
    child:cmd('edit a.txt')
    local done = fault.done(child, rename(child))
    assert.is_nil(done.message)
    assert.same({ 'new one' }, child:lines())
    local init = p:wait_received('initialize').params
    assert.same({ mine = true }, init.initializationOptions)
  end)

  -- By the name that the server has in both, and by one that only Neovim's users know.
  local CONFIGURED = {
    lua_ls = {
      settings = { Lua = { runtime = { version = 'LuaJIT' } } },
      wanted_settings = {
        Lua = { runtime = { version = 'LuaJIT' }, telemetry = { enable = false } },
      },
      wanted_options = vim.NIL,
    },
    ts_ls = {
      settings = { completions = { completeFunctionCalls = true } },
      init_options = { preferences = { quotePreference = 'single' } },
      wanted_settings = { completions = { completeFunctionCalls = true } },
      wanted_options = {
        hostInfo = 'neovim',
        preferences = {
          providePrefixAndSuffixTextForRename = true,
          quotePreference = 'single',
        },
        tsserver = { useSyntaxServer = 'never' },
      },
    },
  }
  for name, config in vim.spairs(CONFIGURED) do
    it(('gives %s its command, files and settings, within those of Oxide'):format(name), function()
      local p = fault.project {
        on = {
          ['textDocument/didOpen'] = { after = { { publish = '{ROOT}/a.txt', version = 'same' } } },
          ['textDocument/rename'] = ALL,
        },
      }
      local child = p:nvim(FILES, { servers = { fake = { filetypes = { 'none' } } } })
      child:lua('vim.lsp.config(...)', name, {
        cmd = p:argv(),
        filetypes = { 'text' },
        root_markers = { 'a.txt' },
        settings = config.settings,
        init_options = config.init_options,
      })
      child:cmd('edit a.txt')
      local done = fault.done(child, rename(child))
      assert.is_nil(done.message)
      assert.same({ 'new one' }, child:lines())
      local init = p:wait_received('initialize').params
      assert.same(config.wanted_options, init.initializationOptions or vim.NIL)
      local sent = p:wait_received('workspace/didChangeConfiguration').params
      assert.same(config.wanted_settings, sent.settings)
    end)
  end
end)
