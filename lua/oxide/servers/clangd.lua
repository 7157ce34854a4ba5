---@type oxide.Server
return {
  cmd = { 'clangd', '--background-index', '--log=error' },
  filetypes = { 'c', 'cpp', 'objc', 'objcpp', 'cuda' },
  root_markers = {
    'compile_commands.json',
    'compile_flags.txt',
    '.clangd',
    'configure.ac',
    '.git',
  },
  language_ids = { cuda = 'cuda-cpp', objc = 'objective-c', objcpp = 'objective-cpp' },
  ready = 'diagnostics',
  install = 'apt install clangd, dnf install clang-tools-extra, brew install llvm, pacman -S clang',
}
