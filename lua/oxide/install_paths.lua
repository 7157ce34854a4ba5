-- Where the program `oxide` may be, in the order in which it is looked for.
local M = {}

---@return string the directory with the presets, which the core reads too
function M.runtime()
  local source = debug.getinfo(1, 'S').source:sub(2)
  return vim.fs.dirname(vim.fs.normalize(vim.fn.fnamemodify(source, ':p')))
end

---@return string the directory of the plugin
function M.plugin_root()
  return vim.fs.dirname(vim.fs.dirname(M.runtime()))
end

---@class oxide.Candidate
---@field path string
---@field from string   who says so

---@return oxide.Candidate[]
function M.candidates()
  local root = M.plugin_root()
  local list = {} ---@type oxide.Candidate[]
  local configured = require('oxide.config').get('core.path')
  if configured then
    return { { path = vim.fs.normalize(vim.fn.expand(configured)), from = 'core.path' } }
  end
  table.insert(list, { path = root .. '/build/oxide', from = 'built by make' })
  -- The modules of a rock lie in TREE/share/lua/5.1, its programs in TREE/bin.
  local tree = root:match('^(.*)/share/lua$')
  if tree then
    table.insert(list, { path = tree .. '/bin/oxide', from = 'luarocks' })
  end
  local installed = root:match('^(.*)/share/oxide$')
  if installed then
    table.insert(list, { path = installed .. '/bin/oxide', from = 'make install' })
  end
  local on_path = vim.fn.exepath('oxide')
  if on_path ~= '' then
    table.insert(list, { path = on_path, from = '$PATH' })
  end
  return list
end

---@return oxide.Candidate?
function M.find()
  for _, candidate in ipairs(M.candidates()) do
    if vim.fn.executable(candidate.path) == 1 then
      return candidate
    end
  end
end

---@return string what to do when there is none
function M.advice()
  if require('oxide.config').get('core.path') then
    return ('core.path is %s, which is not a program.'):format(M.candidates()[1].path)
  end
  -- What is to be done is in the sentence that a narrow screen has room for.
  return ('its core is not built; run `make`. That is in %s; see also :checkhealth oxide.'):format(
    vim.fn.fnamemodify(M.plugin_root(), ':~')
  )
end

return M
