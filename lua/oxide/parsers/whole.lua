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
---@field fixes? { title: string, preferred?: boolean, edits: table[] }[]

---@class oxide.Outcome
---@field name string
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
---@field output fun(text: string)
---@field decode fun(text: string): any

---@param report oxide.Report
---@param tell fun(value: any)   called once, with the value
---@return fun(line: string): boolean?, fun()
return function(report, tell)
  local text = {} ---@type string[]

  local function line(part)
    if #text > 0 or part:match('^%s*[{%[]') then
      text[#text + 1] = part
      return true
    end
  end

  return line,
    function()
      local all = table.concat(text, '\n')
      local value = report.decode(all)
      if value then
        tell(value)
      elseif all ~= '' then
        report.output(all)
      end
    end
end
