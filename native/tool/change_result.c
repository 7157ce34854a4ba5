#include "change_result.h"

#include <stdarg.h>
#include <stdlib.h>

#include "../base/mem.h"
#include "../base/path.h"
#include "../servers/completeness.h"
#include "tool.h"

static const char *const row_names[CHANGE_ROWS] = { "not_verified", "new_warnings", "new_errors",
						    "left_out" };

struct changed_file *change_result_file(struct change_result *r, struct str path)
{
	struct changed_file *f;

	r->file = mem_grow(r->file, &r->cap, r->files + 1, sizeof(*r->file));
	f = &r->file[r->files++];
	*f = (struct changed_file){ .path = arena_str(&r->texts, path) };
	return f;
}

void change_result_warn(struct change_result *r, struct str text)
{
	if (r->warning.n)
		buf_adds(&r->warning, "; ");
	buf_add(&r->warning, text);
}

void change_result_because(struct change_result *r, struct str reason)
{
	mem_add(r->reason, r->reasons, r->reason_cap, arena_str(&r->texts, reason));
}

void change_result_syntax(struct change_result *r, const char *fmt, ...)
{
	struct buf text SCOPED(buf_release) = BUF_INIT;
	va_list args;

	va_start(args, fmt);
	buf_addv(&text, fmt, args);
	va_end(args);
	r->syntax_check = arena_str(&r->texts, buf_str(&text));
}

void change_result_rows(struct change_result *r, enum change_rows which, json *rows)
{
	json_free(r->rows[which]);
	r->rows[which] = rows;
}

struct changed_file *change_result_planned(struct change_result *r, const struct plan_file *f,
					   struct str root)
{
	struct changed_file *to = change_result_file(r, path_shown(root, str_of(f->path)));

	if (f->new_path)
		to->new_path = arena_str(&r->texts, path_shown(root, str_of(f->new_path)));
	to->kind = plan_file_kind(f);
	to->edits = f->edits.n;
	to->lines_added = f->lines_added;
	to->lines_removed = f->lines_removed;
	return to;
}

/* Of a file that was changed before, what was done is added up. */
static void change_result_add_file(struct change_result *sum, const struct changed_file *from)
{
	struct changed_file *to = NULL;

	for (size_t i = 0; i < sum->files && !to; i++)
		if (str_eq(sum->file[i].path, from->path))
			to = &sum->file[i];
	if (!to) {
		to = change_result_file(sum, from->path);
		to->new_path = arena_str(&sum->texts, from->new_path);
		to->kind = from->kind;
		to->in_buffer = from->in_buffer;
	}
	to->edits += from->edits;
	to->lines_added += from->lines_added;
	to->lines_removed += from->lines_removed;
}

static void add_checks(struct change_result *sum, const struct change_result *r)
{
	bool ok = !sum->syntax_check.n || str_eq(sum->syntax_check, STR("ok"));

	if (ok) /* the worst of them */
		sum->syntax_check = arena_str(&sum->texts, r->syntax_check);
	sum->looked = sum->looked || r->looked;
	for (size_t i = 0; i < r->reasons; i++)
		change_result_because(sum, r->reason[i]);
	for (int i = 0; i < CHANGE_ROWS; i++) {
		if (r->rows[i] && !sum->rows[i])
			sum->rows[i] = json_array();
		json_each(row, r->rows[i])
			json_push(sum->rows[i], json_copy(row));
	}
}

void change_result_add(struct change_result *sum, const struct change_result *r)
{
	sum->applied = sum->applied || r->applied;
	sum->waits = sum->waits || r->waits;
	sum->kept = sum->kept || r->kept;
	for (size_t i = 0; i < r->files; i++)
		change_result_add_file(sum, &r->file[i]);
	sum->edits += r->edits;
	sum->has_diff = sum->has_diff || r->has_diff;
	buf_add(&sum->diff, buf_str(&r->diff));
	buf_add(&sum->by_user, buf_str(&r->by_user));
	if (r->transaction.n) /* the last one, which can be taken back first */
		sum->transaction = arena_str(&sum->texts, r->transaction);
	if (r->action_id.n)
		sum->action_id = arena_str(&sum->texts, r->action_id);
	if (r->saved || r->left_modified)
		sum->left_modified = r->left_modified; /* as they are by now */
	sum->saved += r->saved;
	if (str_find(buf_str(&sum->warning), buf_str(&r->warning)) < 0)
		change_result_warn(sum, buf_str(&r->warning));
	add_checks(sum, r);
}

