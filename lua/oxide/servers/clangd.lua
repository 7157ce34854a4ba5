---@type oxide.Server
return {
  cmd = { 'clangd', '--background-index', '--log=error' },
  -- Renames and references in any number of files, from clangd 15 on; 14 knows no such options.
  cmd_options = { '--rename-file-limit=0', '--limit-references=0' },
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
