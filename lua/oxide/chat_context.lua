-- What goes with a message: the mentions in it, and the texts that were given with it.
local M = {}

--- Texts for what is mentioned, where mentions are known.
---@param talk oxide.Talk
---@param sent oxide.Sent
---@param cb fun(err?: oxide.Error, words?: string, shown?: oxide.Shown[])
function M.resolve(talk, sent, cb)
  local ok, mentions = pcall(require, 'oxide.mentions')
  if not ok then
    return cb(nil, sent.words, sent.shown)
  end
  mentions.resolve(sent.words, { buf = talk.about, win = talk.about_win }, function(found)
    local shown = vim.list_extend(vim.list_slice(sent.shown), found.shown)
    cb(found.err, found.text, shown)
  end)
end

return M
