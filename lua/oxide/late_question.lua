-- What the user is asked once something has been answered: by then they may be typing, and a prompt
-- would take their keys. It comes up at once if no key was typed meanwhile, else when the keys rest.
--
--   local ask = late_question.later()        when the user says what they want
--   ask('Which model?', open, answered)   when it is known what to ask; open() shows the prompt, and
--                                         answered(nil) is called where the user cancels it before that
local typing = require('oxide.typing')

local M = {}

local last = 0

---@alias oxide.AskLate fun(title: string, open: fun(), answered: fun(nothing: nil))

---@return oxide.AskLate
function M.later()
  local typed = typing.typed()
  return function(title, open, answered)
    if typing.typed() == typed and not vim.api.nvim_get_mode().blocking then
      return open()
    end
    last = last - 1 -- those of the core are above 0
    require('oxide.review.queue').add {
      id = last,
      title = title,
      bufs = {},
      is_late = true,
      open = open,
      cancel = answered,
    }
  end
end

return M
