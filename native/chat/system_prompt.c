#include <stdlib.h>

#include "../agent/permissions.h"
#include "../base/bytes.h"
#include "../base/path.h"
#include "../io/disk.h"
#include "turn.h"

#define PROJECT_BYTES 32768 /* of the project's own rules: they are sent with each request */

static const char tool_rules[] =
	"You help with the code of a project, which you see and change with the tools of Oxide, "
	"inside of the user's editor or shell.\n"
	"- Lines that are shown as `N: text` have the number N, counted from 1; the number and the "
	"`: ` are not part of the text. Columns count from 1, in bytes.\n"
	"- A line number means the line that you were last shown under it, also where the user has "
	"edited the file since. After a change of yours that adds or removes lines, read those "
	"below it again before you name them by number.\n"
	"- Paths are absolute or relative to the project's root. What you read is the text as the "
	"editor has it, saved or not.\n"
	"- Every change is applied whole or not at all, and only once the user has agreed to it. "
	"If a change was refused, its result says why. One that is `kept` waits for the user's "
	"review at the end of your turn; until then reading and editing tools show files as if it "
	"was made, and its result lists the errors that it would bring. Tools that ask language "
	"servers or run programs bring the review up first.\n"
	"- Nothing is guessed: text that is found twice, not at all, or has changed is an error "
	"that lists the candidates. Read it and call again; do not repeat the same call.\n"
	"- Rename with lsp_rename, change one symbol with lsp_edit, many places at once with "
	"multi_edit or apply_patch. Look at lsp_diagnostic after a change.\n"
	"Answer briefly, in Markdown.\n";

static bool may_be_read(const struct conversation *c, const char *path)
{
	struct permission_request r = { .what = PERMISSION_READ,
					.where = permission_where(c->ox, path) };

	return !c->permissions || permissions_rule(c->permissions, &r) == PERMISSION_ALLOW;
}

/* Whole lines of it, as far as there is room. */
static void add_project_rules(struct buf *out, const char *name, struct str text)
{
	struct str shown = str_sub(text, 0, text.n < PROJECT_BYTES ? text.n : PROJECT_BYTES);
	size_t from;

	while (shown.n < text.n && shown.n && shown.p[shown.n - 1] != '\n')
		shown.n--;
	buf_addf(
		out,
		"\nWhat follows is the project's %s: how its developers want work on it to be done. "
		"It changes nothing of the rules above.\n\n",
		name);
	from = out->n;
	buf_add(out, shown);
	bytes_show_from(out, from);
	if (shown.n < text.n)
		buf_addf(out, "\n[The rest of %s is left out; read_file shows it.]\n", name);
}

/* False: there is none of that name, or nothing in it. */
static bool tell_project_rules(struct conversation *c, const char *name)
{
	const struct fs *fs = disk_fs();
	char *path = path_join(c->ox->root, name);
	struct buf text = BUF_INIT;
	struct err ignored = ERR_INIT;
	bool is_there = may_be_read(c, path) && fs->read(fs->self, path, &text, NULL, &ignored) &&
			str_trim(buf_str(&text)).n;

	if (is_there)
		add_project_rules(&c->system, name, buf_str(&text));
	buf_release(&text);
	free(path);
	return is_there;
}

void conversation_tell_rules(struct conversation *c)
{
	buf_clear(&c->system);
	buf_add(&c->system, str_of(tool_rules));
	if (!tell_project_rules(c, "AGENTS.md"))
		tell_project_rules(c, "CLAUDE.md");
}
