-- mocha --reporter json.
local message_of = require('oxide.parsers.message')
local stack = require('oxide.parsers.javascript_stack')

--- Both sides of what did not hold, where the message may not have all of them.
local function sides(err)
  if not err.showDiff then
    return ''
  end
  return ('\n\nactual:\n%s\n\nexpected:\n%s'):format(err.actual, err.expected)
end

--- What a hook has failed for is the group that it is of.
local function id_of(test)
  local group = #test.fullTitle - #test.title
  return test.title:match('^"%a+ %a+" hook') and test.fullTitle:sub(1, group) .. '…' or nil
end

local function failure(test)
  local err, file = test.err or {}, test.file or ''
  local said = err.message or ''
  local row = { name = test.fullTitle, id = id_of(test), outcome = 'failed', file = test.file }
  row.line, row.column = stack.place(err.stack or '', file)
  row.message = message_of(said)
  row.output = stack.own(err.stack or said) .. sides(err)
  return row
end

---@param report oxide.Report
return function(report)
  return require('oxide.parsers.json_document')(report, 'stats', function(v)
    for _, test in ipairs(v.failures) do
      report.test(failure(test))
    end
    report.test { name = '', outcome = 'passed', count = #v.passes }
    report.test { name = '', outcome = 'ignored', count = #v.pending }
    if v.stats.tests == 0 and #v.failures == 0 then
      report.none()
    end
  end)
end
