-- pyright --outputjson.
local LEVELS = { error = 'error', warning = 'warning', information = 'info' }

---@param report oxide.Report
return function(report)
  return require('oxide.parsers.json_document')(report, 'generalDiagnostics', function(v)
    for _, d in ipairs(v.generalDiagnostics) do
      local range = d.range
      report.diagnostic {
        file = d.file,
        line = range and range.start.line + 1,
        column = range and range.start.character + 1,
        end_line = range and range['end'].line + 1,
        end_column = range and range['end'].character + 1,
        columns = 'utf-16',
        severity = LEVELS[d.severity] or 'info',
        message = d.message or '',
        code = d.rule,
      }
    end
  end)
end
