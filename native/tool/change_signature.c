#include "change_signature.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "../code/signature_parse.h"
#include "../core/workspace.h"
#include "change_signature_impl.h"
#include "operations.h"

static void signature_free_all(struct changing *c)
{
	signature_renamings_free(c);
	free(c->refused);
	free(c->owners);
	if (c->file) {
		signature_release(&c->signature);
		params_release(&c->old);
	}
	json_free(c->items);
	json_free(c->warnings);
	completeness_free(c->reach);
	word_search_free(c->mentions);
	symbol_sites_release(&c->spots);
	target_free(c->target);
	arena_release(&c->texts);
	free(c);
}

static void signature_fail(struct changing *c, const struct err *why)
{
	struct call *call = c->call;
	struct err e = *why;

	signature_free_all(c);
	call_fail(call, &e);
}

/* The last of it: the plan and the answer are call_change()'s. */
static void tell_mentions(void *arg, const struct plan *p, json *report)
{
	struct changing *c = arg;

	if (report) {
		signature_put_cut(c, p, report);
		signature_mentions(c, p, report);
	}
	signature_free_all(c);
}

static bool add_to_plan(struct site_file *f, struct plan *plan, struct err *e)
{
	struct edits set SCOPED(edits_release) = EDITS_INIT;

	if (!f->nest.n)
		return true;
	nested_edits(&f->nest, &set);
	return plan_edit(plan, f->path, buf_str(&f->text), &set, e);
}

static struct plan *signature_make_plan(struct changing *c, struct err *e)
{
	struct workspace *w = call_oxide(c->call)->workspace;
	struct plan *plan = plan_new(call_source(c->call));
	bool ok = true;

	for (size_t i = 0; i < c->spots.n && ok; i++)
		ok = add_to_plan(c->spots.v[i], plan, e);
	if (ok && plan_finish(plan, e) && workspace_still(w, plan, c->moves, e))
		return plan;
	plan_free(plan);
	return NULL;
}

static bool may_be_incomplete(const struct changing *c)
{
	return str_eq(json_get_str(call_args(c->call), "incomplete"), STR("allow"));
}

static void hand_over(struct changing *c, struct plan *plan)
{
	const json *args = call_args(c->call);
	struct call *call = c->call;
	struct buf title SCOPED(buf_release) = BUF_INIT, labels SCOPED(buf_release) = BUF_INIT;
	struct buf refused SCOPED(buf_release) = BUF_INIT;
	struct change ch = { .plan = plan, .server = server_name(c->target->server) };

	buf_addf(&title, "change the signature of %.*s", STR_ARG(c->name));
	json_each(row, c->warnings)
		buf_addf(&labels, "%.*s\n", STR_ARG(json_get_str(row, "message")));
	signature_label_unreached(c, &labels);
	if (!may_be_incomplete(c) && completeness_refuses(c->reach, &refused))
		ch.refused = refused.p;
	c->changed_sites = signature_changed_sites(c, plan);
	ch.title = title.p;
	ch.labels = labels.p;
	ch.annotated = labels.n;
	ch.report = signature_report(c);
	ch.places = (size_t)json_get_int(ch.report, "sites", 0);
	ch.new_name = str_eq(c->name, c->new_name) ? STR("") : c->new_name;
	ch.must = true;
	ch.verify = json_get_bool(args, "verify", true);
	ch.dry_run = json_get_bool(args, "dry_run", false);
	ch.more = tell_mentions;
	ch.arg = c;
	call_change(call, &ch);
}

/* Which file is being rewritten, for what is said of its places. */
struct rewriting {
	struct changing *c;
	const struct site_file *file;
};

void signature_refuse(struct changing *c, const struct site_file *f, const struct site *s,
		      const char *why)
{
	mem_add(c->refused, c->n_refused, c->refused_cap,
		(struct refusal){ f, *s, arena_str(&c->texts, str_of(why)) });
}

static void on_signature_refused(void *arg, const struct site *s, const char *why)
{
	struct rewriting *r = arg;

	signature_refuse(r->c, r->file, s, why);
}

