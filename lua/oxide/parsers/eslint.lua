-- eslint --format json.

--- How long a text is in UTF-16.
local function units(text)
  local _, inner = text:gsub('[\128-\191]', '')
  local _, wide = text:gsub('[\240-\247]', '')
  return #text - inner + wide
end

--- Where the lines of a text begin, in UTF-16 from 0; what marks its order of bytes is not counted.
local function beginnings(source)
  local list = { 0 }
  for text in source:gsub('^\239\187\191', ''):gmatch('[^\n]*\n') do
    list[#list + 1] = list[#list] + units(text)
  end
  return list
end

---@return integer line, integer column   both from 1
local function place(starts, offset)
  local low, high = 1, #starts
  while low < high do
    local middle = math.ceil((low + high) / 2)
    if starts[middle] <= offset then
      low = middle
    else
      high = middle - 1
    end
  end
  return low, offset - starts[low] + 1
end

local function edit(file, starts, fix)
  local e = { file = file, columns = 'utf-16', text = fix.text }
  e.line, e.column = place(starts, fix.range[1])
  e.end_line, e.end_column = place(starts, fix.range[2])
  return e
end

--- What `--fix` would do, and what the rule would let a person choose from.
local function fixes(file, starts, d)
  local list = {}
  if d.fix then
    local title = ('fix this %s'):format(d.ruleId or 'comment')
    list[1] = { title = title, preferred = true, edits = { edit(file, starts, d.fix) } }
  end
  for _, s in ipairs(d.suggestions or {}) do
    list[#list + 1] = { title = s.desc, edits = { edit(file, starts, s.fix) } }
  end
  return list
end

---@param report oxide.Report
return function(report)
  local function tell_file(file)
    local starts = file.source and beginnings(file.source)
    for _, d in ipairs(file.messages or {}) do
      report.diagnostic {
        file = file.filePath,
        line = d.line,
        column = d.column,
        end_line = d.endLine,
        end_column = d.endColumn,
        columns = 'utf-16',
        severity = d.severity == 2 and 'error' or 'warning',
        message = d.message or '',
        code = d.ruleId,
        fixes = starts and fixes(file.filePath, starts, d),
      }
    end
  end

  return require('oxide.parsers.json_document')(report, 'filePath', function(v)
    for _, file in ipairs(v) do
      tell_file(file)
    end
  end)
end
