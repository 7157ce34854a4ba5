-- ctest --output-on-failure.
local OUTCOMES = { Passed = 'passed', Skipped = 'ignored', Disabled = 'ignored' }

---@param report oxide.Report
return function(report)
  local start, add, finish = require('oxide.parsers.failure_output')(report)

  local function line(text)
    local name, result = text:match('^%s*%d+/%d+ Test%s+#%d+: (.*) %.%.%.+%s*(%S.*)$')
    local word = name and result:gsub('%s+[%d.]+ sec$', ''):gsub('^%*+', '')
    local outcome = word and (OUTCOMES[word] or OUTCOMES[word:match('%((%a+)%)$') or ''])
    if outcome then
      finish()
      report.test { name = name, outcome = outcome }
    elseif name then
      local message = word:gsub('%*+Exception:$', ''):gsub('%*+', ': ')
      start { name = name, outcome = 'failed', message = message }
    elseif text:match('^%s+Start%s+%d+: ') or text:match('^%d+%% tests passed') then
      finish()
    elseif text:match('^No tests were found') then
      report.none()
    else
      add(text)
    end
  end

  return line, finish
end
