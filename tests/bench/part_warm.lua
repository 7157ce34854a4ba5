-- lsp_edit in a warm project of TypeScript and in one of Python, verified and made, from the call to
-- the answer. Against it the server's own time: a bare client shows it the same new text and asks
-- what is wrong with that, and with the file that uses it.
local bench = require('bench')

local FILES = 40
local CHANGED = 20 -- which the next one imports

---@class bench.Warm
---@field name string
---@field server string     its file in lua/oxide/servers
---@field ext string
---@field config table<string, string>
---@field documents? table  capabilities of the bare client
---@field text string       of a file: with an import, what is imported, and what uses it
---@field first string      of the first one
---@field symbol string     that is replaced
---@field ask fun(path: string): { method: string, params: table }[]

---@type bench.Warm[]
local LANGUAGES = {
  {
    name = 'TypeScript',
    server = 'typescript',
    ext = 'ts',
    config = {
      ['tsconfig.json'] = '{ "compilerOptions": { "strict": true }, "include": ["*.ts"] }\n',
    },
    text = "import { part<BEFORE> } from './m<BEFORE>';\n\n<SYMBOL>\n"
      .. 'export const all = part<BEFORE>([1]) + part<NUMBER>([2]);\n',
    first = '<SYMBOL>\n',
    symbol = 'export function part<NUMBER>(v: number[]): number {\n  const bonus = <ROUND>;\n'
      .. '  return v.length + bonus;\n}',
    ask = function(path)
      return vim.tbl_map(function(kind)
        local arguments = { kind .. 'DiagnosticsSync', { file = path } }
        return {
          method = 'workspace/executeCommand',
          params = { command = 'typescript.tsserverRequest', arguments = arguments },
        }
      end, { 'syntactic', 'semantic', 'suggestion' })
    end,
  },
  {
    name = 'Python',
    server = 'pyright',
    ext = 'py',
    config = { ['pyrightconfig.json'] = '{}\n' },
    documents = { diagnostic = { dynamicRegistration = true } },
    text = 'from m<BEFORE> import part<BEFORE>\n\n\n<SYMBOL>\n\nall = part<BEFORE>([1]) + part<NUMBER>([2])\n',
    first = '<SYMBOL>\n',
    symbol = 'def part<NUMBER>(v: list[int]) -> int:\n    bonus = <ROUND>\n    return len(v) + bonus\n',
    ask = function(path)
      local id = { uri = vim.uri_from_fname(path) }
      return { { method = 'textDocument/diagnostic', params = { textDocument = id } } }
    end,
  },
}

---@param language bench.Warm
---@param number integer
---@param round integer
local function symbol(language, number, round)
  return (language.symbol:gsub('<NUMBER>', number):gsub('<ROUND>', round))
end

---@param language bench.Warm
---@param number integer
---@param round integer
local function text(language, number, round)
  local whole = number == 1 and language.first or language.text
  local words = {
    BEFORE = number - 1,
    NUMBER = number,
    SYMBOL = symbol(language, number, round),
  }
  return (whole:gsub('<(%u+)>', words))
end

--- A client of its own server in a project of its own; it answers with a time.
---@param language bench.Warm
---@param dir string
---@param command string[]
---@param path fun(number: integer): string
local function bare_side(language, dir, command, path)
  local bare = bench.bare('headers', dir, command)
  bare:initialize(dir, language.documents)
  for _, number in ipairs { CHANGED, CHANGED + 1 } do
    bare:open(path(number), language.name:lower())
  end
  return function(round)
    bare:say('now')
    bare:notify('textDocument/didChange', {
      textDocument = { uri = vim.uri_from_fname(path(CHANGED)), version = round + 2 },
      contentChanges = { { text = text(language, CHANGED, round + 1) } },
    })
    for _, number in ipairs { CHANGED, CHANGED + 1 } do
      for _, one in ipairs(language.ask(path(number))) do
        bare:send(one.method, one.params)
      end
    end
    bare:say('replies')
    return (bare:answer())
  end
end

---@param language bench.Warm
---@param rounds integer
---@return bench.Row?
local function row(language, rounds)
  local preset = dofile(('%s/lua/oxide/servers/%s.lua'):format(bench.root, language.server))
  local command = vim.deepcopy(preset.cmd)
  command[1] = vim.fn.exepath(command[1])
  if command[1] == '' then
    io.stderr:write(('  left out: there is no %s\n'):format(preset.cmd[1]))
    return
  end
  local dir = bench.out .. '/warm-' .. language.ext
  local function path(number)
    return ('%s/m%d.%s'):format(dir, number, language.ext)
  end
  for number = 1, FILES do
    bench.write(path(number), text(language, number, 0))
  end
  for name, content in pairs(language.config) do
    bench.write(dir .. '/' .. name, content)
  end
  vim.fn.mkdir(dir .. '/.git', 'p') -- the project ends here
  preset.cmd = command
  local core = bench.serve(dir, command, nil, { [language.server] = preset })
  local bare = bare_side(language, dir, command, path)
  local ours, theirs = {}, {}
  for round = 0, rounds do
    local raw = bare(round)
    vim.uv.sleep(1000) -- whoever reads the answer lets the server rest as well
    local ms = core:call('lsp_edit', {
      file_path = path(CHANGED),
      symbol = 'part' .. CHANGED,
      action = 'replace',
      content = symbol(language, CHANGED, round + 1),
      verify = true,
    })
    if round > 0 then -- the first one starts the servers
      table.insert(theirs, raw)
      table.insert(ours, ms)
    end
  end
  return {
    what = ('lsp_edit in a warm project of %d files of %s'):format(FILES, language.name),
    unit = 'ms',
    ours = ours,
    base = theirs,
    against = "didChange, and the server's answers about that file and one that uses it, bare",
    relation = 'minus',
    goal = 100,
  }
end

return function()
  local rows = {}
  for _, language in ipairs(LANGUAGES) do
    table.insert(rows, row(language, bench.rounds or 15))
    bench.stop_all()
  end
  return rows
end
