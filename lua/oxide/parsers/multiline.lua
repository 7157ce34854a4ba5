-- For parsers whose diagnostics go on in the lines below them.

---@param report oxide.Report
---@return fun(row?: oxide.Finding) start   tells the one before; without a row that alone
---@return fun(line: string) add            to its message; nothing where there is none
---@return fun(): oxide.Finding? last       the one that goes on
return function(report)
  local row ---@type oxide.Finding?

  local function start(next_row)
    if row then
      report.diagnostic(row)
    end
    row = next_row
  end

  local function add(line)
    if row then
      row.message = row.message .. '\n' .. line
    end
  end

  return start, add, function()
    return row
  end
end
