-- A change across the packages of a workspace, with the real servers: each sees the whole change, one
-- that has them all, or one that has a part.
local e2e = require('e2e')
local helper = require('helper')
local project = require('project')

local CASES = {
  typescript = {
    files = {
      ['package.json'] = '{ "private": true, "workspaces": ["packages/*"] }\n',
      ['package-lock.json'] = '{}\n',
      ['packages/a/package.json'] = '{ "name": "a" }\n',
      ['packages/a/tsconfig.json'] = '{ "compilerOptions": { "composite": true }, "include": ["src"] }\n',
      ['packages/a/src/index.ts'] = 'export function greet(name: string): string {\n  return name;\n}\n',
      ['packages/b/package.json'] = '{ "name": "b" }\n',
      ['packages/b/tsconfig.json'] = '{ "compilerOptions": { "composite": true }, "include": ["src"], '
        .. '"references": [{ "path": "../a" }] }\n',
      ['packages/b/src/main.ts'] = "import { greet } from '../../a/src/index';\n\ngreet('x');\n",
    },
    file = 'packages/a/src/index.ts',
    parameter = { new = 'n: number', argument = '1' },
    calls = { ['packages/b/src/main.ts'] = "greet%('x', 1%)" },
  },
  pyright = {
    files = {
      ['a/pyrightconfig.json'] = '{}\n',
      ['a/shape.py'] = 'def greet(name: str) -> str:\n    return name\n',
      ['b/pyrightconfig.json'] = '{ "extraPaths": ["../a"] }\n',
      ['b/main.py'] = 'from shape import greet\n\ngreet("x")\n',
    },
    file = 'a/shape.py',
    parameter = { new = 'n: int', argument = '1' },
    calls = { ['b/main.py'] = 'greet%("x", 1%)' },
  },
  rust_analyzer = {
    files = {
      ['Cargo.toml'] = '[workspace]\nmembers = ["a", "b"]\nresolver = "2"\n',
      ['Cargo.lock'] = 'version = 3\n\n[[package]]\nname = "a"\nversion = "0.1.0"\n\n'
        .. '[[package]]\nname = "b"\nversion = "0.1.0"\ndependencies = [\n "a",\n]\n',
      ['a/Cargo.toml'] = '[package]\nname = "a"\nversion = "0.1.0"\nedition = "2021"\n',
      ['a/src/lib.rs'] = 'pub fn greet(name: &str) -> usize {\n    name.len()\n}\n',
      ['b/Cargo.toml'] = '[package]\nname = "b"\nversion = "0.1.0"\nedition = "2021"\n\n'
        .. '[dependencies]\na = { path = "../a" }\n',
      ['b/src/main.rs'] = 'fn main() {\n    a::greet("x");\n}\n',
    },
    file = 'a/src/lib.rs',
    parameter = { new = 'n: u32', argument = '1' },
    calls = { ['b/src/main.rs'] = 'greet%("x", 1%)' },
  },
}

for name, case in vim.spairs(CASES) do
  local sample = e2e.samples[name]

  describe('a workspace with ' .. name, function()
    after_each(project.finish)

    if sample then
      it('is changed across its packages', function()
        local dir = project.begin()
        project.fill(case.files)
        local done = e2e.oxide(dir, {
          'call',
          'lsp_edit',
          '--yes',
          vim.json.encode {
            action = 'change_signature',
            file_path = case.file,
            symbol = 'greet',
            parameters = { { from = 0 }, case.parameter },
          },
        }, { config = sample.config })
        assert.equal(0, done.code, done.out)
        assert.is_nil(done.answer.not_verified, done.out)
        for file, call in pairs(case.calls) do
          assert.matches(call, helper.read(dir .. '/' .. file))
        end
      end)
    end
  end)
end
