#include "mcp_guide.h"

#define BASICS                                                                                     \
	"Oxide changes code with the help of language servers. Every change is made completely, "  \
	"in all files, or not at all, and `undo` reverts it.\n"                                    \
	"- Lines and columns start at 1; columns count bytes. Instead of `line` and `column` you " \
	"can give `symbol` (a name, or a path such as Class/method).\n"                            \
	"- Paths are absolute or relative to the project root. Files are read as the editor has "  \
	"them, saved or not.\n"                                                                    \
	"- Nothing is guessed: text that is found twice or not at all, or that has changed, is "   \
	"an error that names the candidates. Read the file again before you retry.\n"              \
	"- Look before you change something (lsp_symbol, lsp_diagnostic), and check "              \
	"lsp_diagnostic afterwards.\n"

const char mcp_instructions[] =
	BASICS "Rename with lsp_rename, change one symbol with lsp_edit, many places at once "
	       "with multi_edit or apply_patch. The prompt `oxide` has more details.";

const char mcp_guide[] =
	"# Working on code with Oxide\n"
	"\n" BASICS "\n"
	"## Which tool\n"
	"- `read_file`: a file, or some of its lines, with their numbers. With `hashes` each line "
	"has a short hash, which an edit can give as `line_hash` to make sure of the line.\n"
	"- `lsp_symbol`: `query` is definition, type_definition, implementation, references, "
	"hover, document_symbols or workspace_symbols. Prefer it to reading whole files.\n"
	"- `get_symbol_info`, `find_symbol_usages`, `rename_symbol`: the same when you know a name "
	"but not where it is. `file_hint` is a path or a part of one. If a name may mean several "
	"symbols, the answer lists them: call again with the file and one of the names listed.\n"
	"- `lsp_diagnostic`: errors and warnings of a file, or without `file_path` of the "
	"project, each with its fixes. `fix_errors: true` applies those that the server prefers "
	"and reports what is left. `complete: false` means that there may be more to come.\n"
	"- `check_project`: what the project's own checkers (cargo, tsc, go vet, make) find in the "
	"files on the disk; with `include_fixes` also the fixes, each as an edit and with an "
	"`action_id`. `test_project`: runs all tests, or `test_name`, and says why they failed.\n"
	"- `lsp_edit`: replaces or deletes a function, a type or another symbol by its name, or "
	"inserts before or after it. The language server checks the change first: if there are "
	"new errors, it is refused and they are the answer.\n"
	"- `lsp_rename`: renames a symbol in all files. Without `confirm: \"apply\"` the user is "
	"asked; if that is not possible, the answer is a preview with `needs_confirmation`.\n"
	"- `list_code_actions`: what language servers offer at a place, or with no arguments what "
	"is known already: fixes, previews, changes that need confirmation. `execute_code_action` "
	"applies one by its `action_id`; it is refused if its files have changed since.\n"
	"- `lsp_format`: formats a file or some of its lines, in the project's own style.\n"
	"- `edit_file`: replaces a text that occurs exactly once, or lines by number. A number means "
	"the line that you were last shown under it; if that cannot be told any more, the answer is "
	"`stale` and has the present lines. With line numbers, give the old text as `expect`: lines "
	"that have moved are found by it.\n"
	"- `multi_edit`: many edits in many files as one change. Line numbers are those of the "
	"files as you have read them; do not adjust them for earlier edits.\n"
	"- `apply_patch`: a V4A patch or a unified diff.\n"
	"- `write_file`: a new file. `undo`: reverts the last change, or the one named by its "
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
	"change without making it. The answer to a change has its `diff`: you need not read the file "
	"again, unless you go on by line numbers below lines that you have added or removed.\n";
