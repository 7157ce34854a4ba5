-- Those sub-commands of :Oxide that are about a symbol, at the cursor or by its name.
local arguments = require('oxide.command.arguments')

---@param lead string
---@param before string[]
---@return string[]
local function symbols(lead, before)
  return #before == 0 and require('oxide.symbols.complete').complete(lead) or {}
end

--- A list of the project's knows them by their own names.
---@param lead string
---@param before string[]
---@return string[]
local function own_names(lead, before)
  local seen, names = {}, {}
  for _, path in ipairs(symbols(lead, before)) do
    local name = path:match('[^/]*$')
    if not seen[name] then
      seen[name] = true
      table.insert(names, name)
    end
  end
  return names
end

--- One that is in another is typed by its path, "Shape/area", or by its own name.
---@param choice string
---@param lead string
---@return boolean
local function fits(choice, lead)
  local own = (choice:match('^of=') or '') .. choice:match('[^/]*$')
  return vim.startswith(choice, lead) or vim.startswith(own, lead)
end

---@param inv oxide.Invocation
local function edit(inv)
  local symbol, action = inv.args[1], inv.args[2]
  local actions = require('oxide.edit').ACTIONS
  local opts = arguments.opts(inv, { symbol = symbol, action = action })
  if not action then
    return arguments.refuse(
      'edit needs the name of a symbol and one of ' .. table.concat(actions, ', ')
    )
  elseif not vim.list_contains(actions, action) then
    return arguments.unknown(action, actions)
  end
  for i = 3, #inv.args do
    if inv.args[i] == 'signature' then
      opts.allow_signature_change = true
    elseif inv.args[i]:match(require('oxide.text_source').REGISTER) then
      opts.register = inv.args[i]
    else
      return arguments.unknown(inv.args[i], { 'signature', 'a register' })
    end
  end
  require('oxide').edit(opts)
end

---@param doc string
---@param name string   of the function of oxide
---@param complete? fun(lead: string, before: string[]): string[]
---@return oxide.Subcommand
local function of_symbol(doc, name, complete)
  return {
    doc = doc,
    max = 1,
    complete = complete or symbols,
    fits = fits,
    run = function(inv)
      require('oxide')[name] { symbol = inv.args[1], mods = inv.mods }
    end,
  }
end

---@type table<string, oxide.Subcommand>
return {
  definition = of_symbol('go to the definition', 'definition'),
  type = of_symbol('go to the definition of the type', 'type_definition'),
  implementation = of_symbol('go to the implementation', 'implementation'),
  references = of_symbol('list the references', 'references'),
  hover = of_symbol('show type and documentation', 'hover'),
  symbols = of_symbol("list the file's symbols, or the project's by name", 'symbols', own_names),
  edit = {
    doc = 'replace, delete, or insert beside a symbol of the buffer, from a register',
    bang = true,
    max = 4,
    fits = fits,
    complete = function(lead, before)
      return #before == 0 and symbols(lead, before)
        or #before == 1 and require('oxide.edit').ACTIONS
        or { 'signature' }
    end,
    run = edit,
  },
  signature = {
    doc = "change a function's parameters in all declarations and calls: its list, edited",
    bang = true,
    fits = fits,
    complete = function(lead, before)
      local name = lead:match('^of=(.*)$')
      return not name and #before == 0 and { 'of=' }
        or vim.tbl_map(function(symbol)
          return 'of=' .. symbol
        end, name and symbols(name, before) or {})
    end,
    run = function(inv)
      local symbol, list = inv.text:match('^of=(%S+)%s*(.*)$')
      list = list or inv.text
      require('oxide').signature(
        arguments.opts(inv, { signature = list ~= '' and list or nil, symbol = symbol })
      )
    end,
  },
}
