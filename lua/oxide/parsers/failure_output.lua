-- For parsers of results that are followed by what a failed test printed.
local kept = require('oxide.parsers.test_output')
local place = require('oxide.parsers.file_position')

---@param report oxide.Report
---@return fun(row: table) start     a failure; what comes next is its output
---@return fun(line: string) add     to that; nothing where there is none
---@return fun() finish              the failure is told, if there is one
return function(report)
  local failed, lines ---@type table?, oxide.Kept?

  local function finish()
    if failed then
      failed.output = table.concat(lines.list(), '\n')
      local what ---@type string?
      failed.file, failed.line, what = place(failed.output)
      if (what or '') ~= '' then
        failed.message = ('%s: %s'):format(failed.message, what)
      end
      report.test(failed)
    end
    failed = nil
  end

  local function start(row)
    finish()
    failed, lines = row, kept()
  end

  local function add(line)
    if failed then
      lines.add(line)
    end
  end

  return start, add, finish
end
