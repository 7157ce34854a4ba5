-- A rename over several files with each real server, as a person does it: one file open and
-- changed, one open and unchanged, the others closed.
local e2e = require('e2e')
local helper = require('helper')

local NEW = 'größe_2' -- a name with a wide character, which all three languages take

for name, sample in vim.spairs(e2e.samples) do
  describe('a rename with ' .. name, function()
    local child
    local before, after = e2e.before(sample), e2e.after(sample, NEW)

    local function text(file)
      return e2e.text(child, file)
    end

    local function modified(file)
      return child:lua('return vim.bo[vim.fn.bufnr(...)].modified', child.dir .. '/' .. file)
    end

    local function ask()
      child:lua('_G.messages, _G.events = {}, {}')
      child:type((':Oxide rename %s<CR>'):format(NEW))
      child:event('ReviewOpen')
    end

    before_each(function()
      child = e2e.start(sample)
      child:cmd('edit ' .. sample.edited)
      child:type(('ggO%s<Esc>'):format(sample.comment))
      child:wait(
        'the typed line',
        "vim.fn.mode() == 'n' and vim.fn.getline(1) == ...",
        sample.comment
      )
      child:cmd('edit ' .. sample.main)
      child:cmd([[call search('😀 area')]])
      child:cmd(([[call search('\<%s\>(')]]):format(sample.old))
    end)
    after_each(helper.cleanup)

    it('that is discarded changes nothing', function()
      ask()
      child:type(':q<CR>')
      child:message('nothing was changed')
      assert.same(before, e2e.disk(sample, child.dir))
      assert.equal(before[sample.main], text(sample.main))
      assert.is_false(modified(sample.main))
      assert.equal(sample.comment .. '\n' .. before[sample.edited], text(sample.edited))
      assert.is_true(modified(sample.edited))
    end)

    it('is shown, applied to buffers and files, and taken back, byte by byte', function()
      ask()
      assert.same(before, e2e.disk(sample, child.dir))
      local page = table.concat(child:lines(), '\n')
      local changed = 0
      for file in pairs(before) do
        local differs = before[file] ~= after[file]
        changed = changed + (differs and 1 or 0)
        assert.equal(differs, page:find('## [x] ' .. file .. ' ', 1, true) ~= nil, file)
      end
      child:type(':w<CR>')
      assert.matches(
        ('Renamed %d places in %d files'):format(sample.places, changed),
        child:message('Renamed')
      )

      local disk = vim.deepcopy(after)
      disk[sample.edited] = before[sample.edited]
      assert.same(disk, e2e.disk(sample, child.dir))
      assert.equal(after[sample.main], text(sample.main))
      assert.is_false(modified(sample.main))
      assert.equal(sample.comment .. '\n' .. after[sample.edited], text(sample.edited))
      assert.is_true(modified(sample.edited))

      child:lua('_G.messages = {}')
      child:type(':Oxide undo<CR>')
      child:message('Undid')
      assert.same(before, e2e.disk(sample, child.dir))
      assert.equal(before[sample.main], text(sample.main))
      assert.is_false(modified(sample.main))
      assert.equal(sample.comment .. '\n' .. before[sample.edited], text(sample.edited))
      assert.is_true(modified(sample.edited))
    end)
  end)
end

if e2e.brought('gopls') then
  describe('the live preview with gopls', function()
    after_each(helper.cleanup)

    it('shows a name that another package uses', function()
      local child = e2e.start {
        files = {
          ['go.mod'] = 'module example.org/shapes\n\ngo 1.21\n',
          ['shape/shape.go'] = 'package shape\n\nfunc Area() int { return 1 }\n',
          ['main.go'] = 'package main\n\nimport "example.org/shapes/shape"\n\n'
            .. 'func main() {\n\tprintln(shape.Area())\n}\n',
        },
      }
      child:lua("vim.o.inccommand = 'nosplit'")
      child:cmd('edit main.go | call search("Area")')
      child:type(':Oxide rename Size')
      local shown = child:wait(
        'the mark',
        [[(function()
          local ns = vim.api.nvim_get_namespaces()['oxide.review.preview']
          local mark = ns and vim.api.nvim_buf_get_extmarks(0, ns, 0, -1, { details = true })[1]
          return mark and { mark[2], mark[3], mark[4].virt_text[1][1] }
        end)()]]
      )
      assert.same({ 5, 15, 'Size' }, shown)
    end)
  end)
end
