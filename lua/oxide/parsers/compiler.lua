-- What most compilers print: FILE:LINE:COLUMN: LEVEL: MESSAGE, of GCC, Clang, the linker, the
-- assembler, Meson, mypy; and of go, which names no level. A note belongs to the diagnostic above it;
-- but those that mypy was asked for by reveal_type() stand alone.
local LEVELS = {
  error = 'error',
  ['fatal error'] = 'error',
  Error = 'error',
  ERROR = 'error',
  warning = 'warning',
  Warning = 'warning',
  WARNING = 'warning',
  note = 'info',
}

--- Meson counts columns from 0.
local FIRST = { ERROR = 0 }

--- "message [-Wflag]", "message  [code]"
local function split_code(message)
  local text, code = message:match('^(.-)%s+%[([%w_%-+=,]+)%]$')
  return text or message, code
end

---@param report oxide.Report
return function(report)
  local start, add, last = require('oxide.parsers.growing')(report)

  --- GCC counts the columns of a screen, Clang bytes. Both draw a caret below the text, on the
  --- screen's column.
  local function take_caret(text)
    local margin, rest = text:match('^(%s*|)(.*)$')
    local at, row = (rest or text):find('^', 1, true), last()
    if at and row and row.column and not row.columns then
      row.columns = at - (margin and 1 or 0) == row.column and 'screen' or 'bytes'
    end
  end

  --- The linker knows an object or a source, and a place in its code alone.
  local function take_link_error(text)
    local file, message = text:match('([^%s:][^:]*):%([^()]*%): (%a.*)$')
    if not file or not (message:match('^undefined ') or message:match('^multiple ')) then
      return false
    end
    start { file = file, severity = 'error', message = message }
    return true
  end

  local function take_folder(text)
    local folder = text:match("^[%w%-]*make%[?%d*%]?: Entering directory '(.*)'$")
      or text:match("^ninja: Entering directory [`'](.*)'$")
    if folder then
      report.directory(folder)
    end
    return folder
  end

  --- A name may have blanks and colons in it, but not both behind one another.
  local function place(text)
    local file, at, rest = text:match('^([^%s:].-):(%d+):(.*)$')
    if file and not file:find(': ', 1, true) then
      return file, at, rest
    end
  end

  local function line(text)
    local file, at, rest = place((text:gsub('^vet: ', '')))
    local column, tail = (rest or ''):match('^(%d+):(.*)$')
    local level, message = (tail or rest or ''):match('^%s*(%a[%a ]*): (.*)$')
    if not file then
      return take_folder(text) or take_link_error(text) or take_caret(text)
    elseif level == 'note' and not message:match('^Revealed ') then
      return add(('note: %s:%s: %s'):format(file, at, message))
    elseif not LEVELS[level or ''] and not (column and file:match('%.go$')) then
      return
    end
    local words, code = split_code(LEVELS[level or ''] and message or tail:match('^%s*(.*)$'))
    start {
      file = file,
      line = tonumber(at),
      column = column and tonumber(column) + 1 - (FIRST[level] or 1),
      severity = LEVELS[level or ''] or 'error',
      message = words,
      code = code,
    }
  end

  return function(text)
    line(text)
  end, start
end
