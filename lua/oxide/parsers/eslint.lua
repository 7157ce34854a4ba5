-- eslint --format json.

---@param report oxide.Report
return function(report)
  return require('oxide.parsers.whole')(report, function(v)
    for _, file in ipairs(v) do
      for _, d in ipairs(file.messages or {}) do
        report.diagnostic {
          file = file.filePath,
          line = d.line,
          column = d.column,
          end_line = d.endLine,
          end_column = d.endColumn,
          columns = 'utf-16',
          severity = d.severity == 2 and 'error' or 'warning',
          message = d.message,
          code = d.ruleId,
        }
      end
    end
  end)
end
