-- jest --json, and vitest --reporter=json.
local stack = require('oxide.parsers.javascript_stack')

local OUTCOMES = {
  passed = 'passed',
  failed = 'failed',
  pending = 'ignored',
  skipped = 'ignored',
  disabled = 'ignored',
  todo = 'ignored',
}

local function failure(name, file, text)
  text = stack.own(text:gsub('\27%[[%d;]*m', ''))
  local row = { name = name, outcome = 'failed', file = file, output = text }
  row.line, row.column = stack.place(text, file)
  row.message = (text:match('[^\n]+') or ''):gsub('%s+// [%w. ]+equality$', '')
  return row
end

--- A file that could not be run; its own heading says no more than that.
local function broken(file)
  local row = failure(file.name, file.name, file.message or '')
  local said = row.output:gsub('^%s*●[^\n]*\n', '')
  row.message = said:match('\n%s*(SyntaxError: [^\n]+)') or said:match('%S[^\n]*')
  return row
end

---@param report oxide.Report
return function(report)
  local function tell_file(file)
    local failed = false
    for _, t in ipairs(file.assertionResults or {}) do
      local name, outcome = t.fullName:match('^%s*(.*)$'), OUTCOMES[t.status] or 'ignored'
      if outcome == 'failed' then
        report.test(failure(name, file.name, table.concat(t.failureMessages or {}, '\n')))
        failed = true
      else
        report.test { name = name, outcome = outcome }
      end
    end
    if file.status == 'failed' and not failed then
      report.test(broken(file))
    end
  end

  return require('oxide.parsers.json_document')(report, 'testResults', function(v)
    if #v.testResults == 0 then
      report.none()
    end
    for _, file in ipairs(v.testResults) do
      tell_file(file)
    end
  end)
end
