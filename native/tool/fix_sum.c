#include "fix_sum.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "../servers/completeness.h"

static json *member(json *v, const char *key)
{
	return (json *)(uintptr_t)json_get(v, key);
}

static void add_number(json *to, const json *from, const char *key)
{
	if (json_get(from, key))
		json_put(to, key, json_int(json_get_int(to, key, 0) + json_get_int(from, key, 0)));
}

static void add_text(json *to, const json *from, const char *key)
{
	struct buf all = BUF_INIT;

	if (!json_get(from, key))
		return;
	buf_add(&all, json_get_str(to, key));
	buf_add(&all, json_get_str(from, key));
	json_put(to, key, json_take(&all));
}

static void add_list(json *to, const json *from, const char *key)
{
	const json *list = json_get(from, key);
	json *all = member(to, key);

	if (!all && list)
		all = json_put(to, key, json_array());
	json_each(row, list)
		json_push(all, json_copy(row));
}

static json *row_of(json *files, struct str name)
{
	json_each(row, files)
		if (str_eq(json_get_str(row, "file"), name))
			return (json *)(uintptr_t)row;
	return NULL;
}

/* Of a file that was changed before, what was done is added up. */
static void add_files(json *to, const json *from)
{
	json *all = member(to, "files");

	json_each(f, json_get(from, "files")) {
		json *row = row_of(all, json_get_str(f, "file"));

		if (!row) {
			json_push(all, json_copy(f));
			continue;
		}
		add_number(row, f, "edits");
		add_number(row, f, "lines_added");
		add_number(row, f, "lines_removed");
	}
	json_put(to, "files_changed", json_int((int64_t)json_len(all)));
}

static void add_change(json *to, const json *from)
{
	add_number(to, from, "total_changes");
	add_number(to, from, "edits");
	add_number(to, from, "saved");
	add_text(to, from, "diff");
	add_list(to, from, "new_warnings");
	add_list(to, from, "new_errors");
	add_list(to, from, "not_verified");
	add_list(to, from, "transactions");
	add_files(to, from);
	if (json_get(from, "left_modified")) /* of the buffers as they are by now */
		json_put(to, "left_modified", json_copy(json_get(from, "left_modified")));
	if (json_get(from, "transaction")) /* the last one, which can be taken back first */
		json_put(to, "transaction", json_copy(json_get(from, "transaction")));
	if (json_get(from, "syntax_check") &&
	    str_eq(json_get_str(to, "syntax_check"), STR("ok"))) /* the worst of them */
		json_put(to, "syntax_check", json_copy(json_get(from, "syntax_check")));
	if (str_find(json_get_str(to, "warning"), json_get_str(from, "warning")) < 0)
		answer_warn(to, json_get_str(from, "warning"));
	reasons_copy(to, from);
}

void fix_list_add(struct fix_list *l, const struct fix *f)
{
	struct fix *to;

	l->v = mem_grow(l->v, &l->cap, l->n + 1, sizeof(*l->v));
	to = &l->v[l->n++];
	*to = (struct fix){ arena_str(&l->texts, f->file),
			    arena_str(&l->texts, f->text),
			    arena_str(&l->texts, f->message),
			    arena_str(&l->texts, f->title),
			    arena_str(&l->texts, f->id),
			    arena_str(&l->texts, f->reason),
			    f->line };
}

void fix_list_release(struct fix_list *l)
{
	arena_release(&l->texts);
	free(l->v);
	*l = (struct fix_list){ 0 };
}

static json *rows_of(const struct fix_list *l)
{
	json *list = json_array();

	for (size_t i = 0; i < l->n; i++) {
		const struct fix *f = &l->v[i];
		json *row = json_push(list, json_object());

		json_put(row, "file", json_str(f->file));
		json_put(row, "line", json_int((int64_t)f->line));
		json_put(row, "text", json_str(f->text));
		json_put(row, "message", json_str(f->message));
		json_put(row, "title", json_str(f->title));
		json_put(row, "action_id", json_str(f->id));
		if (f->reason.n)
			json_put(row, "reason", json_str(f->reason));
	}
	return list;
}

