-- Files beside a program of TypeScript or Python that its server does not read, and that have a name
-- of it in their code: components and pages with scripts, what Cython compiles, notebooks.
local complete = require('complete')
local e2e = require('e2e')
local project = require('project')

local put, get = project.put, project.get

local core ---@type test.Session

--- A new name for what is called `old` in a file. That no new errors come of it is tested elsewhere.
local function args_of(file, old, more)
  return vim.tbl_extend('force', {
    file_path = file,
    symbol = old,
    new_name = old .. '_new',
    confirm = 'apply',
    verify = false,
  }, more or {})
end

--- Refused for the place in a file, and nothing has changed; made whole where that is allowed.
local function refused(file, old, unread, line)
  local before = get(file)
  local text = core:fails('lsp_rename', args_of(file, old))
  local said = ('%s %%(line %d contains the name, but [a-z]+ does not analyze it'):format(
    vim.pesc(unread),
    line
  )
  assert.matches(said, text)
  assert.equal(before, get(file))
end

--- Made, and said not to be complete for a place in a file.
local function doubted(file, old, unread, line)
  local text = core:ok('lsp_rename', args_of(file, old))
  assert.matches('complete: false', text)
  assert.matches(('%s: line %d contains the name'):format(vim.pesc(unread), line), text)
  assert.matches(old .. '_new', get(file))
end

--- Made, and complete.
local function complete_of(file, old)
  local text = core:ok('lsp_rename', args_of(file, old))
  assert.matches('complete: true', text)
  assert.matches(old .. '_new', get(file))
  return text
end

describe('beside TypeScript, where its server does not read it:', function()
  local UTIL = 'export function helper(a: number) {\n  return a;\n}\n'
    .. 'export class Shape {\n  area() {\n    return helper(1);\n  }\n}\n'

  local FILES = {
    ['tsconfig.json'] = e2e.tsconfig('src'),
    ['src/util.ts'] = UTIL,
    ['src/main.ts'] = "import { helper } from './util';\nexport const one = helper(1);\n",
  }

  setup(function()
    core = complete.begin(FILES)
  end)
  before_each(function()
    project.reset(FILES)
  end)
  teardown(project.finish)

  for name, text in pairs {
    ['App.vue'] = '<template>\n<p>x</p>\n</template>\n<script setup lang="ts">\n'
      .. "import { helper } from './util'\nconst x = helper(2)\n</script>\n",
    ['Alias.vue'] = "<p/>\n\n\n<script>\nimport { helper } from '@/util'\n</script>\n",
    ['Late.vue'] = "<p/>\n\n\n<script>\n\nconst { helper } = await import('./util.js')\n</script>\n",
    ['App.svelte'] = "\n\n\n<script>\n  import { helper } from './util.js';\n</script>\n",
    ['page.astro'] = "---\n\n\n\nimport { helper } from './util';\n---\n<p>{helper(1)}</p>\n",
    ['page.mdx'] = "# The helper\n\nfoo\n\nimport { helper } from './util'\n\n{helper(1)}\n",
    ['deep/App.vue'] = "\n\n<script>\nimport * as util from '../util'\nutil.helper(1)\n</script>\n",
  } do
    local line = (name == 'Late.vue' and 6) or 5
    it('the import in ' .. name, function()
      put('src/' .. name, text)
      refused('src/util.ts', 'helper', 'src/' .. name, line)
      local said = core:ok('lsp_rename', args_of('src/util.ts', 'helper', { incomplete = 'allow' }))
      assert.matches('complete: false', said)
      assert.matches(vim.pesc('src/' .. name), said)
      assert.equal(text, get('src/' .. name))
    end)
  end

  it('a template that uses a member of what the script imports', function()
    put(
      'src/App.vue',
      '<script setup>\nimport { Shape } from "./util"\nconst s = new Shape()\n</script>\n'
        .. '<template>\n<p :title="s.area()">the one</p>\n</template>\n'
    )
    refused('src/util.ts', 'Shape/area', 'src/App.vue', 6)
  end)

  it('a change of the signature, and a list of references', function()
    put('src/App.vue', '<script>\nimport { helper } from "./util"\nhelper(1)\n</script>\n')
    local text = core:fails('lsp_edit', {
      file_path = 'src/util.ts',
      symbol = 'helper',
      action = 'change_signature',
      signature = 'a: number, b: number := 0',
    })
    assert.matches('src/App.vue', text)
    text = core:ok('lsp_symbol', {
      query = 'references',
      file_path = 'src/util.ts',
      symbol = 'helper',
    })
    assert.matches('complete: false', text)
    assert.matches('src/App.vue', text)
  end)

  it('prose, comments and strings, which are no use', function()
    put(
      'src/App.vue',
      '<template>\n<p title="helper">the helper {{ \'helper\' }}</p>\n</template>\n'
        .. '<script>\nimport { one } from "./main" // no helper\n</script>\n'
    )
    put('src/page.mdx', 'A helper, `helper`.\n\n```ts\nhelper(1)\n```\n')
    assert.matches('src/App.vue', complete_of('src/util.ts', 'helper'))
  end)

  it('code that imports nothing of it may mean it or not', function()
    put(
      'src/App.vue',
      '<script setup>\nimport { ref } from "vue"\nconst r = helper(1)\n</script>\n'
    )
    doubted('src/util.ts', 'helper', 'src/App.vue', 3)
  end)

  it('a variable of one function', function()
    put('src/local.ts', 'export function f() {\n  const count = 1;\n  return count;\n}\n')
    put('src/App.vue', '<script>\nimport { f } from "./local"\nlet count = f()\n</script>\n')
    local text = core:ok('lsp_rename', args_of('src/local.ts', 'count', { line = 2 }))
    assert.matches('complete: true', text)
  end)
end)

