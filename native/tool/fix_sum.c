#include "fix_sum.h"

#include "../base/map.h"
#include "../servers/reach.h"

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
	add_list(to, from, "applied");
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

void fix_sum_add(struct fix_sum *s, json *change)
{
	if (json_get(change, "transaction"))
		json_push(json_put(change, "transactions", json_array()),
			  json_copy(json_get(change, "transaction")));
	if (!json_get_bool(change, "needs_confirmation", false))
		s->applied += json_len(json_get(change, "applied"));
	if (!s->change) {
		s->change = change;
		return;
	}
	add_change(s->change, change);
	json_free(change);
}

void fix_sum_refuse(struct fix_sum *s, const json *row, const char *reason)
{
	json *copy = json_copy(row);

	if (!s->refused)
		s->refused = json_array();
	json_put(copy, "reason", json_strz(reason));
	json_push(s->refused, copy);
}

void fix_sum_forget(struct fix_sum *s)
{
	json_free(s->refused);
	s->refused = NULL;
}

void fix_sum_stop(struct fix_sum *s, const char *reason)
{
	s->stopped = json_strz(reason);
}

json *fix_sum_tried(const struct fix_sum *s)
{
	json *rows = json_array();

	json_each(row, json_get(s->change, "applied"))
		json_push(rows, json_copy(row));
	json_each(row, s->refused)
		json_push(rows, json_copy(row));
	return rows;
}

/* Where a diagnostic stands is no part of what it is: fixes move lines. */
static void name(const json *row, struct buf *out)
{
	static const char *const keys[] = { "file", "severity", "code", "source", "message" };

	buf_clear(out);
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		buf_add(out, json_get_str(row, keys[i]));
		buf_addc(out, '\n');
	}
}

/* How many of the first are not among the others; each of those counts once. */
static size_t count_gone(const json *before, const json *after)
{
	struct map left = MAP_INIT;
	struct buf key = BUF_INIT;
	size_t gone = 0;

	json_each(row, after) {
		name(row, &key);
		map_put(&left, buf_str(&key),
			(void *)((uintptr_t)map_get(&left, buf_str(&key)) + 1));
	}
	json_each(row, before) {
		uintptr_t n;

		name(row, &key);
		n = (uintptr_t)map_take(&left, buf_str(&key));
		gone += !n;
		if (n > 1)
			map_put(&left, buf_str(&key), (void *)(n - 1));
	}
	map_release(&left);
	buf_release(&key);
	return gone;
}

void fix_sum_report(struct fix_sum *s, const json *before, json *after)
{
	const json *now = json_get(after, "diagnostics");

	json_each(v, s->change)
		if (strcmp(json_key(v), "complete") != 0 && strcmp(json_key(v), "reasons") != 0 &&
		    strcmp(json_key(v), "server") != 0)
			json_put(after, json_key(v), json_copy(v));
	reasons_copy(after, s->change);
	json_put(after, "fixes_applied", json_int((int64_t)s->applied));
	json_put(after, "resolved", json_int((int64_t)count_gone(before, now)));
	json_put(after, "remaining", json_int((int64_t)json_len(now)));
	if (s->refused)
		json_put(after, "not_applied", json_copy(s->refused));
	if (s->stopped)
		json_put(after, "stopped", json_copy(s->stopped));
}

void fix_sum_release(struct fix_sum *s)
{
	json_free(s->change);
	json_free(s->refused);
	json_free(s->stopped);
}
