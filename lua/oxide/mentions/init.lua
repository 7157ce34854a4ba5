-- What a message to a model mentions of the editor: `@buffer`, `@file:src/a.c:3-9`, `@diff` and the
-- others of mentions/kinds.lua. They stay in the message; what they name is sent with it.
--
--   mentions.resolve('Why is @file:"my notes.md" out of date? @diff', ctx, function(found)
--     found.text       the message as it was typed
--     found.shown      { path, first, last }: lines of a file, which the core numbers; or
--                      { heading, text }: sent as it is; each with `mention`, what named it
--     found.problems   what was mentioned and is not there, a sentence each: send nothing then
--   end)
--   mentions.preview(text, ctx, cb)      the same, with sizes: see M.preview()
--
-- In Markdown code (`@buffer`, or a fenced block) nothing is a mention.
local M = {}

---@class oxide.MentionContext   what is left out is where the user works
---@field buf? integer    what @buffer, @selection and @diagnostics are about
---@field first? integer  the selected lines of it
---@field last? integer
---@field dir? string     what relative paths begin at

---@class oxide.Mention
---@field text string       as typed: '@file:a.c:3'
---@field kind string       'file'
---@field argument? string  'a.c', without quotes
---@field first? integer    the lines behind it
---@field last? integer

---@class oxide.ShownText
---@field mention string
---@field path? string     absolute
---@field first? integer
---@field last? integer
---@field heading? string
---@field text? string

local BYTES_PER_TOKEN = 3.5 -- as llm/prompt.h estimates

---@param bytes integer
---@return integer
function M.tokens(bytes)
  return math.ceil(bytes / BYTES_PER_TOKEN)
end

---@param bytes integer
---@return string  "1.2 kB, about 350 tokens"
function M.size(bytes)
  local size = bytes < 1000 and ('%d B'):format(bytes) or ('%.1f kB'):format(bytes / 1000)
  return ('%s, about %s'):format(size, require('oxide.ui').count(M.tokens(bytes), 'token'))
end

--- The buffer of a file that was used last.
---@return integer?
local function recent_file()
  local best, at ---@type integer?, integer
  at = -1
  for _, info in ipairs(vim.fn.getbufinfo { bufloaded = 1 }) do
    if info.lastused > at and require('oxide.buffers').is_file(info.bufnr) then
      best, at = info.bufnr, info.lastused
    end
  end
  return best
end

---@param ctx? oxide.MentionContext
---@return oxide.MentionContext
function M.context(ctx)
  ctx = vim.tbl_extend('keep', ctx or {}, { dir = vim.fn.getcwd() })
  if not ctx.buf then
    local buf = vim.api.nvim_get_current_buf()
    ctx.buf = require('oxide.buffers').is_file(buf) and buf or recent_file()
  end
  return ctx
end

--- The text with all that is code made blank, so that places stay the same.
---@param text string
---@return string
local function without_code(text)
  local function blank(code)
    return (code:gsub('[^\n]', ' '))
  end
  text = ('\n' .. text):gsub('\n```.-\n```', blank):gsub('\n```.*$', blank):sub(2)
  return (text:gsub('`[^`\n]*`', blank))
end

---@param s string   begins with a quote
---@return string? argument
---@return integer? n   bytes that it takes
local function quoted(s)
  local at, out = 2, {}
  while at <= #s do
    local c = s:sub(at, at)
    if c == '"' then
      return table.concat(out), at
    elseif c == '\n' then
      return
    elseif c == '\\' and s:sub(at + 1, at + 1):match('["\\]') then
      at = at + 1
      c = s:sub(at, at)
    end
    table.insert(out, c)
    at = at + 1
  end
end

---@param path string
---@return string
function M.quote(path)
  return path:find('[%s"]') and '"' .. path:gsub('["\\]', '\\%0') .. '"' or path
end

--- What follows the colon. Punctuation at its end belongs to the sentence.
---@param rest string
---@return string? argument
---@return integer n   bytes that it takes
local function argument_of(rest)
  if rest:sub(1, 1) == '"' then
    local argument, n = quoted(rest)
    return argument, n or #rest:match('^[^\n]*')
  end
  local word = rest:match('^%S*')
  word = word:match('^%.+$') or word:gsub('[%.,;:!?%)%]}>\'"]+$', '')
  return word ~= '' and word or nil, #word
end

--- `@file:a.c:3-9`
---@param mention oxide.Mention
---@param behind string   the text behind a quoted argument
local function take_lines(mention, behind)
  local path, first, last = mention.argument:match('^(.+):(%d+)%-?(%d*)$')
  if mention.text:sub(-1) == '"' then
    path, first, last = mention.argument, behind:match('^:(%d+)%-?(%d*)')
    mention.text = mention.text .. (behind:match('^:%d+%-%d+') or behind:match('^:%d+') or '')
  end
  if first then
    mention.argument = path
    mention.first = tonumber(first)
    mention.last = tonumber(last) or mention.first
  end
end

--- What was probably meant: other words behind an `@` are the message's own.
---@param name string
---@param has_argument boolean
---@return string? problem
local function unknown(name, has_argument)
  local names = vim.tbl_keys(require('oxide.mentions.kinds'))
  local near = require('oxide.nearest').find(name, names)
  if not near or #name < 3 or near:sub(1, 1) ~= name:sub(1, 1) then
    return
  elseif has_argument or vim.startswith(near .. 's', name) then
    return ('@%s is unknown, did you mean @%s? Put backquotes around what is not a mention'):format(
      name,
      near
    )
  end