void change_result_release(struct change_result *r)
{
	for (int i = 0; i < CHANGE_ROWS; i++)
		json_free(r->rows[i]);
	free(r->file);
	free(r->reason);
	buf_release(&r->diff);
	buf_release(&r->by_user);
	buf_release(&r->warning);
	arena_release(&r->texts);
	*r = (struct change_result){ 0 };
}

static void put_rows(const struct change_result *r, enum change_rows which, json *answer)
{
	if (r->rows[which])
		json_put(answer, row_names[which], json_copy(r->rows[which]));
	else
		json_drop(answer, row_names[which]); /* it may be said again, of less */
}

void change_result_put_checks(const struct change_result *r, json *answer)
{
	json_put(answer, "syntax_check", json_str(r->syntax_check));
	for (size_t i = 0; i < r->reasons; i++)
		reasons_add(answer, "%.*s", STR_ARG(r->reason[i]));
	put_rows(r, CHANGE_NOT_VERIFIED, answer);
	put_rows(r, CHANGE_NEW_WARNINGS, answer);
	put_rows(r, CHANGE_NEW_ERRORS, answer);
}

static json *file_row(const struct changed_file *f)
{
	return json_of({ "file", json_str(f->path) },
		       { "new_file", f->new_path.n ? json_str(f->new_path) : NULL },
		       { "kind", f->kind ? json_strz(f->kind) : NULL },
		       { "edits", json_int((int64_t)f->edits) },
		       { "lines_added", json_int((int64_t)f->lines_added) },
		       { "lines_removed", json_int((int64_t)f->lines_removed) },
		       { "where", json_strz(f->in_buffer ? "buffer" : "disk") });
}

void change_result_put(struct change_result *r, json *answer)
{
	json *files = json_array();
	int64_t lines = 0;

	put_rows(r, CHANGE_LEFT_OUT, answer);
	if (r->by_user.n)
		json_put(answer, "changed_by_user", json_str(buf_str(&r->by_user)));
	else
		json_drop(answer, "changed_by_user"); /* as the rows */
	for (size_t i = 0; i < r->files; i++) {
		const struct changed_file *f = &r->file[i];

		json_push(files, file_row(f));
		lines += (int64_t)f->lines_added - (int64_t)f->lines_removed;
	}
	json_put(answer, "success", json_bool(r->applied || r->kept));
	if (r->kept)
		json_put(answer, "kept", json_strz(CHANGE_KEPT));
	json_put(answer, "files_changed", json_int((int64_t)r->files));
	json_put(answer, "total_changes", json_int(lines));
	json_put(answer, "edits", json_int((int64_t)r->edits));
	json_put(answer, "files", files);
	if (r->has_diff)
		json_put(answer, "diff", json_take(&r->diff));
	if (!r->looked)
		json_put(answer, "syntax_check", json_str(r->syntax_check));
}

void change_result_put_end(const struct change_result *r, json *answer)
{
	if (r->waits)
		json_put(answer, "needs_confirmation", json_bool(true));
	if (r->action_id.n)
		json_put(answer, "action_id", json_str(r->action_id));
	if (r->transaction.n)
		json_put(answer, "transaction", json_str(r->transaction));
	if (r->saved || r->left_modified) {
		json_put(answer, "saved", json_int((int64_t)r->saved));
		json_put(answer, "left_modified", json_int((int64_t)r->left_modified));
	}
	if (r->warning.n)
		answer_warn(answer, buf_str(&r->warning));
}
