-- Projects and texts to measure on. The same call makes the same bytes.
local bench = require('bench')

local M = {}

local function unit(n, calls)
  local lines = { '#include "tally.h"', '', ('static long seen_%04d;'):format(n), '' }
  if n == 0 then
    vim.list_extend(
      lines,
      { 'long tally_add(long total, long value)', '{', '\treturn total + value;', '}', '' }
    )
  end
  for c = 1, calls do
    vim.list_extend(lines, {
      ('/* Step %d of unit %d: counts what it is given, and remembers how often. */'):format(c, n),
      ('long unit_%04d_step_%02d(const long *value, long count)'):format(n, c),
      '{',
      '\tlong total = 0, largest = 0;',
      '',
      '\tfor (long i = 0; i < count; i++) {',
      '\t\tif (value[i] > largest)',
      '\t\t\tlargest = value[i];',
      '\t\telse if (value[i] < 0)',
      '\t\t\tcontinue;',
      ('\t\ttotal = tally_add(total, value[i] * %d);'):format(c),
      '\t}',
      ('\tseen_%04d += count;'):format(n),
      '\tif (largest > total)',
      '\t\treturn largest;',
      ('\treturn seen_%04d > 1000 ? total : total - largest;'):format(n),
      '}',
      '',
    })
  end
  return table.concat(lines, '\n')
end

---@class bench.Project
---@field dir string
---@field main string       the file that is open
---@field line integer      of the symbol's definition, from 0
---@field column integer
---@field texts table<string, string>

--- `files` files with `references` references to one symbol.
---@return bench.Project
function M.project(dir, files, references)
  local texts = {}
  local each = math.floor(references / files)
  texts[dir .. '/src/tally.h'] =
    '#ifndef TALLY_H\n#define TALLY_H\n\nlong tally_add(long total, long value);\n\n#endif\n'
  local left = references - 2
  for n = files - 2, 0, -1 do
    local calls = n == 0 and left or each
    texts[('%s/src/unit_%04d.c'):format(dir, n)] = unit(n, calls)
    left = left - calls
  end
  local commands = {}
  for n = 0, files - 2 do
    table.insert(commands, {
      directory = dir,
      file = ('src/unit_%04d.c'):format(n),
      arguments = { 'cc', '-c', ('src/unit_%04d.c'):format(n) },
    })
  end
  bench.write(dir .. '/compile_commands.json', vim.json.encode(commands))
  local project =
    { dir = dir, main = dir .. '/src/unit_0000.c', line = 4, column = 5, texts = texts }
  M.restore(project)
  return project
end

--- Puts every file back as it was, and leaves nothing for the disk to do. Files of a project have
--- mostly lain for a while, and what was written in these seconds is read twice (disk_stamp.c).
---@param project bench.Project
function M.restore(project)
  for path, text in pairs(project.texts) do
    if bench.read(path) ~= text then
      bench.write(path, text)
    end
  end
  vim.fn.system { 'sync', '-f', project.dir }
  vim.uv.sleep(3000)
end

--- How many of the project's files are not as they were, and how often a name stands in them.
---@param project bench.Project
---@param name string
---@return integer files
---@return integer places
function M.changed(project, name)
  local files, places = 0, 0
  for path, text in pairs(project.texts) do
    local now = bench.read(path) or ''
    if now ~= text then
      files = files + 1
      places = places + select(2, now:gsub('%f[%w_]' .. name .. '%f[^%w_]', ''))
    end
  end
  return files, places
end

---@param count integer
---@return string
function M.long_text(count)
  local lines = {}
  for i = 1, count do
    lines[i] = ('\tvalue_%06d = step(value_%06d, %d);  /* line %d */'):format(i, i - 1, i % 97, i)
  end
  return table.concat(lines, '\n') .. '\n'
end

--- Edits spread evenly over the text of long_text(): every `stride` lines, one word is replaced.
---@return string JSON of a TextEdit[]
function M.edits(count, stride)
  local edits = {}
  for i = 0, count - 1 do
    local line = i * stride
    edits[i + 1] = {
      range = { start = { line = line, character = 1 }, ['end'] = { line = line, character = 13 } },
      newText = ('renamed_%06d'):format(line + 1),
    }
  end
  return vim.json.encode(edits)
end

--- Diagnostics, one a line.
---@return string JSON of a Diagnostic[]
function M.diagnostics(count)
  local list = {}
  for i = 0, count - 1 do
    list[i + 1] = {
      range = { start = { line = i, character = 1 }, ['end'] = { line = i, character = 13 } },
      severity = i % 4 + 1,
      code = 'W' .. i % 10,
      source = 'feed',
      message = ('value_%06d is assigned and never read again in this function'):format(i + 1),
    }
  end
  return vim.json.encode(list)
end

return M
