-- Any program: what its dialogue in the Agent Client Protocol says, where it speaks that; else the
-- commands that a shell marks in its output (OSC 133), and how the program ended.
local values = require('oxide.readers.values')

local MOST = 65536 -- bytes of the output of a command that are kept, at its beginning and its end

---@param text string
---@return string   without escape sequences and control characters but tabs
local function plain(text)
  return (
    text
      :gsub('\27%].-\7', '')
      :gsub('\27%].-\27\\', '')
      :gsub('\27%[[0-?]*[ -/]*[@-~]', '')
      :gsub('\27[ -/]*[0-~]', '')
      :gsub('[%z\1-\8\11-\31\127]', '')
  )
end

---@param report oxide.AgentReport
return function(report)
  local calls = require('oxide.readers.calls')(report)
  local acp = require('oxide.readers.acp')(report, calls)
  local command ---@type { words: string, head: string[], tail: string[], bytes: integer, cut: boolean }?
  local typed ---@type string?   between the prompt and what it starts

  local function add(text)
    if not command then
      return
    end
    local list = command.bytes < MOST and command.head or command.tail
    list[#list + 1] = text
    command.bytes = command.bytes + #text
    if list == command.tail and command.bytes > 3 * MOST then
      local rest = table.concat(command.tail):sub(-MOST)
      command.tail, command.bytes, command.cut = { rest }, MOST + #rest, true
    end
  end

  local function finish(code)
    if command then
      local tail = table.concat(command.tail)
      report.shell_command {
        command = command.words,
        exit_code = code,
        truncated = command.cut,
        output = table.concat(command.head) .. (command.cut and '\n...\n' or '') .. tail,
      }
      report.state('idle')
    end
    command = nil
  end

  --- A: the prompt begins; B: it ends; C: what was typed is started; D: that has ended.
  local function mark(letter, rest)
    if letter == 'A' then
      finish(nil)
      typed = nil
    elseif letter == 'B' then
      typed = ''
    elseif letter == 'C' then
      finish(nil)
      local words = rest:match(';cmdline=([^;]+)') or (typed and plain(typed)) or ''
      command =
        { words = (words:gsub('^%s+', ''):gsub('%s+$', '')), head = {}, tail = {}, bytes = 0 }
      typed = nil
      report.state('working')
    elseif letter == 'D' then
      finish(tonumber(rest:match('^;(%-?%d+)')))
    end
  end

  local function take(text)
    if typed then
      typed = typed .. text
    else
      add(plain(text))
    end
  end

  local function screen_line(line)
    local at = 1
    line = line .. '\n'
    while true do
      local first, last, letter, rest = line:find('\27%]133;(%a)([^\7\27]*)[\7\27]\\?', at)
      if not first then
        break
      end
      take(line:sub(at, first - 1))
      mark(letter, rest)
      at = last + 1
    end
    take(line:sub(at))
  end

  local function line(text)
    local value = text:match('^%s*{') and report.decode(text)
    local message = type(value) == 'table' and (value.msg or value)
    if message and acp.is_message(message) then
      acp.message(value.dir, message)
    else
      screen_line(text)
    end
  end

  return line,
    function(exit)
      finish(values.integer(values.get(exit, 'code')))
      acp.finish()
    end
end
