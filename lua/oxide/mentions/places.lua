-- Mentions that are lines of files and buffers: @buffer, @file, @selection, @symbol.
local M = {}

---@param path string
---@param dir string
---@return string
function M.absolute(path, dir)
  path = path:match('^~') and vim.fn.fnamemodify(path, ':p') or path
  path = vim.startswith(path, '/') and path or vim.fs.joinpath(dir, path)
  return #path > 1 and (path:gsub('/+$', '')) or path
end

--- Lines of a buffer that has no file: numbered here, since the core does not know it.
---@param buf integer
---@param first integer
---@param last integer
---@return oxide.ShownText
local function nameless(buf, first, last)
  local name, filetype = vim.api.nvim_buf_get_name(buf), vim.bo[buf].filetype
  local lines = vim.api.nvim_buf_get_lines(buf, first - 1, last, false)
  return {
    heading = ('%s%s'):format(
      name ~= '' and name or ('buffer %d, without a file'):format(buf),
      filetype ~= '' and ', ' .. filetype or ''
    ),
    text = table.concat(require('oxide.numbers').lines(lines, first), '\n') .. '\n',
  }
end

---@param ctx oxide.MentionContext
---@return integer? buf
---@return string? problem
function M.buffer_of(ctx)
  if ctx.buf and vim.api.nvim_buf_is_loaded(ctx.buf) then
    return ctx.buf
  end
  return nil, 'no file is open'
end

---@param buf integer
---@param first integer
---@param last integer
---@return oxide.ShownText[]
local function lines_of(buf, first, last)
  if not require('oxide.buffers').is_file(buf) then
    return { nameless(buf, first, last) }
  end
  return { { path = vim.api.nvim_buf_get_name(buf), first = first, last = last } }
end

---@type fun(mention: oxide.Mention, ctx: oxide.MentionContext, done: oxide.MentionDone)
function M.buffer(_, ctx, done)
  local buf, why = M.buffer_of(ctx)
  if not buf then
    done(nil, why)
  elseif require('oxide.buffers').is_file(buf) then
    done { { path = vim.api.nvim_buf_get_name(buf) } }
  else
    done { nameless(buf, 1, vim.api.nvim_buf_line_count(buf)) }
  end
end

---@type fun(mention: oxide.Mention, ctx: oxide.MentionContext, done: oxide.MentionDone)
function M.file(mention, ctx, done)
  local path = M.absolute(mention.argument, ctx.dir)
  local stat = vim.uv.fs_stat(path)
  if stat and stat.type == 'directory' then
    done(nil, 'it is a directory; write @dir:' .. require('oxide.mentions').quote(mention.argument))
  elseif not stat and not require('oxide.buffers').of(path) then
    done(nil, 'no such file: ' .. path)
  elseif mention.first and (mention.first < 1 or mention.last < mention.first) then
    done(nil, 'lines must be FIRST or FIRST-LAST, from 1')
  else
    done { { path = path, first = mention.first, last = mention.last } }
  end
end

--- The lines that were given, else those that were selected last in the buffer.
---@param ctx oxide.MentionContext
---@return integer? first
---@return integer? last
---@return string? problem
local function selected(ctx)
  local buf, why = M.buffer_of(ctx)
  if not buf then
    return nil, nil, why
  end
  local first = ctx.first or vim.api.nvim_buf_get_mark(buf, '<')[1]
  local last = ctx.first and (ctx.last or ctx.first) or vim.api.nvim_buf_get_mark(buf, '>')[1]
  local n = vim.api.nvim_buf_line_count(buf)
  if first < 1 or last < first or first > n then
    return nil, nil, 'nothing was selected in the buffer'
  end
  return first, math.min(last, n)
end

---@type fun(mention: oxide.Mention, ctx: oxide.MentionContext, done: oxide.MentionDone)
function M.selection(_, ctx, done)
  local first, last, why = selected(ctx)
  if first then
    done(lines_of(ctx.buf, first, assert(last)))
  else
    done(nil, why)
  end
end

--- What the text alone declares by that name, for want of a server. Of several none is meant.
---@param name string
---@param ctx oxide.MentionContext
---@param why string   that there is no server
---@param done oxide.MentionDone
local function symbol_in_text(name, ctx, why, done)
  local buf = M.buffer_of(ctx)
  if not buf or not require('oxide.buffers').is_file(buf) then
    return done(nil, why)
  end
  local path = vim.api.nvim_buf_get_name(buf)
  local args = { query = 'definition', symbol = name, file_path = path }
  require('oxide.core').call('lsp_symbol', args, { buf = buf }, function(err, result)
    local one = not err and result.locations[1]
    if not one then
      return done(nil, err and err.message or why)
    elseif #result.locations > 1 then
      local places = vim.tbl_map(function(place)
        return ('%s:%d'):format(place.file, place.line)
      end, result.locations)
      return done(nil, 'several may be meant: ' .. table.concat(places, ', '))
    end
    local file = M.absolute(one.file, result.root or ctx.dir)
    local heading = ('%s, found in the text alone: %s'):format(name, why)
    local first, last = one.definition_line or one.line, one.definition_end_line or one.line
    done {
      { heading = heading, text = one.snippet .. '\n' },
      { path = file, first = first, last = last },
    }
  end)
end

--- What the language server says of it as text, then its definition with line numbers.
---@type fun(mention: oxide.Mention, ctx: oxide.MentionContext, done: oxide.MentionDone)
function M.symbol(mention, ctx, done)
  local args = { symbol_name = mention.argument }
  require('oxide.core').call('get_symbol_info', args, { buf = ctx.buf }, function(err, result)
    if err and err.code == 'no_server' then
      return symbol_in_text(mention.argument, ctx, err.message, done)
    elseif err then
      return done(nil, err.message)
    end
    local root = require('oxide.process').root or ctx.dir
    local found, at = {}, result.position
    local what = vim.trim(result.documentation or '')
    if what ~= '' then
      local heading = ('%s, %s of %s'):format(result.symbol, result.kind, result.file_path)
      table.insert(found, { heading = heading, text = what .. '\n' })
    end
    local path = M.absolute(result.file_path, root)
    table.insert(found, { path = path, first = at.start_line, last = at.end_line })
    done(found)
  end)
end

--- With the numbers that the core puts before the lines.
---@param buf integer
---@param first integer
---@param last integer
---@return integer
local function bytes_of(buf, first, last)
  local digits = #tostring(last) + 2
  local from = vim.api.nvim_buf_get_offset(buf, first - 1)
  return vim.api.nvim_buf_get_offset(buf, last) - from + (last - first + 1) * digits
end

---@param ctx oxide.MentionContext
---@return integer?
function M.buffer_bytes(ctx)
  local buf = M.buffer_of(ctx)
  return buf and bytes_of(buf, 1, vim.api.nvim_buf_line_count(buf))
end

---@param ctx oxide.MentionContext
---@return integer?
function M.selection_bytes(ctx)
  local first, last = selected(ctx)
  return first and bytes_of(ctx.buf, first, assert(last))
end

return M
