-- nvim -l tests/helptags.lua DIR: makes the tags of the help files in DIR, and looks up each
-- |link| to a tag of Oxide's own. Prints what is wrong; the exit code says whether anything is.
local dir = arg[1]
local ok, why = pcall(vim.cmd.helptags, dir)
if not ok then
  print(why)
  os.exit(1)
end

local tags = {} ---@type table<string, boolean>
for line in io.lines(dir .. '/tags') do
  tags[line:match('^[^\t]+')] = true
end

local bad = false
for _, path in ipairs(vim.fn.glob(dir .. '/*.txt', true, true)) do
  local n = 0
  for line in io.lines(path) do
    n = n + 1
    for link in line:gmatch('|([^%s|]+)|') do
      if link:lower():find('oxide') and not tags[link] then
        print(('%s:%d: nothing has the tag %s'):format(vim.fs.basename(path), n, link))
        bad = true
      end
    end
  end
end
os.exit(bad and 1 or 0)
