-- cargo test, for whose tests stable Rust has no JSON; what does not compile is in JSON or in words.
local LEVELS = { error = 'error', warning = 'warning' }
local OUTCOMES = { ok = 'passed', FAILED = 'failed', ignored = 'ignored' }

--- What a failed test printed, as its place and message.
local function failure(name, lines)
  local row = { name = name, outcome = 'failed', output = table.concat(lines, '\n') }
  local frame ---@type string?
  for i, line in ipairs(lines) do
    local old, file, at, column = line:match("panicked at '(.*)', (.-):(%d+):(%d+)$")
    if not file then
      file, at, column = line:match('panicked at (.-):(%d+):(%d+):$')
    end
    if not file then
      file, at, column = line:match('^note: test did not panic as expected at (.-):(%d+):(%d+)$')
      old = file and 'test did not panic as expected'
    end
    if file and not row.line then
      row.file, row.line, row.column = file, tonumber(at), tonumber(column)
      row.message = old or lines[i + 1]
    elseif line:match('^Error: ') then
      row.message = row.message or line
    end
    frame = frame or line:match('^%s+at %./(.-:%d+:%d+)$')
  end
  if frame and (not row.file or row.file:sub(1, 1) == '/') then
    local file, at, column = frame:match('^(.*):(%d+):(%d+)$')
    row.file, row.line, row.column = file, tonumber(at), tonumber(column)
  end
  if not row.file then
    local file, at = name:match('^(%S+%.rs) %- .*%(line (%d+)%)')
    row.file, row.line = file, tonumber(at) -- of a test in a comment
  end
  row.columns = 'characters'
  return row
end

---@param report oxide.Report
return function(report)
  local compiled = require('oxide.parsers.cargo')(report)
  local failed, printed = {}, {} ---@type string[], table<string, oxide.Kept>
  local waiting ---@type string?   a test whose own output precedes its outcome
  local section ---@type oxide.Kept?   what a failed test printed
  local heading ---@type table?   of a diagnostic for people, whose place comes next

  local function outcome(name, word)
    waiting = nil
    name = name:gsub(' %- should panic$', '')
    if word == 'FAILED' then
      failed[#failed + 1] = name
    else
      report.test { name = name, outcome = OUTCOMES[word] }
    end
  end

  local function tell_failures()
    for _, name in ipairs(failed) do
      report.test(failure(name, printed[name] and printed[name].list() or {}))
    end
    failed, printed, section, waiting = {}, {}, nil, nil
  end

  local function in_words(line)
    local level, code, message = line:match('^(%a+)%[?(%w*)%]?: (.+)$')
    local file, at, column = line:match('^%s*%-%-> (.-):(%d+):(%d+)$')
    if heading and file then
      heading.file, heading.line, heading.column = file, tonumber(at), tonumber(column)
      report.diagnostic(heading)
    end
    heading = LEVELS[level]
      and { severity = LEVELS[level], code = code, message = message, columns = 'characters' }
  end

  local function line(text)
    if not section and compiled(text) then
      return true
    end
    local name = text:match('^%-%-%-%- (.+) stdout %-%-%-%-$')
    if name then
      section = require('oxide.parsers.test_output')()
      printed[name] = section
      return
    elseif text:match('^test result: ') then
      return tell_failures()
    elseif section and text ~= 'failures:' then
      section.add(text)
      return
    end
    section = nil
    local test, rest = text:match('^test (.+) %.%.%. (.*)$')
    local word = (rest or text):match('^%a+')
    if test and OUTCOMES[word] then
      outcome(test, word)
    elseif test then
      waiting = test
    elseif waiting and OUTCOMES[text] then
      outcome(waiting, text)
    else
      in_words(text)
    end
  end

  return line, tell_failures
end
