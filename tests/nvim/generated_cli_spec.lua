-- Renames and signatures in projects made at random, several in one session: after each the compiler
-- and the program agree and every name is what it should be, or nothing has changed, or the answer
-- says that it is not complete and why.
--
--   OXIDE_GENERATED=20 tests/run.sh generated_cli     so many projects of each kind, told one by one
--   OXIDE_GENERATED_SEED=n                            the first of them; a failure names its own
local e2e = require('e2e')
local generated = require('generated')
local helper = require('helper')
local mcp = require('mcp')

local count = tonumber(vim.env.OXIDE_GENERATED) or 1
local CHANGES = count > 1 and 8 or 4
local seed = tonumber(vim.env.OXIDE_GENERATED_SEED) or (count > 1 and os.time() % 1000000 or 1)
local only = vim.env.OXIDE_GENERATED_KIND

local KINDS = {
  { 'c', 'commands' },
  { 'c', 'flags' },
  { 'c', 'none' },
  { 'python' },
  { 'typescript' },
  { 'rust', needs = 'rust-analyzer' },
}

describe('a project made at random', function()
  local project

  local function finish()
    mcp.cleanup()
    if project then
      project:remove()
      project = nil
    end
  end

  after_each(finish)
  teardown(mcp.cleanup)

  local function start()
    local dir = helper.tempdir()
    project:write(dir)
    -- what comes of a server that is heard too briefly is said to be incomplete
    e2e.write_config(dir .. '.lua', project.server, { ['lsp.quiet_ms'] = 200 })
    local client = mcp.start(dir, {}, {
      ['elicitation/create'] = function()
        return { action = 'accept', content = { apply = true } }
      end,
    }, { OXIDE_CONFIG = dir .. '.lua' })
    client:initialize('2025-06-18', { elicitation = vim.empty_dict() })
    return client
  end

  --- All changes to one project; adds what is wrong to `wrongs`.
  local function session(name, one, sums, wrongs)
    local client = start()
    for _ = 1, CHANGES do
      local before = project:tree()
      local change = project:choose()
      local text, failed = client:call(change.tool, change.args)
      local outcome, wrong, left = project:judge(change, text, failed, before)
      local line = ('%s, seed %d: %s: %s'):format(name, one, change.what, outcome)
      local said = text:gsub('%s+', ' ')
      sums[outcome] = (sums[outcome] or 0) + 1
      if vim.env.OXIDE_GENERATED then
        io.stderr:write(line, left and ' LEFT ' .. left or '')
        io.stderr:write(outcome ~= 'kept' and ': ' .. said:sub(1, 600) or '', '\n')
      end
      if wrong then
        table.insert(wrongs, line .. ': ' .. wrong .. '\n' .. said:sub(1, 1500))
        if vim.env.OXIDE_GENERATED then
          io.stderr:write('WRONG ', wrongs[#wrongs], '\n')
        end
      end
    end
    assert.equal(0, client:close().code)
  end

  for _, kind in ipairs(KINDS) do
    local name = table.concat({ kind[1], kind[2] }, ' ')
    if not only or name:find(only, 1, true) then
      it('in ' .. name .. ' is changed wholly or not at all', function()
        if kind.needs and vim.fn.executable(kind.needs) == 0 then
          pending(kind.needs .. ' could not be had')
          return
        end
        local sums, wrongs = {}, {}
        for one = seed, seed + count - 1 do
          project = generated.new(kind[1], kind[2], one)
          session(name, one, sums, wrongs)
          finish()
        end
        print(('# %s, seed %d: %s'):format(name, seed, vim.inspect(sums):gsub('%s+', ' ')))
        assert.same({}, wrongs)
        assert.truthy((sums.kept or 0) + (sums.incomplete or 0) > 0)
      end)
    end
  end
end)
