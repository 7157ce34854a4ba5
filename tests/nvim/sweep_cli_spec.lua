-- The diagnostics of a whole project from a scripted server: asked about all files at once, shown
-- them in batches, and what becomes of it when the server is silent, refuses or dies.
local fault = require('fault')
local helper = require('helper')
local sweep = require('sweep')

local LINT = { { word = 'bad' }, { word = 'odd', severity = 2 } }
local SURVEYS = { diagnosticProvider = { workspaceDiagnostics = true } }

local function call(p, args, flags)
  local all = vim.tbl_extend('force', { fixes = false }, args or {})
  return p:call('lsp_diagnostic', all, flags)
end

--- What was found, one line each, and that the server has nothing open any more.
local function found(p, out)
  assert.equal(0, out.code, vim.inspect(out.result))
  local open = {}
  for _, entry in ipairs(p:log()) do
    assert(not entry.fault, entry.fault)
    if entry.method == 'textDocument/didOpen' then
      open[entry.params.textDocument.uri] = entry.life
    elseif entry.method == 'textDocument/didClose' then
      open[entry.params.textDocument.uri] = nil
    end
  end
  for uri, life in pairs(open) do
    assert.is_true(life < p:log()[#p:log()].life, uri .. ' is open still')
  end
  return vim.tbl_map(function(d)
    return ('%s:%d %s'):format(d.file, d.line, d.message)
  end, out.result.diagnostics)
end

--- The largest number of documents that were open at a time.
local function most_open(p)
  local open, most = 0, 0
  for _, entry in ipairs(p:log()) do
    open = entry.method == 'initialize' and 0
      or open + (entry.method == 'textDocument/didOpen' and 1 or 0)
    open = open - (entry.method == 'textDocument/didClose' and 1 or 0)
    most = math.max(most, open)
  end
  return most
end

local function diagnostic(message)
  local at = { line = 0, character = 0 }
  return { range = { start = at, ['end'] = at }, severity = 1, message = message }
end

local function report(name, message, more)
  return vim.tbl_extend('force', {
    kind = 'full',
    uri = 'file://{ROOT}/' .. name,
    version = vim.NIL,
    items = message and { diagnostic(message) } or {},
  }, more or {})
end

local function part(...)
  return {
    notify = '$/progress',
    params = { token = 'oxide/survey', value = { items = { ... } } },
  }
end

---@param dir string
---@return string   what it prints, without the end of the line
local function git(dir, ...)
  local done = vim.system({ 'git', '-C', dir, ... }):wait()
  assert.equal(0, done.code, done.stderr)
  return vim.trim(done.stdout)
end

--- Makes a repository of a directory; one inside becomes its submodule.
local function repository(dir)
  git(dir, 'init', '-q')
  git(dir, 'add', '.')
  git(dir, '-c', 'user.name=t', '-c', 'user.email=t@t', 'commit', '-q', '-m', 'all')
end

describe('a server that is shown the files of a project', function()
  after_each(fault.cleanup)

  it('has a few of them open at a time, and none in the end', function()
    local p = sweep
      .scripted({ lint = LINT }, { ['diagnostics.at_once'] = 3 })
      :files(sweep.texts(10))
    local out = call(p)
    assert.same(
      { 'f02.txt:1 bad is wrong', 'f04.txt:1 bad is wrong', 'f06.txt:1 bad is wrong' },
      vim.list_slice(found(p, out), 1, 3)
    )
    assert.same({ 5, 5, true, 10 }, {
      #out.result.diagnostics,
      out.result.files,
      out.result.complete,
      out.result.asked,
    })
    assert.same({}, out.result.missing)
    assert.equal(10, #p:received('textDocument/didOpen'))
    assert.equal(3, most_open(p))
  end)

  it('closes them also after it was asked for fixes', function()
    local fix = { title = 'say good', new = 'good' }
    local p = sweep
      .scripted({ lint = { { word = 'bad', fixes = { fix } } } }, { ['diagnostics.at_once'] = 2 })
      :files(sweep.texts(10))
    local out = call(p, { fixes = true })
    assert.equal(5, #found(p, out))
    assert.equal('say good', out.result.diagnostics[5].fixes[1].title)
    assert.equal(2, most_open(p))
  end)

  it('is asked for fixes when it has read the file again, not when it has closed it', function()
    local wrong =
      { publish = '{ROOT}/a.txt', version = 'same', diagnostics = { diagnostic('bad') } }
    local closed = { publish = '{ROOT}/a.txt', version = 'none' }
    local p = fault
      .project({
        capabilities = { codeActionProvider = true },
        on = {
          ['textDocument/didOpen'] = { { after = { wrong } }, { after = { closed } } },
          ['textDocument/codeAction'] = { result = {} },
        },
      }, { ['lsp.quiet_ms'] = 0, ['lsp.diagnostics_wait_ms'] = 600000 })
      :files { ['a.txt'] = 'text\n' }
    local running = p:start('lsp_diagnostic', {})
    fault.wait('the file to be opened again', function()
      return #p:received('textDocument/didOpen') == 2
    end)
    for n = 1, 3 do -- the core has heard what came before, and has had its time
      p:act { request = 'workspace/workspaceFolders' }
      fault.wait('answer ' .. n, function()
        return #vim.tbl_filter(function(entry)
          return entry.result
        end, p:log()) == n
      end)
    end
    assert.same({}, p:received('textDocument/codeAction'))
    p:act(wrong)
    assert.equal(0, fault.finish(running).code)
    assert.equal(1, #p:received('textDocument/codeAction'))
  end)

  it('is shown no more than the bounds allow, and what is left out is told', function()
    local files = sweep.texts(5)
    files['f02.txt'] = ('bad '):rep(30)
    local p = sweep
      .scripted({ lint = LINT }, { ['diagnostics.files'] = 4, ['diagnostics.file_bytes'] = 100 })
      :files(files)
    local out = call(p)
    assert.same({ 'f04.txt:1 bad is wrong' }, found(p, out))
    assert.same({ false, 3, 1, 1 }, {
      out.result.complete,
      out.result.asked,
      out.result.beyond,
      out.result.missed,
    })
    assert.equal('f02.txt', out.result.missing[1].file)
    assert.matches('diagnostics.file_bytes', out.result.missing[1].reason)
    local text = p:start('lsp_diagnostic', { fixes = false }, { '--text' })
      :wait(helper.deadline).stdout
    assert.matches('\nnot checked: f02.txt: [^\n]*diagnostics.file_bytes', text)
  end)

  it('is not shown what git ignores, nor what was fetched', function()
    local files = sweep.texts(2)
    files['.gitignore'] = 'made/\n'
    files['made/a.txt'], files['node_modules/b.txt'], files['sub/c.txt'] = 'bad', 'bad', 'bad'
    local p = sweep.scripted({ lint = LINT }):files(files)
    git(p.dir, 'init', '-q')
    assert.same({ 'f02.txt:1 bad is wrong', 'sub/c.txt:1 bad is wrong' }, found(p, call(p)))
    assert.equal(3, #p:received('textDocument/didOpen'))
  end)

  it('is shown the files of submodules, but not what git ignores in them', function()
    local p = sweep.scripted({ lint = LINT }):files {
      ['a.txt'] = 'bad',
      ['lib/b.txt'] = 'bad',
      ['lib/made.txt'] = 'bad',
      ['lib/.gitignore'] = 'made.txt',
      ['lib/deep/c.txt'] = 'bad',
    }
    for _, folder in ipairs { 'lib/deep', 'lib', '' } do
      repository(p.dir .. '/' .. folder)
    end
    local absent = '160000,' .. git(p.dir .. '/lib', 'rev-parse', 'HEAD') .. ',absent'
    git(p.dir, 'update-index', '--add', '--cacheinfo', absent)
    vim.fn.mkdir(p.dir .. '/absent')
    local out = call(p)
    local all =
      { 'a.txt:1 bad is wrong', 'lib/b.txt:1 bad is wrong', 'lib/deep/c.txt:1 bad is wrong' }
    assert.same(all, found(p, out))
    assert.same({ true, 3 }, { out.result.complete, out.result.asked })
  end)

  it('is not shown other repositories inside, and those that have sources are told', function()
    local p = sweep.scripted({ lint = LINT }):files {
      ['a.txt'] = 'bad',
      ['broken/b.txt'] = 'bad',
      ['notes/c.md'] = 'bad',
    }
    repository(p.dir .. '/broken')
    repository(p.dir)
    repository(p.dir .. '/notes')
    git(p.dir, 'worktree', 'add', '-q', 'tree')
    helper.write(p.dir .. '/broken/.git/HEAD', 'broken')
    local out = call(p)
    assert.same({ 'a.txt:1 bad is wrong' }, found(p, out))
    assert.same({ false, 1, 2 }, { out.result.complete, out.result.asked, out.result.missed })
    assert.same(
      { 'broken', 'tree' },
      vim.tbl_map(function(row)
        assert.matches('a separate repository', row.reason)
        return row.file
      end, out.result.missing)
    )
  end)

  it('is not shown the rest where it says nothing of a whole batch', function()
    local p = sweep
      .scripted({}, { ['diagnostics.at_once'] = 2, ['lsp.diagnostics_wait_ms'] = 10 })
      :files(sweep.texts(6))
    local out = call(p)
    assert.same({}, found(p, out))
    assert.same({ false, 0, 6 }, { out.result.complete, out.result.asked, out.result.missed })
    assert.equal(2, #p:received('textDocument/didOpen'))
    assert.matches('fake published nothing about it', out.result.missing[1].reason)
    assert.matches('fake publishes no diagnostics', out.result.missing[6].reason)
  end)

  it('is started again when it dies, and all is found', function()
    local dies = { before = { { kill = true } } }
    local p = sweep
      .scripted({
        lives = {
          { on = { ['textDocument/didOpen'] = { {}, dies } } },
          { lint = LINT },
        },
      }, { ['diagnostics.at_once'] = 4, ['lsp.restart_ms'] = 0 })
      :files(sweep.texts(10))
    local out = call(p)
    assert.equal(5, #found(p, out))
    assert.same({ true, 10 }, { out.result.complete, out.result.asked })
  end)

  it('dies of one file, and that one is told', function()
    local p = sweep
      .scripted({ lint = LINT, kill_at = 'poison' }, { ['diagnostics.at_once'] = 4, ['lsp.restart_ms'] = 0 })
      :files(vim.tbl_extend('force', sweep.texts(6), { ['f03.txt'] = 'poison\n' }))
    local out = call(p)
    assert.equal(3, #found(p, out))
    assert.same({ false, 5, 1 }, { out.result.complete, out.result.asked, out.result.missed })
    assert.equal('f03.txt', out.result.missing[1].file)
    assert.matches('fake exited twice', out.result.missing[1].reason)
  end)

  it('is left in the middle when the call is cancelled', function()
    local p = sweep
      .scripted({ on = { ['textDocument/didOpen'] = {} } }, { ['diagnostics.at_once'] = 2 })
      :files(sweep.texts(6))
    local running = p:start('lsp_diagnostic', { fixes = false })
    p:wait_received('textDocument/didOpen')
    running:kill('sigint')
    local out = fault.finish(running)
    assert.equal('cancelled', out.result.error.code)
    assert.equal('', out.stderr)
    fault.wait_end(p:pid())
    assert.is_true(#p:received('textDocument/didOpen') <= 2)
  end)
end)

describe('a server that is asked about the whole project', function()
  after_each(fault.cleanup)

  --- A project of two files whose server answers the question with these steps.
  local function project(steps, options, more)
    local script = { capabilities = SURVEYS, on = { ['workspace/diagnostic'] = steps } }
    return sweep
      .scripted(vim.tbl_extend('force', script, more or {}), options)
      :files(sweep.texts(2))
  end

  it('is shown nothing, and its answer is the list', function()
    local p = project { result = { items = { report('f02.txt', 'two'), report('f01.txt') } } }
    local out = call(p)
    assert.same({ 'f02.txt:1 two' }, found(p, out))
    assert.is_true(out.result.complete)
    assert.equal(0, #p:received('textDocument/didOpen'))
    local asked = p:received('workspace/diagnostic')
    assert.equal(1, #asked)
    assert.same({}, asked[1].params.previousResultIds)
  end)

  it('may answer in parts, and with files that are not the project of others', function()
    local p = project {
      before = {
        part(report('f01.txt', 'one')),
        part(report('f02.txt', 'two'), { kind = 'full', uri = 'jdt://x', items = {} }),
      },
      result = { items = { report('other.txt', 'three') } },
    }
    local out = call(p)
    assert.same({ 'f01.txt:1 one', 'f02.txt:1 two', 'other.txt:1 three' }, found(p, out))
    assert.is_true(out.result.complete)
  end)

  it('is asked again when it says so', function()
    local busy = { code = -32802, message = 'busy', data = { retriggerRequest = true } }
    local p = project {
      { error = busy },
      { error = busy },
      { result = { items = { report('f01.txt', 'one') } } },
    }
    assert.same({ 'f01.txt:1 one' }, found(p, call(p)))
    assert.equal(3, #p:received('workspace/diagnostic'))
  end)

  it('is shown the files where it does not want to be asked again', function()
    local no = { code = -32802, message = 'no', data = { retriggerRequest = false } }
    local p = project({ error = no }, {}, { lint = LINT })
    local out = call(p)
    assert.same({ 'f02.txt:1 bad is wrong' }, found(p, out))
    assert.equal(1, #p:received('workspace/diagnostic'))
    assert.is_true(out.result.complete)
  end)

  it('is shown the files where it never answers', function()
    local p = project({ silent = true }, { ['diagnostics.survey_ms'] = 10 }, { lint = LINT })
    assert.same({ 'f02.txt:1 bad is wrong' }, found(p, call(p)))
    assert.equal(1, #p:received('$/cancelRequest'))
  end)

  it('is started again where it hangs in the middle of work', function()
    -- It is at work already when it is asked, and so is its second life until it has answered: else
    -- that would have to be within diagnostics.survey_ms.
    local works = { before = { { progress = 'begin' } } }
    local answer = {
      result = { items = { report('f01.txt', 'one') } },
      after = { { progress = 'end' } },
    }
    local options =
      { ['diagnostics.survey_ms'] = 10, ['lsp.hung_ms'] = 1000, ['lsp.restart_ms'] = 0 }
    options['lsp.timeout_ms'] = 5000 -- which the second life may take for an answer
    local p = project(nil, options, {
      lives = {
        {
          on = { initialize = works, ['workspace/diagnostic'] = { before = { { stop = true } } } },
        },
        { on = { initialize = works, ['workspace/diagnostic'] = answer } },
      },
    })
    local out = call(p)
    assert.same({ 'f01.txt:1 one' }, found(p, out))
    assert.is_true(out.result.complete)
  end)

  it('is asked again after it died', function()
    local answer = { result = { items = { report('f01.txt', 'one') } } }
    local p = project(nil, { ['lsp.restart_ms'] = 0 }, {
      lives = {
        { on = { ['workspace/diagnostic'] = { before = { { kill = true } } } } },
        { on = { ['workspace/diagnostic'] = answer } },
      },
    })
    local out = call(p)
    assert.same({ 'f01.txt:1 one' }, found(p, out))
    assert.is_true(out.result.complete)
  end)
end)
