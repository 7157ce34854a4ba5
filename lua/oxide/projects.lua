-- :Oxide projects: which directories Oxide works in, beside the one that Neovim was started in.
local ui = require('oxide.ui')

local M = {}

local COMPLETE_MS = 1000 -- how long completion waits for the core

---@class oxide.ProjectRow
---@field name string
---@field root string
---@field last boolean
---@field kinds string[]
---@field servers { name: string, state: string, indexing: boolean }[]

---@class oxide.ProjectsOpts
---@field add? string      a directory
---@field remove? string   a name
---@field use? string      a name: where what names no file takes place from here on
---@field open? boolean    false: the list is not shown
---@field mods? table      the modifiers of the command
---@field on_done? fun(err?: oxide.Error, result?: { projects: oxide.ProjectRow[] })

---@param project oxide.ProjectRow
---@return string
local function line_of(project)
  local about = { #project.kinds > 0 and table.concat(project.kinds, ', ') or nil }
  for _, server in ipairs(project.servers) do
    local indexing = server.indexing and ', indexing' or ''
    table.insert(about, ('%s %s%s'):format(server.name, server.state, indexing))
  end
  local mark, what = project.last and '*' or ' ', table.concat(about, '; ')
  return (('%s %s  %s  %s'):format(mark, project.name, project.root, what):gsub(' +$', ''))
end

---@param result { projects: oxide.ProjectRow[] }
---@param mods? table
local function show(result, mods)
  local lines = { '# Projects   * the one used last   q closes', '' }
  vim.list_extend(lines, vim.tbl_map(line_of, result.projects))
  require('oxide.scratch').open('projects', lines, mods)
  vim.wo[0][0].wrap, vim.wo[0][0].linebreak, vim.wo[0][0].breakindent = true, true, true
  vim.wo[0][0].breakindentopt = 'shift:4'
end

---@param args { add_project_path?: string, remove_project_name?: string }
---@param opts oxide.ProjectsOpts
---@param done fun(result: table)
local function manage(args, opts, done)
  if next(args) == nil then
    args = vim.empty_dict()
  end
  require('oxide.tool_command').call('manage_projects', args, {
    buf = vim.api.nvim_get_current_buf(),
    status = 'projects',
    looks = vim.tbl_isempty(args) and 'the list of projects' or nil,
    on_done = opts.on_done,
    fallback = ui.error,
  }, done)
end

---@param result { messages: string[] }
local function tell(result)
  ui.notify(table.concat(result.messages, '; '))
end

--- To load a project again is to work in it.
---@param name string
---@param opts oxide.ProjectsOpts
local function use(name, opts)
  manage({}, {}, function(result)
    for _, project in ipairs(result.projects) do
      if project.name == name then
        return manage({ add_project_path = project.root }, opts, function()
          ui.notify(('now working in %s'):format(name))
        end)
      end
    end
    require('oxide.tool_command').refuse(('no project %s is loaded'):format(name), opts.on_done)
  end)
end

---@param opts oxide.ProjectsOpts
function M.run(opts)
  if opts.use then
    use(opts.use, opts)
  elseif opts.add then
    manage({ add_project_path = vim.fn.fnamemodify(opts.add, ':p') }, opts, tell)
  elseif opts.remove then
    manage({ remove_project_name = opts.remove }, opts, tell)
  else
    manage({}, opts, function(result)
      if opts.open ~= false then
        show(result, opts.mods)
      end
    end)
  end
end

---@return string[] of those that are loaded, for completion
function M.names()
  local names ---@type string[]?
  require('oxide.core').query('status', function(_, status)
    names = status and status.projects or {}
  end)
  vim.wait(COMPLETE_MS, function()
    return names ~= nil
  end, 5)
  return names or {}
end

return M