static void on_signature_dropped(void *arg, const struct site *s, struct str argument)
{
	struct rewriting *r = arg;
	struct str shown = call_shown(r->c->call, r->file->path);
	size_t line = site_line(r->file, s);

	json_push(r->c->warnings,
		  json_of({ "file", json_str(shown) }, { "line", json_int((int64_t)line) },
			  { "text", json_str(argument) },
			  { "message", json_strf("%.*s:%zu: `%.*s` is no longer evaluated",
						 STR_ARG(shown), line, STR_ARG(argument)) }));
}

/* What is refused with its place, or told, the server may leave out. NULL: nothing is wrong. */
static json *refusal(struct changing *c, struct err *e)
{
	for (size_t i = 0; i < c->n_refused; i++)
		completeness_excuse(c->reach, c->refused[i].file->path, c->refused[i].site.name.at);
	if (c->n_refused && !c->allow)
		return signature_refusal(c, e);
	return c->decides || may_be_incomplete(c) ? NULL : completeness_refusal(c->reach, e);
}

static void signature_rewrite_all(struct changing *c)
{
	struct rewriting r = { c, NULL };
	struct signature_change ch = { .s = &c->signature,
				       .old_name = c->name,
				       .new_name = c->new_name,
				       .owners = c->owners,
				       .n_owners = c->n_owners,
				       .declared_apart = c->declared_apart,
				       .rename_refused = c->allow,
				       .refused = on_signature_refused,
				       .dropped = on_signature_dropped,
				       .arg = &r };
	struct call *call = c->call;
	struct err e = ERR_INIT;
	struct plan *plan = NULL;
	json *object;

	for (size_t i = 0; i < c->spots.n; i++) {
		r.file = c->spots.v[i];
		signature_rewrite(&ch, r.file->v, r.file->n, &c->spots.v[i]->nest);
	}
	object = refusal(c, &e);
	if (object) {
		signature_free_all(c);
		call_fail_with(call, &e, object);
	} else if (!(plan = signature_make_plan(c, &e))) {
		signature_fail(c, &e);
	} else {
		hand_over(c, plan);
	}
}

/* All parameters have been renamed, or one cannot be. */
void signature_renamed(struct changing *c)
{
	if (--c->waiting)
		return;
	call_on_cancel(c->call, NULL, NULL);
	if (c->why.code)
		signature_fail(c, &c->why);
	else
		signature_reach(c);
}

void signature_reached(struct changing *c)
{
	if (c->why.code)
		signature_fail(c, &c->why);
	else
		signature_rewrite_all(c);
}

/* What the other declarations tell of defaults and owners. */
static void look_at_declaration(struct changing *c, const struct site_file *f, const struct site *s)
{
	struct rewriting r = { c, f };
	struct err e = ERR_INIT;
	struct parameters here;
	struct str owner = signature_owner(f->lang, buf_str(&f->text), s);

	if (!params_read(f->lang, buf_str(&f->text), s->open, &here, &e)) {
		on_signature_refused(&r, s, e.msg);
		return;
	}
	if (signature_learn(&c->signature, &here, &e))
		signature_rename_params(c, f, s, &here);
	params_release(&here);
	c->declared_apart |= !s->body;
	if (!owner.n)
		return;
	mem_add(c->owners, c->n_owners, c->owners_cap, owner);
}

static void look_at_declarations(struct changing *c)
{
	c->waiting = 1; /* this walk itself */
	for (size_t i = 0; i < c->spots.n; i++) {
		const struct site_file *f = c->spots.v[i];

		for (size_t k = 0; k < f->n; k++)
			if (f->v[k].kind == SITE_DECLARATION)
				look_at_declaration(c, f, &f->v[k]);
	}
	signature_renamed(c);
}

