-- Changes that are verified by each real server before they are made, from the command line.
local e2e = require('e2e')
local project = require('project')

-- One more parameter, in the definition and the declaration alone: all callers would be wrong.
local PARAMETER = {
  c = { ['shape.h'] = { 'int h);', 'int h, int d);' }, ['shape.c'] = { 'int h)', 'int h, int d)' } },
  python = { ['shape.py'] = { 'h: int)', 'h: int, d: int)' } },
  typescript = { ['shape.ts'] = { 'h: number)', 'h: number, d: number)' } },
  rust = { ['shape.rs'] = { 'h: i32)', 'h: i32, d: i32)' } },
  go = { ['shape.go'] = { 'h int)', 'h, d int)' } },
}
local BODY = {
  c = { ['shape.c'] = { 'w * h', 'h * w' } },
  python = { ['shape.py'] = { 'w * h', 'h * w' } },
  typescript = { ['shape.ts'] = { 'w * h', 'h * w' } },
  rust = { ['shape.rs'] = { 'w * h', 'h * w' } },
  go = { ['shape.go'] = { 'w * h', 'h * w' } },
}
local UNKNOWN = {
  c = { ['shape.c'] = { 'w * h', 'w * unknown' } },
  python = { ['shape.py'] = { 'w * h', 'w * unknown' } },
  typescript = { ['shape.ts'] = { 'w * h', 'w * unknown' } },
  rust = { ['shape.rs'] = { 'w * h', 'w * unknown' } },
  go = { ['shape.go'] = { 'w * h', 'w * unknown' } },
}
-- A name that another symbol of the same scope has.
local TAKEN = {
  c = { file = 'shape.c', new_name = 'twice' },
  python = { file = 'shape.py', new_name = 'main' },
  typescript = { file = 'shape.ts', new_name = 'main' },
  rust = { file = 'shape.rs', new_name = 'main' },
  go = { file = 'shape.go', new_name = 'main', refuses = 'conflicts with func' },
}
local LANGUAGE = {
  clangd = 'c',
  ['clangd-new'] = 'c',
  pyright = 'python',
  typescript = 'typescript',
  rust_analyzer = 'rust',
  gopls = 'go',
}

-- A slow machine shall not make silence of what is only late.
local PATIENT = {
  ['lsp.silence_ms'] = 8000,
}

--- The files of the new errors of a change that is refused, each once.
---@param sample test.Sample
---@param done test.Called
---@return string[]
local function refused_in(sample, done)
  assert.equal(1, done.code, done.out)
  assert.equal('conflict', done.answer.error.code, done.out)
  assert.same(e2e.before(sample), e2e.disk(sample, project.dir))
  local files = {}
  for _, row in ipairs(done.answer.new_errors) do
    files[row.file] = true
  end
  files = vim.tbl_keys(files)
  table.sort(files)
  return files
end

---@param change table<string, string[]>   by file: an old text, and a new one
---@return table   arguments of multi_edit
local function edit(change)
  local operations = {}
  for file, texts in vim.spairs(change) do
    table.insert(operations, {
      edit_type = 'replace',
      file_path = file,
      old_string = texts[1],
      new_string = texts[2],
    })
  end
  return { operations = operations, verify = true }
end

