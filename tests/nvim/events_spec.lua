-- Whatever changes files and buffers, scripts are told before and after it, once each.
local fault = require('fault')

local PATCH = '*** Begin Patch\n*** Update File: b.txt\n@@\n-two old\n+two patched\n*** End Patch\n'

local SCRIPT = {
  capabilities = {
    renameProvider = true,
    documentFormattingProvider = true,
    codeActionProvider = true,
    documentSymbolProvider = true,
  },
  lint = { { word = 'wrong', fixes = { { title = 'mend it', new = 'right', preferred = true } } } },
  on = {
    ['textDocument/rename'] = { rename = { files = { 'a.txt', 'b.txt', 'c.txt' } } },
    ['textDocument/formatting'] = {
      result = { { range = fault.range(0, 0, 3), newText = 'OLD' } },
    },
  },
}

--- What is done, and how many files it changes.
local PATHS = {
  { 'rename', 'Oxide! rename new', 3 },
  { 'rename that is reviewed', 'Oxide rename new', 3, 'write' },
  { 'format', 'Oxide format', 1 },
  {
    'format as it is written',
    'lua require("oxide").setup { format = { on_save = true } }',
    1,
    'write!',
  },
  { 'patch', 'Oxide! patch q', 1 },
  { 'fix', 'buffer c.txt | Oxide! fix buffer', 1 },
  { 'tool', 'Oxide! edit_file file_path=a.txt old_string=one new_string=1', 1 },
}

local child

---@param what string
---@param files integer
---@param last string   the event after the change
local function expect_told(what, files, last)
  child:event(last)
  local names = {}
  for _, event in ipairs(child:lua('return _G.events')) do
    if event.name:find('Apply') or event.name:find('do') then
      table.insert(names, event.name)
      assert.equal(files, event.data.files_changed, what)
      assert.equal(files, #event.data.files, what)
    end
  end
  assert.same({ 'OxideApplyPre', 'Oxide' .. last }, names, what)
  child:lua('_G.events = {}')
end

describe('scripts are told of a', function()
  before_each(function()
    child = fault.project(SCRIPT, { ['reach.files'] = 100 }):nvim {
      ['a.txt'] = 'old one\n',
      ['b.txt'] = 'two old\n',
      ['c.txt'] = 'three old wrong\n',
    }
    child:lua("vim.fn.setreg('q', ...)", PATCH)
    child:cmd('set hidden | edit c.txt')
    child:cmd('edit a.txt')
  end)
  after_each(fault.cleanup)

  for _, path in ipairs(PATHS) do
    local what, command, files, confirm = unpack(path)
    it(what .. ', and that it is undone and made again', function()
      child:cmd(command)
      if confirm then
        if files > 1 then
          child:event('ReviewOpen')
        end
        child:cmd(confirm)
      end
      expect_told(what, files, 'ApplyPost')
      child:cmd('Oxide undo')
      expect_told('undo', files, 'UndoPost')
      child:cmd('Oxide redo')
      expect_told('redo', files, 'RedoPost')
    end)
  end
end)
