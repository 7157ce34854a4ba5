#include <string.h>

#include "../core/workspace.h"
#include "../io/disk.h"
#include "../text/diff.h"
#include "../text/merge.h"
#include "hook_edit_impl.h"

/* Appends a text with LF for CRLF, or the other way round. */
static void add_with_ends(struct buf *out, struct str text, bool crlf)
{
	for (size_t i = 0; i < text.n; i++) {
		if (!crlf && text.p[i] == '\r' && i + 1 < text.n && text.p[i + 1] == '\n')
			continue;
		if (crlf && text.p[i] == '\n')
			buf_addc(out, '\r');
		buf_addc(out, text.p[i]);
	}
}

/* What is not there is empty. */
static bool read_disk(struct hook_file *f, struct err *e)
{
	const struct fs *fs = disk_fs();
	struct buf raw SCOPED(buf_release) = BUF_INIT;
	struct err why = ERR_INIT;

	f->there = fs->read(fs->self, f->path, &raw, NULL, &why);
	if (!f->there && why.code != ERR_NOT_FOUND)
		*e = why;
	add_with_ends(&f->disk, buf_str(&raw), false);
	return !e->code;
}

bool hook_file_read(struct call *call, struct hook_file *f, struct err *e)
{
	struct workspace *w = call_oxide(call)->workspace;
	struct err why = ERR_INIT;
	struct doc *d = workspace_doc(w, f->path, &why);

	f->known = f->there = d;
	if (!d) {
		*e = why.code == ERR_NOT_FOUND ? *e : why;
		return !e->code;
	}
	f->crlf = str_find(doc_text(d), STR("\r\n")) >= 0;
	add_with_ends(&f->seen, doc_text(d), false);
	if (workspace_buffer_at(w, f->path))
		return read_disk(f, e);
	buf_add(&f->disk, buf_str(&f->seen));
	return true;
}

/* What leads from `base` to `target`, in `now`. */
static bool carry(struct call *call, const struct hook_file *f, struct str base, struct str target,
		  struct str now, struct buf *out, struct err *e)
{
	struct merge m SCOPED(merge_release) = MERGE_INIT;
	struct buf lines SCOPED(buf_release) = BUF_INIT;
	bool ok = merge_texts(&m, base, target, now);

	if (ok)
		edits_apply(&m.edits, now, out);
	else
		merge_describe(&m, &lines);
	if (!ok)
		err_set(e, ERR_CONFLICT,
			"the user has unsaved changes in %.*s, in %s, which this change clashes "
			"with; nothing was changed. See them with read_file of Oxide, and change "
			"other lines, or ask the user to save the file first",
			STR_ARG(call_shown(call, f->path)), lines.p ? lines.p : "the same lines");
	return ok;
}

/* A name that goes takes its text with it. */
static bool may_lose_name(struct call *call, const struct hook_file *f, struct err *e)
{
	return str_eq(buf_str(&f->disk), buf_str(&f->seen)) ||
	       err_set(e, ERR_CONFLICT,
		       "the user has unsaved changes in %.*s, which would be lost; nothing was "
		       "changed. Ask the user to save the file first",
		       STR_ARG(call_shown(call, f->path)));
}

static bool plan_new_text(struct hook_file *f, struct plan *p, const char *path, struct str seen,
			  struct err *e)
{
	struct edits edits SCOPED(edits_release) = EDITS_INIT;
	struct op spans = { .kind = OP_SPANS, .path = path, .spans = &edits, .exact = true };
	struct buf now SCOPED(buf_release) = BUF_INIT;
	struct str text = STR("");
	bool ok = plan_text(p, path, &text, e);

	add_with_ends(&now, seen, f->crlf);
	if (ok)
		diff_edits(&edits, text, buf_str(&now));
	return ok && plan_add(p, &spans, e);
}

bool hook_file_plan(struct call *call, struct hook_file *f, struct plan *p, struct err *e)
{
	struct op create = { .kind = OP_CREATE, .path = f->path },
		  remove = { .kind = OP_REMOVE, .path = f->path },
		  rename = { .kind = OP_RENAME, .path = f->path, .new_path = f->moved };
	struct buf now SCOPED(buf_release) = BUF_INIT;
	bool ok;

	if ((f->gone || f->moved) && !may_lose_name(call, f, e))
		return false;
	f->planned = true;
	if (f->gone)
		return plan_add(p, &remove, e);
	ok = carry(call, f, buf_str(&f->disk), buf_str(&f->asked), buf_str(&f->seen), &now, e);
	if (ok && f->known && !f->moved && str_eq(buf_str(&now), buf_str(&f->seen)))
		f->planned = false; /* the user has typed the same already */
	else
		ok = ok && (f->known || plan_add(p, &create, e)) &&
		     (!f->moved || plan_add(p, &rename, e)) &&
		     plan_new_text(f, p, f->moved ? f->moved : f->path, buf_str(&now), e);
	return ok;
}

static ptrdiff_t file_in_plan(const struct plan *p, const char *path)
{
	for (size_t i = 0; i < plan_files(p); i++)
		if (!strcmp(plan_file(p, i)->path, path))
			return (ptrdiff_t)i;
	return -1;
}

bool hook_file_take(struct call *call, struct hook_file *f, struct plan *p, struct err *e)
{
	ptrdiff_t at = file_in_plan(p, f->path);
	struct buf accepted SCOPED(buf_release) = BUF_INIT;
	bool ok = true;

	if (!f->planned) {
		buf_add(&f->written, buf_str(&f->asked));
		return true;
	}
	f->left = at < 0;
	if (f->left) {
		buf_add(&f->written, buf_str(&f->disk));
		return true;
	}
	if (f->gone)
		return true;
	ok = plan_want(p, (size_t)at, e);
	if (ok)
		add_with_ends(&accepted, plan_file(p, (size_t)at)->now, false);
	return ok && carry(call, f, buf_str(&f->seen), buf_str(&accepted), buf_str(&f->disk),
			   &f->written, e);
}

bool hook_file_is_whole(const struct hook_file *f)
{
	return !f->left && str_eq(buf_str(&f->written), buf_str(&f->asked));
}

static void say_diff(struct call *call, const struct hook_file *f, struct buf *out,
		     struct str before, struct str now)
{
	struct buf name SCOPED(buf_release) = BUF_INIT;

	buf_add(&name, call_shown(call, f->path));
	diff_unified(out, name.p, name.p, before, now, DIFF_CONTEXT);
}

void hook_file_say_left(struct call *call, const struct hook_file *f, struct buf *out)
{
	if (f->left && (f->gone || f->moved || !f->there))
		buf_addf(out, "%.*s was not %s.\n", STR_ARG(call_shown(call, f->path)),
			 f->gone    ? "deleted"
			 : f->moved ? "moved, nor changed"
				    : "made");
	else if (!hook_file_is_whole(f))
		say_diff(call, f, out, buf_str(&f->asked), buf_str(&f->written));
}

void hook_file_say_unsaved(struct call *call, const struct hook_file *f, struct buf *out)
{
	if (str_eq(buf_str(&f->disk), buf_str(&f->seen)))
		return;
	buf_adds(out, "The user has unsaved changes in this file, which are kept beside yours. "
		      "The file on the disk, against the editor:\n");
	say_diff(call, f, out, buf_str(&f->disk), buf_str(&f->seen));
}
