-- Several functions of one name path in a file: lsp_edit takes none of them by itself, the answer
-- lists them all, and NAME[n] reaches each. With the real servers, of which some list one alone, and by
-- the text without any.
local e2e = require('e2e')
local helper = require('helper')
local project = require('project')

local SAMPLES = {
  pyright = {
    file = 'c.py',
    text = 'import sys\n\n\nclass C:\n    @property\n    def value(self) -> int:\n        return 1\n\n'
      .. '    @value.setter\n    def value(self, v: int) -> None:\n        print(2)\n\n'
      .. '    @value.deleter\n    def value(self) -> None:\n        print(3)\n\n\n'
      .. 'if sys.platform == "win32":\n    def name() -> str:\n        return "1"\n'
      .. 'else:\n    def name() -> str:\n        return "2"\n',
    files = { ['pyrightconfig.json'] = '{}\n' },
    cases = {
      ['C/value'] = {
        { 'return 1', 'print(4)' },
        { 'print(2)', 'print(4)' },
        { 'print(3)', 'print(4)' },
      },
      name = { { 'return "1"', 'return "4"' }, { 'return "2"', 'return "4"' } },
    },
  },
  typescript = {
    file = 'a.ts',
    text = 'export class C {\n  get value(): number {\n    return 1;\n  }\n'
      .. '  set value(v: number) {\n    this.n = 2;\n  }\n  n = 0;\n}\n',
    files = { ['tsconfig.json'] = e2e.tsconfig() },
    cases = {
      ['C/value'] = { { 'return 1;', 'return 4;' }, { 'this.n = 2;', 'this.n = 4;' } },
    },
  },
  clangd = {
    file = 'a.c',
    text = '#ifdef FAR\nint area(int w)\n{\n\treturn 1;\n}\n#else\n'
      .. 'int area(int w)\n{\n\treturn 2;\n}\n#endif\n',
    cases = { area = { { 'return 1;', 'return 4;' }, { 'return 2;', 'return 4;' } } },
  },
  ['clangd, C++'] = {
    file = 'a.cpp',
    text = 'struct S {\n\tint area(int w)\n\t{\n\t\treturn 1;\n\t}\n'
      .. '\tint area(long w)\n\t{\n\t\treturn 2;\n\t}\n};\n',
    cases = { ['S/area'] = { { 'return 1;', 'return 4;' }, { 'return 2;', 'return 4;' } } },
  },
  ['rust-analyzer'] = {
    file = 'main.rs',
    text = '#[cfg(windows)]\nfn area() -> u32 {\n    1\n}\n\n#[cfg(not(windows))]\n'
      .. 'fn area() -> u32 {\n    2\n}\n\nfn main() {\n    area();\n}\n',
    files = {
      ['Cargo.toml'] = '[package]\nname = "a"\nversion = "0.1.0"\nedition = "2021"\n\n'
        .. '[[bin]]\nname = "a"\npath = "main.rs"\n',
    },
    cases = { area = { { '    1\n', '    4\n' }, { '    2\n', '    4\n' } } },
  },
}

local function nowhere()
  return { cmd = { '/nowhere/server' } }
end

local NONE = 'servers = '
  .. vim.inspect {
    clangd = nowhere(),
    pyright = nowhere(),
    pylsp = nowhere(),
    typescript = nowhere(),
    typescript_native = nowhere(),
    rust_analyzer = nowhere(),
  }

local dir

local function call(sample, symbol, more)
  local args = vim.tbl_extend('error', {
    file_path = sample.file,
    symbol = symbol,
    action = 'replace_body',
    verify = false,
  }, more)
  return project.call('lsp_edit', args)
end

local function check(sample, name, bodies)
  local asked = call(sample, name, { content = vim.trim(bodies[1][2]) })
  assert.equal(1, asked.code, asked.out)
  assert.equal('ambiguous', asked.answer.error.code, asked.out)
  assert.equal(#bodies, #asked.answer.error.candidates, asked.out)
  assert.equal(sample.text, helper.read(dir .. '/' .. sample.file))
  for i, body in ipairs(bodies) do
    local candidate = asked.answer.error.candidates[i].symbol
    assert.equal(('%s[%d]'):format(name, i - 1), candidate)
    local done = call(sample, candidate, { content = vim.trim(body[2]) })
    assert.equal(0, done.code, done.out)
    local at, to = sample.text:find(body[1], 1, true)
    assert.equal(
      sample.text:sub(1, at - 1) .. body[2] .. sample.text:sub(to + 1),
      helper.read(dir .. '/' .. sample.file)
    )
    helper.write(dir .. '/' .. sample.file, sample.text)
  end
  local past = call(sample, ('%s[%d]'):format(name, #bodies), { content = 'x' })
  assert.equal('not_found', past.answer.error.code, past.out)
end

local SERVED = e2e.samples.rust_analyzer and e2e.samples.rust_analyzer.config or ''

for title, config in vim.spairs { ['by its server'] = SERVED, ['by the text alone'] = NONE } do
  describe('lsp_edit of one of several of a name, ' .. title, function()
    before_each(function()
      dir = project.reside(config, { ['lsp.timeout_ms'] = 60000 })
    end)
    after_each(project.finish)

    for server, sample in vim.spairs(SAMPLES) do
      it(server, function()
        project.put(sample.file, sample.text)
        project.fill(sample.files or {})
        for name, bodies in vim.spairs(sample.cases) do
          check(sample, name, bodies)
        end
      end)
    end
  end)
end
