-- Pickers that take the place of vim.ui.select, and do not know its preview_item: how each shows a diff.
-- mini.pick and fzf-lua know it, and need nothing here.
local M = {}

local SHARE = 0.65 -- of the height of snacks.nvim's window that the diff gets
local WIDE = 120 -- columns from which Telescope shows a preview beside its list by itself

--- Divides its window: by itself snacks.nvim makes the list as high as it has items, and leaves the diff
--- two fifths, with the rest below it empty.
---@param layout table
local function divide(layout)
  local whole = layout.layout
  whole.min_height = math.min(whole.min_height or 0, vim.o.lines - 4) -- its borders, and Neovim's last lines
  for _, box in ipairs(whole) do
    box.height = box.win == 'preview' and SHARE or box.height
  end
end

--- The options of its own that snacks.nvim takes from those of vim.ui.select.
---@param diff fun(item: table): string[]
---@return table
function M.snacks(diff)
  return {
    layout = { preset = 'vertical', hidden = {}, config = divide },
    preview = function(ctx)
      ctx.preview:reset()
      ctx.preview:set_lines(diff(ctx.item.item))
      ctx.preview:highlight { ft = 'diff' }
    end,
  }
end

---@return boolean whether telescope-ui-select is what vim.ui.select is, which has no previews at all
function M.is_telescope()
  local source = require('oxide.messages').source_of(vim.ui.select)
  return source:find('telescope/_extensions/ui%-select%.lua$') ~= nil
end

---@param diff fun(item: table): string[]
local function previewer(diff)
  return require('telescope.previewers').new_buffer_previewer {
    title = 'Diff',
    define_preview = function(self, entry)
      local buf = self.state.bufnr
      vim.api.nvim_buf_set_lines(buf, 0, -1, false, diff(entry.value))
      require('telescope.previewers.utils').highlighter(buf, 'diff')
    end,
  }
end

--- What is chosen, or nothing when the list is closed.
---@param answer fun(item?: table)
---@return fun(buf: integer): boolean
local function mappings(answer)
  local actions = require('telescope.actions')
  return function(buf)
    actions.select_default:replace(function()
      local entry = require('telescope.actions.state').get_selected_entry()
      answer(entry and entry.value)
      actions.close(buf)
    end)
    actions.close:enhance {
      post = function()
        answer(nil)
      end,
    }
    return true
  end
end

--- As vim.ui.select(), by Telescope itself.
---@param items table[]
---@param opts { prompt: string, format_item: fun(item: table): string }
---@param diff fun(item: table): string[]
---@param on_choice fun(item?: table)
function M.telescope(items, opts, diff, on_choice)
  local answered = false
  local function answer(item)
    if not answered then
      answered = true
      vim.schedule(function()
        on_choice(item)
      end)
    end
  end
  local layout = { layout_strategy = 'vertical', layout_config = { preview_cutoff = 1 } }
  require('telescope.pickers')
    .new(vim.o.columns < WIDE and layout or {}, {
      prompt_title = (opts.prompt:gsub(':%s*$', '')),
      finder = require('telescope.finders').new_table {
        results = items,
        entry_maker = function(item)
          local text = opts.format_item(item)
          return { value = item, display = text, ordinal = text }
        end,
      },
      sorter = require('telescope.config').values.generic_sorter {},
      previewer = previewer(diff),
      attach_mappings = mappings(answer),
    })
    :find()
end

return M
