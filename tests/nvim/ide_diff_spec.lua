-- What a client of the IDE protocol wants to write comes up for review: what is accepted goes back
-- to it, and nothing is written here.
local fault = require('fault')
local helper = require('helper')
local ide = require('ide')
local relay = require('relay')

local DISK, with = ide.DISK, ide.with
local TAB = '✻ [Claude Code] list.txt (c1b7e9) ⧉'

describe('openDiff', function()
  local child, run, client ---@type test.Child, string, test.Ide
  local port, token ---@type integer, string

  ---@param config? string
  local function begin(config)
    child = relay.start({ ['list.txt'] = DISK }, run, ide.AT_ONCE .. (config or ''))
    child:lua([[vim.env.CLAUDE_CONFIG_DIR = vim.uv.cwd() .. '/claude']])
    ide.listen(child, 'list.txt')
    local said
    port, said = ide.lock(child.dir .. '/claude/ide')
    token = said.authToken
    client = ide.open(port, token, 4711)
  end

  before_each(function()
    run = helper.tempdir()
  end)
  after_each(function()
    ide.cleanup()
    fault.cleanup()
    vim.fn.delete(run, 'rf')
  end)

  ---@param text string
  ---@param name? string
  ---@return integer id
  local function propose(text, name)
    local path = child.dir .. '/' .. (name or 'list.txt')
    return client:begin('openDiff', {
      old_file_path = path,
      new_file_path = path,
      new_file_contents = text,
      tab_name = TAB,
    })
  end

  local function texts(id)
    return ide.texts(client:answer(id))
  end

  local function assert_untouched()
    assert.equal(DISK, child:file('list.txt'))
    local lines = child:lua("return vim.fn.getbufline('list.txt', 1, '$')")
    assert.equal('// mine\n' .. DISK, table.concat(lines, '\n') .. '\n')
  end

  it('gives back what was accepted, without what is not saved', function()
    begin()
    local new = with { [12] = '12 or so' }
    local id = propose(new)
    child:event('ReviewOpen')
    child:type(':w<CR>')
    assert.same({ 'FILE_SAVED', new }, texts(id))
    assert_untouched() -- it writes the file itself
    assert.equal('TAB_CLOSED', client:tool('close_tab', { tab_name = TAB }))
  end)

  it('gives back the part that was accepted', function()
    begin()
    local id = propose(with { [2] = '2 or so', [18] = '18 or so' })
    child:event('ReviewOpen')
    child:type('gg/18 or so<CR> :w<CR>')
    assert.same({ 'FILE_SAVED', with { [2] = '2 or so' } }, texts(id))
    assert_untouched()
    local uri = vim.uri_from_fname(child.dir .. '/list.txt')
    assert.equal('[]', client:tool('getDiagnostics', { uri = uri })) -- what it is before
    local files = vim.json.decode(client:tool('getDiagnostics'))
    assert.equal(uri, files[1].uri)
    assert.matches('accepted your change in part', files[1].diagnostics[1].message)
    assert.matches('%-18 or so\n%+18\n', files[1].diagnostics[1].message)
    -- Who has given up waiting for that answer has it by the next one, until the next change.
    assert.same(files, vim.json.decode(client:tool('getDiagnostics')))
    child:lua('_G.events = {}')
    id = propose(with { [3] = '3 or so' })
    child:event('ReviewOpen')
    assert.equal('[]', client:tool('getDiagnostics'))
    child:type(':q<CR>')
    assert.equal('DIFF_REJECTED', texts(id)[1])
  end)

  --- Accepts what is proposed without its last hunk.
  ---@param id integer
  local function accept_in_part(id)
    child:event('ReviewOpen')
    child:type('gg/18 or so<CR> :w<CR>')
    assert.same({ 'FILE_SAVED', with { [2] = '2 or so' } }, texts(id))
    child:lua('_G.events = {}')
  end

  local BOTH = with { [2] = '2 or so', [18] = '18 or so' }

  --- What it is told of all files, by URI.
  ---@return table<string, lsp.Diagnostic[]>
  local function told()
    local by = {}
    for _, file in ipairs(vim.json.decode(client:tool('getDiagnostics'))) do
      by[file.uri] = file.diagnostics
    end
    return by
  end

  it('is not left without an answer by a server, where something is to be said later', function()
    local p = fault.project { lint = { { word = '7' } } }
    begin(('servers = { fake = %s },'):format(vim.inspect(p:server())))
    local uri = vim.uri_from_fname(child.dir .. '/list.txt')
    local before = client:tool('getDiagnostics', { uri = uri })
    assert.matches('7 is wrong', before)
    local id = propose(BOTH)
    child:event('ReviewOpen')
    vim.uv.kill(p:pid(), 'sigstop')
    accept_in_part(id)
    assert.equal(before, client:tool('getDiagnostics', { uri = uri }))
    vim.uv.kill(p:pid(), 'sigcont')
    assert.matches('accepted your change in part', vim.json.encode(told()[uri]))
  end)

  it('says it by a file that the client has asked about, in its spelling', function()
    begin()
    client:tool('closeAllDiffTabs')
    accept_in_part(propose(BOTH))
    client:tool('closeAllDiffTabs') -- it has asked nothing, and compares with nothing
    local uri = ('file://%s/a file with 100%%.txt'):format(child.dir)
    assert.equal('[]', client:tool('getDiagnostics', { uri = uri }))
    local found = told()
    assert.same({ uri }, vim.tbl_keys(found))
    assert.matches('list.txt', found[uri][1].message)
  end)

  it('tells the user where the client has begun its turn before it was connected', function()
    begin()
    accept_in_part(propose(BOTH))
    child:message('claude %(4711%) hears with its next change what you made of this one$')
    child:lua('_G.messages = {}')
    client:tool('closeAllDiffTabs')
    accept_in_part(propose(BOTH))
    fault.told(child)
    assert.same({}, child:lua('return _G.messages'))
  end)

  it('is rejected, as a whole and by hunks, and a new file is not made', function()
    begin()
    local id = propose('one\n', 'sub/new.txt')
    child:event('ReviewOpen')
    child:type(':q<CR>')
    assert.same({ 'DIFF_REJECTED', TAB }, texts(id))
    assert.is_nil(vim.uv.fs_stat(child.dir .. '/sub'))
  end)

  it('is rejected with a message where the user is typing in the same lines', function()
    begin()
    child:type('/^12$<CR>Atyped<Esc>')
    child:wait('the typed word', "vim.fn.getline(13) == '12typed'")
    assert.same({ 'DIFF_REJECTED', TAB }, texts(propose(with { [12] = '12 or so' })))
    child:message('claude %(4711%): the user has unsaved changes in list.txt, in line 13')
    assert.equal(DISK, child:file('list.txt'))
  end)

  it('takes the review back when its tab is closed, for it was answered elsewhere', function()
    begin()
    local id = propose(with { [12] = '12 or so' })
    child:event('ReviewOpen')
    assert.equal('TAB_CLOSED', client:tool('close_tab', { tab_name = 'another' }))
    assert.equal('TAB_CLOSED', client:tool('close_tab', { tab_name = TAB }))
    assert.equal('gone', child:event('ReviewClose').outcome)
    assert.same({ 'DIFF_REJECTED', TAB }, texts(id))
    child:lua('_G.events = {}')
    id = propose(with { [12] = '12 or so' })
    child:event('ReviewOpen')
    assert.equal('CLOSED_1_DIFF_TABS', client:tool('closeAllDiffTabs'))
    assert.same({ 'DIFF_REJECTED', TAB }, texts(id))
    assert_untouched()
  end)

  it('takes the review back when the client is gone in the middle of it', function()
    begin()
    propose(with { [12] = '12 or so' })
    child:event('ReviewOpen')
    client:close()
    assert.equal('gone', child:event('ReviewClose').outcome)
    assert_untouched()
    client = ide.open(port, token)
    assert.equal('CLOSED_0_DIFF_TABS', client:tool('closeAllDiffTabs'))
  end)

  it('takes it back when the client breaks the protocol in the middle of it', function()
    begin()
    propose(with { [12] = '12 or so' })
    child:event('ReviewOpen')
    client:put('\129\2{}')
    assert.equal('gone', child:event('ReviewClose').outcome)
    assert_untouched()
  end)

  it('tells the client when Neovim is killed in the middle of it', function()
    begin()
    propose(with { [12] = '12 or so' })
    child:event('ReviewOpen')
    vim.uv.kill(child:lua('return vim.uv.os_getpid()'), 'sigkill')
    client:wait('the end of the connection', function()
      return client.closed
    end)
    assert.equal(DISK, helper.read(child.dir .. '/list.txt'))
    fault.wait('the lock file to go', function()
      return #vim.fn.glob(child.dir .. '/claude/ide/*', false, true) == 0
    end)
  end)

  it('gives up on a review that nobody answers', function()
    begin(("core = { path = %q, options = { ['agent.review_ms'] = 1000 } }"):format(helper.core))
    assert.same({ 'DIFF_REJECTED', TAB }, texts(propose(with { [12] = '12 or so' })))
    child:message('no longer possible')
    assert_untouched()
  end)

  it('shows those of several clients one after the other', function()
    begin()
    local first = propose(with { [2] = '2 or so' })
    child:event('ReviewOpen')
    local other = ide.open(port, token, 4712)
    local path = child.dir .. '/list.txt'
    local second = other:begin('openDiff', {
      old_file_path = path,
      new_file_path = path,
      new_file_contents = with { [18] = '18 or so' },
      tab_name = 'other',
    })
    child:message('claude %(4712%) asks for a review')
    child:lua('_G.events = {}')
    child:type(':w<CR>')
    assert.same({ 'FILE_SAVED', with { [2] = '2 or so' } }, texts(first))
    child:event('ReviewOpen')
    child:type(':q<CR>')
    assert.same({ 'DIFF_REJECTED', 'other' }, ide.texts(other:answer(second)))
  end)

  it('refuses what is no proposal', function()
    begin()
    local result = client:answer(client:begin('openDiff', { new_file_path = '/x' }))
    assert.is_true(result.isError)
    assert.matches('needs new_file_path and new_file_contents', ide.texts(result)[1])
  end)

  --- What the buffer has.
  local function buffer()
    return child:lua([[
      return table.concat(vim.fn.getbufline('list.txt', 1, '$'), '\n') .. '\n'
    ]])
  end

  it('is a turn, with what the client writes then, which is merged and undone', function()
    begin()
    assert.equal('CLOSED_0_DIFF_TABS', client:tool('closeAllDiffTabs'))
    assert.equal('began', child:event('AgentTurn').state)
    local new = with { [12] = '12 or so' }
    local id = propose(new)
    child:event('ReviewOpen')
    child:type(':w<CR>')
    assert.same({ 'FILE_SAVED', new }, texts(id))
    helper.write(child.dir .. '/list.txt', new)
    helper.write(child.dir .. '/made.txt', 'by a command\n')
    child:wait('the buffer', "vim.fn.getbufline('list.txt', 13)[1] == '12 or so'")
    assert.equal('// mine\n' .. new, buffer())
    child:cmd('Oxide turn undo') -- the turn still goes on
    child:wait('the turn to be undone', "vim.fn.getbufline('list.txt', 13)[1] == '12'")
    assert.equal('// mine\n' .. DISK, buffer())
    assert.is_nil(vim.uv.fs_stat(child.dir .. '/made.txt'))
  end)

  it('has in its last turn what it did right behind an undo', function()
    begin()
    assert.equal('CLOSED_0_DIFF_TABS', client:tool('closeAllDiffTabs'))
    assert.equal('began', child:event('AgentTurn').state)
    helper.write(child.dir .. '/made.txt', 'by a command\n')
    child:lua("vim.schedule(function() vim.cmd('Oxide turn undo') end)")
    fault.wait('the undo', function()
      return not vim.uv.fs_stat(child.dir .. '/made.txt')
    end)
    helper.write(child.dir .. '/made.txt', 'again\n')
    client:close()
    child:wait(
      'the last turn',
      [[(function()
        local last = vim.iter(_G.events):rev():find(function(e) return e.name == 'OxideAgentTurn' end)
        return last.data.state == 'ended' and last.data.report
          and last.data.report.files[1].file == 'made.txt'
      end)()]]
    )
    assert.equal('again\n', helper.read(child.dir .. '/made.txt'))
  end)

  it('ends its turn when it has gone', function()
    begin()
    assert.equal('CLOSED_0_DIFF_TABS', client:tool('closeAllDiffTabs'))
    assert.equal('began', child:event('AgentTurn').state)
    helper.write(child.dir .. '/made.txt', 'by a command\n')
    client:close()
    child:message('claude has changed %d+ file')
  end)

  it('does not show again what its hook has shown, and what is said later it does', function()
    begin()
    local new = with { [12] = '12 or so' }
    local event = {
      hook_event_name = 'PreToolUse',
      session_id = 'one',
      cwd = child.dir,
      tool_name = 'Edit',
      tool_input = {
        file_path = child.dir .. '/list.txt',
        old_string = '12',
        new_string = '12 or so',
      },
    }
    local hook = vim.system({ helper.core, 'hook', 'claude' }, {
      cwd = child.dir,
      stdin = vim.json.encode(event),
      env = relay.env(child.dir, run),
    })
    child:event('ReviewOpen')
    child:type(':w<CR>')
    local said = vim.json.decode(hook:wait(helper.deadline).stdout)
    assert.equal('allow', said.hookSpecificOutput.permissionDecision)
    assert.same({ 'FILE_SAVED', new }, texts(propose(new)))
    child:lua('_G.events = {}')
    local id = propose(new)
    child:event('ReviewOpen')
    child:type(':q<CR>')
    assert.same({ 'DIFF_REJECTED', TAB }, texts(id))
  end)
end)
