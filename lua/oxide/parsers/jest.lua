-- jest --json, and vitest --reporter=json.
local OUTCOMES = {
  passed = 'passed',
  failed = 'failed',
  pending = 'ignored',
  skipped = 'ignored',
  disabled = 'ignored',
  todo = 'ignored',
}

--- Whether a stack means the file by this name: an absolute one, or one from the project root.
local function is_named(file, name)
  return file == name or file:sub(-#name - 1) == '/' .. name
end

--- The first place in the file of the test: of its stack, or where it is not JavaScript.
local function place(text, file)
  local found = text:find(file .. ':', 1, true)
  local rest = found and text:sub(found + #file)
  if rest and rest:match('^:%d+:%d+') then
    return rest:match('^:(%d+):(%d+)')
  elseif rest then
    return rest:match('^: [^\n]*%((%d+):(%d+)%)')
  end
  for name, line, column in text:gmatch('([^%s()]+):(%d+):(%d+)') do
    if is_named(file, name) then
      return line, column
    end
  end
end

--- Without the frames of jest itself and of libraries.
local function own(text)
  local short = text:gsub('\n[ \t]+at [^\n]*node_modules[^\n]*', '')
  return short:find('\n%s+at ') and short or text
end

local function failure(name, file, text)
  text = own(text:gsub('\27%[[%d;]*m', ''))
  local row = { name = name, outcome = 'failed', file = file, output = text }
  local line, column = place(text, file)
  row.line, row.column = tonumber(line), tonumber(column)
  row.message = (text:match('[^\n]+') or ''):gsub('%s+// [%w. ]+equality$', '')
  return row
end

--- A file that could not be run; its own heading says no more than that.
local function broken(file)
  local row = failure(file.name, file.name, file.message or '')
  local said = row.output:gsub('^%s*●[^\n]*\n', '')
  row.message = said:match('\n%s*(SyntaxError: [^\n]+)') or said:match('%S[^\n]*')
  return row
end

---@param report oxide.Report
return function(report)
  local function tell_file(file)
    local failed = false
    for _, t in ipairs(file.assertionResults or {}) do
      local name, outcome = t.fullName:match('^%s*(.*)$'), OUTCOMES[t.status] or 'ignored'
      if outcome == 'failed' then
        report.test(failure(name, file.name, table.concat(t.failureMessages or {}, '\n')))
        failed = true
      else
        report.test { name = name, outcome = outcome }
      end
    end
    if file.status == 'failed' and not failed then
      report.test(broken(file))
    end
  end

  return require('oxide.parsers.json_document')(report, 'testResults', function(v)
    if #v.testResults == 0 then
      report.none()
    end
    for _, file in ipairs(v.testResults) do
      tell_file(file)
    end
  end)
end
