-- What goes with a message: the texts that were given with it, and what it mentions (mentions.lua).
local errors = require('oxide.errors')

local M = {}

---@param sent oxide.Sent
---@param cb fun(err?: oxide.Error, words?: string, shown?: oxide.Shown[])
function M.resolve(sent, cb)
  local about = sent.about or {}
  local ctx = { buf = about.buf, first = about.first, last = about.last }
  require('oxide.mentions').resolve(sent.words, ctx, function(found)
    if #found.problems > 0 then
      return cb(errors.new('invalid', table.concat(found.problems, '\n')))
    end
    cb(nil, found.text, vim.list_extend(vim.list_slice(sent.shown), found.shown))
  end)
end

--- The mention of some lines of a file, for a message.
---@param path string
---@param first? integer
---@param last? integer
---@return string
function M.mention(path, first, last)
  local name = require('oxide.mentions').quote(vim.fn.fnamemodify(path, ':~:.'))
  local lines = first and (first == last and ':' .. first or (':%d-%d'):format(first, last)) or ''
  return '@file:' .. name .. lines
end

--- `:Oxide chat context`: what would be sent with the message that is being written.
---@param words string
---@param shown oxide.Shown[]
---@param mods? table
function M.list(words, shown, mods)
  require('oxide.mentions').preview(words, nil, function(preview)
    local lines = { '# Oxide: what would be sent with the message   q closes', '' }
    for _, item in ipairs(preview.items) do
      local size = require('oxide.mentions').size(item.bytes)
      table.insert(lines, ('%-40s %s'):format(item.name, size))
    end
    for _, part in ipairs(shown) do
      table.insert(lines, require('oxide.chat_render').shown_name(part))
    end
    local size = require('oxide.mentions').size(preview.bytes)
    vim.list_extend(lines, { '', ('%-40s %s'):format('together', size) })
    for _, problem in ipairs(preview.problems) do
      table.insert(lines, problem)
    end
    require('oxide.scratch').open('chat/context', lines, mods)
  end)
end

return M
