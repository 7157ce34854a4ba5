#include "operations.h"

#include <stdlib.h>

#include "../base/map.h"
#include "../base/mem.h"
#include "../servers/pool.h"
#include "operation_lines.h"
#include "read_set.h"

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
		err_set(e, ERR_INVALID, "%s is not an array", member);
	json_free(list);
	err_in(e, "%s", member);
	return NULL;
}

/*
 * The lists of an answer are put down as text: there may be thousands of operations.
 */
static void put_member(struct buf *out, const char *name, struct str value)
{
	buf_adds(out, name);
	json_quote(out, value);
}

static void put_candidates(struct buf *out, const struct candidates *near)
{
	buf_addc(out, '[');
	for (size_t i = 0; near && i < near->n; i++) {
		struct buf why SCOPED(buf_release) = BUF_INIT;

		candidate_describe(&near->v[i], &why);
		buf_adds(out, i ? ",{\"line\":" : "{\"line\":");
		buf_addn(out, near->v[i].line);
		put_member(out, ",\"text\":", near->v[i].text);
		put_member(out, ",\"why\":", buf_str(&why));
		buf_addc(out, '}');
	}
	buf_addc(out, ']');
}

static void operations_put_number(struct buf *out, const char *name, int64_t n)
{
	buf_adds(out, name);
	if (n < 0)
		buf_addc(out, '-');
	buf_addn(out, n < 0 ? -(uint64_t)n : (uint64_t)n);
}

static void put_detail(struct buf *out, struct call *c, const struct operation *op,
		       const struct outcome *o)
{
	put_member(out, "{\"file\":", call_shown(c, op->path));
	put_member(out, ",\"type\":", str_of(operation_name(op->kind)));
	operations_put_number(out, ",\"operation\":", op->of);
	buf_adds(out, o->why ? ",\"success\":false" : ",\"success\":true");
	put_member(out, ",\"message\":", str_of(o->why ? o->why->msg : "done"));
	operations_put_number(out, ",\"line_changes\":", o->why ? 0 : o->line_changes);
	if (o->why)
		put_member(out, ",\"code\":", str_of(err_name(o->why->code)));
	if (o->near && o->near->n) {
		buf_adds(out, ",\"candidates\":");
		put_candidates(out, o->near);
	}
	if (o->clash >= 0)
		operations_put_number(out, ",\"with\":", o->clash);
	if (!o->why && o->match != MATCH_NONE)
		put_member(out, ",\"match\":", str_of(match_name(o->match)));
	if (!o->why && op->said && !op->lineless) {
		operations_put_number(out, ",\"relocated\":{\"from\":", (int64_t)op->said);
		operations_put_number(out, ",\"to\":", (int64_t)op->line);
		buf_addc(out, '}');
	}
	buf_addc(out, '}');
}

static json *details_of(struct call *c, const struct operations *ops, const struct batch *b)
{
	struct buf list = BUF_INIT;

	buf_addc(&list, '[');
	for (size_t i = 0; i < ops->n; i++) {
		if (i)
			buf_addc(&list, ',');
		put_detail(&list, c, &ops->v[i], batch_outcome(b, i));
	}
	buf_addc(&list, ']');
	return json_raw(&list);
}

/* The error object with what helps: where, what is near, and, of several, each failure. */
static json *failure_of(struct call *c, const struct editing *ed, const struct batch *b,
			const struct err *e)
{
	json *object = error_object(e);
	size_t i = 0;

	while (i < ed->ops.n && !batch_outcome(b, i)->why)
		i++;
	if (i < ed->ops.n) {
		const struct outcome *o = batch_outcome(b, i);
		struct buf candidates = BUF_INIT;

		error_put(object, "operation", json_int(ed->ops.v[i].of));
		error_put(object, "file", json_str(call_shown(c, ed->ops.v[i].path)));
		if (o->near && o->near->n)
			error_put(object, "line", json_int((int64_t)o->near->v[0].line));
		put_candidates(&candidates, o->near);
		error_put(object, "candidates", json_raw(&candidates));
		operation_lines_explain(c, &ed->ops.v[i], object);
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

		if (o->match > weakest && !o->why)
			weakest = o->match;
		if (o->moved_to && !o->why && ed->ops.n == 1) {
			json_put(r, "relocated",
				 json_of({ "from", json_int((int64_t)o->moved_from) },
					 { "to", json_int((int64_t)o->moved_to) }));
		}
		if (o->stripped)
			json_put(r, "numbers_stripped", json_bool(true));
	}
	json_put(r, "match", json_strz(match_name(weakest)));
	if (ed->details) {
		json_put(r, "rolled_back", json_bool(false));
		json_put(r, "error_index", json_null());
		for (size_t i = ed->ops.n; i--;) {
			const struct err *why = batch_outcome(b, i)->why;

			if (why && why->code != ERR_CANCELLED)
				json_put(r, "error_index", json_int(ed->ops.v[i].of));
		}
		json_put(r, "details", details_of(c, &ed->ops, b));
	}
	return r;
}

