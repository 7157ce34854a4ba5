-- What Gemini CLI is told of this Neovim: the files in buffers, the one that was in use last first, with
-- what is selected there. Lines and characters count from 1.
local buffers = require('oxide.buffers')

local M = {}

local FILES = 10 -- more are not told, as its own companion has it
local TEXT = 16384 -- bytes of a selected text that are told

---@class oxide.IdeContextFile
---@field path string
---@field timestamp integer   when it was in use, in milliseconds since 1970
---@field isActive? boolean
---@field cursor? { line: integer, character: integer }
---@field selectedText? string

---@param file oxide.IdeContextFile
---@param selection oxide.IdeSelection
local function put_selection(file, selection)
  local first, text = selection.selection.start, selection.text
  file.isActive = true
  file.cursor = { line = first.line + 1, character = first.character + 1 }
  if text ~= '' then
    file.selectedText = #text > TEXT and text:sub(1, TEXT + vim.str_utf_start(text, TEXT + 1))
      or text
  end
end

--- The parameters of `ide/contextUpdate`. Whether the workspace is trusted is not ours to say.
---@param selection? oxide.IdeSelection   what was selected last
---@return { workspaceState: { openFiles: oxide.IdeContextFile[] } }
function M.now(selection)
  local files = {} ---@type oxide.IdeContextFile[]
  for _, info in ipairs(vim.fn.getbufinfo { buflisted = 1, bufloaded = 1 }) do
    if buffers.is_file(info.bufnr) then
      table.insert(files, { path = info.name, timestamp = info.lastused * 1000 })
    end
  end
  for _, file in ipairs(files) do
    if selection and file.path == selection.filePath then
      put_selection(file, selection)
    end
  end
  table.sort(files, function(a, b)
    if (a.isActive or b.isActive) and a.isActive ~= b.isActive then
      return a.isActive == true
    end
    return a.timestamp > b.timestamp
  end)
  return { workspaceState = { openFiles = vim.list_slice(files, 1, FILES) } }
end

return M
