#include <stdlib.h>

#include "../base/mem.h"
#include "../base/path.h"
#include "../code/unlisted_uses.h"
#include "../core/workspace.h"
#include "../lsp/scan.h"
#include "change_signature_impl.h"
#include "places.h"

/*
 * What a change of signature does not reach: places that the servers did not list, and that are
 * calls of the function all the same, as far as anybody can tell. The text says which may be
 * (unlisted_uses.h), the server what is defined there: nothing that it knows, or the function
 * itself, and the place counts; anything else, and it is of another function of that name.
 *
 *     signature_reach -> next_file -> on_reach_picked -> ask_next -> on_reach_definition
 *         -> ask_next ... -> next_file ... -> signature_reached
 *
 * Where another function of C++ has the name, the calls that the server did list are asked about
 * too: one in a template may be a call of either. So is all that it did list of a method of Go
 * that something outside of the projects declares as well: what is named by way of that stays.
 */
struct straying {
	struct changing *c;
	struct unlisted_rules rules;
	char *module;
	const char **paths;
	size_t n, at;
	struct site_file *file; /* in hand, and its strays */
	struct unlisted_uses strays;
	size_t asking;
	size_t asked, most;	/* of the server, in all files */
	bool overloaded, known; /* another has the name; in hand is what the server listed */
	size_t spot;
	struct pick *pick;
	struct server *server;
	struct doc *doc;
	int64_t id;
};

static void reach_next_file(struct straying *r);

static void reach_end(struct straying *r)
{
	struct changing *c = r->c;

	call_on_cancel(c->call, NULL, NULL);
	unlisted_uses_release(&r->strays);
	free(r->paths);
	free(r->module);
	free(r);
	signature_reached(c);
}

static void reach_stop(struct straying *r, const struct err *e)
{
	if (!r->c->why.code)
		r->c->why = *e;
	reach_end(r);
}

static void reach_count(struct straying *r, const struct unlisted_use *s, const char *why)
{
	signature_refuse(r->c, r->file, &s->site, why);
}

/* A macro that is expanded was refused where it is, if it means the function. */
static bool is_expanded(struct straying *r, const struct unlisted_use *s)
{
	struct str macro = str_sub(buf_str(&r->file->text), s->macro.at, s->macro.end);
	const struct symbol_sites *spots = &r->c->spots;

	for (size_t i = 0; i < spots->n; i++)
		for (size_t k = 0; k < spots->v[i]->n; k++)
			if (str_eq(site_name(spots->v[i], &spots->v[i]->v[k]), macro))
				return true;
	return false;
}

static bool reach_is_ours(struct straying *r, const struct location *l)
{
	const struct site_file *f = map_get(&r->c->spots.known, l->path);
	struct span s;

	if (!f)
		return false;
	s = range_span(l->range, &f->lines, buf_str(&f->text), server_encoding(r->server));
	for (size_t i = 0; i < f->n; i++)
		if (f->v[i].name.at >= s.at && f->v[i].name.at < s.end + (s.at == s.end) &&
		    str_eq(site_name(f, &f->v[i]), r->c->name))
			return true;
	return false;
}

static void leave_as_it_is(struct straying *r, const struct unlisted_use *s)
{
	struct changing *c = r->c;
	size_t at = c->site->name.at;

	for (size_t i = r->file->n; i--;)
		if (r->file->v[i].name.at == s->site.name.at)
			symbol_sites_drop(r->file, i);
	for (size_t i = 0; r->file == c->file && i < r->file->n; i++)
		if (r->file->v[i].name.at == at)
			c->site = &r->file->v[i];
}

static void reach_ask_next(struct straying *r);

static void on_reach_definition(void *arg, struct msg *m, const struct err *why)
{
	struct straying *r = arg;
	const struct unlisted_use *s = &r->strays.v[r->asking++];
	struct locations l SCOPED(locations_release) = { 0 };
	size_t foreign = 0;
	bool ours = false, other = false;

	r->id = 0;
	if (why->code == ERR_CANCELLED) {
		reach_stop(r, why);
		return;
	}
	if (!why->code)
		proto_locations(m->raw, &l, &foreign, ERR_IGNORED);
	for (size_t i = 0; i < l.n; i++) {
		bool one = reach_is_ours(r, &l.v[i]);

		ours |= one;
		other |= !one;
	}
	r->overloaded |= other && s->site.kind == SITE_DECLARATION;
	if (r->known && other && r->c->spots.outside)
		leave_as_it_is(r, s);
	else if (r->known && other)
		reach_count(r, s, "it may be a call of another function with that name");
	else if (r->known)
		;
	else if (ours)
		reach_count(r, s, "it is not among the references that the server lists");
	else if (!l.n && !foreign)
		reach_count(r, s, "the server does not know what this name means");
	reach_ask_next(r);
}

