-- tsc --pretty false. Indented lines go on with the message above them.

---@param report oxide.Report
return function(report)
  local start, add = require('oxide.parsers.multiline')(report)

  local function line(text)
    local file, at, column, level, code, message =
      text:match('^(.-)%((%d+),(%d+)%): (%a+) (TS%d+): (.*)$')
    if not file then
      level, code, message = text:match('^(error) (TS%d+): (.*)$')
    end
    if level == 'error' or level == 'warning' then
      start {
        file = file,
        line = tonumber(at),
        column = tonumber(column),
        columns = 'utf-16',
        severity = level,
        code = code,
        message = message,
      }
    elseif text:match('^%s+%S') then
      add(text)
    else
      start()
    end
  end

  return line, start
end