describe('beside Python, where its server does not read it:', function()
  local FILES = {
    ['pyrightconfig.json'] = '{}\n',
    ['pkg/__init__.py'] = 'from .util import helper\n',
    ['pkg/util.py'] = 'def helper(a: int, size: int = 0) -> int:\n    return a + size\n',
    ['main.py'] = 'from pkg.util import helper\n\nprint(helper(1))\n',
  }

  setup(function()
    core = complete.begin(FILES)
  end)
  before_each(function()
    project.reset(FILES)
  end)
  teardown(project.finish)

  for name, text in pairs {
    ['fast.pyx'] = 'from pkg.util import helper\n\ncdef int f():\n    return helper(1)\n',
    ['pkg/fast.pyx'] = 'from .util cimport helper\n',
    ['pkg/other.pxi'] = 'from . import helper\n',
    ['pkg/sub/deep.pyx'] = 'from ..util import (helper,\n  size)\n',
    ['lib.pyx'] = 'import pkg.util; pkg.util.helper(1)\n',
    ['pkg/util.pxd'] = 'cpdef int helper(int a, int size=*)\n',
  } do
    it('a use in ' .. name, function()
      put(name, text)
      refused('pkg/util.py', 'helper', name, 1)
      local said = core:ok('lsp_rename', args_of('pkg/util.py', 'helper', { incomplete = 'allow' }))
      assert.matches('complete: false', said)
      assert.equal(text, get(name))
    end)
  end

  it('a parameter that is named in a call', function()
    put('fast.pyx', 'from pkg.util import helper\nhelper(1, size=2)\n')
    refused('pkg/util.py', 'helper/size', 'fast.pyx', 2)
  end)

  it('comments and strings, which are no use', function()
    put('fast.pyx', 'import pkg.util # helper\nx = "helper"\n')
    assert.matches('fast.pyx', complete_of('pkg/util.py', 'helper'))
  end)

  it('code that imports nothing of it', function()
    put('fast.pyx', 'cdef int helper(int a):\n    return a\n')
    doubted('pkg/util.py', 'helper', 'fast.pyx', 1)
  end)

  it('a notebook, which refuses nothing', function()
    put(
      'look.ipynb',
      '{"cells": [\n {"cell_type": "code", "source": [\n  "from pkg.util import helper\\n",\n'
        .. '  "helper(1)"\n ]}\n]}\n'
    )
    doubted('pkg/util.py', 'helper', 'look.ipynb', 3)
  end)

  it('the words and the output of a notebook', function()
    put(
      'look.ipynb',
      '{"cells": [\n {"cell_type": "markdown", "source": ["a helper"]},\n {"cell_type": "code",\n'
        .. ' "outputs": [{"text": ["helper"]}], "source": ["x = 1"]}\n]}\n'
    )
    assert.matches('look.ipynb', complete_of('pkg/util.py', 'helper'))
  end)
end)
