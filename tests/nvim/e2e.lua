-- Projects for the tests with real servers, and the command line run from a test. In a project's
-- texts «name» marks what a rename of that name has to change, and nothing else may change: before()
-- and after() are the same text but for the marks, byte by byte.
local helper = require('helper')

local M = {}

---@param files table<string, string>
---@param name? string   instead of what is marked
---@return table<string, string>
local function marked(files, name)
  return vim.tbl_map(function(text)
    return (text:gsub('«(.-)»', function(old)
      return name or old
    end))
  end, files)
end

---@class test.Sample
---@field files table<string, string>   marked
---@field old string
---@field main string      open, and where the rename is asked for: the line with wide characters
---@field edited string    open, with changes of its own
---@field comment string   a line to type into it
---@field places integer
---@field server string
---@field config? string   of the plugin, as Lua
---@field extra? fun(dir: string): table<string, string>   files that name the directory

---@type table<string, test.Sample>
M.samples = {}

--- A tsconfig.json whose program may use what the language has, and nothing of a browser: to read the
--- declarations of that takes the compiler, and the server, longer than any project here.
---@param include? string
---@param options? table   of the compiler, besides
---@return string
function M.tsconfig(include, options)
  local all = {
    lib = { 'es2020' },
    module = 'commonjs',
    skipLibCheck = true,
    strict = true,
    target = 'es2020',
    types = {},
  }
  return vim.json.encode {
    include = { include or '*.ts' },
    compilerOptions = vim.tbl_extend('force', all, options or {}),
  }
end

local C = {
  ['shape.h'] = '#ifndef SHAPE_H\n#define SHAPE_H\n/* area of a thing */\n'
    .. 'int «area»(int w, int h);\n#endif\n',
  ['shape.c'] = '#include "shape.h"\n\nint «area»(int w, int h)\n'
    .. '{\n\tint area_of = w * h; // area\n\n\treturn area_of;\n}\n',
  ['main.c'] = '#include "shape.h"\n\nint main(void)\n{\n'
    .. '\tconst char *s = "größe\t漢字 😀 area";\tint n = «area»(«area»(1, 2), 3);\n\n'
    .. '\treturn n + (s != 0);\n}\n',
  -- no newline at the end, CRLF
  ['twice.c'] = '#include "shape.h"\r\n\r\nint twice(int x) { /* é */ return «area»(x, 2); }',
}

local function compile_commands(dir)
  local files = { 'main.c', 'shape.c', 'twice.c' }
  return { ['compile_commands.json'] = helper.compiled(dir, files, 'cc -Wall -Wextra') }
end

M.samples.clangd = {
  files = C,
  old = 'area',
  main = 'main.c',
  edited = 'shape.c',
  comment = '// mine',
  places = 5,
  server = 'clangd',
  extra = compile_commands,
}

-- Speaks utf-8 by the protocol's own positionEncodings; Debian 12's knows clangd's own way only.
M.samples['clangd-new'] = vim.tbl_extend('force', M.samples.clangd, {
  config = "servers = { clangd = { cmd = { 'clangd-new', '--background-index', '--log=error' } } }",
})

M.samples.pyright = {
  files = {
    ['pyrightconfig.json'] = '{}\n',
    ['shape.py'] = '"""The area of shapes."""\n\n\n'
      .. 'def «area»(w: int, h: int) -> int:\n    area_of = w * h\n    return area_of\n',
    ['main.py'] = 'from shape import «area»\n\n\ndef main() -> int:\n'
      .. '\ts, n = "größe\t漢字 😀 area", «area»(1, 2)\n\treturn n + len(s)\n',
    ['twice.py'] = 'import shape\r\n\r\n\r\ndef twice(x: int) -> int:\r\n    return shape.«area»(x, 2)',
    ['plain.py'] = 'def plain(area: int) -> int:\n    return area\n',
  },
  old = 'area',
  main = 'main.py',
  edited = 'shape.py',
  comment = '# mine',
  places = 4,
  server = 'pyright',
}

