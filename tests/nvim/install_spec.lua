-- Oxide installed as the README says, each time from a local address into a home of its own, and found
-- there by a Neovim that starts anew: its commands, its help, its health and its core.
--
-- The plugin managers that others wrote are tried where a directory has them:
--
--     OXIDE_PLUGINS=~/.local/share/nvim/lazy tests/run.sh install
local helper = require('helper')
local project = require('project')

local MANAGERS = vim.env.OXIDE_PLUGINS or helper.root .. '/.deps/plugins'
local README = helper.read(helper.root .. '/README.md')

-- `make` as a plugin manager calls it, on objects that this tree has compiled: nothing need be compiled
-- twice for the tests. What it was called with, and what it said, is kept.
local MAKE = [[#!/bin/sh
if [ -d native ] && [ ! -d build/obj ]; then
	mkdir -p build && cp -R '%s/build/obj' build/ && find build/obj -type f -exec touch {} +
	rm build/obj/base/str.o
fi
echo "make $*" >>'%s/made'
'%s' "$@" >>'%s/made' 2>&1
]]

-- A compiler that waits for another one at work: each of two files is compiled only beside the other.
local CC = [[#!/bin/sh
case " $* " in
*" -c "*) if mkdir '%s/first' 2>/dev/null; then : <'%s/meet'; else : >'%s/meet'; fi ;;
esac
exec cc "$@"
]]

local PROBE = [[
  local found = {}
  vim.cmd('silent help :Oxide-rename')
  found.help = vim.fn.expand('%:t')
  found.health = #vim.api.nvim_get_runtime_file('lua/oxide/health.lua', true)
  vim.cmd('Oxide')
  -- Its first word may be that the core is starting.
  local function core() return vim.fn.getline(vim.fn.search('^Core ', 'nw')) end
  vim.wait(DEADLINE, function() return core():find('version') ~= nil end)
  found.core = core()
  found.path = require('oxide.install_paths').find().path
  vim.fn.writefile({ vim.json.encode(found) }, vim.env.HOME .. '/found')
  vim.cmd('qa!')
]]

local origin, home

---@param command string[]
---@param cwd? string
---@return string
local function run(command, cwd)
  local env = {
    HOME = home,
    PATH = home .. '/bin:' .. vim.env.PATH,
    MAKEFLAGS = '',
    MAKELEVEL = '0', -- that of `make test` would let make name each directory
    XDG_CONFIG_HOME = home .. '/.config',
    XDG_DATA_HOME = home .. '/.local/share',
    XDG_STATE_HOME = home .. '/.local/state',
    XDG_CACHE_HOME = home .. '/.cache',
  }
  local done = vim.system(command, { cwd = cwd or home, env = env }):wait(helper.deadline)
  assert.equal(0, done.code, table.concat(command, ' ') .. '\n' .. done.stdout .. done.stderr)
  return done.stdout
end

--- The block of code of the README that has this.
---@param word string
---@return string
local function block(word)
  for code in README:gmatch('```lua\n(.-)```') do
    if code:find(word, 1, true) then
      return code
    end
  end
  error('no block with ' .. word)
end

--- Starts Neovim with this as its init.lua, and again as a person does the next day.
---@param init string
---@param core string   where its core has to be, below the home directory
local function expect_found(init, core)
  init = init:gsub('%f[%w]URL%f[%W]', ("'file://%s'"):format(origin))
  helper.write(home .. '/.config/nvim/init.lua', init)
  helper.write(home .. '/probe.lua', (PROBE:gsub('DEADLINE', helper.deadline)))
  for _ = 1, 2 do
    vim.fn.delete(home .. '/found')
    run { vim.v.progpath, '--headless', '-i', 'NONE', '-n', '-S', home .. '/probe.lua' }
    local found = vim.json.decode(helper.read(home .. '/found'))
    assert.equal('oxide.txt', found.help)
    assert.equal(1, found.health)
    assert.matches('^Core +version %d', found.core)
    assert.equal(home .. core, found.path)
  end
