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

--- `AGENTS.md, 12 lines`: the project's files that a model is told with each message.
---@param files { path: string, bytes: integer, lines: integer, of: integer }[]
---@return oxide.PreviewPart[]
local function rules(files)
  return vim.tbl_map(function(file)
    local name = vim.fn.fnamemodify(file.path, ':~:.')
    local lines = require('oxide.ui').count(file.of, 'line')
    if file.lines < file.of then
      lines = ('%d of %s'):format(file.lines, lines)
    end
    return { heading = ('%s, %s'):format(name, lines), bytes = file.bytes }
  end, files)
end

---@param preview oxide.MentionPreview
---@return string[]
local function lines_of(preview)
  local size = require('oxide.mentions').size
  local lines = { '# Oxide: what would be sent with the message   q closes', '' }
  for _, item in ipairs(preview.items) do
    table.insert(lines, ('%-40s %s'):format(item.name, size(item.bytes)))
  end
  vim.list_extend(lines, { '', ('%-40s %s'):format('together', size(preview.bytes)) })
  return vim.list_extend(lines, preview.problems)
end

--- `:Oxide chat context`: what would be sent with the message that is being written, and what the
--- model is told of the project besides.
---@param talk oxide.Talk
---@param mods? table
function M.list(talk, mods)
  local words = require('oxide.chat.prompt').text(talk:draw())
  local ask = { what = 'rules', model = talk.model }
  require('oxide.core').request('chat', ask, function(err, result)
    local more = vim.list_extend(vim.list_slice(talk.shown), rules(result and result.files or {}))
    require('oxide.mentions').preview(words, nil, function(preview)
      table.insert(preview.problems, err and err.message or nil)
      require('oxide.scratch').open('chat/context', lines_of(preview), mods)
    end, more)
  end)
end

return M
