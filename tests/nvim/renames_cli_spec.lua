-- Renames at random places of real projects in C, in one session, each judged by the compiler and
-- taken back. Refusals are counted by their reason; a program that is another one afterwards is a
-- failure, as is a tree that is not the same after the undo.
--
--   OXIDE_RENAMES=300 tests/run.sh renames_cli    so many in each project, told one by one, and in
--                                                 tmux as well (scripts/source.sh tmux)
--   OXIDE_RENAMES_SEED=n                          the places of another run, which has printed its n
local e2e = require('e2e')
local mcp = require('mcp')
local real_c = require('real_c')

local FEW = 4
local count = tonumber(vim.env.OXIDE_RENAMES) or FEW
local seed = tonumber(vim.env.OXIDE_RENAMES_SEED) or (count > FEW and os.time() or 1)

--- Numbers that are the same for the same seed, on every machine.
local function dice()
  local state = seed % 2147483647
  return function(most)
    state = (state * 16807) % 2147483647
    return state % most + 1
  end
end

describe('renames at random places', function()
  local project

  teardown(mcp.cleanup)

  after_each(function()
    mcp.cleanup()
    if project then
      project:remove()
      project = nil
    end
  end)

  local function start()
    e2e.write_config(project.dir .. '.lua', nil, { ['lsp.documents'] = 1000 })
    local client = mcp.start(project.dir, {}, {}, { OXIDE_CONFIG = project.dir .. '.lua' })
    client:initialize()
    return client
  end

  --- One rename, judged and taken back. Every fifth takes a name that is in the file already.
  ---@return string outcome   'kept', or why it was refused
  ---@return string? wrong
  local function rename(client, place, new_name)
    local text, failed = client:call('lsp_rename', {
      file_path = place.file,
      line = place.line,
      column = place.column,
      new_name = new_name,
      confirm = 'apply',
    })
    if failed then
      local changed = project:changed()
      return (text:gsub('%s+', ' '):sub(1, 160)),
        #changed > 0 and 'refused, but it changed ' .. changed[1] or nil
    end
    local wrong = project:judge()
    local said, not_undone = client:call('undo', vim.empty_dict())
    if not_undone then
      wrong = wrong or 'cannot be taken back: ' .. said
    elseif #project:changed() > 0 then
      wrong = wrong or 'the undo left ' .. project:changed()[1]
    end
    return 'kept', wrong
  end

  -- tmux takes a minute to get ready
  for _, name in ipairs { 'jansson', 'libyaml', count > FEW and 'tmux' or nil } do
    it('of ' .. name .. ' leave the same program', function()
      project = real_c.copy(name)
      if not project then
        pending('the source of ' .. name .. ' could not be had')
        return
      end
      local client, throw, names = start(), dice(), project:names()
      local sums, wrongs = {}, {}
      for i = 1, count do
        local place = names[throw(#names)]
        local other = names[throw(#names)]
        local new_name = i % 5 == 0 and other.name or place.name .. '_of_old'
        local outcome, wrong = rename(client, place, new_name)
        local where = ('%s:%d:%d %s to %s'):format(
          place.file,
          place.line,
          place.column,
          place.name,
          new_name
        )
        if vim.env.OXIDE_RENAMES then
          io.stderr:write(where, ': ', outcome, wrong and ' WRONG ' .. wrong or '', '\n')
        end
        sums[outcome:match('^%a+')] = (sums[outcome:match('^%a+')] or 0) + 1
        if wrong then
          table.insert(wrongs, where .. ': ' .. wrong)
          project:restore()
        end
      end
      print(('# %s, seed %d: %s'):format(name, seed, vim.inspect(sums):gsub('%s+', ' ')))
      assert.same({}, wrongs)
      assert.truthy((sums.kept or 0) > 0)
      assert.equal(0, client:close().code)
    end)
  end
end)