/* { "from": 0, "name": "w" } or { "new": "int flags", "argument": "0" } */
static bool read_item(struct changing *c, const json *row, struct err *e)
{
	struct signature_item *it = signature_item(&c->signature);

	json_each(v, row) {
		struct str key = str_of(json_key(v));
		bool text = json_is(v, JSON_STRING);

		if (str_eq(key, STR("from")) && json_is_int(v) && json_number(v) >= 0)
			it->from = (size_t)json_number(v);
		else if (str_eq(key, STR("new")) && text)
			it->text = json_text(v);
		else if (str_eq(key, STR("name")) && text)
			it->name = json_text(v);
		else if (str_eq(key, STR("argument")) && text)
			it->argument = json_text(v);
		else
			return err_set(e, ERR_INVALID,
				       "%.*s is not valid: a parameter is {\"from\": 0}, "
				       "{\"from\": 0, \"name\": \"w\"} or {\"new\": \"int w\", "
				       "\"argument\": \"0\"}",
				       STR_ARG(key));
	}
	it->given = json_get(row, "argument");
	if ((it->from == COMMA_LIST_NEW) == !it->text.n ||
	    (it->from == COMMA_LIST_NEW && it->name.n))
		return err_set(e, ERR_INVALID,
			       "a parameter has either `from`, perhaps with another `name`, or "
			       "`new`");
	return true;
}

/* As a person writes it; the name may be in it. */
static bool signature_read_text(struct changing *c, struct str text, struct err *e)
{
	struct str name, missing;

	if (signature_parse(&c->signature, text, &name, &missing, e)) {
		if (name.n)
			c->new_name = arena_str(&c->texts, name);
		return true;
	}
	c->missing = arena_str(&c->texts, missing);
	return false;
}

/* Without a list all stay as they are. */
static bool read_items(struct changing *c, struct err *e)
{
	const json *args = call_args(c->call);
	bool ok = true;

	signature_init(&c->signature, &c->old);
	if (json_get(args, "signature") && json_get(args, "parameters")) {
		ok = err_set(e, ERR_INVALID, "give `signature` or `parameters`");
	} else if (json_get(args, "signature")) {
		ok = signature_read_text(c, json_get_str(args, "signature"), e);
	} else if (json_get(args, "parameters")) {
		c->items = list_tree(args, "parameters", e);
		ok = c->items;
		json_each(row, c->items)
			ok = ok && read_item(c, row, e);
	} else {
		for (size_t i = 0; i < params_count(&c->old); i++)
			signature_item(&c->signature)->from = i;
	}
	return ok && signature_check(&c->signature, e);
}

/* A definition tells most, but of C and C++ alone the one asked about is not what was meant: there
 * each of a function's declarations is as good as the other. */
static size_t worth(const struct changing *c, const struct site_file *f, const struct site *s)
{
	enum dialect d = language_dialect(f->lang);
	bool own = !strcmp(f->path, c->target->path) && s->name.at <= c->target->byte &&
		   c->target->byte <= s->name.end;
	bool by_body = d == DIALECT_C || d == DIALECT_CPP;

	if (s->kind != SITE_DECLARATION || !str_eq(site_name(f, s), c->name))
		return 0;
	return 1 + (by_body ? 2 * (size_t)s->body + own : 2 * (size_t)own + s->body);
}

static bool signature_choose(struct changing *c, struct err *e)
{
	size_t most = 0;

	for (size_t i = 0; i < c->spots.n; i++)
		for (size_t k = 0; k < c->spots.v[i]->n; k++) {
			size_t w = worth(c, c->spots.v[i], &c->spots.v[i]->v[k]);

			if (w <= most)
				continue;
			most = w;
			c->file = c->spots.v[i];
			c->site = &c->spots.v[i]->v[k];
		}
	if (!c->spots.n)
		return err_set(e, ERR_NOT_FOUND, "%s knows no place where %.*s is used",
			       server_name(c->target->server), STR_ARG(c->name));
	if (!most)
		return err_set(e, ERR_UNSUPPORTED,
			       "%.*s is not a function whose declared parameters can be read",
			       STR_ARG(c->name));
	if (params_read(c->file->lang, buf_str(&c->file->text), c->site->open, &c->old, e))
		return true;
	c->file = NULL;
	return false;
}

