-- A folder of files and one change of them, as texts before and after and as a unified patch, for
-- comparing those that apply it. The same call makes the same bytes.
local bench = require('bench')

local M = {}

---@class bench.Tree
---@field dir string
---@field before table<string, string>  texts by path below dir
---@field after table<string, string>
---@field patch string
---@field largest integer               bytes of the largest file
local Tree = {}
Tree.__index = Tree

local CONTEXT = 3

local function lines_of(file, count)
  local lines = {}
  for i = 1, count do
    lines[i] = ('static int value_%04d_%07d = %d;  /* step %d */'):format(
      file,
      i,
      i * 7919 % 100003,
      i
    )
  end
  return lines
end

--- Renames a word on every `stride`th line; appends the hunks to `out`.
---@return string after
local function change(lines, stride, out)
  local after = {}
  for i, line in ipairs(lines) do
    after[i] = line
  end
  for at = math.ceil(stride / 2), #lines, stride do
    local from, to = math.max(1, at - CONTEXT), math.min(#lines, at + CONTEXT)
    after[at] = lines[at]:gsub('value', 'renamed')
    table.insert(out, ('@@ -%d,%d +%d,%d @@'):format(from, to - from + 1, from, to - from + 1))
    for i = from, to do
      table.insert(out, (i == at and '-' or ' ') .. lines[i])
      if i == at then
        table.insert(out, '+' .. after[i])
      end
    end
  end
  return table.concat(after, '\n') .. '\n'
end

---@param name string    of the folder
---@param files integer
---@param lines integer  of all files
---@param edits integer  in all files
---@return bench.Tree
function M.new(name, files, lines, edits)
  local tree = setmetatable({
    dir = bench.work .. '/' .. name,
    before = {},
    after = {},
    largest = 0,
  }, Tree)
  local patch = {}
  for n = 1, files do
    local path = ('part%02d/unit%04d.c'):format(n / 100, n)
    local text = lines_of(n, lines / files)
    table.insert(patch, ('diff --git a/%s b/%s\n--- a/%s\n+++ b/%s'):format(path, path, path, path))
    tree.before[path] = table.concat(text, '\n') .. '\n'
    tree.after[path] = change(text, lines / edits, patch)
    tree.largest = math.max(tree.largest, #tree.before[path])
  end
  tree.patch = table.concat(patch, '\n') .. '\n'
  vim.fn.delete(tree.dir, 'rf')
  tree:restore()
  return tree
end

--- Every file as it was, and nothing left for the disk to do.
function Tree:restore()
  for path, text in pairs(self.before) do
    local full = self.dir .. '/' .. path
    if bench.read(full) ~= text then
      bench.write(full, text)
    end
  end
  vim.fn.system { 'sync', '-f', self.dir }
end

---@param who string  that has changed it
function Tree:must_be_changed(who)
  for path, text in pairs(self.after) do
    assert(bench.read(self.dir .. '/' .. path) == text, who .. ' left ' .. path .. ' otherwise')
  end
end

return M
