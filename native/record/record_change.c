#include <stdlib.h>
#include <string.h>

#include "../base/map.h"
#include "../base/path.h"
#include "record_impl.h"

/* What a change has done to files, as rows of a record. */
json *record_change_path(const char *root, struct str path)
{
	struct buf whole = BUF_INIT;

	path_normal(&whole, root, path);
	return json_take(&whole);
}

/* The part of a diff that is about the next of its files. It names the file once; one that only
 * git's header tells of does not, and ends at that of the next, or with an empty line. */
static struct str record_change_next_file(struct str *diff)
{
	struct str all = *diff, rest = all, line;
	bool named = false, ended = false;

	while (rest.n) {
		struct str before = rest;
		bool names;

		str_line(&rest, &line);
		names = str_starts(line, STR("--- ")) && str_starts(rest, STR("+++ "));
		if (before.n < all.n &&
		    (str_starts(line, STR("diff --git ")) || (names && (named || ended)))) {
			*diff = before;
			return str_sub(all, 0, all.n - before.n);
		}
		named = named || names;
		ended = !line.n;
	}
	*diff = rest;
	return all;
}

static void change_row(struct record *r, const struct record_change *c, const json *file,
		       struct str diff)
{
	struct str kind = json_get_str(file, "kind"), to = json_get_str(file, "new_file"),
		   transaction = json_get_str(c->report, "transaction"),
		   unsure = json_get_str(c->report, "unsure");
	json *change =
		json_of({ "diff", diff.n ? json_str(diff) : NULL },
			{ "new_path", to.n ? record_change_path(c->root, to) : NULL },
			{ "lines_added", json_int(json_get_int(file, "lines_added", 0)) },
			{ "lines_removed", json_int(json_get_int(file, "lines_removed", 0)) });

	record_add(r, RECORD_FILE_OPERATION,
		   json_of({ "operation", kind.n ? json_str(kind) : json_strz("modify") },
			   { "path", record_change_path(c->root, json_get_str(file, "file")) },
			   { "change", change },
			   { "tool_call_id", c->call.n ? json_str(c->call) : NULL },
			   { "transaction", transaction.n ? json_str(transaction) : NULL },
			   { "unsure", unsure.n ? json_str(unsure) : NULL },
			   { "turn", c->turn ? json_int(c->turn) : NULL }));
}

void record_change(struct record *r, const struct record_change *c)
{
	struct str diff = json_get_str(c->report, "diff");

	if (!json_get(c->report, "transaction"))
		return;
	json_each(file, json_get(c->report, "files"))
		change_row(r, c, file, record_change_next_file(&diff));
}

/* The turn that it was in last, as whoever wrote the record has numbered them; and the files that
 * it has changed since then by itself. */
static int64_t look_back(const struct record *r, struct str since, struct map *told)
{
	json *whole SCOPED(json_release) = record_whole(r, ERR_IGNORED);
	int64_t turn = 0;

	for (size_t i = 0; i < RECORD_LISTS; i++)
		json_each(row, json_get(whole, record_lists[i])) {
			int64_t of = json_get_int(row, "turn", 0);
			struct str path = json_get_str(row, "path");

			turn = of > turn ? of : turn;
			/* With a transaction it is told by Oxide, of the turn before. */
			if (path.n && !json_get(row, "transaction") &&
			    !str_eq(json_get_str(row, "operation"), STR("read")) &&
			    str_cmp(json_get_str(row, "timestamp"), since) >= 0)
				map_put(told, path, told);
		}
	return turn;
}

static bool is_told(const struct map *told, const char *root, const json *file)
{
	json *path SCOPED(json_release) = record_change_path(root, json_get_str(file, "file"));

	return map_get(told, json_text(path));
}

void record_change_past(struct record *r, const struct record_change *c)
{
	struct str diff = json_get_str(c->report, "diff");
	json *since SCOPED(json_release) = record_time(c->since_ms);
	struct record_change own = *c;
	struct map told SCOPED(map_release) = MAP_INIT;
	int64_t turn = look_back(r, json_text(since), &told);

	own.turn = c->turn ? c->turn : turn;
	json_each(file, json_get(c->report, "files")) {
		struct str part = record_change_next_file(&diff);

		if (!is_told(&told, c->root, file))
			change_row(r, &own, file, part);
	}
}
