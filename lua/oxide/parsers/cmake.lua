-- cmake: what it says of its own files, and while it builds, what compilers do.

--- "CMake Warning (dev) at a.cmake:3 (message):", or a message behind "CMake Error: ".
local function heading(text)
  local level = text:match('^CMake %a* ?(Error)%f[%A]') or text:match('^CMake %a* ?(Warning)%f[%A]')
  if not level then
    return nil
  end
  local file, at = text:match(' at (.-):(%d+)[: ]')
  file = file or text:match(' in (.*):$')
  return {
    file = file,
    line = tonumber(at),
    severity = level:lower(),
    message = not file and text:match('^[^:]*: (.*)$') or '',
  }
end

---@param report oxide.Report
return function(report)
  local compiled, compiler_ends = require('oxide.parsers.compiler')(report)
  local start, add, last = require('oxide.parsers.multiline')(report)

  local function finish()
    local row = last()
    if row then
      row.message = row.message:match('^%s*(.-)%s*$')
    end
    start()
  end

  --- The calls that led there: of one from a module of cmake's the first in the project counts.
  local function take_call(row, text)
    local file, at = text:match('^  ([^/].-):(%d+) %(')
    if file and row.file and row.file:sub(1, 1) == '/' then
      row.file, row.line = file, tonumber(at)
    end
  end

  local stack = false -- the lines of a message are over, and its calls follow

  local function line(text, errout)
    local row, next_row = last(), heading(text)
    if next_row then
      finish()
      start(next_row)
      stack = false
    elseif row and text:match('^Call Stack ') then
      stack = true
    elseif row and stack and text:match('^  ') then
      take_call(row, text)
    elseif row and (text == '' or text:match('^  ')) then
      add(text:sub(3))
    else
      finish()
      return compiled(text, errout)
    end
  end

  return line, function()
    finish()
    compiler_ends()
  end
end
