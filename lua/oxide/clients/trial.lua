-- Texts on trial at the server of a client of Neovim, in place of a buffer's own: for a moment, to
-- see what the server finds wrong with a change that may never be made.
--
-- Neovim must not notice. What goes to the server goes past the client, and before Neovim or the
-- person says anything to it, it sees the buffer again: that trial is broken, and nothing that the
-- server says after it counts. A server needs increasing version numbers, so from then on Neovim's own
-- numbers for that buffer are shifted on their way, by those that trials have used.
local M = {}

---@class oxide.ClientTrial
---@field buf integer
---@field text string       the buffer's own, as the server knew it
---@field number? integer   of the text on trial; nil: it is broken

---@class oxide.ClientTrials
---@field on table<string, oxide.ClientTrial>   by path
---@field shift table<string, integer>          how many numbers were used, by path
---@field tried table<string, integer>          the last number of a text on trial, by path
---@field free table<string, function>          the client's methods, once it is guarded
---@field again? fun()                           what waits for the last of them to end
---@field held table<string, fun()>             what is told once none is broken any more, by path

-- Neovim, or an autocommand, asks for these by itself, to decorate, and asks again after the next
-- change or when the cursor rests; the last are about no text.
local HARMLESS = {
  'textDocument/semanticTokens',
  'textDocument/inlayHint',
  'textDocument/documentHighlight',
  'textDocument/documentColor',
  'textDocument/foldingRange',
  '$/',
}

---@return oxide.ClientTrials
function M.new()
  return { on = {}, shift = {}, tried = {}, free = {}, held = {} }
end

---@param buf integer
---@return string   as Neovim shows it to servers
function M.text(buf)
  local eol = ({ dos = '\r\n', mac = '\r' })[vim.bo[buf].fileformat] or '\n'
  local text = table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, true), eol)
  return vim.bo[buf].endofline and text .. eol or text
end

---@param link oxide.ClientLink
---@param path string
---@param buf integer
---@return integer   the server's number of the buffer's text
local function present(link, path, buf)
  return vim.lsp.util.buf_versions[buf] + (link.trials.shift[path] or 0)
end

---@param link oxide.ClientLink
---@param path string
---@param number integer
---@param text string
local function show(link, path, number, text)
  link.trials.shift[path] = (link.trials.shift[path] or 0) + 1
  link.client.rpc.notify('textDocument/didChange', {
    textDocument = { uri = vim.uri_from_fname(path), version = number },
    contentChanges = { { text = text } },
  })
end

---@param link oxide.ClientLink
---@param path string
---@param trial oxide.ClientTrial
local function restore(link, path, trial)
  show(link, path, trial.number + 1, trial.text)
  trial.number = nil
end

---@param link oxide.ClientLink
---@param method any
local function break_all(link, method)
  for _, harmless in ipairs(HARMLESS) do
    if type(method) == 'string' and vim.startswith(method, harmless) then
      return
    end
  end
  for path, trial in pairs(link.trials.on) do
    if trial.number then
      restore(link, path, trial)
    end
  end
end

--- What Neovim tells of a document, with the number that the server is to see.
---@param link oxide.ClientLink
---@param method string
---@param params any
---@return any
local function shifted(link, method, params)
  local document = type(params) == 'table' and params.textDocument
  if not document then
    return params
  end
  local shift = link.trials.shift
  local path = vim.uri_to_fname(document.uri)
  if method == 'textDocument/didOpen' or method == 'textDocument/didClose' then
    shift[path] = nil
  elseif method == 'textDocument/didChange' and shift[path] then
    document = vim.tbl_extend('force', document, { version = document.version + shift[path] })
    return vim.tbl_extend('force', params, { textDocument = document })
  end
  return params
end

---@param link oxide.ClientLink
local function guard(link)
  if next(link.trials.free) ~= nil then
    return
  end
  for _, name in ipairs { 'notify', 'request' } do
    local method = link.client[name]
    link.trials.free[name] = method
    link.client[name] = function(...)
      local args = { ... }
      local at = type(args[1]) == 'table' and 2 or 1 -- behind the client, where it is given
      break_all(link, args[at])
      args[at + 1] = shifted(link, args[at], args[at + 1])
      return method(unpack(args, 1, math.max(select('#', ...), at + 1)))
    end
  end
end

--- Shows the server a text in place of a buffer's.
---@param link oxide.ClientLink
---@param path string
---@param buf integer
---@param text string
function M.begin(link, path, buf, text)
  local trial = link.trials.on[path]
  if not trial then
    -- What was typed goes out first, so that the server knows the text that it will see again.
    require('vim.lsp._changetracking').flush(link.client, buf)
    trial = { buf = buf, text = M.text(buf) }
    link.trials.on[path] = trial
    guard(link)
  end
  trial.number = (trial.number or present(link, path, buf)) + 1
  show(link, path, trial.number, text)
  link.trials.tried[path] = trial.number
end

--- The server sees the buffer again; nothing where it does.
---@param link oxide.ClientLink
---@param path string
function M.finish(link, path)
  local trial = link.trials.on[path]
  if trial and trial.number then
    restore(link, path, trial)
  end
  link.trials.on[path] = nil
  if not M.is_broken(link) then
    local held = link.trials.held
    link.trials.held = {}
    for _, tell in pairs(held) do
      tell()
    end
  end
  local again = link.trials.again
  if again and not M.is_any(link) then
    link.trials.again = nil
    again()
  end
end

--- Whether the server sees a text on trial.
---@param link oxide.ClientLink
---@return boolean
function M.is_any(link)
  return vim.iter(vim.tbl_values(link.trials.on)):any(function(trial)
    return trial.number ~= nil
  end)
end

--- Has Neovim ask the server again what is wrong with its buffers: once there is no trial that this
--- would break.
---@param link oxide.ClientLink
---@param ask fun()
function M.ask_again(link, ask)
  if M.is_any(link) then
    link.trials.again = ask
  else
    ask()
  end
end

---@param link oxide.ClientLink
function M.finish_all(link)
  for _, path in ipairs(vim.tbl_keys(link.trials.on)) do
    M.finish(link, path)
  end
end

--- Whether what the server says of this version is about the text that the core takes for the
--- present one.
---@param link oxide.ClientLink
---@param path string
---@param buf integer
---@param version integer
---@return boolean
function M.is_present(link, path, buf, version)
  local trial = link.trials.on[path]
  if trial then
    return version == trial.number
  end
  return version == present(link, path, buf)
end

--- Whether diagnostics are nobody's but the trial's.
---@param link oxide.ClientLink
---@param path string
---@param version? integer
---@return boolean
function M.is_tried(link, path, version)
  if type(version) ~= 'number' then
    return link.trials.on[path] ~= nil
  end
  return version == link.trials.tried[path]
end

--- Whether a trial was broken: then the server sees a part of what is on trial, and what it says of
--- any file is about nothing known.
---@param link oxide.ClientLink
---@return boolean
function M.is_broken(link)
  return vim.iter(vim.tbl_values(link.trials.on)):any(function(trial)
    return trial.number == nil
  end)
end

--- Tells something, once no trial is broken any more.
---@param link oxide.ClientLink
---@param path string   what it is about: of two the later counts
---@param tell fun()
function M.hold(link, path, tell)
  link.trials.held[path] = tell
end

return M