static void mark_left_out(json *detail, bool in_part)
{
	json_put(detail, "success", json_bool(false));
	json_put(detail, "message",
		 json_strz(in_part ? "left out by the user, at least in part: see left_out"
				   : "left out by the user"));
	json_put(detail, "code", json_strz(err_name(ERR_CANCELLED)));
	json_drop(detail, "match");
	if (!in_part)
		json_put(detail, "line_changes", json_int(0));
}

static void mark_details(json *details, const struct map *left, const struct map *revised)
{
	json_each(row, details) {
		json *d = (json *)(uintptr_t)row;
		struct str file = json_get_str(d, "file");
		const json *f = map_get(left, file);

		if (!json_get_bool(d, "success", false))
			continue;
		if (f)
			mark_left_out(d, json_get(f, "hunks"));
		else if (map_get(revised, file))
			json_put(d, "message",
				 json_strz("done, but changed by the user: see changed_by_user"));
	}
}

/* Of a file of which some hunks were left out, or the text was changed, nobody knows whose they
 * are. */
static void tell_reviewed(void *arg, const struct plan *p, json *report)
{
	struct map left SCOPED(map_release) = MAP_INIT, revised SCOPED(map_release) = MAP_INIT;
	json *details = NULL;

	json_each(f, json_get(report, "left_out"))
		map_put(&left, json_get_str(f, "file"), (void *)(uintptr_t)f);
	for (size_t i = 0; i < plan_files(p); i++)
		if (plan_is_revised(p, i))
			map_put(&revised, call_shown(arg, plan_file(p, i)->path), arg);
	if (map_count(&left) || map_count(&revised))
		details = json_parse(json_raw_text(json_get(report, "details")), ERR_IGNORED);
	mark_details(details, &left, &revised);
	if (details)
		json_put(report, "details", details);
}

/* With rollback_on_error off: the first failure, where something is kept all the same. */
static void partly_failed(const struct editing *ed, const struct batch *b, struct err *e)
{
	size_t failed = batch_failures(b), i = 0;

	if (!failed)
		return;
	while (!batch_outcome(b, i)->why || batch_outcome(b, i)->why->code == ERR_CANCELLED)
		i++;
	*e = *batch_outcome(b, i)->why;
	err_in(e, "%zu of %zu operations are left out: operation %d (%s)", failed, ed->ops.n,
	       ed->ops.v[i].of, operation_name(ed->ops.v[i].kind));
}

/* Until the call is answered. Texts may change while the edit waits for its turn. Where that was
 * Oxide's own doing, all of it is worked out again on what they are by then. */
struct edit_call {
	struct call *call;
	struct editing ed;
	char *title;
	struct read_set seen; /* when the call came */
	struct change ch;
	int64_t tries;
	unsigned waits;	  /* in this try, for what other processes are doing */
	struct err stale; /* why it is tried again */
};

static void edit_call_free(struct edit_call *ec)
{
	read_set_release(&ec->seen);
	operations_release(&ec->ed.ops);
	free(ec->title);
	free(ec);
}

static void edit_failed(struct edit_call *ec, const struct err *e, json *refusal)
{
	struct call *c = ec->call;

	plan_free(ec->ch.plan);
	edit_call_free(ec);
	call_fail_with(c, e, refusal);
}

/* What means the same in another text: what is found by its own text, and what needs none. */
static bool means_the_same(const struct edit_call *ec, const struct operation *op, struct err *e)
{
	struct str shown = call_shown(ec->call, op->path);
	bool by_text = op->expect.p || (op->hash.p && op->count < 2);

	switch (op->kind) {
	case OPERATION_INSERT:
	case OPERATION_DELETE:
	case OPERATION_LINES:
		return by_text || op->shown ||
		       err_set(e, ERR_STALE,
			       "%.*s: another change was applied first, and line %zu may be a "
			       "different line now; read it again, or give `expect`",
			       STR_ARG(shown), op->line);
	case OPERATION_WRITE:
	case OPERATION_REMOVE:
	case OPERATION_LINK:
		return err_set(e, ERR_STALE,
			       "%.*s: another change was applied first, and this one would "
			       "discard it; read it again",
			       STR_ARG(shown));
	case OPERATION_REPLACE:
	case OPERATION_HUNKS:
	case OPERATION_RENAME:
	case OPERATION_COPY:
	case OPERATION_MODE:
		break;
	}
	return true;
}

