-- cargo --message-format=json: what rustc says, with its own fixes.
local LEVELS = { error = 'error', warning = 'warning', note = 'info', help = 'hint' }
local SURE = { MachineApplicable = true, MaybeIncorrect = false }

--- Where a span of a macro was written: the innermost call of it in a file of the project, which
--- rustc names relative to it.
local function written(span)
  local at = span
  while at and (at.file_name:sub(1, 1) == '/' or at.file_name:sub(1, 1) == '<') do
    at = at.expansion and at.expansion.span
  end
  return at or span
end

local function primary(spans)
  for _, span in ipairs(spans) do
    if span.is_primary then
      return span
    end
  end
  return spans[1]
end

local function place(span)
  return {
    file = span.file_name,
    line = span.line_start,
    column = span.column_start,
    end_line = span.line_end,
    end_column = span.column_end,
    columns = 'characters',
  }
end

local function edit(span)
  local row = place(span)
  row.text = span.suggested_replacement
  return row
end

local function same_place(a, b)
  return a.file_name == b.file_name and a.byte_start == b.byte_start and a.byte_end == b.byte_end
end

--- What a suggestion replaces, and whether rustc is sure; nil: it has holes to fill in.
local function suggested(child)
  local spans, sure = {}, true
  for _, span in ipairs(child.spans) do
    local applies = SURE[span.suggestion_applicability]
    if span.suggested_replacement and applies == nil then
      return nil
    elseif span.suggested_replacement then
      spans[#spans + 1] = span
      sure = sure and applies
    end
  end
  return #spans > 0 and spans or nil, sure
end

--- Several replacements of one place are alternatives, those of different places belong together.
local function add_fixes(fixes, child)
  local spans, sure = suggested(child)
  if not spans then
    return
  end
  if #spans > 1 and same_place(spans[1], spans[2]) then
    for _, span in ipairs(spans) do
      local title = ('%s: `%s`'):format(child.message, span.suggested_replacement:match('[^\n]*'))
      fixes[#fixes + 1] = { title = title, edits = { edit(span) } }
    end
    return
  end
  local edits = {}
  for i, span in ipairs(spans) do
    edits[i] = edit(span)
  end
  local text = #spans == 1 and spans[1].suggested_replacement:match('^[^\n]+$')
  local title = text and ('%s: `%s`'):format(child.message, text) or child.message
  fixes[#fixes + 1] = { title = title, preferred = sure, edits = edits }
end

local function tell_message(report, message)
  local span = primary(message.spans)
  if message.rendered then
    report.output(message.rendered)
  end
  if not span or not LEVELS[message.level] then
    return
  end
  local row = place(written(span))
  row.severity = LEVELS[message.level]
  row.code = message.code and message.code.code
  row.message = message.message .. (span.label and '\n' .. span.label or '')
  row.fixes = {}
  for _, child in ipairs(message.children) do
    add_fixes(row.fixes, child)
  end
  report.diagnostic(row)
end

--- Names of files begin at the workspace, which is the package's directory or one above it.
local function tell_directories(report, manifest)
  local directory = manifest:match('^(.*)/[^/]*$')
  while directory and directory ~= '' do
    report.directory(directory)
    directory = directory:match('^(.*)/[^/]*$')
  end
end

---@param report oxide.Report
return function(report)
  local ended = false

  local function line(text)
    local v = text:sub(1, 11) == '{"reason":"' and report.decode(text)
    ended = ended or v and v.reason == 'build-finished' or false
    if v and v.reason == 'compiler-message' and v.manifest_path and v.message then
      tell_directories(report, v.manifest_path)
      tell_message(report, v.message)
    end
    return v and true
  end

  return line,
    function()
      if not ended then
        report.incomplete('it does not say that the build is finished')
      end
    end
end
