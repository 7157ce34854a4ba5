rockspec_format = '3.0'
package = 'oxide.nvim'
version = 'scm-1'

description = {
  summary = 'Rename, format and diagnose code in Neovim, whole or not at all',
  detailed = [[
Oxide changes code by the structure that language servers see: a rename over many files is shown
before it happens, applied whole or not at all, and taken back with one command.
]],
  license = 'MIT',
  labels = { 'neovim', 'lsp' },
}

dependencies = { 'lua == 5.1' }

-- Where the rock is built from a checkout (`luarocks make`), this is not used.
source = { url = 'git+file://.' }

build = {
  type = 'make',
  build_target = 'all',
  install_pass = false,
  install = {
    bin = { oxide = 'build/oxide' },
    lua = {
      ['oxide.actions'] = 'lua/oxide/actions.lua',
      ['oxide.apply'] = 'lua/oxide/apply.lua',
      ['oxide.buffers'] = 'lua/oxide/buffers.lua',
      ['oxide.candidates'] = 'lua/oxide/candidates.lua',
      ['oxide.choice'] = 'lua/oxide/choice.lua',
      ['oxide.clients'] = 'lua/oxide/clients.lua',
      ['oxide.clients_trial'] = 'lua/oxide/clients_trial.lua',
      ['oxide.command'] = 'lua/oxide/command.lua',
      ['oxide.config'] = 'lua/oxide/config.lua',
      ['oxide.context'] = 'lua/oxide/context.lua',
      ['oxide.core'] = 'lua/oxide/core.lua',
      ['oxide.core_command'] = 'lua/oxide/core_command.lua',
      ['oxide.diagnostics'] = 'lua/oxide/diagnostics.lua',
      ['oxide.edit'] = 'lua/oxide/edit.lua',
      ['oxide.errors'] = 'lua/oxide/errors.lua',
      ['oxide.fallback'] = 'lua/oxide/fallback.lua',
      ['oxide.filetypes'] = 'lua/oxide/filetypes.lua',
      ['oxide.fix'] = 'lua/oxide/fix.lua',
      ['oxide.format'] = 'lua/oxide/format.lua',
      ['oxide.git_lines'] = 'lua/oxide/git_lines.lua',
      ['oxide.guest'] = 'lua/oxide/guest.lua',
      ['oxide.health'] = 'lua/oxide/health.lua',
      ['oxide.highlights'] = 'lua/oxide/highlights.lua',
      ['oxide.history'] = 'lua/oxide/history.lua',
      ['oxide.hunks'] = 'lua/oxide/hunks.lua',
      ['oxide'] = 'lua/oxide/init.lua',
      ['oxide.locate'] = 'lua/oxide/locate.lua',
      ['oxide.lsp_config'] = 'lua/oxide/lsp_config.lua',
      ['oxide.mcp'] = 'lua/oxide/mcp.lua',
      ['oxide.navigate'] = 'lua/oxide/navigate.lua',
      ['oxide.nearest'] = 'lua/oxide/nearest.lua',
      ['oxide.numbers'] = 'lua/oxide/numbers.lua',
      ['oxide.patch'] = 'lua/oxide/patch.lua',
      ['oxide.place'] = 'lua/oxide/place.lua',
      ['oxide.preview'] = 'lua/oxide/preview.lua',
      ['oxide.preview_lines'] = 'lua/oxide/preview_lines.lua',
      ['oxide.process'] = 'lua/oxide/process.lua',
      ['oxide.quickfix'] = 'lua/oxide/quickfix.lua',
      ['oxide.quickfix_text'] = 'lua/oxide/quickfix_text.lua',
      ['oxide.rename'] = 'lua/oxide/rename.lua',
      ['oxide.review'] = 'lua/oxide/review.lua',
      ['oxide.review_actions'] = 'lua/oxide/review_actions.lua',
      ['oxide.review_buffer'] = 'lua/oxide/review_buffer.lua',
      ['oxide.review_choice'] = 'lua/oxide/review_choice.lua',
      ['oxide.review_keys'] = 'lua/oxide/review_keys.lua',
      ['oxide.review_marks'] = 'lua/oxide/review_marks.lua',
      ['oxide.review_render'] = 'lua/oxide/review_render.lua',
      ['oxide.scratch'] = 'lua/oxide/scratch.lua',
      ['oxide.server_news'] = 'lua/oxide/server_news.lua',
      ['oxide.servers.bashls'] = 'lua/oxide/servers/bashls.lua',
      ['oxide.servers.clangd'] = 'lua/oxide/servers/clangd.lua',
      ['oxide.servers.gopls'] = 'lua/oxide/servers/gopls.lua',
      ['oxide.servers.lua_ls'] = 'lua/oxide/servers/lua_ls.lua',
      ['oxide.servers.pylsp'] = 'lua/oxide/servers/pylsp.lua',
      ['oxide.servers.pyright'] = 'lua/oxide/servers/pyright.lua',
      ['oxide.servers.rust_analyzer'] = 'lua/oxide/servers/rust_analyzer.lua',
      ['oxide.servers.typescript'] = 'lua/oxide/servers/typescript.lua',
      ['oxide.servers.typescript_native'] = 'lua/oxide/servers/typescript_native.lua',
      ['oxide.signature'] = 'lua/oxide/signature.lua',
      ['oxide.texts'] = 'lua/oxide/texts.lua',
      ['oxide.ui'] = 'lua/oxide/ui.lua',
      ['oxide.undo'] = 'lua/oxide/undo.lua',
      ['oxide.verb'] = 'lua/oxide/verb.lua',
      ['oxide.words'] = 'lua/oxide/words.lua',
    },
  },
  copy_directories = { 'doc', 'plugin' },
}
