-- `make demo` without a terminal: what its script prints, and what it leaves in its directory.
local helper = require('helper')
local project = require('project')

local dir

before_each(function()
  dir = project.begin()
end)

after_each(project.finish)

describe('the demo', function()
  it('runs to its end without a terminal, and does each of its steps', function()
    local done = vim
      .system({ helper.root .. '/scripts/demo.sh' }, { env = { TMPDIR = dir }, stdin = false })
      :wait(helper.deadline)
    assert.equal(0, done.code, done.stdout .. done.stderr)
    local at = 1
    for _, line in ipairs {
      '3 warnings in 3 files',
      'Renamed 9 places in 5 files.',
      'left as it is: src/series.c:12:',
      'Undid rename process_data to handle_data',
      'Formatted by clangd: ',
      'oxide: done',
    } do
      local _, last = done.stdout:find(line, at, true)
      assert.is_truthy(last, line .. ' is missing in\n' .. done.stdout)
      at = last
    end
    local copy = assert(done.stdout:match('the project is a copy, in (%S+)'))
    assert.is_truthy(vim.startswith(copy, dir), copy)
    local series = helper.read(copy .. '/src/series.c')
    assert.matches('long process_data(', series, 1, true)
    assert.is_nil(series:find('handle_data', 1, true))
    assert.equal('', done.stderr)
  end)
end)
