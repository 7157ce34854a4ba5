-- Wide characters, tabs, every line ending, BOM and missing last newline, with servers of every
-- encoding: through the command line and in open buffers, byte by byte on the disk.
local fault = require('fault')
local helper = require('helper')

local BOM = '\239\187\191'

local LINES = {
  'old \t α  old  — start',
  '\told, 日本語  old;  \t',
  '',
  '  😀 old 👩‍👩‍👧  old  e\204\129 old\t',
  'nothing  here  ',
  '\t日本語 é old',
}

local SHAPES = {
  { name = 'LF' },
  { name = 'CRLF', eol = '\r\n' },
  { name = 'BOM and LF', bom = true },
  { name = 'BOM and CRLF', bom = true, eol = '\r\n' },
  { name = 'no newline at the end', noeol = true },
  { name = 'CRLF, none at the end', noeol = true, eol = '\r\n' },
  { name = 'BOM, CRLF, none at the end', bom = true, noeol = true, eol = '\r\n' },
}

local function text_of(shape, lines)
  local eol = shape.eol or '\n'
  return (shape.bom and BOM or '') .. table.concat(lines, eol) .. (shape.noeol and '' or eol)
end

local function renamed(lines)
  return vim.tbl_map(function(line)
    return (line:gsub('%f[%w]old%f[%W]', '新しい'))
  end, lines)
end

local function formatted(lines)
  return vim.tbl_map(function(line)
    local indent, rest = line:match('^([ \t]*)(.*)$')
    return (indent .. rest:gsub('[ \t]+', ' ')):gsub('[ \t]+$', '')
  end, lines)
end

local function project(encoding)
  return fault.project {
    encoding = encoding,
    lint = {}, -- it finds nothing wrong, and says so
    on = {
      ['textDocument/rename'] = { rename = { files = { 'a.txt', 'b.txt' } } },
      ['textDocument/formatting'] = { format = true },
    },
  }
end

local PLACE = { file_path = 'a.txt', line = 4, column = 21, new_name = '新しい' }

for _, encoding in ipairs { 'utf-8', 'utf-16', 'utf-32' } do
  describe(encoding .. ':', function()
    after_each(fault.cleanup)

    for _, shape in ipairs(SHAPES) do
      local text = text_of(shape, LINES)
      local files = { ['a.txt'] = text, ['b.txt'] = text }

      it('rename and undo by the command line, ' .. shape.name, function()
        local p = project(encoding):files(files)
        local column = assert(LINES[4]:find('old', 10, true))
        local out =
          p:call('lsp_rename', vim.tbl_extend('force', PLACE, { column = column }), { '--yes' })
        assert.is_true(out.result.success, vim.inspect(out.result))
        for _, name in ipairs { 'a.txt', 'b.txt' } do
          assert.equal(text_of(shape, renamed(LINES)), helper.read(p.dir .. '/' .. name))
        end
        assert.equal('old', out.result.old_name)
        assert.is_true(p:call('undo', {}).result.success)
        assert.equal(text, helper.read(p.dir .. '/a.txt'))
        assert.equal(text, helper.read(p.dir .. '/b.txt'))
        p:server_text('a.txt')
      end)

      it('format by the command line, ' .. shape.name, function()
        local p = project(encoding):files(files)
        local out = p:call('lsp_format', { file_path = 'a.txt' })
        assert.is_true(out.result.success, vim.inspect(out.result))
        assert.equal(text_of(shape, formatted(LINES)), helper.read(p.dir .. '/a.txt'))
        local again = p:call('lsp_format', { file_path = 'a.txt' })
        assert.equal(0, again.result.edits)
        assert.is_nil(again.result.transaction)
      end)

      it('rename and format of open buffers, ' .. shape.name, function()
        local p = project(encoding)
        local child = p:nvim(files)
        child:cmd('edit a.txt')
        child:lua([[
          vim.fn.cursor(4, vim.fn.getline(4):find('old', 10, true))

          vim.cmd('mark m')
        ]])
        child:cmd('Oxide rename! 新しい')
        assert.matches('^Oxide: Renamed 16 places in 2 files', child:message('Renamed'))
        for _, name in ipairs { 'a.txt', 'b.txt' } do
          assert.equal(text_of(shape, renamed(LINES)), child:file(name))
        end
        child:lua([[require('oxide').setup { apply = { save = 'all' } }]])
        child:cmd('Oxide format')
        child:message('Formatted')
        assert.equal(text_of(shape, formatted(renamed(LINES))), child:file('a.txt'))
        assert.is_false(child:lua('return vim.bo.modified'))
        assert.equal(4, child:lua([[return vim.fn.line("'m")]]))
        child:cmd('undo')
        assert.same(renamed(LINES), child:lines())
        child:cmd('undo')
        assert.same(LINES, child:lines())
        child:cmd('Oxide format')
        fault.wait('the second answer', function()
          return #p:received('textDocument/formatting') == 2
            and child:lua('return vim.deep_equal(...)', child:lines(), formatted(LINES))
        end)
        p:server_text('a.txt')
      end)
    end
  end)
end

describe('a server of an encoding that was not offered', function()
  after_each(fault.cleanup)

  it('is not used', function()
    local p = project('utf-7'):files { ['a.txt'] = 'old\n' }
    local out = p:rename()
    assert.equal('no_server', out.result.error.code)
    assert.matches('fake.*utf%-7', out.result.error.message)
  end)
end)
