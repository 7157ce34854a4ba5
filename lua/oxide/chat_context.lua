-- What goes with a message: the mentions in it, and the texts that were given with it.
local M = {}

---@param sent oxide.Sent
---@param cb fun(err?: oxide.Error, words?: string, shown?: oxide.Shown[])
function M.resolve(sent, cb)
  cb(nil, sent.words, sent.shown)
end

return M
