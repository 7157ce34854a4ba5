-- ruff check --output-format=json.

--- A finding without a rule is a syntax error; older versions give it no code.
local SYNTAX = { ['invalid-syntax'] = true, E999 = true }

local function edits(file, fix)
  local list = {}
  for i, e in ipairs(fix.edits or {}) do
    list[i] = {
      file = file,
      line = e.location.row,
      column = e.location.column,
      end_line = e.end_location.row,
      end_column = e.end_location.column,
      columns = 'characters',
      text = e.content or '',
    }
  end
  return list
end

---@param report oxide.Report
return function(report)
  return require('oxide.parsers.json_document')(report, 'message', function(v)
    for _, d in ipairs(v) do
      local fix = d.fix and d.fix.applicability ~= 'display' and d.fix
      report.diagnostic {
        file = d.filename,
        line = d.location and d.location.row,
        column = d.location and d.location.column,
        end_line = d.end_location and d.end_location.row,
        end_column = d.end_location and d.end_location.column,
        columns = 'characters',
        severity = (not d.code or SYNTAX[d.code]) and 'error' or 'warning',
        message = d.message or '',
        code = d.code,
        fixes = fix and {
          {
            title = fix.message or 'fix',
            preferred = fix.applicability == 'safe',
            edits = edits(d.filename, fix),
          },
        } or nil,
      }
    end
  end)
end
