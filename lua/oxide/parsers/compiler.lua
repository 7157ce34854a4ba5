-- What most compilers print: FILE:LINE:COLUMN: LEVEL: MESSAGE, of GCC, Clang, the linker, the
-- assembler, Meson, mypy; and of go, which names no level. A note belongs to the diagnostic above it;
-- but those that mypy was asked for by reveal_type() are alone.
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

--- How the names of sources end; what a compiler is given, it compiles.
local SOURCES = {}
for ext in ('c cc cpp cxx c++ C m mm M s S sx f f90 F F90 cu'):gmatch('%S+') do
  SOURCES[ext] = true
end

--- The end of a run that had nothing to do.
local IDLE = {
  "^[%w%-]*make%[?%d*%]?: Nothing to be done for [`'].*'%.$",
  "^[%w%-]*make%[?%d*%]?: [`'].*' is up to date%.$",
  '^ninja: no work to do%.$',
}

--- Why make makes something, by --trace.
local function is_trace(text)
  return text:match("^[^%s:]+:%d+: update target '.*' due to: ")
    or text:match("^[^%s:]+:%d+: target '.*' does not exist$")
end

--- "message [-Wflag]", "message  [code]"
local function split_code(message)
  local text, code = message:match('^(.-)%s+%[([%w_%-+=,]+)%]$')
  return text or message, code
end

---@param report oxide.Report
return function(report)
  local start, add, last = require('oxide.parsers.multiline')(report)
  local directories = {} ---@type string[]   that make is in, the innermost last
  local units, unit = {}, nil ---@type table<string, string>, string?   by the file included

  --- From the directory that make is in.
  local function whole(file)
    local directory = directories[#directories]
    return directory and file:sub(1, 1) ~= '/' and directory .. '/' .. file or file
  end

  --- A command: what it compiles is compiled again.
  local function take_command(text)
    for word in text:gmatch('[^%s\'"`;()]+') do
      if SOURCES[word:match('%.([%w+]+)$') or ''] then
        report.compiled(whole(word))
        units = {}
      end
    end
  end

  --- "In file included from b.h:1," and below it "from a.c:2:", the source last.
  local function take_include(text)
    local file = text:match('^In file included from (.-):%d+[:,]')
      or text:match('^%s+from (.-):%d+[:,]')
    unit = file or unit
    return file
  end

  --- What was included counts to the source that the chain above it names, until the next command.
  local function unit_of(file)
    units[file] = unit or units[file]
    unit = nil
    return whole(units[file] or file)
  end

  --- GCC counts the columns of a screen, Clang bytes. Both draw a caret below the text, on the
  --- screen's column.
  local function take_caret(text)
    local margin, rest = text:match('^(%s*|)(.*)$')
    local at, row = (rest or text):find('^', 1, true), last()
    if at and row and row.column and not row.columns then
      row.columns = at - (margin and 1 or 0) == row.column and 'screen' or 'bytes'
    end
  end

  --- The linker knows an object or a source, and mostly a place in its code alone, not a line.
  local function take_link_error(text)
    local file, message = text:match('([^%s:][^:]*):%([^()]*%): (%a.*)$')
    local source, at, said = text:match('([^%s:][^:]*):(%d+): (undefined reference to .*)$')
    if source then
      start { file = source, line = tonumber(at), severity = 'error', message = said }
      return true
    elseif file and (message:match('^undefined ') or message:match('^multiple ')) then
      start { file = file, severity = 'error', message = message }
      return true
    end
    local linker, without = text:match('^(%S*ld[%w.%-]*): (.*)$')
    without = linker and (without:match('^cannot find .*') or without:match('^error: (.*)'))
    if without then
      start { severity = 'error', message = without }
    end
    return without
  end

  local function take_directory(text)
    local directory = text:match("^[%w%-]*make%[?%d*%]?: Entering directory '(.*)'$")
      or text:match("^ninja: Entering directory [`'](.*)'$")
    if directory then
      report.directory(directory)
      directories[#directories + 1] = directory
    elseif text:match('^[%w%-]*make%[?%d*%]?: Leaving directory ') then
      directories[#directories] = nil
    end
    return directory
  end

  --- A name may have blanks and colons in it, but not both behind one another.
  local function place(text)
    local file, at, rest = text:match('^([^%s:].-):(%d+):(.*)$')
    if file and not file:find(': ', 1, true) then
      return file, at, rest
    end
  end

  local function take_rest(text, errout)
    if take_directory(text) or take_link_error(text) or take_include(text) then
      return
    end
    for _, pattern in ipairs(IDLE) do
      if text:match(pattern) then
        return report.idle()
      end
    end
    if not errout and text:match('^%S') then
      take_command(text)
    else
      take_caret(text)
    end
  end

  local function line(text, errout)
    local file, at, rest = place((text:gsub('^vet: ', '')))
    local column, tail = (rest or ''):match('^(%d+):(.*)$')
    local level, message = (tail or rest or ''):match('^%s*(%a[%a ]*): (.*)$')
    if not file then
      return take_rest(text, errout)
    elseif level == 'note' and not message:match('^Revealed ') then
      return add(('note: %s:%s: %s'):format(file, at, message))
    elseif not LEVELS[level or ''] and not (column and file:match('%.go$')) then
      return take_link_error(text)
    end
    local words, code = split_code(LEVELS[level or ''] and message or tail:match('^%s*(.*)$'))
    start {
      file = file,
      line = tonumber(at),
      column = column and tonumber(column) + 1 - (FIRST[level] or 1),
      severity = LEVELS[level or ''] or 'error',
      message = words,
      code = code,
      unit = unit_of(file),
    }
  end

  return function(text, errout)
    if is_trace(text) then
      return true
    end
    line(text, errout)
  end,
    start
end
