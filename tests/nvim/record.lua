-- Records of what a model did: each is held to doc/record.schema.json before a test looks at it.
local fault = require('fault')
local helper = require('helper')
local mcp = require('mcp')

local M = {}

-- Answers each line, the JSON of a record as a string, with a list of what is wrong with it.
local VALIDATE = [[
import json, sys
from jsonschema import Draft202012Validator
schema = json.load(open(sys.argv[1]))
Draft202012Validator.check_schema(schema)
validator = Draft202012Validator(schema)
for line in sys.stdin:
    try:
        errors = validator.iter_errors(json.loads(json.loads(line)))
        wrong = [f"{error.json_path} {error.message}" for error in errors]
    except ValueError as error:
        wrong = [f"no JSON: {error}"]
    print(json.dumps(wrong), flush=True)
]]

--- One for all records: to start it takes many times longer than to ask it.
local validator ---@type { process: vim.SystemObj, answers: string[][], done?: vim.SystemCompleted }

local function start_validator()
  local v = { answers = {} }
  local argv = { 'python3', '-c', VALIDATE, helper.root .. '/doc/record.schema.json' }
  v.process = vim.system(argv, {
    stdin = true,
    stdout = mcp.lines(function(wrong)
      table.insert(v.answers, wrong)
    end),
  }, function(done)
    v.done = done
  end)
  return v
end

--- What is wrong with it; empty: nothing.
---@param text string   JSON
---@return string
function M.problems(text)
  validator = validator or start_validator()
  validator.process:write(vim.json.encode(text) .. '\n')
  local wrong = fault.wait('the validator', function()
    assert(not validator.done, validator.done and validator.done.stderr)
    return table.remove(validator.answers)
  end)
  return table.concat(wrong, '\n')
end

---@param text string   JSON
---@return table
function M.read(text)
  local problems = M.problems(text)
  if problems ~= '' then
    error(problems .. text, 2)
  end
  return vim.json.decode(text)
end

--- The files of the records that are kept.
---@param state string   $XDG_STATE_HOME
---@return string[]
function M.files(state)
  local files = vim.fn.glob(state .. '/oxide/records/*', true, true)
  table.sort(files)
  return files
end

--- A line for each call of a record with how it ended, each file with what changed, each command.
---@param r table
---@param dir string   the project, which its paths are below
---@return string
function M.summary(r, dir)
  local lines = {}
  for _, call in ipairs(r.tool_calls) do
    table.insert(lines, call.name:gsub('^.*oxide_+', '') .. ' ' .. call.status)
  end
  for _, file in ipairs(r.file_operations) do
    local change = file.change and file.change.lines_added
    local size = change and (' +%d -%d'):format(change, file.change.lines_removed) or ''
    table.insert(lines, ('%s %s%s'):format(file.operation, vim.fs.basename(file.path), size))
  end
  for _, run in ipairs(r.shell_commands) do
    local command = run.command:gsub("^/bin/bash %-lc '(.*)'$", '%1')
    local code = run.exit_code ~= vim.NIL and run.exit_code or '?'
    command = command:gsub(vim.pesc(dir .. '/'), '')
    table.insert(lines, ('%s: %s'):format(command, code))
  end
  return table.concat(lines, '\n') .. '\n'
end

return M
