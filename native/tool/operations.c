#include "operations.h"

#include <stdlib.h>

#include "../base/path.h"
#include "../core/pool.h"
#include "../core/workspace.h"

const char *edit_path(void *arg, struct arena *a, struct str path, struct err *e)
{
	struct oxide *ox = call_oxide(arg);
	char *full;
	struct str kept;

	if (!path.n) {
		err_set(e, ERR_INVALID, "a file name is empty");
		return NULL;
	}
	if (memchr(path.p, '\0', path.n)) {
		err_set(e, ERR_INVALID, "a file name holds a NUL byte");
		return NULL;
	}
	full = workspace_path(ox->workspace, path);
	kept = arena_str(a, str_of(full));
	free(full);
	if (path_below(str_of(ox->root), kept) || workspace_buffer_at(ox->workspace, kept.p) ||
	    pool_root_over(ox->pool, kept.p))
		return kept.p;
	err_set(e, ERR_DENIED, "%s is outside of the project %s", kept.p, ox->root);
	return NULL;
}

struct str list_text(const json *args, const char *member)
{
	const json *v = json_get(args, member);

	return json_is(v, JSON_STRING) ? json_text(v) : json_raw_text(v);
}

json *list_tree(const json *args, const char *member, struct err *e)
{
	json *list = json_parse(list_text(args, member), e);

	if (json_is(list, JSON_ARRAY))
		return list;
	if (list)
		err_set(e, ERR_INVALID, "%s is no list", member);
	json_free(list);
	err_in(e, "%s", member);
	return NULL;
}

static json *candidates_of(const struct nears *near)
{
	json *list = json_array();

	for (size_t i = 0; i < near->n; i++) {
		json *row = json_push(list, json_object());
		struct buf why = BUF_INIT;

		near_say(&near->v[i], &why);
		json_put(row, "line", json_int((int64_t)near->v[i].line));
		json_put(row, "text", json_str(near->v[i].text));
		json_put(row, "why", json_str(buf_str(&why)));
		buf_release(&why);
	}
	return list;
}

static struct str shown(struct call *c, const struct operation *op)
{
	return workspace_shown(call_oxide(c)->workspace, op->path);
}

static json *detail_of(struct call *c, const struct operation *op, const struct outcome *o)
{
	json *row = json_object();

	json_add(row, "file", json_str(shown(c, op)));
	json_add(row, "type", json_strz(operation_name(op->kind)));
	json_add(row, "operation", json_int(op->of));
	json_add(row, "success", json_bool(!o->why.code));
	json_add(row, "message", json_strz(o->why.code ? o->why.msg : "done"));
	json_add(row, "line_changes", json_int(o->why.code ? 0 : o->line_changes));
	if (o->why.code)
		json_add(row, "code", json_strz(err_name(o->why.code)));
	if (o->near.n)
		json_add(row, "candidates", candidates_of(&o->near));
	if (o->clash >= 0)
		json_add(row, "with", json_int(o->clash));
	if (!o->why.code && o->match != MATCH_NONE)
		json_add(row, "match", json_strz(match_name(o->match)));
	return row;
}

static json *details_of(struct call *c, const struct operations *ops, const struct batch *b)
{
	json *list = json_array();

	for (size_t i = 0; i < ops->n; i++)
		json_push(list, detail_of(c, &ops->v[i], batch_outcome(b, i)));
	return list;
}

/* The error object with what helps: where, what is near, and, of several, each failure. */
static json *failure_of(struct call *c, const struct editing *ed, const struct batch *b,
			const struct err *e)
{
	json *object = error_object(e), *error = (json *)(uintptr_t)json_get(object, "error");
	size_t i = 0;

	while (i < ed->ops.n && !batch_outcome(b, i)->why.code)
		i++;
	if (i < ed->ops.n) {
		const struct outcome *o = batch_outcome(b, i);

		json_put(error, "operation", json_int(ed->ops.v[i].of));
		json_put(error, "file", json_str(shown(c, &ed->ops.v[i])));
		if (o->near.n)
			json_put(error, "line", json_int((int64_t)o->near.v[0].line));
		json_put(error, "candidates", candidates_of(&o->near));
	}
	json_put(object, "success", json_bool(false));
	if (ed->details) {
		json_put(object, "total_changes", json_int(0));
		json_put(object, "rolled_back", json_bool(true));
		json_put(object, "error_index",
			 i < ed->ops.n ? json_int(ed->ops.v[i].of) : json_null());
	}
	if (ed->ops.n > 1 || ed->details)
		json_put(object, "details", details_of(c, &ed->ops, b));
	return object;
}

static json *report_of(struct call *c, const struct editing *ed, const struct batch *b)
{
	json *r = json_object();
	enum match weakest = MATCH_EXACT;

	for (size_t i = 0; i < ed->ops.n; i++) {
		const struct outcome *o = batch_outcome(b, i);

		if (o->match > weakest && !o->why.code)
			weakest = o->match;
		if (o->match == MATCH_RELOCATED && !o->why.code && ed->ops.n == 1) {
			json *moved = json_put(r, "relocated", json_object());

			json_put(moved, "from", json_int((int64_t)o->moved_from));
			json_put(moved, "to", json_int((int64_t)o->moved_to));
		}
		if (o->stripped)
			json_put(r, "numbers_stripped", json_bool(true));
	}
	json_put(r, "match", json_strz(match_name(weakest)));
	if (ed->details) {
		json_put(r, "rolled_back", json_bool(false));
		json_put(r, "error_index", json_null());
		for (size_t i = ed->ops.n; i--;)
			if (batch_outcome(b, i)->why.code)
				json_put(r, "error_index", json_int(ed->ops.v[i].of));
		json_put(r, "details", details_of(c, &ed->ops, b));
	}
	return r;
}

void call_edit(struct call *c, struct editing *ed)
{
	struct batch *b = batch_new(&ed->ops, ed->flags);
	struct change ch = { .title = ed->title,
			     .dry_run = json_get_bool(call_args(c), "dry_run", false) };
	struct err e = ERR_INIT;
	json *answer;

	ch.plan = batch_run(b, workspace_source(call_oxide(c)->workspace), &e);
	answer = ch.plan ? report_of(c, ed, b) : failure_of(c, ed, b, &e);
	batch_free(b);
	operations_release(&ed->ops);
	call_drop_args(c); /* the plan has all that is left of them */
	if (!ch.plan) {
		call_fail_with(c, &e, answer);
		return;
	}
	ch.report = answer;
	call_change(c, &ch);
}
