-- The words behind :Oxide: what they may be, and the refusal of those that may not.
local M = {}

---@param inv oxide.Invocation
---@return 'auto'|'always'|'never'
function M.review_mode(inv)
  return inv.mods.confirm and 'always' or inv.bang and 'never' or 'auto'
end

--- What a function of oxide gets of any command: the range, the review, `!` and the modifiers.
---@param inv oxide.Invocation
---@param opts table   what it gets besides; it is returned, with these put in where it has none
---@return table
function M.opts(inv, opts)
  return vim.tbl_extend('keep', opts, {
    first = inv.range and inv.range[1],
    last = inv.range and inv.range[2],
    review = M.review_mode(inv),
    force = inv.bang,
    mods = inv.mods,
  })
end

---@param word string
---@param allowed string[]
---@param what? string   'argument' without it
function M.unknown(word, allowed, what)
  local near = require('oxide.nearest').find(word, allowed)
  require('oxide.ui').notify(
    ("unknown %s '%s'%s"):format(
      what or 'argument',
      word,
      near and (", did you mean '" .. near .. "'?") or '; known: ' .. table.concat(allowed, ', ')
    ),
    vim.log.levels.ERROR
  )
end

---@param what string   behind ":Oxide "
function M.refuse(what)
  require('oxide.ui').notify(':Oxide ' .. what, vim.log.levels.ERROR)
end

--- Sorts words into switches and KEY=VALUE. Nil when one is unknown, which has been said then.
---@param args string[]
---@param words string[]   allowed, KEY= or KEY=VALUE for the latter
---@return table<string, string|true>?
function M.parse(args, words)
  local found = {} ---@type table<string, string|true>
  for _, arg in ipairs(args) do
    local key, value = arg:match('^([%w_]+)=(.*)$')
    local open = key and vim.list_contains(words, key .. '=')
    if not open and not vim.list_contains(words, arg) then
      M.unknown(arg, words)
      return nil
    end
    found[key or arg] = value or true
  end
  return found
end

return M
