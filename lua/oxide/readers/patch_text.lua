-- The files that a patch in Codex' own form changes: "*** Update File: a.c" and so on.
local values = require('oxide.readers.values')

local OPERATIONS = { Add = 'create', Update = 'modify', Delete = 'delete' }

--- Rows of the record, without what is known of the call.
---@param patch string
---@return table[]
return function(patch)
  local rows, row, body = {}, nil, {} ---@type table[], table?, string[]

  local function finish()
    if row then
      local to = row.change and row.change.new_path
      row.change = values.change_of_diff(table.concat(body, '\n') .. '\n')
      row.change.new_path = to
      if row.operation == 'delete' then
        row.change = nil
      end
    end
    body = {}
  end

  for line in (patch .. '\n'):gmatch('(.-)\r?\n') do
    local what, path = line:match('^%*%*%* (%a+) File: (.+)$')
    local to = line:match('^%*%*%* Move to: (.+)$')
    if OPERATIONS[what] then
      finish()
      row = { operation = OPERATIONS[what], path = path }
      rows[#rows + 1] = row
    elseif to and row then
      row.operation, row.change = 'rename', { new_path = to }
    elseif not line:match('^%*%*%* ') then
      body[#body + 1] = line
    end
  end
  finish()
  return rows
end
