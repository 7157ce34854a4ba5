-- The work of scripts/doc.sh: nvim -l scripts/doc.lua TOOLS_JSON [--check]; $OXIDE is the core
vim.opt.runtimepath:prepend(vim.fn.getcwd())
local FILE = 'doc/oxide.txt'
local WIDTH = 78

local function read(path)
  local f = assert(io.open(path, 'rb'))
  local text = f:read('*a')
  f:close()
  return text
end

---@param text string
---@param indent string
---@return string[]
local function wrap(text, indent)
  local lines, line = {}, indent
  for word in text:gmatch('%S+') do
    if #line > #indent and #line + #word + 1 > WIDTH then
      table.insert(lines, line)
      line = indent
    end
    line = line .. (#line > #indent and ' ' or '') .. word
  end
  table.insert(lines, line)
  return lines
end

---@param left string
---@param tag string
---@return string
local function heading(left, tag)
  return left .. (' '):rep(math.max(1, WIDTH - #left - #tag - 2)) .. '*' .. tag .. '*'
end

local function sorted(map)
  local names = vim.tbl_keys(map)
  table.sort(names)
  return names
end

---@param value any
---@return string
local function literal(value)
  return type(value) == 'table' and next(value) == nil and '{}' or vim.inspect(value)
end

local parts = {}

function parts.options()
  local lines = {}
  local schema = require('oxide.config').schema
  for _, name in ipairs(sorted(schema)) do
    local option = schema[name]
    table.insert(lines, heading(name, 'oxide-option-' .. name))
    local what = option.values and '"' .. table.concat(option.values, '", "') .. '"'
      or option.type:gsub('|', ' or ')
    table.insert(lines, ('    %s, default %s'):format(what, literal(option.default)))
    vim.list_extend(lines, wrap(option.help, '    '))
    table.insert(lines, '')
  end
  table.remove(lines)
  return lines
end

parts['core-options'] = function()
  local lines = {}
  for name, default, help in
    read('native/core/config.h'):gmatch('X%([%w_]+,%s*"([^"]+)",%s*(%d+),[^"]*"([^"]*)"%)')
  do
    table.insert(lines, ('    %-26s default %s'):format(name, default))
    vim.list_extend(lines, wrap(help, '        '))
  end
  return lines
end

function parts.keys()
  local lines = {}
  for _, key in ipairs(require('oxide.review.keys').keys) do
    table.insert(lines, ('    %-12s%s'):format(key.key, key.doc))
  end
  return lines
end

function parts.servers()
  local lines = {}
  for _, path in ipairs(vim.fn.glob('lua/oxide/servers/*.lua', true, true)) do
    local server = dofile(path)
    local name = vim.fn.fnamemodify(path, ':t:r')
    table.insert(lines, heading(name, 'oxide-server-' .. name))
    table.insert(lines, ('    `%s`'):format(table.concat(server.cmd, ' ')))
    vim.list_extend(lines, wrap('for ' .. table.concat(server.filetypes, ', '), '    '))
    if server.runs then
      vim.list_extend(lines, wrap('runs of the project: ' .. server.runs, '    '))
    end
    vim.list_extend(lines, wrap('to install: ' .. server.install, '    '))
  end
  return lines
end

function parts.projects()
  local lines = {}
  for _, path in ipairs(vim.fn.glob('lua/oxide/projects/*.lua', true, true)) do
    local kind = dofile(path)
    local name = vim.fn.fnamemodify(path, ':t:r')
    table.insert(lines, heading(name, 'oxide-project-' .. name))
    vim.list_extend(lines, wrap('marked by ' .. table.concat(kind.markers, ', '), '    '))
    for _, task in ipairs { 'check', 'test' } do
      for _, way in ipairs(kind[task] or {}) do
        local place = (way.markers or {})[1] or ''
        if not place:find('/CMakeCache%.txt$') then -- the same as the last, in another directory
          local command = table.concat(way.steps[#way.steps], ' ')
          vim.list_extend(lines, wrap(('%s: `%s`'):format(task, command), '    '))
        end
      end
    end
  end
  return lines
end

function parts.highlights()
  local lines = {}
  local groups = require('oxide.highlights').groups
  for _, name in ipairs(sorted(groups)) do
    table.insert(lines, ('    *hl-%s*%s%s'):format(name, (' '):rep(24 - #name), groups[name]))
  end
  return lines
end

local TYPES = { string = 'a string', integer = 'a number', boolean = 'true or false' }

function parts.tools()
  local lines = {}
  for _, tool in ipairs(vim.json.decode(read(arg[1]))) do
    table.insert(lines, heading(tool.name, 'oxide-tool-' .. tool.name))
    vim.list_extend(lines, wrap(tool.description, '    '))
    local schema = tool.inputSchema
    for _, name in ipairs(sorted(schema.properties)) do
      local property = schema.properties[name]
      local needed = vim.list_contains(schema.required or {}, name) and ' Needed.' or ''
      local values = property.enum and ('one of "%s"'):format(table.concat(property.enum, '", "'))
        or TYPES[property.type]
        or property.type
      local text = ('%s: %s; %s.%s'):format(name, values, property.description, needed)
      local wrapped = wrap(text, '            ')
      wrapped[1] = wrapped[1]:sub(5)
      vim.list_extend(lines, wrapped)
    end
    table.insert(lines, '')
  end
  table.remove(lines)
  return lines
end

function parts.commands()
  local lines = {}
  for name, does in vim.fn.system({ vim.env.OXIDE, '--help' }):gmatch('\n  oxide (%l+) +([^\n]+)') do
    local wrapped = wrap(does, (' '):rep(18))
    wrapped[1] = ('    %-14s%s'):format(name, wrapped[1]:sub(19))
    vim.list_extend(lines, wrapped)
  end
  return lines
end

---@param text string
---@return string
local function generated(text)
  local lines, skip = {}, nil
  for line in vim.gsplit(text, '\n', { plain = true }) do
    local begins, ends = line:match('^GENERATED BEGIN (%S+)$'), line:match('^GENERATED END (%S+)$')
    if ends then
      assert(ends == skip, ('END %s where %s began'):format(ends, tostring(skip)))
      skip = nil
    end
    if not skip then
      table.insert(lines, line)
    end
    if begins then
      assert(parts[begins], 'nothing is generated as ' .. begins)
      skip = begins
      vim.list_extend(lines, parts[begins]())
    end
  end
  assert(not skip, ('the part %s does not end'):format(tostring(skip)))
  return table.concat(lines, '\n')
end

local old = read(FILE)
local new = generated(old)
if arg[2] == '--check' then
  if new ~= old then
    io.stderr:write('oxide: doc/oxide.txt is not in step with its tables; run scripts/doc.sh\n')
    os.exit(1)
  end
else
  local f = assert(io.open(FILE, 'wb'))
  f:write(new)
  f:close()
end
-- A tag that is there twice is an error.
local dir = 'doc'
if arg[2] == '--check' then
  dir = vim.fn.tempname()
  vim.fn.mkdir(dir)
  vim.fn.writefile(vim.fn.readfile(FILE), dir .. '/oxide.txt')
end
vim.cmd.helptags(dir)