/* It is not known who there calls it, and they are not changed. */
static void warn_of_outside(struct changing *c)
{
	const char *place = c->spots.outside;

	if (place)
		json_push(c->warnings,
			  json_of({ "message", json_strf("%.*s is declared outside of the project "
							 "too, as in %s; what is called by way of "
							 "that stays as it is",
							 STR_ARG(c->name), place) }));
}

/* Python calls these without naming them. */
static bool is_called_unseen(const struct changing *c)
{
	return language_dialect(c->file->lang) == DIALECT_PYTHON && c->name.n > 4 &&
	       str_starts(c->name, STR("__")) && str_ends(c->name, STR("__"));
}

static void on_signature_spots(void *arg, struct word_search *m, struct completeness *reach,
			       const struct err *why)
{
	struct changing *c = arg;
	struct call *call = c->call;
	struct err e = *why;
	json *result;

	c->mentions = m;
	c->moves = c->spots.moves;
	c->reach = reach;
	if (!e.code && signature_choose(c, &e) && read_items(c, &e) && is_called_unseen(c))
		err_set(&e, ERR_UNSUPPORTED,
			"%.*s is called without using its name; its callers are not known",
			STR_ARG(c->name));
	if (e.code) {
		result = c->missing.n ? signature_missing(c, &e) : NULL;
		signature_free_all(c);
		call_fail_with(call, &e, result);
	} else if (signature_same(&c->signature) && str_eq(c->name, c->new_name)) {
		result = signature_describe(c);
		signature_free_all(c);
		call_done(call, result);
	} else {
		warn_of_outside(c);
		look_at_declarations(c);
	}
}

static void fail_nameless(struct changing *c)
{
	const struct target *t = c->target;
	struct workspace *w = call_oxide(c->call)->workspace;
	struct err e = ERR_INIT;
	size_t line, column;

	doc_where(t->doc, t->byte, &line, &column);
	err_set(&e, ERR_NOT_FOUND,
		"no name at %.*s:%zu:%zu; give a place that has the function's name",
		STR_ARG(workspace_shown(w, t->path)), line, column);
	signature_fail(c, &e);
}

/* The new parameters are told in terms of those that there were. */
static bool is_meant_still(struct changing *c, size_t name_end, struct err *e)
{
	struct str text = doc_text(c->target->doc);
	struct parameters now SCOPED(params_release) = { 0 };
	struct span inner;

	while (name_end < text.n && text.p[name_end] == ' ')
		name_end++;
	if (!params_read(target_language(c->target), text, name_end, &now, ERR_IGNORED))
		return true;
	inner = now.list.inner;
	return call_about(c->call, str_sub(text, inner.at, inner.end), e) ||
	       err_in(e, "%.*s", STR_ARG(c->name));
}

static void on_signature_target(void *arg, struct target *t, const struct err *e)
{
	struct changing *c = arg;
	struct str asked = str_trim(json_get_str(call_args(c->call), "new_name"));
	struct err changed = ERR_INIT;
	struct span word;

	if (!t) {
		signature_fail(c, e);
		return;
	}
	c->target = t;
	word = target_word(doc_text(t->doc), t->byte);
	c->name = arena_str(&c->texts, str_sub(doc_text(t->doc), word.at, word.end));
	if (!c->name.n) {
		fail_nameless(c);
		return;
	}
	if (!is_meant_still(c, word.end, &changed)) {
		signature_fail(c, &changed);
		return;
	}
	c->new_name = asked.n ? asked : c->name;
	c->settled = t->settled || server_indexes_late(t->server);
	c->spots.ox = call_oxide(c->call);
	symbol_sites_find(t, c->name, &c->spots, on_signature_spots, c);
}

void signature_run(struct call *call)
{
	struct changing *c = mem_new(sizeof(*c));

	call_may_again(call);
	c->call = call;
	c->allow = str_eq(json_get_str(call_args(call), "unreachable"), STR("allow"));
	c->allow |= call_context(call)->errors == ERRORS_ACCEPT;
	c->decides = call_decides(call, json_get_bool(call_args(call), "dry_run", false));
	c->warnings = json_array();
	target_find(call, LSP_REFERENCES, POOL_SETTLED, TARGET_PLACE, on_signature_target, c);
}
