-- How long texts of files are kept: a session of `oxide mcp` that reads more than files.kept_bytes.
local helper = require('helper')
local mcp = require('mcp')
local project = require('project')

local FILES, SIZE = 12, 200000

describe('texts that were read', function()
  local dir, client

  before_each(function()
    dir = project.begin()
    for i = 1, FILES do
      helper.write(('%s/%d.txt'):format(dir, i), ('%d old\n'):format(i) .. ('x'):rep(SIZE) .. '\n')
    end
    helper.write(
      dir .. '.lua',
      "return { options = { ['log.level'] = 3, ['files.kept_bytes'] = 1000000 } }"
    )
    client = mcp.start(dir, {}, {}, { OXIDE_CONFIG = dir .. '.lua' })
    client:initialize()
  end)
  after_each(mcp.cleanup)

  it('are given up between calls, the oldest first, and read again', function()
    for i = 1, FILES do
      local text, failed = client:call('read_file', { file_path = i .. '.txt', end_line = 1 })
      assert.is_false(failed, text)
    end
    local kept, given = 0, 0
    for n, bytes in
      helper
        .read(dir .. '.state/oxide/oxide.log')
        :gmatch('dropped the text of (%d+) files?, (%d+) bytes are left')
    do
      given, kept = given + n, math.max(kept, bytes)
    end
    assert(given >= FILES - 6 and given < FILES, given .. ' given up')
    assert(kept > 0 and kept <= 1000000, kept .. ' bytes kept')
    for i = 1, FILES do
      local text, failed = client:call('multi_edit', {
        operations = {
          {
            edit_type = 'replace',
            file_path = i .. '.txt',
            old_string = i .. ' old',
            new_string = i .. ' new',
          },
        },
      })
      assert.is_false(failed, text)
      assert.matches('^' .. i .. ' new\n', helper.read(('%s/%d.txt'):format(dir, i)))
    end
    assert.equal(0, client:close().code)
  end)
end)
