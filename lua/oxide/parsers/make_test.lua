-- make test: what compilers say, the results of Automake's tests, and TAP.
local OUTCOMES = {
  PASS = 'passed',
  XFAIL = 'passed',
  FAIL = 'failed',
  XPASS = 'failed',
  ERROR = 'failed',
  SKIP = 'ignored',
}

---@param report oxide.Report
return function(report)
  local compiled, compiler_ends = require('oxide.parsers.compiler')(report)
  local tested, tests_end = require('oxide.parsers.tap')(report)

  local function line(text, errout)
    local word, name = text:match('^(%u+): (%S+)$')
    if OUTCOMES[word or ''] then
      report.test { name = name, outcome = OUTCOMES[word] }
    elseif compiled(text, errout) then
      return true
    else
      tested(text)
    end
  end

  return line, function()
    compiler_ends()
    tests_end()
  end
end
