local M = {}

---@type table<string, string>  group to the group that it is linked to
M.groups = {
  OxideChatTitle = 'Title',
  OxideChatPerson = 'Title',
  OxideChatModel = 'Directory',
  OxideChatRule = 'NonText',
  OxideChatThought = 'Comment',
  OxideChatWaiting = 'Comment',
  OxideExplain = 'Pmenu',
  OxideOverview = 'Directory',
  OxideOverviewBusy = 'Title',
  OxideSymbolHere = 'Visual',
  OxideSymbolKind = 'Type',
  OxideWait = 'Pmenu',
  OxideRename = 'Substitute',
  OxideRenameTarget = 'LspReferenceText',
  OxideReviewAddedText = 'DiffAdd',
  OxideReviewRemovedText = 'DiffDelete',
  OxideReviewTitle = 'Title',
  OxideReviewFile = 'Directory',
  OxideReviewKept = 'Added',
  OxideReviewPart = 'Changed',
  OxideReviewOff = 'Comment',
  OxideReviewStale = 'DiagnosticError',
  OxideQfError = 'DiagnosticError',
  OxideQfWarn = 'DiagnosticWarn',
  OxideQfInfo = 'DiagnosticInfo',
  OxideQfHint = 'DiagnosticHint',
  OxideQfFix = 'DiagnosticOk',
  OxideQfFile = 'Directory',
  OxideQfPosition = 'LineNr',
}

function M.apply()
  for group, target in pairs(M.groups) do
    vim.api.nvim_set_hl(0, group, { link = target, default = true })
  end
end

M.apply()

return M
