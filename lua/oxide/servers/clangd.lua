---@type oxide.Server
return {
  cmd = { 'clangd', '--background-index', '--log=error' },
  -- Headers as they are shown to it, not as they are on the disk; renames and references in any
  -- number of files, from clangd 15 on.
  cmd_options = { '--use-dirty-headers', '--rename-file-limit=0', '--limit-references=0' },
  sees_unsaved = '--use-dirty-headers',
  rename_limit = 'exceeds the max limit',
  -- Warnings up to clangd 15, errors of C for compilers since: the name that they speak of is gone, or
  -- means something else.
  errors = {
    '-Wimplicit-function-declaration',
    '-Wimplicit-int',
    '-Wincompatible-pointer-types',
    '-Wint-conversion',
    '-Wundefined-internal',
  },
  include_errors = { 'pp_file_not_found' },
  init_options = { clangdFileStatus = true },
  filetypes = { 'c', 'cpp', 'objc', 'objcpp', 'cuda' },
  root_markers = {
    { 'compile_commands.json', 'compile_flags.txt', '.clangd', 'configure.ac' },
    '.git',
  },
  language_ids = { cuda = 'cuda-cpp', objc = 'objective-c', objcpp = 'objective-cpp' },
  ready = 'diagnostics',
  style = '.clang-format',
  install = 'apt install clangd, dnf install clang-tools-extra, brew install llvm, pacman -S clang',
}
