if vim.g.loaded_oxide then
  return
end
vim.g.loaded_oxide = true

if vim.fn.has('nvim-0.10.4') == 0 then
  vim.api.nvim_echo({
    { 'Oxide needs Neovim 0.10.4 or later; this one is older. Oxide is off.', 'ErrorMsg' },
  }, true, {})
  return
end

vim.api.nvim_create_user_command('Oxide', function(opts)
  require('oxide.command').run(opts)
end, {
  nargs = '*',
  bang = true,
  range = true,
  desc = 'Oxide: rename, format, diagnostics and more; see :help :Oxide',
  complete = function(lead, line, pos)
    return require('oxide.command').complete(lead, line, pos)
  end,
  preview = function(opts, ns, buf)
    return require('oxide.review.preview').show(opts, ns, buf)
  end,
})

vim.api.nvim_create_autocmd('LspAttach', {
  desc = 'Oxide: receive what a server sends from its start',
  callback = function(ev)
    require('oxide.clients').attached(ev.data.client_id)
  end,
})

-- What runs in a terminal finds the core only if there is one.
vim.api.nvim_create_autocmd('TermOpen', {
  group = vim.api.nvim_create_augroup('oxide.terminal', {}),
  desc = 'Oxide: start the core for agents',
  callback = function()
    if require('oxide.config').get('core.listen') and require('oxide.install_paths').find() then
      require('oxide.process').ensure()
    end
  end,
})

vim.api.nvim_create_autocmd('BufReadCmd', {
  pattern = 'oxide://agent/*',
  desc = 'Oxide: start the agent of a session that is loaded again',
  callback = function(ev)
    require('oxide.agent_terminal').reopen(ev.buf)
  end,
})

local session = vim.api.nvim_create_augroup('oxide.session', {})

vim.api.nvim_create_autocmd('BufFilePre', {
  group = session,
  desc = 'Oxide: leave its names to the buffers of a session that is loaded',
  callback = function()
    if vim.g.SessionLoad then
      require('oxide.session').naming()
    end
  end,
})

vim.api.nvim_create_autocmd('SessionLoadPost', {
  group = session,
  desc = 'Oxide: forget buffers of another session, of which it has nothing',
  callback = vim.schedule_wrap(function() -- comes for every buffer, while Neovim goes through them
    require('oxide.session').loaded()
  end),
})

---@param name string
---@param rhs fun(): string?
---@param modes? string|string[]
local function plug(name, rhs, modes)
  local expr = name == 'format' or name == 'context' or name == 'ask' -- operators
  vim.keymap.set(
    modes or 'n',
    '<Plug>(oxide-' .. name .. ')',
    rhs,
    { expr = expr, desc = 'Oxide ' .. name }
  )
end

---@param verb string
---@param args? table
local function api(verb, args)
  return function()
    require('oxide')[verb](args or {})
  end
end

plug('rename', api('rename'))
plug('format', function()
  return require('oxide').format_operator()
end, { 'n', 'x' })
plug('format-buffer', api('format'))
plug('diagnostics', api('diagnostics'))
plug('fix', api('fix'))
plug('actions', api('actions'), { 'n', 'x' })
plug('next-error', api('next_error'))
plug('prev-error', api('prev_error'))
plug('definition', api('definition'))
plug('type', api('type_definition'))
plug('implementation', api('implementation'))
plug('references', api('references'))
plug('hover', api('hover'))
plug('symbols', api('symbols'))
plug('review', api('review'))
plug('undo', api('undo'))
plug('context', function()
  return require('oxide').context_operator()
end, { 'n', 'x' })

plug('ask', function()
  return require('oxide').ask_operator()
end, { 'n', 'x' })
plug('chat', api('chat'))

vim.api.nvim_create_autocmd('ColorScheme', {
  group = vim.api.nvim_create_augroup('oxide.highlights', {}),
  desc = 'Oxide: link the highlight groups again',
  callback = function()
    if package.loaded['oxide.highlights'] then
      require('oxide.highlights').apply()
    end
  end,
})

-- Only who has set something can have asked for it, so that a file is written without loading us.
vim.api.nvim_create_autocmd('BufWritePre', {
  group = vim.api.nvim_create_augroup('oxide.format', {}),
  desc = 'Oxide: format a buffer when it is written, with format.on_save',
  callback = function(event)
    if vim.g.oxide or package.loaded['oxide.config'] then
      require('oxide.format').on_save(event.buf)
    end
  end,
})
