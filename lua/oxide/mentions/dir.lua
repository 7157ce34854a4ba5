-- @dir: the files of a directory, those of the version control where it has one, and what they
-- define by their language servers.
local M = {}

local LISTED = 1000 -- files
local OUTLINED = 64 -- of them are looked into
local AT_ONCE = 8

---@param dir string
---@return string[]
local function walk(dir)
  local names = {}
  local function into(name)
    return not vim.startswith(vim.fs.basename(name), '.')
  end
  for name, kind in vim.fs.dir(dir, { depth = 16, skip = into }) do
    if kind == 'file' and into(name) then
      table.insert(names, name)
    end
  end
  return names
end

---@param dir string
---@param cb fun(names: string[])
local function list(dir, cb)
  local args = { 'ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate' }
  require('oxide.git').run(dir, args, function(out)
    local names = out and vim.split(out, '\0', { trimempty = true }) or walk(dir)
    names = vim.tbl_filter(function(name) -- one that was deleted is listed as well
      return vim.uv.fs_stat(vim.fs.joinpath(dir, name)) ~= nil
    end, names)
    table.sort(names)
    cb(names)
  end)
end

--- The lines of a file's outline; none where no server knows it.
---@param path string
---@param cb fun(lines: string[])
local function outline(path, cb)
  local args = { query = 'document_symbols', file_path = path }
  require('oxide.core').call('lsp_symbol', args, {}, function(err, result)
    local lines = {}
    for _, s in ipairs(not err and result.symbols or {}) do
      if s.depth < 2 then
        local detail = (s.detail or '') ~= '' and s.detail ~= s.kind and ' ' .. s.detail or ''
        local indent = ('  '):rep(s.depth + 1)
        table.insert(lines, ('%s%d: %s %s%s'):format(indent, s.line, s.kind, s.name, detail))
      end
    end
    cb(lines)
  end)
end

---@param dir string
---@param names string[]
---@param cb fun(outlines: string[][])
local function outline_all(dir, names, cb)
  local outlines, next_one, left = {}, 1, #names
  local function step()
    local i = next_one
    next_one = i + 1
    if i <= #names then
      outline(vim.fs.joinpath(dir, names[i]), function(lines)
        outlines[i] = lines
        left = left - 1
        if left == 0 then
          cb(outlines)
        else
          step()
        end
      end)
    end
  end
  for _ = 1, AT_ONCE do
    step()
  end
end

---@param argument string
---@param names string[]
---@return string
local function heading(argument, names)
  local said = ('directory %s: %d files'):format(argument, #names)
  if #names > LISTED then
    said = ('%s, the first %d of them'):format(said, LISTED)
  end
  if #names > OUTLINED then
    said = ('%s, with what the first %d define'):format(said, OUTLINED)
  end
  return said
end

---@type fun(mention: oxide.Mention, ctx: oxide.MentionContext, done: oxide.MentionDone)
function M.resolve(mention, ctx, done)
  local dir = require('oxide.mentions.places').absolute(mention.argument, ctx.dir)
  local stat = vim.uv.fs_stat(dir)
  if not stat then
    return done(nil, 'no such directory: ' .. dir)
  elseif stat.type ~= 'directory' then
    local quoted = require('oxide.mentions').quote(mention.argument)
    return done(nil, 'it is a file; write @file:' .. quoted)
  end
  list(dir, function(names)
    if #names == 0 then
      return done(nil, 'the directory has no files')
    end
    outline_all(dir, vim.list_slice(names, 1, OUTLINED), function(outlines)
      local lines = {}
      for i = 1, math.min(#names, LISTED) do
        table.insert(lines, names[i])
        vim.list_extend(lines, outlines[i] or {})
      end
      local text = table.concat(lines, '\n') .. '\n'
      done { { heading = heading(mention.argument, names), text = text } }
    end)
  end)
end

return M