M.samples.typescript = {
  files = {
    ['tsconfig.json'] = M.tsconfig(),
    ['shape.ts'] = '/** The area of shapes. */\n'
      .. 'export function «area»(w: number, h: number): number {\n  const area_of = w * h;\n  return area_of;\n}\n',
    ['main.ts'] = "import { «area» } from './shape';\n\nexport function main(): number {\n"
      .. "\tconst s = 'größe\t漢字 😀 area', n = «area»(1, 2);\n\treturn n + s.length;\n}\n",
    ['twice.ts'] = "import * as shape from './shape';\r\n\r\nexport const twice = (x: number) => shape.«area»(x, 2);",
    ['plain.ts'] = 'export function plain(area: number): number {\n  return area;\n}\n',
  },
  old = 'area',
  main = 'main.ts',
  edited = 'shape.ts',
  comment = '// mine',
  places = 4,
  server = 'typescript',
}

M.samples.rust_analyzer = {
  files = {
    ['Cargo.toml'] = '[package]\nname = "shapes"\nversion = "0.1.0"\nedition = "2021"\n\n'
      .. '[[bin]]\nname = "shapes"\npath = "main.rs"\n',
    ['shape.rs'] = '/// The area of shapes.\n'
      .. 'pub fn «area»(w: i32, h: i32) -> i32 {\n\tlet area_of = w * h; // area\n\n\tarea_of\n}\n',
    ['main.rs'] = 'use shape::«area»;\n\nmod shape;\nmod twice;\n\nfn main() {\n'
      .. '\tlet s = "größe\t漢字 😀 area"; let n = «area»(1, 2);\n'
      .. '\tlet _ = (s, twice::twice(n));\n}\n',
    ['twice.rs'] = 'use crate::shape;\r\n\r\npub fn twice(x: i32) -> i32 { shape::«area»(x, 2) }',
  },
  old = 'area',
  main = 'main.rs',
  edited = 'shape.rs',
  comment = '// mine',
  places = 4,
  server = 'rust_analyzer',
  -- without the standard library it starts in one second instead of five
  config = [[servers = { rust_analyzer = { init_options = {
    cachePriming = { enable = false },
    cargo = { sysroot = '/nonexistent', buildScripts = { enable = false } },
    diagnostics = { experimental = { enable = true } },
  } } }]],
}

M.samples.gopls = {
  files = {
    ['go.mod'] = 'module example.org/shapes\n\ngo 1.21\n',
    ['shape.go'] = '// Package main is about shapes.\npackage main\n\n'
      .. 'func «area»(w, h int) int {\n\tarea_of := w * h // area\n\n\treturn area_of\n}\n',
    ['main.go'] = 'package main\n\nfunc main() {\n'
      .. '\ts := "größe\t漢字 😀 area"; n := «area»(«area»(1, 2), 3)\n\tprintln(s, twice(n))\n}\n',
    ['twice.go'] = 'package main\r\n\r\nfunc twice(x int) int { /* é */ return «area»(x, 2) }',
  },
  old = 'area',
  main = 'main.go',
  edited = 'shape.go',
  comment = '// mine',
  places = 4,
  server = 'gopls',
}

--- Whether the set-up could bring a server; where it could not, its tests are left out.
---@param program string
---@return boolean
function M.brought(program)
  return vim.uv.fs_stat(helper.root .. '/.deps/bin/' .. program) ~= nil
end

for name, program in pairs { rust_analyzer = 'rust-analyzer', gopls = 'gopls' } do
  M.samples[name] = M.brought(program) and M.samples[name] or nil
end

---@param sample test.Sample
---@return table<string, string>
function M.before(sample)
  return marked(sample.files)
end

---@param sample test.Sample
---@param name string
---@return table<string, string>
function M.after(sample, name)
  return marked(sample.files, name)
