-- Small random projects of which every use of a name is known, changed at random by `oxide mcp`, and
-- judged: a change that says it is complete leaves the same program, and the names that it should.
--
-- A file is a list of pieces: a string, which no change touches; a symbol, which stands for its
-- name; and what gen.call(), gen.params(), gen.short() and gen.shorthand()
-- make. So the text after a change is known.
--
--   local project = generated.new('c', 'flags', seed)   -- filled by generated_c.lua
--   project:write(dir)
--   local change = project:choose()          -- what to ask for; the model has made it already
--   project:judge(change, text, failed)      -- nil, or what is wrong with the answer and the tree
local helper = require('helper')

local M = {}

---@class test.Symbol
---@field name string
---@field kind string
---@field signature? table    of a function that may get another: { drops = i? }

---@class test.Change
---@field tool string
---@field args table
---@field what string       for a person
---@field loose? boolean    blanks do not count
---@field back fun()        takes it back in the model

---@class test.Generated
---@field throw fun(most: integer): integer
---@field files table<string, any[]>
---@field symbols test.Symbol[]
---@field fixed table<string, string>     what no change is about, as a compilation database
---@field run fun(dir: string, out: string): string[]   prints what the program says, or fails
---@field headers? string                 where those of C are; in src/ without it
---@field server? string                  configuration
---@field around? string[]                names that are there without a definition
local Project = {}
Project.__index = Project

local WORDS = {}
for word in
  ([[alpha amount area base bound cell count depth edge entry field frame gap grid height hold index
  item key label level limit mark mass node order pace part path place point pool range rate ratio
  reach rest root row scale score seat share side size slot space span speed step stock store sum tail
  term tier tone total track turn unit value vein volume wave way weight width yield zone]]):gmatch(
    '%S+'
  )
do
  if word ~= 'yield' then
    table.insert(WORDS, word)
  end
end

--- Numbers that are the same for the same seed, on every machine.
local function dice(seed)
  local state = (seed * 7919 + 17) % 2147483647
  return function(most)
    state = (state * 16807) % 2147483647
    return math.floor(state / 7) % most + 1
  end
end

--- A small program that uses what people use, and prints numbers that depend on all of it.
---@param language string
---@param kind? string    of C: 'commands', 'flags' or 'none', by which it is told what compiles it
---@param seed integer
---@return test.Generated
function M.new(language, kind, seed)
  local self = { throw = dice(seed), files = {}, symbols = {}, fixed = {}, taken = {}, seed = seed }
  for _ = 1, 5 do
    self.throw(2)
  end
  setmetatable(self, Project)
  require('generated_' .. language)(self, kind)
  return self
end

--- True once in `n` times.
function Project:once_in(n)
  return self.throw(n) == 1
end

--- Names of the language: nothing is called so at first.
---@param names string[]
function Project:surround(names)
  self.around = names
  for _, name in ipairs(names) do
    self.taken[name] = true
  end
end

