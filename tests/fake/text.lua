-- The scripted server's idea of text: documents as they were opened and changed, positions in its
-- encoding, and a rename and a formatter that know words and blanks. Nothing here is shared with
-- the core, so that both can only agree by being right.
local M = {}

local LENGTH = {
  ['utf-8'] = function(c)
    return #c
  end,
  ['utf-16'] = function(c)
    return #c == 4 and 2 or 1
  end,
  ['utf-32'] = function()
    return 1
  end,
}

local CHARACTER = '[%z\1-\127\192-\247][\128-\191]*'

--- Units of a text that stands inside one line.
local function units(text, encoding)
  local n = 0
  for c in text:gmatch(CHARACTER) do
    n = n + LENGTH[encoding](c)
  end
  return n
end

--- Where each line starts, from 1, with the length of its text.
local function lines_of(text)
  local lines, at = {}, 1
  while true do
    local stop = text:find('[\r\n]', at)
    lines[#lines + 1] = { at = at, length = (stop or #text + 1) - at }
    if not stop then
      return lines
    end
    at = stop + (text:sub(stop, stop + 1) == '\r\n' and 2 or 1)
  end
end

--- The byte, from 1, that a position names; an error where it names none.
local function byte_at(text, pos, encoding)
  local line = lines_of(text)[pos.line + 1]
  assert(line, ('line %d is not there'):format(pos.line))
  local at, left = line.at, pos.character
  while left > 0 do
    local c = text:match('^' .. CHARACTER, at)
    assert(
      at < line.at + line.length and c,
      ('line %d has no character %d'):format(pos.line, pos.character)
    )
    left = left - LENGTH[encoding](c)
    at = at + #c
  end
  assert(left == 0, ('character %d is half of one'):format(pos.character))
  return at
end

local function position(text, byte, encoding)
  local lines = lines_of(text)
  local row = #lines
  while lines[row].at > byte do
    row = row - 1
  end
  return { line = row - 1, character = units(text:sub(lines[row].at, byte - 1), encoding) }
end

local function range(text, from, past, encoding)
  return { start = position(text, from, encoding), ['end'] = position(text, past, encoding) }
end

local function change(doc, one, encoding)
  if not one.range then
    return one.text
  end
  local from = byte_at(doc.text, one.range.start, encoding)
  local past = byte_at(doc.text, one.range['end'], encoding)
  assert(from <= past, 'the range is reversed')
  return doc.text:sub(1, from - 1) .. one.text .. doc.text:sub(past)
end

local function follow(server, method, params)
  local id = params.textDocument
  local path = server.path(id.uri)
  local doc = server.docs[path]
  if method == 'textDocument/didOpen' then
    assert(not doc, 'opened twice')
    server.docs[path] = { version = id.version, text = id.text }
  elseif method == 'textDocument/didClose' then
    assert(doc, 'closed, but not open')
    server.docs[path] = nil
  else
    assert(doc, 'changed, but not open')
    assert(id.version > doc.version, 'the version does not grow')
    doc.version = id.version
    for _, one in ipairs(params.contentChanges) do
      doc.text = change(doc, one, server.encoding)
    end
  end
end

--- Follows what happens to documents; true when the message was about that.
function M.notified(server, method, params)
  if not method:match('^textDocument/did[OC]') then
    return false
  end
  local ok, why = pcall(follow, server, method, params)
  if not ok then
    server.log { fault = tostring(why), method = method }
  end
  return ok
end

local function word_at(text, byte)
  local from, past = byte, byte
  while from > 1 and text:sub(from - 1, from - 1):match('[%w_\128-\255]') do
    from = from - 1
  end
  while text:sub(past, past):match('[%w_\128-\255]') do
    past = past + 1
  end
  return text:sub(from, past - 1)
end

local function edits_of(server, path, word, new_name)
  local text, edits, at = server.text(path), {}, 1
  while true do
    local from = text:find(word, at, true)
    if not from then
      return edits
    end
    at = from + #word
    if word_at(text, from) == word then
      edits[#edits + 1] = { range = range(text, from, at, server.encoding), newText = new_name }
    end
  end
end

--- The word at the place, in all `files`. shape: "changes" or "documentChanges"; version: what is
--- added to the right one, or "none"; overlap: one edit comes twice, the second time longer.
function M.rename(server, how, params)
  local here = server.path(params.textDocument.uri)
  local text = server.text(here)
  local word = word_at(text, byte_at(text, params.position, server.encoding))
  local edit = { changes = vim.empty_dict(), documentChanges = {} }
  for _, file in ipairs(how.files) do
    local path = server.root .. '/' .. file
    local uri, edits = vim.uri_from_fname(path), edits_of(server, path, word, params.newName)
    if how.overlap then
      local twice = vim.deepcopy(edits[1])
      twice.range['end'].character = twice.range['end'].character + 1
      table.insert(edits, twice)
    end
    local doc = server.docs[path]
    local version = doc and type(how.version) ~= 'string' and doc.version + (how.version or 0)
    edit.changes[uri] = edits
    table.insert(edit.documentChanges, {
      textDocument = { uri = uri, version = version or vim.NIL },
      edits = edits,
    })
  end
  return { [how.shape or 'documentChanges'] = edit[how.shape or 'documentChanges'] }
end

--- Several blanks become one, and none is left at the end of a line; each an edit of its own.
function M.format(server, params)
  local text, edits = server.text(server.path(params.textDocument.uri)), {}
  for _, line in ipairs(lines_of(text)) do
    local at, past = line.at, line.at + line.length
    while at < past do
      local from, stop = text:match('()[ \t]+()', at)
      if not from or from >= past then
        break
      end
      local want = stop == past and '' or from == line.at and text:sub(from, stop - 1) or ' '
      if text:sub(from, stop - 1) ~= want then
        edits[#edits + 1] = { range = range(text, from, stop, server.encoding), newText = want }
      end
      at = stop
    end
  end
  return edits
end

return M
