-- Members that stand for what is renamed by the shape of their types alone, which no server renames
-- with it: with each real server, a rename after which such a type does not fit any more is refused,
-- with the places in files that do not change.
local e2e = require('e2e')
local project = require('project')

local cases = {
  pyright = {
    program = 'pyright-langserver',
    home = 'store.py',
    files = {
      ['pyrightconfig.json'] = '{}\n',
      ['store.py'] = 'from typing import Protocol\n\n\nclass Store(Protocol):\n'
        .. '    def put(self, n: int) -> None: ...\n\n\n'
        .. 'def fill(s: Store) -> None:\n    s.put(1)\n',
      ['memory.py'] = 'class Memory:\n    def put(self, n: int) -> None:\n        print(n)\n',
      ['main.py'] = 'from memory import Memory\nfrom store import fill\n\nfill(Memory())\n',
      ['queue.py'] = 'class Queue:\n    def put(self, n: int) -> None:\n        print(n)\n',
    },
    wrong = { 'main.py:4' },
    -- Nobody gives a Queue for a Store.
    right = { file = 'queue.py', text = 'def store(' },
  },
  typescript = {
    program = 'typescript-language-server',
    home = 'store.ts',
    files = {
      ['tsconfig.json'] = e2e.tsconfig(),
      ['store.ts'] = 'export interface Store {\n  put(n: number): void;\n}\n'
        .. 'export function fill(s: Store): void {\n  s.put(1);\n}\n',
      ['memory.ts'] = 'export class Memory {\n  put(n: number): void {\n    console.log(n);\n  }\n}\n',
      ['main.ts'] = "import { Memory } from './memory';\nimport { fill } from './store';\n\n"
        .. 'fill(new Memory());\n',
      ['queue.ts'] = 'export class Queue {\n  put(n: number): void {\n    console.log(n);\n  }\n}\n',
      ['object.ts'] = "import { Store } from './store';\n\n"
        .. 'const made = {\n  put(n: number): void {\n    console.log(n);\n  },\n};\n'
        .. 'export const given: Store = made;\n',
    },
    wrong = { 'main.ts:4', 'object.ts:8' },
    right = { file = 'queue.ts', text = '  store(' },
  },
  gopls = {
    program = 'gopls',
    home = 'store.go',
    -- In a module of its own, which the server does not read for the other.
    files = {
      ['go.mod'] = 'module example.com/store\n\ngo 1.18\n',
      ['store.go'] = 'package store\n\ntype Store interface {\n\tPut(n int)\n}\n\n'
        .. 'func Fill(s Store) {\n\ts.Put(1)\n}\n',
      ['memory/go.mod'] = 'module example.com/memory\n\ngo 1.18\n\n'
        .. 'require example.com/store v0.0.0\n\nreplace example.com/store => ../\n',
      ['memory/memory.go'] = 'package memory\n\nimport "example.com/store"\n\n'
        .. 'type Memory struct{ n int }\n\nfunc (m *Memory) Put(n int) {\n\tm.n = n\n}\n\n'
        .. 'func New() store.Store {\n\treturn &Memory{}\n}\n',
      ['queue.go'] = 'package store\n\ntype Queue struct{ n int }\n\n'
        .. 'func (q *Queue) Put(n int, last bool) {\n\tq.n = n\n}\n',
    },
    wrong = { 'memory/memory.go:12' },
    right = { file = 'queue.go', text = ') Store(' },
  },
}

--- "file:line" of each new error.
---@param answer table
---@return string[]
local function places(answer)
  local list = {}
  for _, row in ipairs(answer.new_errors or {}) do
    table.insert(list, ('%s:%d'):format(row.file, row.line))
  end
  table.sort(list)
  return list
end

for server, case in vim.spairs(cases) do
  if e2e.brought(case.program) then
    describe('what stands by its shape for what is renamed, by ' .. server .. ',', function()
      local put, dir = server == 'gopls' and 'Put' or 'put', nil

      before_each(function()
        dir = project.begin(case.files)
        vim.fn.mkdir(dir .. '/.git')
        e2e.write_config(dir .. '.lua', nil, {
          ['rename.verify_ms'] = 30000,
          ['gate.wait_ms'] = 30000,
        })
      end)
      after_each(function()
        os.remove(dir .. '.lua')
        project.finish()
      end)

      local function rename(file, new)
        local args = { 'call', 'lsp_rename', '--file', file, '--symbol', put }
        return e2e.oxide(dir, vim.list_extend(args, { '--new-name', new, '--yes' }))
      end

      it('refuses the rename, with the places of files that stay', function()
        local done = rename(case.home, 'keep')
        assert.equal(1, done.code, done.out)
        assert.equal('conflict', done.answer.error.code, done.out)
        assert.same(case.wrong, places(done.answer))
        assert.same(case.files, project.now(case.files))
      end)

      it('lets be renamed what nobody gives for it', function()
        local done = rename(case.right.file, server == 'gopls' and 'Store' or 'store')
        assert.same({ 0, true }, { done.code, done.answer.complete }, done.out)
        assert.matches(vim.pesc(case.right.text), project.get(case.right.file))
      end)
    end)
  end
end

if e2e.brought('typescript-language-server') then
  it('keeps a private name private', function()
    local dir = project.begin {
      ['tsconfig.json'] = cases.typescript.files['tsconfig.json'],
      ['a.ts'] = 'export class Store {\n  #size = 1;\n  put() {\n    return this.#size;\n  }\n}\n',
    }
    finally(function()
      os.remove(dir .. '.lua')
      project.finish()
    end)
    vim.fn.mkdir(dir .. '/.git')
    e2e.write_config(dir .. '.lua')
    for _, case in ipairs { { 3, 'width', 'width' }, { 4, '#w', 'w' }, { 3, '#h', 'h' } } do
      local args = { 'call', 'lsp_rename', '--file', 'a.ts', '--line', '2' }
      vim.list_extend(args, { '--column', tostring(case[1]), '--new-name', case[2], '--yes' })
      local done = e2e.oxide(dir, args)
      assert.same({ 0, true, case[3] }, {
        done.code,
        done.answer.complete,
        done.answer.new_name,
      }, done.out)
      assert.equal(
        ('export class Store {\n  #%s = 1;\n  put() {\n    return this.#%s;\n  }\n}\n'):format(
          case[3],
          case[3]
        ),
        project.get('a.ts')
      )
    end
  end)

  it('says that of very many types not all were looked for', function()
    local text = {}
    for i = 1, 10 do
      table.insert(text, ('export class Queue%d {\n  put(n: number): void {\n'):format(i))
      table.insert(text, '    console.log(n);\n  }\n}\n')
    end
    local files = vim.tbl_extend('error', cases.typescript.files, {
      ['many.ts'] = table.concat(text),
    })
    files['memory.ts'], files['main.ts'], files['object.ts'] = nil, nil, nil
    local dir = project.begin(files)
    finally(function()
      os.remove(dir .. '.lua')
      project.finish()
    end)
    vim.fn.mkdir(dir .. '/.git')
    e2e.write_config(dir .. '.lua', nil, {
      ['rename.verify_ms'] = 30000,
      ['gate.wait_ms'] = 30000,
    })
    local done = e2e.oxide(dir, {
      'call',
      'lsp_rename',
      '--file',
      'store.ts',
      '--symbol',
      'put',
      '--new-name',
      'keep',
      '--yes',
    })
    assert.same({ 0, false }, { done.code, done.answer.complete }, done.out)
    assert.matches('what uses %d+ more types with members called put was not checked', done.out)
  end)
end
