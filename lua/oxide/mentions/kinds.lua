-- The mentions there are: how each is written, and what it stands for.
local text, place = require('oxide.mentions.texts'), require('oxide.mentions.places')

---@class oxide.MentionKind
---@field doc string
---@field argument? string  what follows the colon; without it nothing does
---@field example? string   of it
---@field lines? boolean    may be followed by lines: `:3` or `:3-9`
---@field resolve fun(mention: oxide.Mention, ctx: oxide.MentionContext, done: oxide.MentionDone)
---@field bytes? fun(ctx: oxide.MentionContext): integer?   about how long it is; nil: it is not there

--- Called once, at once or later: with what is sent, or why there is nothing.
---@alias oxide.MentionDone fun(found?: oxide.ShownText[], problem?: string)

---@type table<string, oxide.MentionKind>
return {
  buffer = {
    doc = 'the buffer, as it is, saved or not',
    resolve = place.buffer,
    bytes = place.buffer_bytes,
  },
  file = {
    doc = 'a file, or some of its lines',
    argument = 'path',
    example = 'src/a.c:3-9',
    lines = true,
    resolve = place.file,
  },
  selection = {
    doc = 'the lines of the buffer that were selected last',
    resolve = place.selection,
    bytes = place.selection_bytes,
  },
  symbol = {
    doc = 'what the language server says of a symbol, and its definition',
    argument = 'name',
    example = 'Type::method',
    resolve = place.symbol,
  },
  diagnostics = { doc = 'the diagnostics of the buffer', resolve = text.diagnostics },
  diff = { doc = 'what differs from the last commit', resolve = text.diff },
  quickfix = {
    doc = 'the quickfix list',
    resolve = text.quickfix,
    bytes = text.quickfix_bytes,
  },
  terminal = {
    doc = 'the last lines of the terminal that was used last',
    resolve = text.terminal,
    bytes = text.terminal_bytes,
  },
  dir = {
    doc = 'the files of a directory and what they define',
    argument = 'path',
    example = 'src',
    resolve = function(mention, ctx, done)
      require('oxide.mentions.dir').resolve(mention, ctx, done)
    end,
  },
}