void fix_sum_add(struct fix_sum *s, json *change, const struct fix_list *fixed)
{
	if (json_get(change, "transaction"))
		json_push(json_put(change, "transactions", json_array()),
			  json_copy(json_get(change, "transaction")));
	if (!json_get_bool(change, "needs_confirmation", false))
		s->applied += fixed->n;
	for (size_t i = 0; i < fixed->n; i++)
		fix_list_add(&s->fixed, &fixed->v[i]);
	if (!s->change) {
		s->change = change;
		return;
	}
	add_change(s->change, change);
	json_free(change);
}

void fix_sum_refuse(struct fix_sum *s, const struct fix *f, const char *reason)
{
	struct fix copy = *f;

	copy.reason = str_of(reason);
	fix_list_add(&s->refused, &copy);
}

void fix_sum_forget(struct fix_sum *s)
{
	fix_list_release(&s->refused);
}

static bool has(const struct fix_list *l, const struct fix *f)
{
	for (size_t i = 0; i < l->n; i++)
		if (str_eq(l->v[i].file, f->file) && str_eq(l->v[i].text, f->text) &&
		    str_eq(l->v[i].message, f->message) && str_eq(l->v[i].title, f->title))
			return true;
	return false;
}

bool fix_sum_tried(const struct fix_sum *s, const struct fix *f)
{
	return has(&s->fixed, f) || has(&s->refused, f);
}

/* Where a diagnostic stands is no part of what it is: fixes move lines. */
static struct str name(const struct diag *d, struct buf *out)
{
	buf_clear(out);
	buf_addf(out, "%s\n%d\n", d->path, (int)d->severity);
	buf_add(out, d->code);
	buf_addc(out, '\n');
	buf_add(out, d->source);
	buf_addc(out, '\n');
	buf_add(out, d->message);
	return buf_str(out);
}

void fix_sum_before(struct fix_sum *s, const struct diag *const *v, size_t n)
{
	struct buf key = BUF_INIT;

	for (size_t i = 0; i < n; i++) {
		uintptr_t known = (uintptr_t)map_get(&s->before, name(v[i], &key));

		map_put(&s->before, buf_str(&key), (void *)(known + 1));
	}
	s->gone = n;
	buf_release(&key);
}

/* Each of those that are left counts for one that there was. */
void fix_sum_after(struct fix_sum *s, const struct diag *const *v, size_t n)
{
	struct buf key = BUF_INIT;

	for (size_t i = 0; i < n; i++) {
		uintptr_t left = (uintptr_t)map_take(&s->before, name(v[i], &key));

		s->gone -= left > 0;
		if (left > 1)
			map_put(&s->before, buf_str(&key), (void *)(left - 1));
	}
	s->remain = n;
	buf_release(&key);
}

void fix_sum_report(struct fix_sum *s, json *after)
{
	if (s->change)
		json_put(after, "applied", rows_of(&s->fixed));
	json_each(v, s->change)
		if (strcmp(json_key(v), "complete") != 0 && strcmp(json_key(v), "reasons") != 0 &&
		    strcmp(json_key(v), "server") != 0)
			json_put(after, json_key(v), json_copy(v));
	reasons_copy(after, s->change);
	json_put(after, "fixes_applied", json_int((int64_t)s->applied));
	json_put(after, "resolved", json_int((int64_t)s->gone));
	json_put(after, "remaining", json_int((int64_t)s->remain));
	if (s->refused.n)
		json_put(after, "not_applied", rows_of(&s->refused));
	if (s->stopped.code)
		json_put(after, "stopped", json_strz(s->stopped.msg));
}

void fix_sum_release(struct fix_sum *s)
{
	json_free(s->change);
	map_release(&s->before);
	fix_list_release(&s->fixed);
	fix_list_release(&s->refused);
}