end

---@param text string
---@param name string
---@param at integer   of the `@`
---@return oxide.Mention?
---@return string? problem
local function mention_at(text, name, at)
  local kinds = require('oxide.mentions.kinds')
  local kind, rest = kinds[name], text:sub(at + 1 + #name)
  local colon = rest:sub(1, 1) == ':' and rest:sub(2):match('^%S') ~= nil
  if not kind then
    return nil, unknown(name, colon)
  elseif not kind.argument then
    return { kind = name, text = '@' .. name }
  end
  local argument, n
  if colon then
    argument, n = argument_of(rest:sub(2))
  end
  if not argument then
    return nil, ('@%s needs a %s: @%s:%s'):format(name, kind.argument, name, kind.example)
  end
  local mention = { kind = name, text = text:sub(at, at + #name + 1 + n), argument = argument }
  if kind.lines then
    take_lines(mention, rest:sub(2 + n))
  end
  return mention
end

--- All mentions of a text, each once, in the order in which they come.
---@param text string
---@return oxide.Mention[] mentions
---@return string[] problems   of those that cannot be read
function M.find(text)
  local mentions, problems, seen = {}, {}, {}
  local plain = without_code(text)
  for before, at, name in (' ' .. plain):gmatch('(.)()@(%a[%w_]*)') do
    if not before:match('[%w_@/%.%-]') then
      local mention, problem = mention_at(plain, name, at - 1)
      local key = mention and mention.text or problem
      if key and not seen[key] then
        seen[key] = true
        table.insert(mention and mentions or problems, mention or problem)
      end
    end
  end
  return mentions, problems
end

--- Calls `cb` once, later. All mentions are looked up at the same time; what comes is in their order.
---@param text string
---@param ctx? oxide.MentionContext
---@param cb fun(found: { text: string, shown: oxide.ShownText[], problems: string[] })
function M.resolve(text, ctx, cb)
  local context = M.context(ctx)
  local mentions, problems = M.find(text)
  local parts, left = {}, #mentions + 1
  local function ended()
    left = left - 1
    if left > 0 then
      return
    end
    local shown = {}
    for i = 1, #mentions do
      for _, part in ipairs(parts[i]) do
        part.mention = mentions[i].text
        table.insert(shown, part)
      end
    end
    cb { text = text, shown = shown, problems = problems }
  end
  for i, mention in ipairs(mentions) do
    parts[i] = {}
    require('oxide.mentions.kinds')[mention.kind].resolve(mention, context, function(found, problem)
      parts[i] = found or {}
      if problem then
        table.insert(problems, ('%s: %s'):format(mention.text, problem))
      end
      ended()
    end)
  end
  vim.schedule(ended)
end

--- Counts the text of a part as it is sent.
---@param part oxide.PreviewPart
---@param ctx oxide.MentionContext
---@param cb fun(bytes?: integer, problem?: string)
local function measure(part, ctx, cb)
  if part.bytes then
    return cb(part.bytes)
  elseif part.text then
    return cb(#part.text)
  end
  local args =
    { file_path = part.path, numbered = true, start_line = part.first, end_line = part.last }
  require('oxide.core').call('read_file', args, { buf = ctx.buf }, function(err, result)
    local problem = err and ('%s: %s'):format(part.mention or part.path, err.message)
    cb(not err and #result.content or nil, problem)
  end)
end

---@param part oxide.ShownText
---@return string
local function name_of(part)
  if part.heading then
    return part.heading
  end
  local path = vim.fn.fnamemodify(part.path, ':~:.')
  return part.first and ('%s, lines %d to %d'):format(path, part.first, part.last) or path
end

---@class oxide.MentionPreview
---@field items { mention: string, name: string, bytes: integer, tokens: integer }[]  the message first
---@field bytes integer   of all
---@field tokens integer  estimated
---@field problems string[]

---@class oxide.PreviewPart: oxide.ShownText
---@field mention? string
---@field bytes? integer   where that is known

--- What would be sent with a message, and how much it is.
---@param text string
---@param ctx? oxide.MentionContext
---@param cb fun(preview: oxide.MentionPreview)
---@param more? oxide.PreviewPart[]   what is sent besides
function M.preview(text, ctx, cb, more)
  local context = M.context(ctx)
  M.resolve(text, context, function(found)
    local items =
      { { mention = '', name = 'the message', bytes = #text, tokens = M.tokens(#text) } }
    local parts = vim.list_extend(found.shown, more or {})
    local left, bytes = #parts + 1, #text
    local function ended()
      left = left - 1
      if left == 0 then
        cb {
          items = items,
          bytes = bytes,
          tokens = M.tokens(bytes),
          problems = found.problems,
        }
      end
    end
    for i, part in ipairs(parts) do
      items[i + 1] = { mention = part.mention or '', name = name_of(part), bytes = 0, tokens = 0 }
      measure(part, context, function(n, problem)
        if n then
          items[i + 1].bytes, items[i + 1].tokens, bytes = n, M.tokens(n), bytes + n
        else
          table.insert(found.problems, problem)
        end
        ended()
      end)
    end
    ended()
  end)
end

return M