--- A word that nothing is called yet.
function Project:word()
  local word = WORDS[self.throw(#WORDS)]
  while self.taken[word] do
    word = WORDS[self.throw(#WORDS)] .. '_' .. self.throw(99)
  end
  self.taken[word] = true
  return word
end

---@param kind string
---@param name? string   a new word without it
---@param signature? table
---@return test.Symbol
function Project:symbol(kind, name, signature)
  local s = { kind = kind, name = name or self:word(), signature = signature }
  table.insert(self.symbols, s)
  return s
end

--- The name of another symbol of these kinds: for what is in no scope of it.
function Project:name_of(kinds)
  local all = vim.tbl_filter(function(s)
    return kinds[s.kind]
  end, self.symbols)
  return all[self.throw(#all)].name
end

--- Adds pieces to a file.
function M.append(list, ...)
  vim.list_extend(list, { ... })
end

--- A call; each argument is a list of pieces.
function M.call(symbol, ...)
  return { call = symbol, lists = { ... } }
end

--- The parameters of one declaration of a function.
function M.params(symbol, ...)
  return { of = symbol, lists = { ... } }
end

--- `{ name }` in an object, where the member and the variable are called the same.
function M.short(member, variable)
  return { member = member, variable = variable }
end

--- The same where the other is written out when one of them gets another name, and stays so: the place
--- is the variable's. The member may be a mere word, that nothing renames.
function M.shorthand(member, variable)
  return { member = member, variable = variable, sticky = true }
end

local function is_short(piece)
  local member = type(piece.member) == 'string' and piece.member or piece.member.name
  return not piece.wide and member == piece.variable.name
end

--- The text of pieces; `seen` is called with each symbol and where it begins in the text.
local function render(pieces, seen)
  local out, size = {}, 0
  local function add(text)
    table.insert(out, text)
    size = size + #text
  end
  local function put(piece)
    if type(piece) == 'string' then
      add(piece)
    elseif piece.kind then
      seen(piece, size)
      add(piece.name)
    elseif piece.lists then
      if piece.call then
        put(piece.call)
        add('(')
      end
      for i, list in ipairs(piece.lists) do
        add(i > 1 and ', ' or '')
        put(list)
      end
      add(piece.call and ')' or '')
    elseif piece.member then
      local short = is_short(piece)
      if not (short and piece.sticky) then
        put(piece.member)
        add(short and '' or ': ')
      end
      if not short or piece.sticky then
        put(piece.variable)
      end
    else
      for _, one in ipairs(piece) do
        put(one)
      end
    end
  end
  put(pieces)
  return table.concat(out)
end

---@return table<string, string> texts
---@return { file: string, symbol: test.Symbol, at: integer }[] places
function Project:texts()
  local texts, places = {}, {}
  for file, pieces in vim.spairs(self.files) do
    texts[file] = render(pieces, function(symbol, at)
      table.insert(places, { file = file, symbol = symbol, at = at })
    end)
  end
  return texts, places
end

---@param dir string
function Project:write(dir)
  self.dir = dir
  if self.database then
    local commands, cc = {}, ('cc -I%s -c '):format(self.headers)
    for file in vim.spairs(self.files) do
      if file:find('%.c$') then
        table.insert(commands, { directory = dir, file = file, command = cc .. file })
      end
    end
    helper.write(dir .. '/compile_commands.json', vim.json.encode(commands))
  end
  for file, text in pairs(vim.tbl_extend('error', self.fixed, (self:texts()))) do
    helper.write(dir .. '/' .. file, text)
  end
  local wrong
  self.said, wrong = self:says()
  assert(not wrong, wrong)
end

--- What the program prints, or what is wrong with it.
---@return string? said
---@return string? wrong
function Project:says()
  local out = self.dir .. '.out'
  vim.fn.mkdir(out, 'p')
  local done = vim.system(self.run(self.dir, out), { cwd = self.dir, text = true }):wait()
  if done.code ~= 0 then
    return nil, 'exit ' .. done.code .. ': ' .. done.stdout .. done.stderr
  end
  return done.stdout
end

--- The texts of the files as they are on disk.
function Project:tree()
  local all = {}
  for file in pairs(self.files) do
    all[file] = helper.read(self.dir .. '/' .. file)
  end
  return all
end

--- All lists of a function: of its declarations and its calls.
local function each_list(piece, symbol, fn)
  if type(piece) ~= 'table' or piece.kind or piece.member then
    return
  end
  if piece.lists then
    for _, list in ipairs(piece.lists) do
      each_list(list, symbol, fn)
    end
    if piece.call == symbol or piece.of == symbol then
      fn(piece)
    end
    return
  end
  for _, one in ipairs(piece) do
    each_list(one, symbol, fn)
  end
end

--- From now on what is written out stays so.
local function settle_shorthands(piece)
  if type(piece) ~= 'table' or piece.kind then
    return
  end
  if piece.sticky then
    piece.wide = not is_short(piece)
    return
  end
  for _, one in ipairs(piece.lists or piece) do
    settle_shorthands(one)
  end
end

--- Other parameters for a function: another order, one less, one more.
---@param symbol test.Symbol
---@return table[] parameters
function Project:other_parameters(symbol)
  local signature, order = symbol.signature, {}
  for i = 0, signature.count - 1 do
    if i ~= signature.drops then
      table.insert(order, self.throw(#order + 1), { from = i })
    end
  end
  if signature.drops and self:once_in(2) then
    table.insert(order, { from = signature.drops })
  end
  if self:once_in(2) then
    local name = self:word()
    table.insert(order, { new = signature.new:format(name), argument = tostring(self.throw(9)) })
  end
  for i, parameter in ipairs(order) do
    if parameter.from ~= i - 1 or #order < signature.count then
      return order
    end
  end
  table.insert(order, { new = signature.new:format(self:word()), argument = '1' })
  return order
end

---@return test.Change
function Project:change_signature(place)
  local symbol = place.symbol
  local parameters = self:other_parameters(symbol)
  local kept, signature = {}, symbol.signature
  local new = { count = #parameters, new = signature.new }
  for i, parameter in ipairs(parameters) do
    new.drops = (parameter.new or parameter.from == signature.drops) and i - 1 or new.drops
  end
  for _, pieces in pairs(self.files) do
    each_list(pieces, symbol, function(piece)
      local lists = {}
      for i, parameter in ipairs(parameters) do
        lists[i] = parameter.new
            and { (piece.call or piece.called) and parameter.argument or parameter.new }
          or piece.lists[parameter.from + 1]
      end
      table.insert(kept, { piece = piece, lists = piece.lists })
      piece.lists = lists
    end)
  end
  symbol.signature = new
  return {
    tool = 'lsp_edit',
    what = ('%s gets %s'):format(symbol.name, vim.inspect(parameters):gsub('%s+', ' ')),
    args = {
      file_path = symbol.home,
      symbol = symbol.name,
      action = 'change_signature',
      parameters = parameters,
    },
    loose = true,
    back = function()
      symbol.signature = signature
      for _, one in ipairs(kept) do
        one.piece.lists = one.lists
      end
    end,
  }
end

--- A rename at one place; every fifth to a name that something has already.
---@return test.Change
function Project:rename(place, texts)
  local before = texts[place.file]:sub(1, place.at)
  local line = select(2, before:gsub('\n', '')) + 1
  local symbol, old = place.symbol, place.symbol.name
  local new = self:once_in(5) and self.symbols[self.throw(#self.symbols)].name or self:word()
  if self.around and self:once_in(10) then
    new = self.around[self.throw(#self.around)]
  end
  if new == old then
    new = self:word()
  end
  local column = #before:match('[^\n]*$') + 1
  for _, pieces in pairs(self.files) do
    settle_shorthands(pieces)
  end
  symbol.name = new
  return {
    tool = 'lsp_rename',
    what = ('%s:%d:%d %s %s to %s'):format(place.file, line, column, symbol.kind, old, new),
    args = {
      file_path = place.file,
      line = line,
      column = column,
      new_name = new,
      confirm = 'apply',
    },
    back = function()
      symbol.name = old
    end,
  }
end

--- Two times in three of a symbol that several files use.
function Project:choose()
  local texts, places = self:texts()
  local wide, first = {}, {}
  for _, place in ipairs(places) do
    first[place.symbol] = first[place.symbol] or place.file
    if first[place.symbol] ~= place.file then
      wide[place.symbol] = true
    end
  end
  local from = self.symbols
  if not self:once_in(3) then
    from = vim.tbl_filter(function(symbol)
      return wide[symbol]
    end, self.symbols)
  end
  local symbol = from[self.throw(#from)]
  local own = vim.tbl_filter(function(place)
    return place.symbol == symbol
  end, places)
  if #own == 0 then
    return self:choose()
  end
  local place = own[self.throw(#own)]
  if symbol.signature and self:once_in(2) then
    return self:change_signature(place)
  end
  return self:rename(place, texts)
end

local function same(a, b, loose)
  return loose and a:gsub('%s+', '') == b:gsub('%s+', '') or a == b
end

--- The first line in which a tree is not what it should be.
local function difference(wanted, is, loose)
  for file, text in vim.spairs(wanted) do
    if not same(text, is[file], loose) then
      local was = vim.split(text, '\n')
      for i, line in ipairs(vim.split(is[file], '\n')) do
        if not same(line, was[i] or '', loose) then
          return ('%s:%d is %q, not %q'):format(file, i, line, was[i] or '')
        end
      end
      return file .. ' ends too early'
    end
  end
end

--- The present tree is what the model has from now on: what it was, where the change is not whole.
---@return string? left   what is not as it should be
function Project:settle(change, tree)
  local left = difference((self:texts()), tree, change.loose)
  if not left then
    local said, broken = self:says()
    left = broken or said ~= self.said and 'another program' or nil
  end
  if not left then
    return
  end
  change.back()
  for file, text in pairs((self:texts())) do
    if text ~= tree[file] then
      helper.write(self.dir .. '/' .. file, text)
    end
  end
  return left
end

--- What a program does that is changed in part is known by nobody: it is put back.
---@param change test.Change
---@param text string     of the answer
---@param failed boolean
---@param before table<string, string>   Project:tree()
---@return string outcome    'kept'; 'incomplete', or 'left in part', as it says; 'refused'
---@return string? wrong
---@return string? left     what is not as it should be, of what is said to be incomplete
function Project:judge(change, text, failed, before)
  local tree = self:tree()
  if failed then
    change.back()
    return 'refused', difference(before, tree)
  end
  if text:find('complete: false') then
    local left = self:settle(change, tree)
    local silent = not text:find('reasons: ') and 'complete is false without a reason' or nil
    return left and 'left in part' or 'incomplete', silent, left
  end
  local wrong = not text:find('complete: true') and 'complete is not said' or nil
  local said, broken = self:says()
  wrong = wrong
    or broken
    or said ~= self.said and ('it prints %q, not %q'):format(said, self.said)
    or difference((self:texts()), tree, change.loose)
  if wrong then
    self:settle(change, tree)
  end
  return 'kept', wrong
end

function Project:remove()
  vim.fn.delete(self.dir, 'rf')
  vim.fn.delete(self.dir .. '.out', 'rf')
end

return M
