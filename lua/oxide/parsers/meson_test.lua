-- meson test --print-errorlogs. A summary repeats all failures.
local OUTCOMES = {
  OK = 'passed',
  EXPECTEDFAIL = 'passed',
  SKIP = 'ignored',
  FAIL = 'failed',
  TIMEOUT = 'failed',
  ERROR = 'failed',
  UNEXPECTEDPASS = 'failed',
  INTERRUPT = 'failed',
}

---@param report oxide.Report
return function(report)
  local start, add, finish = require('oxide.parsers.failure_output')(report)
  local over = false -- the summary has begun

  local function line(text)
    local name, word, why = text:match('^%s*%d+/%d+ (.-)%s+(%u+)%s+[%d.]+s%s*(.*)$')
    local outcome = not over and OUTCOMES[word or '']
    if text:match('^Summary of Failures:') or text:match('^Ok:%s+%d+') then
      finish()
      over = true
    elseif text:match('^No tests defined') then
      report.none()
    elseif outcome == 'failed' then
      start { name = name, outcome = outcome, message = why ~= '' and why or word:lower() }
    elseif outcome then
      finish()
      report.test { name = name, outcome = outcome }
    elseif not text:match('^\226\128\149+') and not text:match('^>>> ') then
      add(text)
    end
  end

  return line, finish
end
