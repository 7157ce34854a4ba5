-- For parsers of results that are followed by what a failed test printed.
local kept = require('oxide.parsers.test_output')
local place = require('oxide.parsers.file_position')

--- The first failure of GoogleTest or Catch2: below its place, up to a blank line or a heading, is what
--- did not hold.
---@param lines string[]
---@return string? file, integer? line, string? what
local function assertion(lines)
  local file, at, what ---@type string?, string?, string[]?
  for _, text in ipairs(lines) do
    if what and text:match('^%[') or what and text:match('^%s*$') then
      break
    elseif what then
      what[#what + 1] = text:match('^%s*(.-)%s*$')
    else
      file, at = text:match('^%s*(.-):(%d+): Failure$')
      if not file then
        file, at = text:match('^%s*(.-):(%d+): FAILED:$')
      end
      what = file and {}
    end
  end
  return file, tonumber(at), what and table.concat(what, ' ')
end

---@param report oxide.Report
---@return fun(row: table) start     a failure; what comes next is its output
---@return fun(line: string) add     to that; nothing where there is none
---@return fun() finish              the failure is told, if there is one
return function(report)
  local failed, lines ---@type table?, oxide.Kept?

  local function finish()
    if failed then
      failed.output = table.concat(lines.list(), '\n')
      local file, line, what = assertion(lines.list())
      if not file then
        file, line, what = place(failed.output)
      end
      failed.file, failed.line = file, line
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
