-- Members that stand for what is renamed by their shape, by a scripted server: which are found, in
-- very many files, and what is said where not all were looked for.
local fault = require('fault')
local helper = require('helper')

local HOME = 'class Store:\n    def put(self, n):\n        return n\n'

--- A project of Python in which the server renames what is called `put` on line 2 of home.py.
---@param files table<string, string>
---@param options? table
---@return test.Project
local function project(files, options)
  local change = { range = fault.range(1, 8, 11), newText = 'keep' }
  local result = { changes = { ['file://{ROOT}/home.py'] = { change } } }
  options = vim.tbl_extend('keep', options or {}, {
    ['rename.verified_files'] = 64,
    ['rename.verify_ms'] = 10,
    ['gate.files'] = 0,
  })
  local p = fault.project({ on = { ['textDocument/rename'] = { result = result } } }, options)
  p:files(vim.tbl_extend('error', { ['home.py'] = HOME }, files))
  local fake = p:server()
  fake.filetypes = { 'python' }
  local config = { servers = { fake = fake, pyright = { cmd = { '/nowhere' } } } }
  config.options = p.options
  helper.write(p.config, 'return ' .. vim.inspect(config))
  return p
end

---@param p test.Project
---@return string  the reasons why it is not complete
local function reasons(p)
  local done = p:rename {
    file_path = 'home.py',
    line = 2,
    symbol = 'put',
    new_name = 'keep',
    incomplete = 'allow',
  }
  assert.equal(0, done.code, vim.inspect(done))
  return table.concat(done.result.reasons, '\n')
end

describe('a rename of a member, beside others of that name,', function()
  after_each(fault.cleanup)

  it('finds them in hundreds of files', function()
    local files = {}
    for i = 1, 300 do
      files[('d%d/m%d.py'):format(i % 7, i)] =
        'class Other:\n    def put(self, n):\n        return n\n'
      files[('d%d/use%d.py'):format(i % 7, i)] = 'def use(x):\n    return x.put(1)\n'
    end
    assert.matches(
      '%f[%d]300 more files with members called put, or with their types, were not checked',
      reasons(project(files))
    )
  end)

  it('says that not all files were searched for their types', function()
    local p = project({
      ['a.py'] = 'class Other:\n    def put(self, n):\n        return n\n',
      ['z.py'] = 'import a\nimport home\n\nhome.fill(a.Other())\n',
    }, { ['mentions.files'] = 2, ['gate.files'] = 16 })
    assert.matches(
      'what uses types with members called put may not all have been checked: '
        .. 'not all files were searched for the name %(mentions%.files%)',
      reasons(p)
    )
  end)

  it('finds none where what is renamed is none', function()
    local files = { ['a.py'] = HOME, ['b.py'] = 'put = 1\n' }
    local p = project(files)
    helper.write(p.dir .. '/home.py', '#\ndef     put(n):\n    return n\n')
    assert.is_nil(reasons(p):find('members called put', 1, true))
  end)
end)
