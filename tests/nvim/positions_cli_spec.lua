-- The tools that count as LSP does, with the real servers: from 0, in UTF-16 code units.
local e2e = require('e2e')
local helper = require('helper')
local project = require('project')

local dir ---@type string

local function call(tool, args, code)
  local done = project.call(tool, args)
  assert.equal(code or 0, done.code, done.out)
  return done.answer
end

--- What is at a place of the answer.
local function at(texts, place)
  local line = vim.split(texts[place.file], '\r?\n')[place.line + 1]
  local function byte(character)
    return vim.str_byteindex(line, 'utf-16', character)
  end
  assert.equal(place.line, place.end_line)
  return line:sub(byte(place.character) + 1, byte(place.end_character))
end

---@param sample test.Sample
local function in_project(sample)
  setup(function()
    dir = project.reside(sample.config)
    e2e.fill(sample, dir)
  end)
  teardown(project.finish)
end

for name, sample in vim.spairs(e2e.samples) do
  describe('positions from 0 with ' .. name, function()
    local before = e2e.before(sample)
    -- the last call on the line, behind the wide characters
    local line, character = -1, 0
    for i, text in ipairs(vim.split(before[sample.main], '\n')) do
      if text:find('😀') then
        line = i - 1
        character = vim.str_utfindex(text, 'utf-16', text:find(sample.old .. '(', 1, true) - 1)
      end
    end

    in_project(sample)

    it('go behind wide characters and come back', function()
      local place = { file_path = sample.main, line = line, character = character }
      local found = call('find_references', place)
      assert.equal(sample.places, #found.references)
      for _, use in ipairs(found.references) do
        assert.equal(sample.old, at(before, use))
        assert.is_nil(use.column)
      end
      local definition = call('goto_definition', place).definitions
      assert.equal(1, #definition)
      assert.equal(sample.old, at(before, definition[1]))
      assert.matches('^shape', definition[1].file)
      assert.matches(sample.old, call('hover_info', place).hover)
    end)

    it('stand for a name that is only used', function()
      local answer = call('goto_definition', { file_path = sample.main, symbol = sample.old })
      assert.equal(1, #answer.definitions)
      assert.matches('^shape', answer.definitions[1].file)
      -- where it is imported, or past the string that only looks like it
      local imported = before[sample.main]:find('%f[%w]' .. sample.old .. '%f[%W]') < 40
      assert.equal(imported and 0 or line, answer.asked_at.line)
      local none = call('hover_info', { file_path = sample.main, symbol = 'nowhere' }, 1)
      assert.equal('not_found', none.error.code)
    end)

    it('tell what is in a file and what is wrong with it', function()
      local bad = before[sample.main] .. '/* größe */ )))\n'
      helper.write(dir .. '/' .. sample.main, bad)
      local texts = vim.tbl_extend('force', before, { [sample.main] = bad })
      local file = { file_path = sample.main }
      local listed = call('get_diagnostics', file)
      local all = call('analyze_code', file)
      -- a server that never says what it has looked at may not have come to the end
      if listed.complete then
        local worst = listed.diagnostics[1]
        assert.equal(1, worst.severity)
        assert.equal('error', worst.severity_name)
        assert.is_true(worst.line > line)
        assert.same(listed.diagnostics, all.diagnostics)
        assert.same(listed.counts, all.counts)
      end
      assert.is_true(listed.complete)
      assert.equal(#bad, all.bytes)
      assert.equal(select(2, bad:gsub('\n', '')), all.lines)
      local main = vim.tbl_filter(function(symbol)
        return symbol.name == 'main'
      end, all.symbols)[1]
      assert.equal('main', at(texts, main))
    end)
  end)
end

describe('positions from 0', function()
  local sample = e2e.samples.clangd
  in_project(sample)

  it('are refused where there are none', function()
    for args, want in pairs {
      [{ line = 99 }] = 'line 99 is past the end',
      [{ line = -1 }] = 'line must be an integer >= 0',
      [{ character = 1 }] = 'character needs a line',
      [{ line = 4 }] = 'there are several names on that line',
      [{}] = 'give `line`',
    } do
      args.file_path = 'main.c'
      local answer = call('goto_definition', args, 1)
      assert.matches(want, answer.error.message, 1, true)
    end
    local gone = call('analyze_code', { file_path = 'none.c' }, 1)
    assert.equal('not_found', gone.error.code)
  end)

  it('are in an empty file its first line', function()
    helper.write(dir .. '/empty.c', '')
    local place = { file_path = 'empty.c', line = 0, character = 0 }
    assert.same({}, call('goto_definition', place).definitions)
    place.character = nil
    local answer = call('goto_definition', place, 1)
    assert.matches('no name on that line', answer.error.message)
    place.line = 1
    assert.matches('past the end', call('goto_definition', place, 1).error.message)
  end)

  it('are told of a file that no server knows as far as they can be', function()
    helper.write(dir .. '/notes.zzz', 'one\ntwo\n')
    local answer = call('analyze_code', { file_path = 'notes.zzz' })
    assert.equal(2, answer.lines)
    assert.equal(8, answer.bytes)
    assert.matches('no language server', answer.no_symbols)
    assert.matches('no language server', answer.no_diagnostics)
  end)

  it('format as lsp_format does', function()
    local before = e2e.disk(sample, dir)
    local ours = call('format_document', { file_path = 'main.c', dry_run = true })
    local range = { file_path = 'main.c', start_line = 5, end_line = 5, dry_run = true }
    assert.same(call('lsp_format', { file_path = 'main.c', dry_run = true }), ours)
    assert.same(call('lsp_format', range), call('format_code', range))
    assert.same(before, e2e.disk(sample, dir))
  end)
end)
