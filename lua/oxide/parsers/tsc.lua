-- tsc --pretty false. Indented lines go on with the message above them.

---@param report oxide.Report
return function(report)
  local last ---@type table?

  local function tell()
    if last then
      report.diagnostic(last)
    end
    last = nil
  end

  local function line(text)
    local file, at, column, level, code, message =
      text:match('^(.-)%((%d+),(%d+)%): (%a+) (TS%d+): (.*)$')
    if not file then
      level, code, message = text:match('^(error) (TS%d+): (.*)$')
    end
    if level == 'error' or level == 'warning' then
      tell()
      last = {
        file = file,
        line = tonumber(at),
        column = tonumber(column),
        columns = 'utf-16',
        severity = level,
        code = code,
        message = message,
      }
    elseif last and text:match('^%s+%S') then
      last.message = last.message .. '\n' .. text
    else
      tell()
    end
  end

  return line, tell
end
