-- :Oxide. One row a sub-command (command/subcommands.lua) says what it takes and what it does; completion and
-- the refusal of what it does not take come from the row.
local arguments = require('oxide.command.arguments')

local M = {}

---@class oxide.Invocation
---@field args string[]
---@field text string   the words as they were typed
---@field bang boolean
---@field range? { [1]: integer, [2]: integer }
---@field mods table

---@class oxide.Subcommand
---@field doc string
---@field bang? boolean
---@field range? boolean
---@field max? integer    how many words it takes at most; without it any number
---@field words? string[] what the words can be, for completion
---@field complete? fun(lead: string, before: string[]): string[]   where they depend: on the words
--- before it, on what there is
---@field fits? fun(choice: string, lead: string): boolean   where not only what begins so does
---@field run fun(inv: oxide.Invocation)

M.subcommands = require('oxide.command.subcommands')

--- What the core's table of tools has by this name.
---@param name string
---@return oxide.Subcommand?
local function tool(name)
  local words = require('oxide.process').tools[name]
  return words
    and {
      doc = 'the tool of this name',
      bang = true,
      words = words,
      run = function(inv)
        local given = arguments.parse(inv.args, words)
        if given then
          require('oxide.tool').run(name, given, arguments.review_mode(inv), inv)
        end
      end,
    }
end

---@return string[]
function M.names()
  local names = vim.tbl_keys(M.subcommands)
  table.sort(names)
  return names
end

---@param opts table   as nvim_create_user_command() gives it
local function run(opts)
  local args = vim.deepcopy(opts.fargs)
  local word = table.remove(args, 1)
  local bang = opts.bang
  require('oxide.config').problems() -- are said now, if there are any
  if vim.fn.getcmdwintype() ~= '' then -- no other window may be opened, or entered (E11)
    return require('oxide.ui').notify(
      'not available in the command-line window; :q leaves it',
      vim.log.levels.ERROR
    )
  end
  if not word then
    return require('oxide.overview').open(opts.smods)
  end
  if word:sub(-1) == '!' then
    word, bang = word:sub(1, -2), true
  end
  local sub = M.subcommands[word] or tool(word)
  if word == '' then
    return arguments.refuse('needs the name of a command: ' .. table.concat(M.names(), ', '))
  elseif not sub and word:find('_') and not require('oxide.core').running() then
    -- Only tools have such names, and the core knows them.
    return require('oxide.core').query('status', function(err)
      if err then
        require('oxide.ui').error(err)
      else
        M.run(opts)
      end
    end)
  elseif not sub then
    return arguments.unknown(word, M.names(), 'command')
  end
  local refusal = bang and not sub.bang and 'does not take !'
    or opts.range > 0 and not sub.range and 'does not take a range'
    or sub.max
      and #args > sub.max
      and (sub.max == 0 and 'takes no argument' or ('takes at most %d argument'):format(sub.max))
  if refusal then
    return arguments.refuse(('%s %s'):format(word, refusal))
  end
  sub.run {
    args = args,
    text = (opts.args:gsub('^%S+%s*', '', 1)),
    bang = bang,
    range = opts.range > 0 and { opts.line1, opts.line2 } or nil,
    mods = opts.smods,
  }
end

--- Runs a command. What `:silent` says of it holds for all that comes of it, also later.
---@param opts table   as nvim_create_user_command() gives it
function M.run(opts)
  local messages = require('oxide.messages')
  messages.hushed(messages.hush_of(opts.smods), run, opts)
end

---@param lead string
---@param line string   the command line
---@param pos integer   the cursor in it, in bytes
---@return string[]
function M.complete(lead, line, pos)
  local before = line:sub(1, pos)
  local rest = before:match('Oxide!?%s+(.*)$') or ''
  local words = vim.split(rest, '%s+')
  local choices, fits = M.names(), vim.startswith
  if #words == 1 then
    for name in vim.spairs(require('oxide.process').tools) do
      choices[#choices + 1] = not M.subcommands[name] and name or nil
    end
  else
    local word = words[1]:gsub('!$', '')
    local sub = M.subcommands[word] or tool(word)
    local full = sub and sub.max and #words - 1 > sub.max
    fits = sub and sub.fits or fits
    local between = vim.list_slice(words, 2, #words - 1)
    choices = sub and not full and (sub.words or sub.complete and sub.complete(lead, between)) or {}
  end
  choices = vim.tbl_filter(function(choice)
    return fits(choice, lead)
  end, choices)
  require('oxide.explain').begin(choices)
  return choices
end

return M
