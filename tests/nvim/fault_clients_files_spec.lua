-- A client of Neovim whose server is shown files that are no buffers: of other filetypes than Neovim
-- shows it, and beside a buffer while a change is on trial.
local fault = require('fault')

--- A child with a.txt before it, and a client that Neovim has started for it.
local function start(script, files, config)
  local p = fault.project(script)
  local child = p:nvim(files or { ['a.txt'] = 'old one\n', ['b.txt'] = 'two old\n' }, config)
  child:cmd('edit a.txt')
  p:attach(child)
  return p, child
end

local function received(p)
  return p:logged(function(entry)
    return entry.method == 'textDocument/didChange' and entry.params
  end)
end

describe("a scripted server of Neovim's", function()
  after_each(fault.cleanup)

  it('that Oxide would start for other filetypes too is asked for those as well', function()
    local p, child = start(
      {
        on = {
          ['textDocument/didOpen'] = { after = { { publish = '{ROOT}/b.md', version = 'same' } } },
        },
      },
      { ['a.txt'] = 'old one\n', ['b.md'] = 'two old\n' },
      { servers = { fake = { filetypes = { 'text', 'markdown' } } } }
    )
    child:lua([[
      require('oxide.core').call('lsp_diagnostic', { file_path = 'b.md' }, {}, function(err, result)
        _G.came = { err = err or false, result = result or false }
      end)
    ]])
    local came = child:wait('what is wrong with it', '_G.came')
    assert.is_false(came.err, vim.inspect(came.err))
    assert.is_true(came.result.complete)
    local opened = vim.tbl_map(function(entry)
      return vim.fs.basename(entry.params.textDocument.uri)
    end, p:received('textDocument/didOpen'))
    assert.same({ 'a.txt', 'b.md' }, opened)
    assert.equal(1, #p:received('initialize'))
  end)

  describe(
    'which speaks unasked, while a change of a buffer and of another file is on trial,',
    function()
      local BAD = {
        range = { start = { line = 0, character = 0 }, ['end'] = { line = 0, character = 3 } },
        severity = 1,
        message = 'bad',
      }
      local p, child

      --- Begins the change, and asks something for the person once both are on trial. `patience`: for
      --- servers, in ms; short where it has to run out.
      local function try(method, patience)
        local function both(n)
          return {
            after = {
              { publish = '{ROOT}/a.txt', version = n and 'same' },
              { publish = '{ROOT}/b.txt', version = n and 'same' },
            },
          }
        end
        p, child = start {
          capabilities = {
            referencesProvider = true,
            documentSymbolProvider = true,
            hoverProvider = true,
            documentHighlightProvider = true,
          },
          on = {
            ['textDocument/documentSymbol'] = { result = {} },
            ['textDocument/hover'] = { result = { contents = 'what it is' } },
            ['textDocument/documentHighlight'] = { result = {} },
            ['textDocument/didOpen'] = both(true),
          },
        }
        child:lua(
          [[
        local args = { verify = true, operations = {} }
        for _, path in ipairs { 'a.txt', 'b.txt' } do
          local operation =
            { edit_type = 'replace', file_path = path, old_string = 'old', new_string = 'bad' }
          table.insert(args.operations, operation)
        end
        local context = { confirm = 'never', timeout_ms = ... }
        require('oxide.core').call('multi_edit', args, context, function(err, result)
          _G.came = { err = err or false, result = result or false }
        end)
      ]],
          patience
        )
        fault.wait('both texts on trial', function()
          return #received(p) == 2
        end)
        child:lua(
          [[
          local where = vim.lsp.util.make_position_params(0, 'utf-16')
          vim.lsp.buf_request(0, ..., where, function() _G.answered = true end)
        ]],
          method
        )
        child:wait('the answer to the person', '_G.answered')
      end

      local function text(n)
        return received(p)[n].params.contentChanges[1].text
      end

      local function say_bad()
        p:act { publish = '{ROOT}/b.txt', version = 'same', diagnostics = { BAD } }
        p:act { publish = '{ROOT}/a.txt', version = 'same' }
        return child:wait('what came of it', '_G.came')
      end

      it('is not believed of the other file, once it was shown the buffer again', function()
        try('textDocument/hover', 1500)
        local came = say_bad()
        assert.is_false(came.err, vim.inspect(came.err))
        assert.is_false(came.result.complete)
        assert.is_nil(came.result.new_errors)
        assert.equal('two bad\n', child:file('b.txt'))
      end)

      it('keeps the texts where Neovim only marks other uses of a word', function()
        try('textDocument/documentHighlight', 60000)
        assert.equal(2, #received(p))
        local came = say_bad()
        assert.matches('1 new error', came.err and came.err.message or vim.inspect(came))
        assert.same({ 'bad one\n', 'two bad\n' }, { text(1), text(2) })
      end)
    end
  )
end)
