-- Neovims with a scripted server whose lives and deaths are looked at.
local fault = require('fault')

local M = {}

local FILES = { ['a.txt'] = 'old one\n', ['b.txt'] = 'two old\n' }
--- An answer to the rename.
M.GOOD = { rename = { files = { 'a.txt', 'b.txt' } } }
local HASTY = { ['lsp.stop_ms'] = 100, ['lsp.restart_ms'] = 0 }

--- A Neovim in a.txt, with b.txt in another buffer; the server answers hovers and renames as it should
--- where `script` says nothing else. `config`: as that of Project:nvim(), or what makes it of the project.
function M.start(script, options, config)
  script.on = script.on or {}
  script.on['textDocument/rename'] = script.on['textDocument/rename'] or M.GOOD
  script.on['textDocument/hover'] = script.on['textDocument/hover']
    or { result = { contents = 'a hover' } }
  local p = fault.project(script, vim.tbl_extend('force', HASTY, options or {}))
  local child = p:nvim(FILES, type(config) == 'function' and config(p) or config)
  child:cmd('set hidden | edit b.txt')
  child:cmd('edit a.txt')
  return p, child
end

function M.never()
  return { name = 'new', review = 'never' }
end

--- Asks the server, and has an answer.
function M.hover(child)
  local done = fault.done(child, fault.ask(child, 'hover'))
  assert(not done.code, done.message)
end

function M.core_pid(child)
  return child:wait('the core', "require('oxide.process').pid")
end

--- The editor takes keys and answers, whatever it waits for.
function M.assert_lively(child)
  child:type('ggO<Esc>dd')
  child:type('ix<Esc>u')
  child:wait('keys to be taken', "vim.fn.getline(1) == 'old one' and vim.fn.mode() == 'n'")
  child:type('$')
  child:wait('the cursor to move', "vim.fn.col('.') == 7")
  child:type('0')
  child:wait('the cursor to move back', "vim.fn.col('.') == 1")
end

return M
