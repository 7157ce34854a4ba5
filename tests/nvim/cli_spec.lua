-- The command line with the real servers: arguments, answers, exit codes, and the bytes on the disk.
local e2e = require('e2e')
local helper = require('helper')
local project = require('project')

local dirs = {} ---@type string[]

local function filled(sample)
  local dir = helper.tempdir()
  table.insert(dirs, dir)
  if sample then
    e2e.fill(sample, dir)
  end
  return dir
end

local function cleanup()
  for _, dir in ipairs(dirs) do
    vim.fn.delete(dir, 'rf')
  end
  dirs = {}
end

--- Runs `oxide call`; standard output has to be one JSON object.
local function call(dir, args, opts)
  local done = e2e.oxide(dir, vim.list_extend({ 'call' }, args), opts)
  assert.is_table(done.answer, done.out .. done.err)
  return done
end

local function place(sample)
  local at = 0
  for line in vim.gsplit(e2e.before(sample)[sample.main], '\n') do
    at = at + 1
    if line:find('😀') then
      return at
    end
  end
end

for name, sample in vim.spairs(e2e.samples) do
  describe('oxide call with ' .. name, function()
    after_each(cleanup)
    local before, after = e2e.before(sample), e2e.after(sample, 'größe_2')
    -- the last one on the line: behind the wide characters
    local line = place(sample)
    local text = vim.split(before[sample.main], '\n')[line]
    local column = assert(text:find(sample.old .. '(', 1, true))
    local opts = { config = sample.config }

    local function args(more)
      return vim.json.encode(vim.tbl_extend('force', {
        file_path = sample.main,
        line = line,
        column = column,
        new_name = 'größe_2',
      }, more or {}))
    end

    it('renames across files, and a second process takes it back', function()
      local dir = filled(sample)
      local asked = call(dir, { 'lsp_rename', args() }, opts)
      assert.equal(0, asked.code)
      assert.is_true(asked.answer.needs_confirmation)
      assert.is_string(asked.answer.action_id)
      assert.matches('\n%+.*größe_2', asked.answer.diff)
      assert.same(before, e2e.disk(sample, dir))

      local dry = call(dir, { 'lsp_rename', '--yes', args { dry_run = true } }, opts)
      assert.equal(asked.answer.diff, dry.answer.diff)
      assert.is_nil(dry.answer.transaction)
      assert.same(before, e2e.disk(sample, dir))

      local done = call(dir, { 'lsp_rename', '--yes', args() }, opts)
      assert.equal(0, done.code)
      assert.is_true(done.answer.success)
      assert.equal(sample.places, done.answer.edits)
      assert.equal(sample.old, done.answer.old_name)
      assert.equal(sample.server, done.answer.server)
      assert.same(after, e2e.disk(sample, dir))

      local undone = call(dir, { 'undo' }, opts)
      assert.equal(done.answer.transaction, undone.answer.transaction)
      assert.same(before, e2e.disk(sample, dir))
      local again = call(dir, { 'undo' }, opts)
      assert.equal(1, again.code)
      assert.equal('not_found', again.answer.error.code)
    end)

    it('answers every query about a symbol', function()
      e2e.fill(sample, project.reside(sample.config))
      finally(project.finish)
      local function query(what, more)
        local all = vim.tbl_extend('force', {
          query = what,
          file_path = sample.main,
          line = line,
          column = column,
        }, more or {})
        local done = project.call('lsp_symbol', all)
        assert.equal(0, done.code, done.out)
        return done.answer
      end
      local references = query('references')
      assert.equal(sample.places, references.total)
      local seen = {} ---@type table<string, boolean>
      local last
      for _, at in ipairs(references.locations) do
        assert.is_true(at.file == last or not seen[at.file], 'not grouped by file')
        last, seen[at.file] = at.file, true
        assert.matches(sample.old, at.snippet)
        local lines = vim.split(before[at.file], '\r?\n')
        assert.equal(sample.old, lines[at.line]:sub(at.column, at.end_column - 1))
      end
      local definition = query('definition')
      assert.equal(1, definition.total)
      assert.matches(sample.old, definition.locations[1].snippet)
      assert.matches('^shape', definition.locations[1].file)
      assert.matches(sample.old, query('hover').hover)
      assert.is_true(query('document_symbols', { file_path = sample.edited }).total >= 1)
      local found = vim.tbl_filter(function(symbol)
        return symbol.name == sample.old and vim.startswith(symbol.file, 'shape')
      end, query('workspace_symbols', { symbol = sample.old }).symbols)
      assert.is_true(#found > 0)
    end)
  end)
end

describe('oxide call', function()
  after_each(cleanup)
  local sample = e2e.samples.clangd

  it('takes JSON as an argument, on standard input, and flags', function()
    local dir = filled(sample)
    local json = '{"file_path":"shape.h","line":4,"symbol":"area","new_name":"x1","dry_run":true}'
    local one = call(dir, { 'lsp_rename', json })
    local two = call(dir, { 'lsp_rename', '-' }, { stdin = json })
    local three = call(
      dir,
      vim.split('lsp_rename --file shape.h --line=4 --symbol area --new-name x1 --dry-run', ' ')
    )
    assert.equal(0, one.code)
    assert.equal(5, one.answer.edits)
    assert.same(one.answer, two.answer)
    assert.same(one.answer, three.answer)
    assert.equal('', one.err)
  end)

  it('prints text for a person with --text', function()
    local dir = filled(sample)
    local done = e2e.oxide(dir, {
      'call',
      'lsp_rename',
      '--text',
      '--yes',
      '--file',
      'shape.h',
      '--line',
      '4',
      '--symbol',
      'area',
      '--new-name',
      'x1',
    })
    assert.equal(0, done.code)
    assert.is_nil(done.answer)
    assert.matches('\n%+int x1%(int w, int h%);\n', done.out)
    assert.matches('5 places in 4 files', done.out)
    assert.is_nil(done.out:find('\27', 1, true), 'colour without a terminal')
    local bad = e2e.oxide(dir, { 'call', 'lsp_format', '--text', '--file', 'none.c' })
    assert.equal(1, bad.code)
    assert.matches('^error: .*none.c', bad.out)
  end)

  it('ends with 2 where the command line is wrong', function()
    local dir = filled(sample)
    for _, args in ipairs {
      {},
      { 'nonsense' },
      { 'call' },
      { 'call', 'lsp_renam', '{}' },
      { 'call', 'lsp_rename', '--colour', 'red' },
      { 'call', 'lsp_rename', '--line', 'four' },
      { 'call', 'lsp_rename', '--new-name' },
      { 'call', 'lsp_rename', '{"file_path"' },
      { 'call', 'lsp_rename', 'shape.h' },
      { 'help', 'lsp_renam' },
    } do
      local done = e2e.oxide(dir, args)
      assert.equal(2, done.code, table.concat(args, ' '))
      if args[1] == 'call' and args[2] then
        assert.is_table(done.answer.error, done.out)
      else
        assert.equal('', done.out)
        assert.is_true(#done.err > 0)
      end
    end
    assert.matches('lsp_rename', e2e.oxide(dir, { 'call', 'lsp_renam', '{}' }).out)
    assert.same(e2e.before(sample), e2e.disk(sample, dir))
  end)

  it('takes each argument once, whatever it is in', function()
    local dir = filled(sample)
    local edit = '{"file_path":"a.c","old_string":"a","new_string":"b","new_string":"c"}'
    for want, args in pairs {
      ['two members "file_path"'] = { 'read_file', '{"file_path":"shape.h","file_path":"shape.c"}' },
      ['two members "new_string"'] = { 'multi_edit', '{"edits":[' .. edit .. ']}' },
      ['file_path is given twice'] = { 'read_file', '--file', 'shape.h', '--file_path=shape.c' },
      ['line is given twice'] = { 'lsp_rename', '{"line":4}', '--line', '5' },
      ['would replace'] = { 'read_file', '--file', 'shape.h', '{"limit":1}' },
    } do
      local done = call(dir, args)
      assert.equal(2, done.code, done.out)
      assert.equal('invalid', done.answer.error.code)
      assert.matches(want, done.answer.error.message, 1, true)
    end
    local done = call(dir, { 'multi_edit', vim.json.encode { operations = '[' .. edit .. ']' } })
    assert.equal(1, done.code, done.out)
    assert.matches('two members "new_string"', done.answer.error.message, 1, true)
  end)

  it('ends with 1 and an error where the tool fails, and names what is meant', function()
    local dir = filled(sample)
    for json, want in pairs {
      ['{"file":"shape.h","line":4,"new_name":"x"}'] = { 'invalid', 'file_path' },
      ['{"file_path":"shape.h","line":4,"new_nme":"x"}'] = { 'invalid', 'new_name' },
      ['{"file_path":"shape.h","line":"4","new_name":"x"}'] = { 'invalid', 'line' },
      ['{"file_path":7,"line":4,"new_name":"x"}'] = { 'invalid', 'file_path' },
      ['{"file_path":"shape.h","line":400,"new_name":"x"}'] = { 'invalid', 'line 400' },
      ['{"file_path":"shape.h","line":4,"symbol":"era","new_name":"x"}'] = { 'not_found', 'era' },
      ['{"file_path":"shape.h","line":4,"new_name":"x"}'] = { 'ambiguous', 'several names' },
      ['{"file_path":"none.h","line":4,"new_name":"x"}'] = { 'not_found', 'none.h' },
      ['{"file_path":"../none.h","line":4,"new_name":"x"}'] = { 'denied', 'none.h' },
      ['{"file_path":"/etc/passwd","line":1,"new_name":"x"}'] = { 'denied', '/etc/passwd' },
    } do
      local done = call(dir, { 'lsp_rename', '--yes', json })
      assert.equal(1, done.code, json)
      assert.equal(want[1], done.answer.error.code, json .. done.out)
      assert.matches(want[2], done.answer.error.message, 1, true)
    end
    assert.same(e2e.before(sample), e2e.disk(sample, dir))
  end)

  it('leads no link out of the project', function()
    local dir, outside = filled(sample), filled()
    helper.write(outside .. '/secret.c', 'int area;\n')
    assert(vim.uv.fs_symlink(outside .. '/secret.c', dir .. '/link.c'))
    local done = call(
      dir,
      { 'lsp_rename', '--yes', '{"file_path":"link.c","line":1,"symbol":"area","new_name":"x"}' }
    )
    assert.equal(1, done.code, done.out)
    assert.equal('int area;\n', helper.read(outside .. '/secret.c'))
  end)

  it('tells of itself', function()
    local dir = filled()
    local tools = e2e.oxide(dir, { 'tools', '--json' })
    local names = vim.tbl_map(function(tool)
      assert.equal('object', tool.inputSchema.type)
      return tool.name
    end, tools.answer)
    local tool_names = 'manage_projects read_file lsp_symbol get_symbol_info find_symbol_usages lsp_diagnostic'
      .. ' check_project test_project edit_file multi_edit apply_patch write_file lsp_edit'
      .. ' lsp_rename rename_symbol lsp_format list_code_actions execute_code_action'
      .. ' refresh_code_actions undo turn goto_definition find_references hover_info get_diagnostics'
      .. ' format_document format_code analyze_code multi_edit_files'
    assert.equal(tool_names, table.concat(names, ' '))
    for _, name in ipairs(names) do
      assert.matches('\n' .. name, '\n' .. e2e.oxide(dir, { 'tools' }).out)
      assert.matches('^oxide call ' .. name .. ': ', e2e.oxide(dir, { 'help', name }).out)
    end
    local version = e2e.oxide(dir, { '--version', '--json' })
    assert.equal(2, version.answer.protocol)
    assert.matches('^%d+%.%d+%.%d+$', version.answer.version)
    assert.equal('table', type(version.answer.features))
    assert.matches(
      '^oxide ' .. vim.pesc(version.answer.version),
      e2e.oxide(dir, { '--version' }).out
    )
  end)
end)

describe('oxide call lsp_format', function()
  after_each(cleanup)

  it('with clangd formats several ranges at once, and names what is no range', function()
    local dir = filled(e2e.samples.clangd)
    helper.write(dir .. '/.clang-format', 'BasedOnStyle: LLVM\n')
    helper.write(dir .. '/a.c', 'int  a;\nint  b;\nint  c;\nint  d;\n')
    local function format(ranges, more)
      local args = { file_path = 'a.c', line_ranges = ranges }
      return call(
        dir,
        { 'lsp_format', '--yes', vim.json.encode(vim.tbl_extend('error', args, more or {})) }
      )
    end
    for _, case in ipairs {
      { {}, 'empty' },
      { { { 1 } }, 'pairs of lines' },
      { { { 0, 1 } }, 'pairs of lines' },
      { { { 3, 4 }, { 1, 1 } }, 'in order' },
      { { { 2, 1 } }, 'comes after' },
      { { { 9, 9 } }, 'past the end' },
      { 'x', 'line_ranges' },
      { { { 1, 1 } }, 'either', { start_line = 1 } },
    } do
      local refused = format(case[1], case[3])
      assert.equal(1, refused.code, refused.out)
      assert.matches(case[2], refused.answer.error.message)
    end
    assert.equal(0, format({ { 1, 1 }, { 3, 99 } }).code)
    assert.equal('int a;\nint  b;\nint c;\nint d;\n', helper.read(dir .. '/a.c'))
  end)

  it('with clangd formats the whole and a range, and nothing outside of it', function()
    local dir = filled()
    local text = 'int  a( int x ){return x;}\r\nint  b( int x ){return x;}\r\nint  c;'
    helper.write(dir .. '/.clang-format', 'BasedOnStyle: LLVM\n')
    helper.write(dir .. '/a.c', text)
    local part =
      call(dir, { 'lsp_format', '--yes', '{"file_path":"a.c","start_line":2,"end_line":2}' })
    assert.equal(0, part.code)
    assert.equal(
      'int  a( int x ){return x;}\r\nint b(int x) { return x; }\r\nint  c;',
      helper.read(dir .. '/a.c')
    )
    call(dir, { 'lsp_format', '--yes', '--file', 'a.c' })
    local whole = 'int a(int x) { return x; }\r\nint b(int x) { return x; }\r\nint c;'
    assert.equal(whole, helper.read(dir .. '/a.c'))
    local again = call(dir, { 'lsp_format', '--yes', '--file', 'a.c' })
    assert.same({ 0, 0 }, { again.answer.edits, again.answer.files_changed })
    assert.is_nil(again.answer.transaction)
    call(dir, { 'undo' })
    call(dir, { 'undo' })
    assert.equal(text, helper.read(dir .. '/a.c'))
  end)

  it('with typescript-language-server follows .editorconfig', function()
    local dir = filled()
    helper.write(dir .. '/tsconfig.json', '{}\n')
    helper.write(dir .. '/a.ts', "export function f( ) {\n\treturn   'ü😀' ;\n}\n")
    for style, want in pairs {
      ['indent_style = space\nindent_size = 3\n'] = "export function f() {\n   return 'ü😀';\n}\n",
      ['indent_style = tab\n'] = "export function f() {\n\treturn 'ü😀';\n}\n",
    } do
      helper.write(dir .. '/.editorconfig', 'root = true\n[*]\n' .. style)
      assert.equal(0, call(dir, { 'lsp_format', '--yes', '--file', 'a.ts' }).code)
      assert.equal(want, helper.read(dir .. '/a.ts'))
    end
  end)

  it('with pyright says that it cannot, and what could', function()
    local dir = filled()
    helper.write(dir .. '/a.py', 'x  =  1\n')
    local done = call(dir, { 'lsp_format', '--yes', '--file', 'a.py' })
    assert.equal(1, done.code)
    assert.equal('unsupported', done.answer.error.code)
    assert.matches('^pyright does not support formatting', done.answer.error.message)
    assert.matches('pylsp (', done.answer.error.message, 1, true)
    assert.equal('x  =  1\n', helper.read(dir .. '/a.py'))
  end)
end)

describe('oxide call lsp_diagnostic', function()
  after_each(cleanup)

  for file, case in pairs {
    ['a.c'] = {
      text = 'int f(void)\n{\n\tint é; return "😀", missing;\n}\n',
      line = 3,
      word = 'missing',
    },
    ['a.py'] = { text = 's = "😀"; t = missing\n', line = 1, word = 'missing' },
    ['a.ts'] = { text = "export const s = '😀', t = missing;\n", line = 1, word = 'missing' },
  } do
    it('finds the error in ' .. file .. ', in bytes', function()
      local dir = filled()
      helper.write(dir .. '/' .. file, case.text)
      local answer = call(dir, { 'lsp_diagnostic', '--file', file, '--severity', 'error' }).answer
      assert.equal('1 error', answer.summary)
      assert.equal(1, answer.counts.error)
      local d = answer.diagnostics[1]
      assert.equal('error', d.severity)
      assert.same({ file, case.line }, { d.file, d.line })
      local line = vim.split(case.text, '\n')[d.line]
      assert.equal(case.word, line:sub(d.column, d.end_column - 1))
    end)
  end
end)