end

---@param sample test.Sample
---@param dir string
function M.fill(sample, dir)
  local files = M.before(sample)
  for path, text in pairs(vim.tbl_extend('error', files, sample.extra and sample.extra(dir) or {})) do
    helper.write(dir .. '/' .. path, text)
  end
end

--- The sample's files as they are on the disk.
---@param sample test.Sample
---@param dir string
---@return table<string, string>
function M.disk(sample, dir)
  local all = {}
  for path in pairs(sample.files) do
    all[path] = helper.read(dir .. '/' .. path)
  end
  return all
end

--- A buffer's text with the line ends that it would be written with.
---@param child test.Child
---@param file string
---@return string
function M.text(child, file)
  return child:lua(
    [[
      local buf = vim.fn.bufnr(...)
      local eol = vim.bo[buf].fileformat == 'dos' and '\r\n' or '\n'
      return table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), eol) .. (vim.bo[buf].eol and eol or '')
    ]],
    child.dir .. '/' .. file
  )
end

-- The machine may be slow; what these tests show is not how fast it is.
M.PATIENT = {
  ['run.allow'] = 1,
  ['gate.wait_ms'] = 600000,
  ['lsp.beside_ms'] = 0,
  ['lsp.diagnostics_wait_ms'] = 600000,
  ['lsp.index_wait_ms'] = 600000,
  ['lsp.quiet_ms'] = 2000,
  ['lsp.start_timeout_ms'] = 600000,
  ['lsp.timeout_ms'] = 600000,
  ['reach.wait_ms'] = 600000,
  ['rename.verify_ms'] = 600000,
}

--- The configuration of the plugin.
---@param more? string
---@return string
function M.config(more)
  return ([[{
    core = { path = %q, options = %s },
    lsp = { timeout_ms = 600000 },
    format = { timeout_ms = 600000 },
    %s
  }]]):format(helper.core, vim.inspect(M.PATIENT), more or '')
end

--- Writes the configuration of the program to a file.
---@param path string
---@param more? string
---@param options? table
function M.write_config(path, more, options)
  local all = vim.tbl_extend('force', M.PATIENT, options or {})
  helper.write(path, ('return { options = %s, %s }'):format(vim.inspect(all), more or ''))
end

---@param sample test.Sample
---@return test.Child
function M.start(sample)
  local child = helper.start({}, { config = M.config(sample.config) })
  M.fill(sample, child.dir)
  return child
end

---@class test.Called
---@field code integer
---@field out string
---@field err string
---@field answer any   what `out` is as JSON; nil when it is none

---@param done table   of vim.system
---@return test.Called
function M.called(done)
  local ok, answer =
    pcall(vim.json.decode, done.stdout, { luanil = { object = true, array = true } })
  local open = ok and type(answer) == 'table' and answer.complete == false
  assert(not open or answer.reasons, 'complete is false without a reason: ' .. done.stdout)
  return { code = done.code, out = done.stdout, err = done.stderr, answer = ok and answer or nil }
end

--- Runs the program itself.
---@param dir string       the project
---@param args string[]
---@param opts? { stdin?: string, config?: string, cwd?: string, options?: table, path?: string }
---@return test.Called
function M.oxide(dir, args, opts)
  opts = opts or {}
  local argv = vim.list_extend({ helper.core }, args)
  if args[1] == 'call' then
    M.write_config(dir .. '/.oxide.lua', opts.config, opts.options)
    vim.list_extend(argv, { '--config', dir .. '/.oxide.lua' })
  end
  return M.called(vim
    .system(argv, {
      cwd = opts.cwd or dir,
      stdin = opts.stdin or false,
      env = {
        XDG_STATE_HOME = dir .. '/.state',
        XDG_CONFIG_HOME = dir .. '/.config',
        PATH = opts.path or vim.env.PATH,
      },
    })
    :wait())
end

return M