for name, sample in vim.spairs(e2e.samples) do
  local language = LANGUAGE[name]

  describe('a change verified by ' .. name, function()
    setup(function()
      project.reside(sample.config, PATIENT)
    end)
    before_each(function()
      e2e.fill(sample, project.dir)
    end)
    teardown(project.finish)

    local function call(change)
      return project.call('multi_edit', edit(change), { '--yes' })
    end

    it('is refused where it brings an error', function()
      local done = call(UNKNOWN[language])
      assert.same({ (next(UNKNOWN[language])) }, refused_in(sample, done))
      assert.equal(1, #done.answer.new_errors)
      -- rust-analyzer does not name it
      assert.matches(
        language == 'rust' and 'no such value' or 'unknown',
        done.answer.new_errors[1].message
      )
      assert.matches('w %* unknown', done.answer.new_errors[1].text)
    end)

    it('is refused where it breaks callers in other files', function()
      local want = { sample.main, (sample.main:gsub('main', 'twice')) }
      assert.same(want, refused_in(sample, call(PARAMETER[language])))
    end)

    if language == 'c' then
      it('comes back with the fix of its error', function()
        local done = call { ['shape.c'] = { 'return area_of', 'return area_og' } }
        refused_in(sample, done)
        assert.matches("change 'area_og' to 'area_of'", done.answer.new_errors[1].fixes[1].title)
      end)
    end

    it('is made where it brings none', function()
      local done = call(BODY[language])
      assert.equal(0, done.code, done.out)
      assert.equal('ok', done.answer.syntax_check)
      -- there is no word of Rust's compiler on what is not saved
      assert.equal(language ~= 'rust', done.answer.complete)
      assert.same(
        language == 'rust'
            and 'rust_analyzer has checked it, but its check of saved files cannot see a change that is not applied yet'
          or nil,
        (done.answer.reasons or {})[1]
      )
      local file, texts = next(BODY[language])
      local want = e2e.before(sample)
      want[file] = want[file]:gsub(vim.pesc(texts[1]), vim.pesc(texts[2]))
      assert.same(want, e2e.disk(sample, project.dir))
    end)
  end)

  describe('a change verified by ' .. name .. ', which knows nothing yet,', function()
    local dir

    before_each(function()
      dir = project.begin()
      e2e.fill(sample, dir)
    end)
    after_each(project.finish)

    local function call(tool, args, options)
      return e2e.oxide(dir, { 'call', tool, '--yes', vim.json.encode(args) }, {
        config = sample.config,
        options = vim.tbl_extend('force', PATIENT, options or {}),
      })
    end

    if language == 'c' then
      it('is refused where it breaks callers that the server has no list of', function()
        assert(vim.uv.fs_unlink(dir .. '/compile_commands.json'))
        local done = call('multi_edit', edit(PARAMETER.c))
        assert.same({ 'main.c', 'twice.c' }, refused_in(sample, done))
      end)
    else
      it('is refused where it brings an error', function()
        local done = call('multi_edit', edit(UNKNOWN[language]))
        assert.same({ (next(UNKNOWN[language])) }, refused_in(sample, done))
      end)
    end

    it('is refused where it is a rename to a name that is taken', function()
      local taken = TAKEN[language]
      local function rename(options, new_name)
        return call('lsp_rename', {
          file_path = taken.file,
          symbol = sample.old,
          new_name = new_name or taken.new_name,
        }, options)
      end
      if taken.refuses then -- by itself
        local done = rename()
        assert.equal('peer', done.answer.error.code, done.out)
        assert.matches(taken.refuses, done.answer.error.message)
        return assert.same(e2e.before(sample), e2e.disk(sample, dir))
      end
      refused_in(sample, rename { ['rename.verified_files'] = 16 })
      refused_in(sample, rename { ['rename.verified_files'] = 2 })
      local large = rename({ ['rename.verified_files'] = 2 }, 'nobody_has_it')
      assert.equal(0, large.code, large.out)
      assert.matches('^skipped: it changes %d files', large.answer.syntax_check)
      assert.same(e2e.after(sample, 'nobody_has_it'), e2e.disk(sample, dir))
    end)
  end)
end

describe('a change verified by pyright, which has types unchecked by configuration,', function()
  local sample = {
    files = {
      ['shape.py'] = 'def «area»(w: int) -> int:\n    return w\n\n\nn = «area»(1)\n',
    },
  }

  setup(function()
    project.reside(e2e.samples.pyright.config, PATIENT)
  end)
  before_each(function()
    e2e.fill(sample, project.dir)
    project.put('pyrightconfig.json', '{ "typeCheckingMode": "off" }\n')
  end)
  teardown(project.finish)

  it('is refused where it leaves a name undefined', function()
    local change = edit { ['shape.py'] = { 'def area', 'def size' } }
    local done = project.call('multi_edit', change, { '--yes' })
    assert.same({ 'shape.py' }, refused_in(sample, done))
    assert.equal('"area" is not defined', done.answer.new_errors[1].message)
    assert.equal(5, done.answer.new_errors[1].line)
  end)

  it('says what was not looked at', function()
    local change = edit { ['shape.py'] = { 'return w', 'return 2 * w' } }
    local done = project.call('multi_edit', change, { '--yes' })
    assert.equal(0, done.code, done.out)
    assert.is_false(done.answer.complete, done.out)
    assert.matches(
      'pyright does not look at types, .* typeCheckingMode is off %(shape%.py%)',
      table.concat(done.answer.reasons, '\n')
    )
    project.put('pyrightconfig.json', '{}\n')
    change = edit { ['shape.py'] = { '2 * w', '3 * w' } }
    done = project.call('multi_edit', change, { '--yes' })
    assert.equal(0, done.code, done.out)
    assert.not_matches('does not look at', done.out)
  end)
end)

describe('a change of plain JavaScript', function()
  setup(function()
    project.reside(e2e.samples.typescript.config, PATIENT)
  end)
  before_each(function()
    project.put('shape.js', 'export function area(w, h) {\n  return w * h;\n}\n')
  end)
  teardown(project.finish)

  local function change()
    local edits = edit { ['shape.js'] = { 'w * h', 'h * w' } }
    local done = project.call('multi_edit', edits, { '--yes' })
    assert.equal(0, done.code, done.out)
    return done
  end

  it('says that names and types were not looked at', function()
    local done = change()
    assert.is_false(done.answer.complete, done.out)
    assert.matches(
      'typescript does not look at names and types of plain JavaScript .* %(shape%.js%)',
      table.concat(done.answer.reasons, '\n')
    )
  end)

  it('is complete as a rename, whose places come from the server', function()
    local args = { file_path = 'shape.js', line = 1, symbol = 'area', new_name = 'size' }
    local done = project.call('lsp_rename', args, { '--yes' })
    assert.equal(0, done.code, done.out)
    assert.is_true(done.answer.complete, done.out)
  end)

  it('is checked where its text or its project has it so', function()
    project.put('jsconfig.json', '{ "compilerOptions": { "checkJs" : true } }\n')
    assert.not_matches('does not look at', change().out)
    os.remove(project.dir .. '/jsconfig.json')
    project.put('shape.js', '// @ts-check\nexport const area = (w, h) => w * h;\n')
    assert.not_matches('does not look at', change().out)
  end)
end)
