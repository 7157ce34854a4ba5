-- What a person gets who installs Oxide.
local helper = require('helper')

describe('the rock', function()
  it('brings every module', function()
    local rock = {}
    setfenv(assert(loadfile(helper.root .. '/oxide.nvim-scm-1.rockspec')), rock)()
    local listed = vim.tbl_values(rock.build.install.lua)
    local there = vim.fn.globpath(helper.root, 'lua/oxide/**/*.lua', true, true)
    there = vim.tbl_map(function(path)
      return path:sub(#helper.root + 2)
    end, there)
    table.sort(listed)
    table.sort(there)
    assert.same(there, listed)
    for name, path in pairs(rock.build.install.lua) do
      local want = path:gsub('^lua/', ''):gsub('%.lua$', ''):gsub('/init$', ''):gsub('/', '.')
      assert.equal(want, name)
    end
  end)
end)

describe('the README', function()
  local text = helper.read(helper.root .. '/README.md')

  it('has no link to a file that is not there', function()
    local count = 0
    for path in text:gmatch('%]%(([%w_/.%-]+)%)') do
      assert.truthy(vim.uv.fs_stat(helper.root .. '/' .. path), path)
      count = count + 1
    end
    assert.is_true(count > 10)
  end)

  it('has in its table no claim without a test or a row of the benchmark', function()
    local rows = 0
    for row in
      assert(text:match('| tool | is | Oxide | shown by |\n|[-|]+|\n(.-)\n\n')):gmatch('[^\n]+')
    do
      assert.truthy(
        row:find('%]%(tests/nvim/[%w_]+_spec%.lua%)') or row:find('(doc/benchmarks.md)', 1, true),
        row
      )
      rows = rows + 1
    end
    assert.equal(8, rows)
  end)
end)

describe('the help', function()
  local text = helper.read(helper.root .. '/doc/oxide.txt')
  local tags = {}
  for tag in text:gmatch('%*([^%s*]+)%*') do
    assert.is_nil(tags[tag], tag .. ' is there twice')
    tags[tag] = true
  end

  local function has(tag)
    assert.is_true(tags[tag], 'no tag *' .. tag .. '*')
  end

  it('has a tag for every sub-command, mapping, function, option, event and group', function()
    for name in pairs(require('oxide.command').subcommands) do
      has(':Oxide-' .. name)
    end
    for name in helper.read(helper.root .. '/plugin/oxide.lua'):gmatch("plug%('([%w-]+)'") do
      has(('<Plug>(oxide-%s)'):format(name))
    end
    for name in pairs(require('oxide')) do
      has(('oxide.%s()'):format(name))
    end
    for name in pairs(require('oxide.config').schema) do
      has('oxide-option-' .. name)
    end
    for name in pairs(require('oxide.highlights').groups) do
      has('hl-' .. name)
    end
    for _, path in ipairs(vim.fn.globpath(helper.root, 'lua/oxide/**/*.lua', true, true)) do
      for name in helper.read(path):gmatch("ui%.event%('(%w+)'") do
        has('Oxide' .. name)
      end
    end
  end)

  it('has no line that is too long and no link that leads nowhere', function()
    for line in vim.gsplit(text, '\n') do
      assert.is_true(vim.fn.strdisplaywidth(line) <= 80, line)
    end
    for link in text:gmatch('|([^%s|]+)|') do
      if link:lower():find('oxide') then
        has(link)
      end
    end
  end)
end)

describe('the start', function()
  after_each(helper.cleanup)

  it('costs next to nothing: no module, no process, few instructions', function()
    local child = helper.start()
    local loaded = child:lua([[
      return vim.tbl_filter(function(name) return name:find('^oxide') ~= nil end, vim.tbl_keys(package.loaded))
    ]])
    assert.same({}, loaded)
    assert.same({}, child:lua('return vim.api.nvim_get_proc_children(vim.fn.getpid())'))
  end)

  it('says once what is wrong with the options, and goes on', function()
    local child = helper.start({}, { config = '{ review = { wen = 1 } }' })
    child:cmd('Oxide review')
    child:message("unknown option 'review.wen', did you mean 'review.when'")
    child:message('no change is waiting')
  end)
end)
