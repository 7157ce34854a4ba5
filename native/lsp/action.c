#include "action.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "scan.h"

static json *as_given(struct str raw)
{
	struct buf copy = BUF_INIT;

	buf_add(&copy, raw);
	return json_raw(&copy);
}

json *actions_ask(const char *path, struct range place, const struct diag *const *v, size_t n,
		  struct str only)
{
	json *params = proto_doc(path), *list = json_array();

	for (size_t i = 0; i < n; i++)
		json_push(list, as_given(v[i]->raw));
	json_put(params, "range", proto_range(place));
	json_put(params, "context",
		 json_of({ "diagnostics", list },
			 { "only", only.n ? json_list(json_str(only)) : NULL }));
	return params;
}

json *action_resolve(const struct action *a)
{
	return as_given(a->raw);
}

json *action_execute(const struct action *a)
{
	return json_of({ "command", json_str(a->command) },
		       { "arguments", a->with.n ? as_given(a->with) : NULL });
}

static struct str take_raw(struct jscan *s, struct arena *texts)
{
	return arena_str(texts, jscan_raw(s));
}

/* A Command's own members are in the action itself, where `command` is its name. */
static void read_command(struct jscan *s, struct action *a, struct arena *texts, struct buf *tmp)
{
	struct str key;

	if (jscan_peek(s) == '"') {
		a->command = arena_str(texts, scan_str(s, tmp));
		return;
	}
	for (jscan_object(s); jscan_member(s, &key);)
		if (str_eq(key, STR("command")))
			a->command = arena_str(texts, scan_str(s, tmp));
		else if (str_eq(key, STR("arguments")) && !scan_null(s))
			a->with = take_raw(s, texts);
		else
			jscan_skip(s);
}

struct reading {
	struct action *a;
	struct arena *texts;
	struct buf *tmp;
	bool titled, disabled;
};

static void action_read_member(struct jscan *s, struct str key, struct reading *r)
{
	struct action *a = r->a;

	if (scan_null(s))
		return;
	if (str_eq(key, STR("title"))) {
		a->title = arena_str(r->texts, scan_str(s, r->tmp));
		r->titled = true;
	} else if (str_eq(key, STR("kind"))) {
		a->kind = arena_str(r->texts, scan_str(s, r->tmp));
	} else if (str_eq(key, STR("isPreferred"))) {
		a->preferred = jscan_bool(s);
	} else if (str_eq(key, STR("disabled"))) {
		r->disabled = jscan_skip(s);
	} else if (str_eq(key, STR("edit"))) {
		a->edit = take_raw(s, r->texts);
	} else if (str_eq(key, STR("command"))) {
		read_command(s, a, r->texts, r->tmp);
	} else if (str_eq(key, STR("arguments"))) {
		a->with = take_raw(s, r->texts);
	} else if (str_eq(key, STR("diagnostics"))) {
		a->mends = take_raw(s, r->texts);
	} else {
		jscan_skip(s);
	}
}

static void add_action(struct jscan *s, struct actions *out, struct buf *tmp)
{
	struct action a = { 0 };
	struct reading r = { &a, &out->texts, tmp, false, false };
	const char *start;
	struct str key;

	jscan_peek(s); /* steps over white space */
	start = s->at;
	for (jscan_object(s); jscan_member(s, &key);)
		action_read_member(s, key, &r);
	if (!r.titled)
		scan_fail(s, ERR_PROTOCOL, "a code action has no title");
	if (r.disabled || !jscan_ok(s))
		return;
	a.raw = arena_str(&out->texts, (struct str){ start, (size_t)(s->at - start) });
	mem_add(out->v, out->n, out->cap, a);
}

bool actions_read(struct str raw, struct actions *out, struct err *e)
{
	struct jscan s = jscan_of(raw, e);
	struct buf tmp SCOPED(buf_release) = BUF_INIT;

	*out = (struct actions){ 0 };
	for (bool any = !scan_null(&s) && jscan_array(&s); any && jscan_item(&s);)
		add_action(&s, out, &tmp);
	if (scan_end(&s))
		return true;
	actions_release(out);
	return err_in(e, "code actions");
}

bool actions_add(struct actions *all, struct str raw, struct err *e)
{
	struct jscan s = jscan_of(raw, e);
	struct buf tmp SCOPED(buf_release) = BUF_INIT;

	add_action(&s, all, &tmp);
	return scan_end(&s) || err_in(e, "code action");
}

void actions_release(struct actions *a)
{
	free(a->v);
	arena_release(&a->texts);
	*a = (struct actions){ 0 };
}

static bool same_pos(struct pos a, struct pos b)
{
	return a.line == b.line && a.col == b.col;
}

/* Servers leave out of it what they do not need themselves: place and message tell. */
static bool is_diag(struct jscan *s, const struct diag *d, struct buf *tmp)
{
	struct range r = { 0 };
	bool said = false;
	struct str key;

	for (jscan_object(s); jscan_member(s, &key);)
		if (str_eq(key, STR("range")))
			r = scan_range_loose(s);
		else if (str_eq(key, STR("message")) && jscan_peek(s) == '"')
			said = str_eq(scan_str(s, tmp), d->message);
		else
			jscan_skip(s);
	return said && same_pos(r.from, d->range.from) && same_pos(r.to, d->range.to);
}

bool action_mends(const struct action *a, const struct diag *d)
{
	struct err e = ERR_INIT;
	struct jscan s = jscan_of(a->mends, &e);
	struct buf tmp SCOPED(buf_release) = BUF_INIT;
	bool hit = false, any = false;

	if (!a->mends.n)
		return true;
	for (jscan_array(&s); jscan_item(&s); any = true)
		hit = is_diag(&s, d, &tmp) || hit;
	return hit || !any;
}

bool action_is(const struct action *a, struct str kind)
{
	struct str own = a->kind.n ? a->kind : STR("quickfix");

	return str_eq(own, kind) ||
	       (str_starts(own, kind) && own.n > kind.n && own.p[kind.n] == '.');
}

bool action_alike(const struct action *a, const struct action *b)
{
	return str_eq(a->title, b->title) && str_eq(a->kind, b->kind);
}