end

local function made()
  return vim.split(vim.trim(helper.read(home .. '/made')), '\n')
end

---@param name string
---@return string
local function manager(name)
  local path = vim.fs.joinpath(MANAGERS, name)
  if not vim.uv.fs_stat(path) then
    pending('no ' .. path .. ' here')
  end
  return ('vim.opt.runtimepath:prepend(%q)\n'):format(path)
end

describe('Oxide is installed', function()
  setup(function()
    home = helper.tempdir()
    origin = home .. '/origin'
    run { 'git', 'clone', '-q', helper.root, origin }
  end)
  teardown(function()
    vim.fn.delete(vim.fs.dirname(origin), 'rf')
  end)
  before_each(function()
    home = vim.fs.dirname(project.begin()) .. '/home'
    vim.fn.mkdir(home .. '/bin', 'p')
    local make = vim.fn.exepath('make')
    helper.write(home .. '/bin/make', MAKE:format(helper.root, home, make, home))
    assert(vim.uv.fs_chmod(home .. '/bin/make', 493))
  end)
  after_each(project.finish)

  it('as a package, from the tarball of `make dist`', function()
    run({ 'make', 'dist' }, origin)
    local tarball = vim.fn.glob(origin .. '/build/oxide.nvim-*.tar.gz')
    local start = home .. '/.local/share/nvim/site/pack/oxide/start'
    vim.fn.mkdir(start, 'p')
    run({ 'tar', 'xzf', tarball }, start)
    local name = vim.fn.fnamemodify(tarball, ':t:r:r')
    vim.fn.delete(home .. '/made')
    run({ 'make' }, start .. '/' .. name)
    -- A line for each file that is compiled, and no other word.
    assert.same({ 'make ', '  CC   native/base/str.c', '  LD   build/oxide' }, made())
    expect_found('', ('/.local/share/nvim/site/pack/oxide/start/%s/build/oxide'):format(name))
  end)

  it('by a make that compiles several files at once', function()
    if #vim.uv.cpu_info() < 2 then
      pending('one processor alone')
    end
    run({ 'make' }, origin)
    helper.write(home .. '/bin/two', CC:format(home, home, home))
    assert(vim.uv.fs_chmod(home .. '/bin/two', 493))
    run { 'mkfifo', home .. '/meet' }
    for _, name in ipairs { 'str', 'buf' } do
      assert(vim.uv.fs_unlink(('%s/build/obj/base/%s.o'):format(origin, name)))
    end
    run({ 'make', 'CC=' .. home .. '/bin/two' }, origin)
    assert.is_truthy(vim.uv.fs_stat(origin .. '/build/obj/base/buf.o'))
  end)

  it('by vim.pack', function()
    if not vim.pack then
      pending('this Neovim has no vim.pack')
    end
    local init, n = block('vim.pack.add'):gsub("name = 'oxide.nvim' } }", '%0, { confirm = false }')
    assert.equal(1, n)
    expect_found(init, '/.local/share/nvim/site/pack/core/opt/oxide.nvim/build/oxide')
    assert.equal('make ', made()[1])
  end)

  it('by luarocks', function()
    run({ 'luarocks', '--lua-version', '5.1', '--local', 'make' }, origin)
    expect_found(block('luarocks/rocks-5.1'), '/.luarocks/bin/oxide')
  end)

  it('by lazy.nvim', function()
    -- It takes the parsers of a Neovim that is not where it was built for off 'runtimepath'.
    local init = manager('lazy.nvim')
      .. ('require("lazy").setup({ %s }, { performance = { rtp = { reset = false } } })'):format(
        block('lazy = false')
      )
    expect_found(init, '/.local/share/nvim/lazy/oxide.nvim/build/oxide')
  end)

  it('by mini.deps', function()
    local init = manager('mini.deps') .. 'require("mini.deps").setup()\n' .. block('MiniDeps')
    expect_found(init, '/.local/share/nvim/site/pack/deps/opt/oxide.nvim/build/oxide')
  end)
end)