static void reach_ask_next(struct straying *r)
{
	struct server *s = r->server;

	for (; r->asking < r->strays.n; r->asking++) {
		const struct unlisted_use *stray = &r->strays.v[r->asking];

		if (stray->macro.end) {
			if (!is_expanded(r, stray))
				reach_count(r, stray, stray->site.why);
		} else if (!s || r->asked >= r->most) {
			if (!r->known)
				reach_count(r, stray,
					    "no server could be asked what this name means");
		} else {
			r->asked++;
			r->id = server_ask(s, LSP_DEFINITION,
					   proto_at(r->doc, stray->site.name.at,
						    server_encoding(s)),
					   call_context(r->c->call)->timeout_ms,
					   on_reach_definition, r);
			return;
		}
	}
	reach_next_file(r);
}

static void on_reach_picked(void *arg, struct server *s, bool settled, const struct err *why)
{
	struct straying *r = arg;
	struct err e = *why;

	(void)settled;
	r->pick = NULL;
	if (e.code == ERR_CANCELLED) {
		reach_stop(r, &e);
		return;
	}
	r->server = s;
	r->doc = s ? workspace_doc(call_oxide(r->c->call)->workspace, r->file->path, &e) : NULL;
	if (s && (!r->doc || !str_eq(doc_text(r->doc), buf_str(&r->file->text)))) {
		if (!e.code)
			err_set(&e, ERR_STALE, "%s changed while the server was working; try again",
				r->file->path);
		reach_stop(r, &e);
		return;
	}
	reach_ask_next(r);
}

static bool has_strays(struct straying *r, const char *path, struct str text)
{
	const struct site_file *f = symbol_sites_file(&r->c->spots, path);
	const struct language *lang =
		f ? f->lang : language_of(workspace_filetype(r->c->spots.ox->workspace, path));

	unlisted_uses_release(&r->strays);
	unlisted_uses_find(lang, text, &r->rules, f ? f->v : NULL, f ? f->n : 0, &r->strays);
	return r->strays.n;
}

/* Its text is kept where something in it has to be asked about. */
static bool take_file(struct straying *r, const char *path)
{
	struct places places SCOPED(places_release) = { 0 };
	struct err e = ERR_INIT;
	struct doc *d;
	bool any;

	places_init(&places, r->c->spots.ox);
	d = places_doc(&places, path);
	any = d && has_strays(r, path, doc_text(d));
	r->file = any ? symbol_sites_open(&r->c->spots, str_of(path), &e) : NULL;
	return r->file && has_strays(r, path, buf_str(&r->file->text));
}

/* The calls that the server listed, of Go all uses. */
static bool take_known(struct straying *r, struct site_file *f)
{
	bool all = r->c->spots.outside;

	r->file = f;
	unlisted_uses_release(&r->strays);
	for (size_t i = 0; i < f->n; i++)
		if ((f->v[i].kind == SITE_CALL || (all && f->v[i].kind == SITE_OTHER)) &&
		    str_eq(site_name(f, &f->v[i]), r->c->name))
			unlisted_uses_add(&r->strays, &f->v[i], (struct span){ 0, 0 });
	return r->strays.n;
}

static bool asks_about_known(const struct straying *r)
{
	return r->c->spots.outside ||
	       (r->overloaded && language_dialect(r->c->file->lang) == DIALECT_CPP);
}

static bool take_next(struct straying *r)
{
	const struct symbol_sites *spots = &r->c->spots;

	while (r->at < r->n)
		if (take_file(r, r->paths[r->at++]))
			return true;
	r->known = true;
	while (asks_about_known(r) && r->spot < spots->n)
		if (take_known(r, spots->v[r->spot++]))
			return true;
	return false;
}

static void reach_next_file(struct straying *r)
{
	struct oxide *ox = r->c->spots.ox;

	if (!take_next(r)) {
		reach_end(r);
		return;
	}
	r->asking = 0;
	r->server = NULL;
	r->doc = NULL;
	r->pick = pool_pick(ox->pool, r->file->path, LSP_DEFINITION, POOL_READ, on_reach_picked, r);
}

static void reach_cancel(void *state)
{
	struct straying *r = state;

	if (r->pick)
		pool_unpick(r->pick);
	else if (r->id)
		server_cancel(r->server, r->id);
}

/* "shape" of "src/shape.py" */
static char *module_of(const char *path)
{
	struct str base = path_base(str_of(path));
	size_t n = 0;

	while (n < base.n && base.p[n] != '.')
		n++;
	return mem_dup(base.p, n);
}

void signature_reach(struct changing *c)
{
	struct straying *r = mem_new(sizeof(*r));

	r->c = c;
	r->module = module_of(c->file->path);
	r->rules = (struct unlisted_rules){
		c->name, unlisted_member_of(c->file->lang, buf_str(&c->file->text), c->site),
		str_of(r->module)
	};
	r->most = (size_t)config_get(&c->spots.ox->config, CFG_SIGNATURE_ASKED);
	r->n = word_search_all_files(c->mentions, &r->paths);
	call_on_cancel(c->call, reach_cancel, r);
	reach_next_file(r);
}