static bool still_meant(const struct edit_call *ec, struct err *e)
{
	const struct plan *p = ec->ch.plan;
	struct map changed SCOPED(map_release) = MAP_INIT;
	bool ok = true;

	for (size_t i = 0; i < plan_files(p); i++) {
		const struct plan_file *f = plan_file(p, i);

		if (read_set_differs(&ec->seen, f))
			map_put(&changed, str_of(f->path), &changed);
	}
	for (size_t i = 0; i < ec->ed.ops.n && ok && map_count(&changed); i++)
		ok = !map_get(&changed, str_of(ec->ed.ops.v[i].path)) ||
		     means_the_same(ec, &ec->ed.ops.v[i], e);
	return ok;
}

static void edit_call_settle(struct edit_call *ec, void (*then)(void *arg))
{
	ec->waits++;
	read_set_settle(&ec->seen, ec->call, then, ec);
}

static void edit_call_go_on(void *arg)
{
	struct edit_call *ec = arg;
	struct err e = ERR_INIT;

	if (call_cancelled(ec->call)) {
		err_set(&e, ERR_CANCELLED, "cancelled; nothing was changed");
	} else if (!read_set_only_own(&ec->seen, ec->call, ec->ch.plan, NULL, &e) &&
		   ec->waits < READ_SET_WAITS_MOST) {
		edit_call_settle(ec, edit_call_go_on);
		return;
	} else if (!e.code && (!ec->tries || still_meant(ec, &e))) {
		read_set_add_plan(&ec->seen, ec->ch.plan);
		call_change(ec->call, &ec->ch);
		return;
	}
	json_free(ec->ch.report);
	edit_failed(ec, &e, NULL);
}

static void edit_call_work_out(struct edit_call *ec);

/* It was refused as stale: is it Oxide's own doing? */
static void operations_look_again(void *arg)
{
	struct edit_call *ec = arg;
	struct err e = ec->stale, ignored = ERR_INIT;
	bool any = false;

	if (call_cancelled(ec->call)) {
		err_set(&e, ERR_CANCELLED, "cancelled; nothing was changed");
		edit_failed(ec, &e, NULL);
	} else if (read_set_only_own(&ec->seen, ec->call, NULL, &any, &ignored) && any) {
		edit_call_work_out(ec);
	} else if (ec->waits < READ_SET_WAITS_MOST) {
		edit_call_settle(ec, operations_look_again);
	} else {
		edit_failed(ec, &e, NULL);
	}
}

static void edit_call_over(void *arg, struct call *c, const struct err *stale)
{
	struct edit_call *ec = arg;

	(void)c;
	if (!stale) {
		edit_call_free(ec);
		return;
	}
	ec->tries++;
	ec->ch.plan = NULL;
	ec->stale = *stale;
	ec->waits = 0;
	operations_look_again(ec);
}

static void edit_call_work_out(struct edit_call *ec)
{
	struct call *c = ec->call;
	struct editing *ed = &ec->ed;
	struct batch *b;
	int64_t most = config_get(&call_oxide(c)->config, CFG_EDIT_TRIES);
	struct err e = ERR_INIT;

	operation_lines_carry(c, &ed->ops);
	b = batch_new(&ed->ops, ed->flags);
	ec->waits = 0;
	ec->ch = (struct change){ .title = ed->title,
				  .dry_run = json_get_bool(call_args(c), "dry_run", false),
				  .verify = json_get_bool(call_args(c), "verify", false),
				  .more = ed->details ? tell_reviewed : NULL,
				  .arg = c,
				  .over = edit_call_over,
				  .over_arg = ec,
				  .retry = ec->tries < most,
				  .again = ec->tries };
	ec->ch.plan = batch_run(b, call_source(c), &e);
	if (!ec->ch.plan && ec->tries)
		err_in(&e, "another change was applied first");
	ec->ch.report = ec->ch.plan ? report_of(c, ed, b) : failure_of(c, ed, b, &e);
	if (ec->ch.plan)
		partly_failed(ed, b, &ec->ch.partly);
	batch_free(b);
	if (ec->ch.plan)
		edit_call_go_on(ec);
	else
		edit_failed(ec, &e, ec->ch.report);
}

/* While the change is worked out, its server begins with what it will be asked about it. */
static void edit_call_expect(const struct edit_call *ec)
{
	const struct operations *ops = &ec->ed.ops;

	if (!json_get_bool(call_args(ec->call), "verify", false))
		return;
	for (size_t i = 1; i < ops->n; i++)
		if (strcmp(ops->v[i].path, ops->v[0].path) != 0)
			return;
	if (ops->n)
		pool_expect(call_oxide(ec->call)->pool, ops->v[0].path);
}

void call_edit(struct call *c, struct editing *ed)
{
	struct edit_call *ec = mem_new(sizeof(*ec));
	struct err e = ERR_INIT;

	ec->call = c;
	ec->ed = *ed;
	ec->title = mem_dup(ed->title, strlen(ed->title));
	ec->ed.title = ec->title;
	if (edit_may_read(c, &ec->ed.ops, &e)) {
		edit_call_expect(ec);
		edit_call_work_out(ec);
	} else {
		edit_failed(ec, &e, NULL);
	}
}
