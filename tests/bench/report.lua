-- Figures as a table. A row has the samples of both sides, taken in turn.
local bench = require('bench')

local M = {}

---@class bench.Row
---@field what string
---@field unit string
---@field ours number[]
---@field base number[]
---@field against string
---@field relation 'ratio'|'faster'|'minus'|'plain'|'size'|'share'
---@field goal? number
---@field plus? number   ms on top of a goal that is a ratio, at the median and at 95 percent
---@field round? integer   digits

local KINDS = {
  ratio = {
    fn = function(x, y)
      return x / y
    end,
    shown = '%.2f x',
    goal = 'at most %.2f x',
    most = true,
  },
  faster = {
    fn = function(x, y)
      return y / x
    end,
    shown = '%.2f x faster',
    goal = 'at least %.1f x faster',
  },
  minus = {
    fn = function(x, y)
      return x - y
    end,
    shown = '%+.2f ms',
    goal = 'at most +%g ms',
    most = true,
  },
  plain = {
    fn = function(x)
      return x
    end,
    shown = '%.2f ms',
    goal = 'under %d ms',
    most = true,
  },
  size = {
    fn = function(x)
      return x
    end,
    shown = '%.1f MB',
    goal = 'under %d MB',
    most = true,
  },
  share = {
    fn = function(x)
      return x
    end,
    shown = '%.2f %%',
    goal = 'under %d %% of a processor',
    most = true,
  },
}

local function spread(values, format)
  return (format .. ' [' .. format .. ' to ' .. format .. ']'):format(
    bench.quantile(values, 0.5),
    bench.quantile(values, 0.25),
    bench.quantile(values, 0.75)
  )
end

---@param row bench.Row
---@param median number
---@return boolean
local function meets(row, median)
  local kind = KINDS[row.relation]
  if not row.plus then
    return kind.most and median <= row.goal or not kind.most and median >= row.goal
  end
  return vim.iter({ 0.5, 0.95 }):all(function(share)
    local allowed = row.goal * bench.quantile(row.base, share) + row.plus
    return bench.quantile(row.ours, share) <= allowed
  end)
end

--- The relation of the slow ones, where that counts.
---@param row bench.Row
---@return string
local function tail(row)
  if not row.plus then
    return ''
  end
  local ours, base = bench.quantile(row.ours, 0.95), bench.quantile(row.base, 0.95)
  return ('; at 95 %%: %.2f to %.2f %s'):format(ours, base, row.unit)
end

---@param row bench.Row
---@return string[]
local function cells(row)
  local kind = KINDS[row.relation]
  local each = bench.each(row.ours, row.base, kind.fn)
  local median = bench.quantile(each, 0.5)
  local digits = row.unit == 'us' and '%.1f' or '%.2f'
  if bench.quantile(row.ours, 0.5) >= 20 then
    digits = '%.0f'
  end
  local met = '-'
  if row.goal then
    met = meets(row, median) and 'met' or '**missed**'
  end
  return {
    row.what,
    spread(row.ours, digits) .. ' ' .. row.unit,
    row.against,
    row.against == '' and '' or spread(row.base, digits) .. ' ' .. row.unit,
    (kind.shown .. ' [%.2f to %.2f]'):format(
      median,
      bench.quantile(each, 0.25),
      bench.quantile(each, 0.75)
    ) .. tail(row),
    row.goal and kind.goal:format(row.goal) .. (row.plus and (' + %d ms'):format(row.plus) or '')
      or '-',
    met,
    tostring(#each),
  }
end

local HEAD = { 'what', 'Oxide', 'against', 'its time', 'relation', 'goal', '', 'runs' }

---@param rows bench.Row[]
---@return string Markdown
function M.lines(rows)
  local all, widths = { HEAD }, {}
  for _, row in ipairs(rows) do
    table.insert(all, cells(row))
  end
  for _, line in ipairs(all) do
    for i, cell in ipairs(line) do
      widths[i] = math.max(widths[i] or 3, #cell)
    end
  end
  local out = {}
  for n, line in ipairs(all) do
    local padded = {}
    for i, cell in ipairs(line) do
      padded[i] = cell .. (' '):rep(widths[i] - #cell)
    end
    table.insert(out, '| ' .. table.concat(padded, ' | ') .. ' |')
    if n == 1 then
      local rule = vim.tbl_map(function(width)
        return ('-'):rep(width)
      end, widths)
      table.insert(out, '| ' .. table.concat(rule, ' | ') .. ' |')
    end
  end
  return table.concat(out, '\n')
end

local function machine()
  local cpu = (bench.read('/proc/cpuinfo') or ''):match('model name%s*:%s*([^\n]+)')
    or 'unknown CPU'
  local versions = {
    vim.trim(vim.fn.system { bench.clangd, '--version' }):match('clangd version %S+')
      or 'no clangd',
    'Neovim ' .. tostring(vim.version()),
  }
  return ('%d x %s, %s, %s'):format(
    #vim.uv.cpu_info(),
    vim.trim(cpu),
    table.concat(versions, ', '),
    vim.uv.os_uname().sysname
  )
end

--- Puts the table between the two marks of the document, which keeps what stands around it.
---@param path string
---@param rows bench.Row[]
---@param state string   of the machine, idle.lua
function M.write(path, rows, state)
  local text = assert(bench.read(path), path .. ' is missing')
  local before, after = text:match(
    '^(.-<!%-%- figures: written by tests/bench/run.sh %-%-write %-%->\n).-(<!%-%- end of figures %-%->.*)$'
  )
  assert(before, path .. ' has lost the marks between which the figures stand')
  local head = ('`tests/bench/run.sh %s`, %s, on %s:'):format(
    table.concat(arg, ' '),
    os.date('!%d %B %Y'),
    machine()
  )
  local middle = ('\n%s\n\n%s\n\n%s\n\n'):format(head, M.lines(rows), state)
  bench.write(path, before .. middle .. after)
end

return M
