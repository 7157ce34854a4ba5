#include "mcp_guide.h"

#define BASICS                                                                                     \
	"Oxide changes code by what language servers know of it. Every change happens whole or "   \
	"not at all, over all files, and `undo` takes it back.\n"                                  \
	"- Lines count from 1, columns from 1 in bytes. Where `line` and `column` are wanted, "    \
	"`symbol` (a name, or a path such as Class/method) does as well.\n"                        \
	"- Paths are absolute or relative to the project's folder. What is read is the text as "   \
	"the editor has it, saved or not.\n"                                                       \
	"- Nothing is guessed: text that is found twice, not at all, or has changed is an error "  \
	"that names the candidates. Read it and call again; do not repeat the same call.\n"        \
	"- Ask before you change (lsp_symbol, lsp_diagnostic), and look at lsp_diagnostic "        \
	"afterwards.\n"

const char mcp_instructions[] =
	BASICS "Rename with lsp_rename, change one symbol with lsp_edit, many places at once "
	       "with multi_edit or apply_patch. The prompt `oxide` says more.";

const char mcp_guide[] =
	"# Working on code with Oxide\n"
	"\n" BASICS "\n"
	"## Which tool\n"
	"- `read_file`: a file, or some of its lines, with their numbers. With `hashes` each line "
	"has a short hash, which an edit can give as `line_hash` so that it hits that very line.\n"
	"- `lsp_symbol`: `query` is definition, type_definition, implementation, references, "
	"hover, document_symbols or workspace_symbols. Prefer it to reading whole files.\n"
	"- `get_symbol_info`, `find_symbol_usages`, `rename_symbol`: the same where you know a name "
	"but not where it is. `file_hint` is a path or a part of one. Where a name may mean several "
	"symbols, the answer lists them: give one of its names and its file.\n"
	"- `lsp_diagnostic`: errors and warnings of a file, or without `file_path` of the "
	"project, each with its fixes. `fix_errors: true` applies those that the server prefers "
	"and says what is left. `complete: false` means that the server may not be done.\n"
	"- `check_project`: what the project's own checkers (cargo, tsc, go vet, make) find in the "
	"files on the disk; with `include_fixes` also what can be done, each as an edit and by an "
	"`action_id`. `test_project`: its tests, all or by `test_name`, and why they failed.\n"
	"- `lsp_edit`: replaces, deletes or inserts beside a function, a type or another symbol "
	"by its name, and touches nothing else. The change is shown to the language server "
	"first: new errors refuse it, and come back instead.\n"
	"- `lsp_rename`: a symbol in all files. Without `confirm: \"apply\"` the person is asked; "
	"where nobody can be asked, the answer is a preview with `needs_confirmation`.\n"
	"- `list_code_actions`: what language servers offer at a place, or with no arguments what "
	"is known already: fixes, previews, changes that wait for a word. `execute_code_action` "
	"makes one by its `action_id`; it is refused when its files have changed since.\n"
	"- `lsp_format`: a file or some of its lines, in the project's own style.\n"
	"- `edit_file`: one text that is there exactly once, or lines by number. Give `expect`, "
	"the old text, with line numbers: it finds lines that have moved.\n"
	"- `multi_edit`: many edits in many files as one change. Line numbers are those of the "
	"files as you have read them; do not correct them for edits that come earlier.\n"
	"- `apply_patch`: a patch, in the V4A form or a unified diff.\n"
	"- `write_file`: a new file. `undo`: takes the last change back, or the one named by its "
	"`transaction`.\n"
	"\n"
	"## Ways of working\n"
	"1. Fix errors: lsp_diagnostic, then lsp_diagnostic with `fix_errors`, then edit what "
	"remains, then lsp_diagnostic again; or check_project with `include_fixes`, then "
	"execute_code_action, then check_project again, then test_project.\n"
	"2. Refactor: lsp_symbol with `references`, then lsp_rename or lsp_edit, then "
	"lsp_diagnostic. If it went wrong, undo.\n"
	"3. Understand: lsp_symbol with `document_symbols` or `workspace_symbols`, `hover` and "
	"`definition`, then read_file of the lines that matter.\n"
	"\n"
	"Say what you are about to change and why before you change it. `dry_run: true` shows a "
	"change and makes none. The answer to a change has its `diff`: you need not read the file "
	"again.\n";
