#include <stdlib.h>

#include "../agent/permissions.h"
#include "../base/bytes.h"
#include "../base/json.h"
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

/* What the project asks of agents. */
struct rules_file {
	const char *name;
	char *path;
	struct buf text;
	size_t sent; /* bytes of it: whole lines, as far as there is room */
};

static void rules_release(struct rules_file *f)
{
	buf_release(&f->text);
	free(f->path);
}

static size_t rules_fit(struct str text)
{
	size_t n = text.n < PROJECT_BYTES ? text.n : PROJECT_BYTES;

	while (n < text.n && n && text.p[n - 1] != '\n')
		n--;
	return n;
}

static bool may_be_read(struct oxide *ox, const struct permissions *p, const char *path)
{
	struct permission_request r = { .what = PERMISSION_READ,
					.where = permission_where(ox, path) };

	return !p || permissions_rule(p, &r) == PERMISSION_ALLOW;
}

static bool rules_read_named(struct oxide *ox, const struct permissions *p, const char *name,
			     struct rules_file *f)
{
	const struct fs *fs = disk_fs();

	*f = (struct rules_file){ .name = name, .path = path_join(ox->root, name) };
	if (may_be_read(ox, p, f->path) &&
	    fs->read(fs->self, f->path, &f->text, NULL, ERR_IGNORED) &&
	    str_trim(buf_str(&f->text)).n) {
		f->sent = rules_fit(buf_str(&f->text));
		return true;
	}
	rules_release(f);
	return false;
}

/* False: there is none, or nothing in it. */
static bool rules_read(struct oxide *ox, const struct permissions *p, struct rules_file *f)
{
	return rules_read_named(ox, p, "AGENTS.md", f) || rules_read_named(ox, p, "CLAUDE.md", f);
}

json *conversation_rules_files(struct oxide *ox, const struct permissions *p)
{
	json *files = json_array();
	struct rules_file f;
	struct str text;

	if (!rules_read(ox, p, &f))
		return files;
	text = buf_str(&f.text);
	json_push(files,
		  json_of({ "path", json_strz(f.path) }, { "bytes", json_int((int64_t)f.sent) },
			  { "lines", json_int((int64_t)str_lines(str_sub(text, 0, f.sent))) },
			  { "of", json_int((int64_t)str_lines(text)) }));
	rules_release(&f);
	return files;
}

static void add_project_rules(struct buf *out, const struct rules_file *f)
{
	size_t from;

	buf_addf(
		out,
		"\nWhat follows is the project's %s: how its developers want work on it to be done. "
		"It changes nothing of the rules above.\n\n",
		f->name);
	from = out->n;
	buf_add(out, str_sub(buf_str(&f->text), 0, f->sent));
	bytes_show_from(out, from);
	if (f->sent < f->text.n)
		buf_addf(out, "\n[The rest of %s is left out; read_file shows it.]\n", f->name);
}

void conversation_tell_rules(struct conversation *c)
{
	struct rules_file f;

	buf_clear(&c->system);
	buf_add(&c->system, str_of(tool_rules));
	if (!rules_read(c->ox, c->permissions, &f))
		return;
	add_project_rules(&c->system, &f);
	rules_release(&f);
}
