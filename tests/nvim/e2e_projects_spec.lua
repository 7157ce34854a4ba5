-- The example projects for Rust and Go in Neovim, with their real servers and standard libraries: one
-- server for all that is asked of it.
local e2e = require('e2e')
local helper = require('helper')

local child ---@type test.Child

local function start(language)
  child = helper.start({}, { config = e2e.config() })
  local copy = helper.root .. '/tests/projects/copy.sh'
  local done = vim.system({ copy, language, child.dir }):wait()
  assert.equal(0, done.code, done.stderr)
end

local function call(tool, args)
  local answer = child:call(tool, args)
  return answer.err or answer.result
end

---@class test.Rebuilt
---@field program string
---@field main string
---@field error string      the mistake in it, by its code
---@field ugly integer[]    lines of it that are formatted alone
---@field pretty string[]   what becomes of them
---@field place table       of the abstract method
---@field implemented integer
---@field signature table   a change that callers do not know of
---@field callers string[]
---@field rename table      file, old, new, and in how many places

---@type table<string, test.Rebuilt>
local CASES = {
  rust = {
    program = 'rust-analyzer',
    main = 'src/main.rs',
    error = 'E0308',
    ugly = { 7, 10 },
    pretty = {
      '\tfor series in &stations {',
      '\t\tprintln!("{}", report::lines(series, "mm").join("\\n"));',
      '\t\ttotal += process_data(series, 1);',
      '\t}',
    },
    place = { file_path = 'src/series.rs', line = 9, symbol = 'highest' },
    implemented = 2,
    signature = { 'src/series.rs', 'factor: i64)', 'factor: i64, more: i64)' },
    callers = { 'src/main.rs', 'src/report.rs', 'tests/check.rs' },
    rename = { 'src/series.rs', 'process_data', 'sum_of', 12 },
  },
  go = {
    program = 'gopls',
    main = 'main.go',
    error = 'IncompatibleAssign',
    ugly = { 15, 18 },
    pretty = {
      '\tfor _, series := range all {',
      '\t\tfmt.Println(strings.Join(stations.Lines(series, "mm"), "\\n"))',
      '\t\ttotal += stations.ProcessData(series, 1)',
      '\t}',
    },
    place = { file_path = 'stations/series.go', line = 12, symbol = 'Highest' },
    implemented = 2,
    signature = { 'stations/series.go', 'factor int)', 'factor, more int)' },
    callers = { 'main.go', 'stations/report.go', 'stations/series_test.go' },
    rename = { 'stations/series.go', 'ProcessData', 'SumOf', 6 },
  },
}

for language, case in vim.spairs(CASES) do
  if e2e.brought(case.program) then
    describe('the example project in ' .. language, function()
      setup(function()
        start(language)
        child:cmd('edit ' .. case.main)
      end)
      teardown(helper.cleanup)

      it('has the one mistake that it shall have', function()
        local found = call('lsp_diagnostic', { file_path = case.main, severity = 'error' })
        assert.is_true(found.complete, vim.inspect(found))
        for _, row in ipairs(found.diagnostics) do
          assert.equal(case.error, row.code)
        end
        assert.is_true(#found.diagnostics > 0)
      end)

      it('shows what implements a method', function()
        local args = vim.tbl_extend('error', { query = 'implementation' }, case.place)
        local found = call('lsp_symbol', args)
        assert.equal(case.implemented, found.total, vim.inspect(found))
      end)

      it('is not changed in a way that its callers do not know', function()
        local file, old, new = unpack(case.signature)
        local before = child:file(file)
        local found = call('multi_edit', {
          verify = true,
          operations = {
            { edit_type = 'replace', file_path = file, old_string = old, new_string = new },
          },
        })
        assert.equal('conflict', found.code, vim.inspect(found))
        local files = {}
        for _, row in ipairs(found.new_errors or found.data.new_errors) do
          files[row.file] = true
        end
        files = vim.tbl_keys(files)
        table.sort(files)
        assert.same(case.callers, files)
        assert.equal(before, child:file(file))
      end)

      it('is formatted in part', function()
        local first, last = unpack(case.ugly)
        local want = child:lines()
        for i, line in ipairs(case.pretty) do
          want[first + i - 1] = line
        end
        child:cmd(('%d,%dOxide format'):format(first, last))
        child:message('Formatted')
        assert.same(want, child:lines())
      end)

      it('has a name changed everywhere, and back', function()
        local file, old, new, places = unpack(case.rename)
        local before = child:file(file)
        local args = { file_path = file, symbol = old, new_name = new }
        local done = call('lsp_rename', args)
        assert.same({ true, places }, { done.success, done.edits }, vim.inspect(done))
        assert.equal(
          (before:gsub('(\n[^/\n]*)' .. old .. '%(', '%1' .. new .. '(')),
          child:file(file)
        )
        assert.matches(new, table.concat(child:lines(), '\n'))
        assert.is_true(call('undo', vim.empty_dict()).success ~= false)
        assert.equal(before, child:file(file))
      end)
    end)
  end
end
