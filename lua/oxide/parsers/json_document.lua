-- For parsers of what is one JSON value, over one line or many.

-- What a parser is given is the same for all: native/core/parser.h tells more of it.

---@class oxide.Finding
---@field file? string
---@field line? integer        lines and columns from 1
---@field column? integer
---@field end_line? integer
---@field end_column? integer   exclusive
---@field columns? 'bytes'|'characters'|'utf-16'|'screen'
---@field severity 'error'|'warning'|'info'|'hint'
---@field message string
---@field code? string
---@field unit? string         the source in whose compile it was found, where it is another file
---@field fixes? { title: string, preferred?: boolean, edits: table[] }[]

---@class oxide.Outcome
---@field name string
---@field id? string            by which it is run, if not the name
---@field outcome 'passed'|'failed'|'ignored'
---@field count? integer        of tests that are known by their number alone
---@field file? string
---@field ending? boolean       the file is known by the end of its name
---@field line? integer
---@field column? integer
---@field message? string
---@field output? string

---@class oxide.Report
---@field diagnostic fun(row: oxide.Finding)
---@field test fun(row: oxide.Outcome)
---@field directory fun(path: string)
---@field compiled fun(file: string)
---@field idle fun()
---@field none fun()
---@field incomplete fun(why: string)
---@field absent fun(program: string)
---@field output fun(text: string)
---@field decode fun(text: string): any

--- An object with that member, or a list of such.
local function is_report(value, member)
  for _, item in ipairs(value) do
    if type(item) ~= 'table' or item[member] == nil then
      return false
    end
  end
  return value[1] or value[member] ~= nil
end

---@param report oxide.Report
---@param member string   which the value has, or each in it where it is a list
---@param tell fun(value: table)   called once
---@return fun(line: string, errout: boolean): boolean?, fun()
return function(report, member, tell)
  local text ---@type string[]?   what may be the value
  local told = false

  local function finish()
    local all = table.concat(text or {}, '\n')
    local value = report.decode(all)
    text = nil
    if value and is_report(value, member) then
      told = true
      tell(value)
    elseif all ~= '' then
      report.output(all .. '\n')
    end
  end

  --- It begins and ends in the first column; others may print before it and behind it.
  local function line(part, errout)
    local absent = part:match('npx canceled due to missing packages.-%["(@?[^@"]+)')
    if absent then
      report.absent(absent)
    end
    if told or errout then
      return
    elseif part:match('^[{%[]') then
      finish()
      text = {}
    elseif not text then
      return
    end
    text[#text + 1] = part
    if part:match('^[{%[].*[}%]]%s*$') or part:match('^[}%]]') then
      finish()
    end
    return true
  end

  return line,
    function()
      finish()
      if not told then
        report.incomplete('the report that it should have printed is missing')
      end
    end
end
