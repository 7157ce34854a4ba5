#include <stdio.h>
#include <stdlib.h>

#include "../base/mem.h"
#include "../code/disabled.h"
#include "../code/macro.h"
#include "../core/workspace.h"
#include "completeness_impl.h"
#include "trial.h"

/*
 * What the name means at places that the answer does not have. The server says where that is
 * declared: where the answer has that place, it is the same symbol, and the answer is not whole.
 */
static const struct word_use *word_at(const struct completeness *r, const struct location *l)
{
	bool bytes = server_encoding(r->server) == POS_UTF8;

	for (size_t i = 0; i < r->n_mentions; i++) {
		const struct word_use *m = &r->mention[i];
		struct pos at = { (uint32_t)m->line - 1, bytes ? m->column : m->units };

		if (at.line == l->range.from.line && at.col == l->range.from.col &&
		    word_is_in(m, l->path))
			return m;
	}
	return NULL;
}

static bool has_extension(const char *path, const char *ext)
{
	size_t n = strlen(path), e = strlen(ext);

	return n > e && !strcmp(path + n - e, ext);
}

static bool declares(const struct completeness *r, const struct word_use *m)
{
	struct err e = ERR_INIT;
	struct doc *d = workspace_doc(r->ox->workspace, m->path, &e);

	return d && doc_hash(d) == m->text && completeness_called(doc_text(d), m->at + m->n) &&
	       completeness_global(doc_text(d), m->at);
}

/* Without a compilation database clangd reads headers as another language than the files of C that
 * include them, and takes one function for two. */
static bool is_twin(const struct completeness *r, const struct word_use *site)
{
	if (!has_extension(site->path, ".h") || !declares(r, site))
		return false;
	for (size_t i = 0; i < r->n_mentions; i++) {
		const struct word_use *m = &r->mention[i];

		if (has_extension(m->path, ".c") && r->has(r->arg, m) && declares(r, m))
			return true;
	}
	return false;
}

static void completeness_check_answered(struct completeness *r)
{
	if (!--r->waiting)
		completeness_look_override(r);
}

/* " (under `#ifdef A` of line 2)": what is off there the server does not read. */
static void add_condition(const struct completeness *r, const struct word_use *m, struct buf *out)
{
	struct workspace *w = r->ox->workspace;
	struct err e = ERR_INIT;
	struct doc *d = workspace_doc(w, m->path, &e);
	struct buf condition SCOPED(buf_release) = BUF_INIT;

	if (d && doc_hash(d) == m->text &&
	    disabled_perhaps(language_of(workspace_filetype(w, m->path)), doc_text(d), m->at,
			     &condition))
		buf_addf(out, " (under %s)", condition.p);
}

/* Whether other files have what is defined there by its old name, which the answer keeps for them:
 * `module.exports = { name: new }`. Of `name` itself TypeScript's server says that all is one. */
static bool is_exported_as_before(const struct completeness *r, const char *path)
{
	struct err e = ERR_INIT;
	struct doc *d = workspace_doc(r->ox->workspace, path, &e);

	for (size_t i = 0; d && i < r->n_mentions; i++) {
		const struct word_use *m = &r->mention[i];

		if (!strcmp(m->path, path) && r->keeps(r->arg, m) && doc_hash(d) == m->text &&
		    completeness_exported(doc_text(d), m->at))
			return true;
	}
	return false;
}

/* Whether what is defined there gets the new name also for who uses it at the place. */
static bool is_same(const struct completeness_place *p, const struct word_use *m)
{
	const struct completeness *r = p->of;

	if (!r->has(r->arg, m))
		return false;
	return !r->keeps || !(r->keeps(r->arg, m) || (strcmp(m->path, p->at->path) != 0 &&
						      is_exported_as_before(r, m->path)));
}

static bool check_is_named(struct str text, size_t at, struct str name)
{
	return str_eq(str_sub(text, at, at + name.n), name) &&
	       (at + name.n == text.n || !str_named(text.p[at + name.n]));
}

static bool is_in_define(struct str text, size_t at)
{
	struct macros in = macros_of(text);
	struct span name;

	return macros_around(&in, at, &name);
}

/* Whether it is declared there, as far as that can be told of a file that lacks an include. */
static bool is_declared(const struct completeness_place *p, const struct location *l)
{
	const struct completeness *r = p->of;
	struct err e = ERR_INIT;
	struct doc *d = workspace_doc(r->ox->workspace, l->path.p, &e);
	size_t at = d ? doc_byte(d, l->range.from, server_encoding(r->server)) : 0;

	if (!d || p->expands)
		return d && is_in_define(doc_text(d), at);
	return check_is_named(doc_text(d), at, word_search_name(r->mentions)) &&
	       (!str_eq(l->path, str_of(p->at->path)) ||
		!completeness_implied(doc_text(d), at, at + p->at->n));
}

static const char *lack_at(const struct completeness *r, const struct word_use *m)
{
	const struct completeness_file *f = map_get(&r->files, str_of(m->path));

	return f ? f->lack : NULL;
}

/* True: the file lacks an include, and the name may be declared there. */
static bool is_lacking(const struct completeness_place *p, const struct locations *l)
{
	const char *lack = lack_at(p->of, p->at);
	char why[400];

	for (size_t i = 0; lack && i < l->n; i++)
		if (is_declared(p, &l->v[i]))
			return false;
	if (!lack)
		return false;
	snprintf(why, sizeof(why), "%.200s, so that %s cannot tell what the name means on line %zu",
		 lack, server_name(p->of->server), p->at->line);
	completeness_missed(p->of, p->at->path, why);
	return true;
}

/* Whether what a server knows nothing of may be what was asked about. Where types are written down,
 * any may, but for an attribute of Rust; else what is a member, called or taken out of a module: a
 * mere word is not known for other reasons. */
static bool may_be_it(const struct completeness *r, const struct word_use *m)
{
	struct workspace *w = r->ox->workspace;
	struct err e = ERR_INIT;
	struct doc *d = workspace_doc(w, m->path, &e);
	enum dialect dialect = language_dialect(language_of(workspace_filetype(w, m->path)));

	if (dialect == DIALECT_C || dialect == DIALECT_CPP || !d || doc_hash(d) != m->text)
		return true;
	if (dialect == DIALECT_RUST)
		return !str_starts(str_trim(doc_line(d, m->line)), STR("#["));
	if (dialect == DIALECT_JS && completeness_required(doc_text(d), m->at))
		return true;
	return str_eq(completeness_before(doc_text(d), m->at), STR(".")) ||
	       completeness_called(doc_text(d), m->at + m->n);
}

static void say_unknown(const struct completeness_place *p, const struct buf *condition)
{
	struct completeness *r = p->of;
	struct str shown = workspace_shown(r->ox->workspace, p->at->path);

	completeness_doubt_at(r, p->at, may_be_it(r, p->at),
			      "%.*s:%zu%.*s: %s cannot tell what the name means there",
			      STR_ARG(shown), p->at->line, STR_ARG(buf_str(condition)),
			      server_name(r->server));
}

/* Whether JavaScript imports the name there, and it leads no further than to itself: the server
 * does not find the module, or that has no such name. */
static bool is_lost(const struct completeness_place *p, const struct locations *l)
{
	struct workspace *w = p->of->ox->workspace;
	struct err e = ERR_INIT;
	struct doc *d = l->n == 1 && word_at(p->of, &l->v[0]) == p->at
				? workspace_doc(w, p->at->path, &e)
				: NULL;

	return d &&
	       language_dialect(language_of(workspace_filetype(w, p->at->path))) == DIALECT_JS &&
	       completeness_imported(doc_text(d), p->at->at);
}

static void say_lost(const struct completeness_place *p)
{
	struct completeness *r = p->of;
	struct str shown = workspace_shown(r->ox->workspace, p->at->path);

	completeness_doubt_at(r, p->at, true,
			      "%.*s:%zu: %s does not find the module that the name is imported "
			      "from",
			      STR_ARG(shown), p->at->line, server_name(r->server));
}

static void say_unanswered(const struct completeness_place *p, const struct err *e)
{
	struct completeness *r = p->of;
	struct str shown = workspace_shown(r->ox->workspace, p->at->path);

	completeness_doubt_at(r, p->at, true,
			      "%.*s:%zu: %s did not say what the name means there: %s",
			      STR_ARG(shown), p->at->line, server_name(r->server), e->msg);
}

static void say_twin(const struct completeness_place *p)
{
	struct completeness *r = p->of;
	struct str shown = workspace_shown(r->ox->workspace, p->at->path);

	completeness_doubt_at(r, p->at, true,
			      "%.*s:%zu declares it too, but %s takes that for another symbol: add "
			      "a compile_commands.json or compile_flags.txt that covers the header",
			      STR_ARG(shown), p->at->line, server_name(r->server));
}

static void on_completeness_check_hover(void *arg, struct msg *m, const struct err *why)
{
	struct completeness_place *p = arg;
	struct completeness *r = p->of;
	struct buf text SCOPED(buf_release) = BUF_INIT, condition SCOPED(buf_release) = BUF_INIT;
	struct err e = *why;

	p->asked = 0;
	if (!e.code)
		proto_hover(m->raw, &text, &e);
	add_condition(r, p->at, &condition);
	if (!completeness_stops(r) && !text.n)
		say_unknown(p, &condition);
	else if (!completeness_stops(r) && is_twin(r, p->at))
		say_twin(p);
	completeness_check_answered(r);
}

/* In code that it does not compile clangd guesses what is defined, and hovers over nothing. */
static bool ask_hover(struct completeness_place *p)
{
	struct completeness *r = p->of;
	struct doc *d = workspace_known(r->ox->workspace, p->at->path);

	if (!d || !server_can(r->server, LSP_HOVER))
		return false;
	p->asked =
		server_ask(r->server, LSP_HOVER, proto_at(d, p->at->at, server_encoding(r->server)),
			   completeness_left(r), on_completeness_check_hover, p);
	return true;
}

/* False: the server is asked more about it. */
static bool judge(struct completeness_place *p, const struct locations *l)
{
	struct completeness *r = p->of;
	struct str shown = workspace_shown(r->ox->workspace, p->at->path);
	struct buf condition SCOPED(buf_release) = BUF_INIT;
	bool same = false, asks = false;

	for (size_t i = 0; i < l->n; i++) {
		const struct word_use *m = word_at(r, &l->v[i]);

		same = same || (m && is_same(p, m));
	}
	if (!same && (is_lacking(p, l) || p->expands))
		return true;
	add_condition(r, p->at, &condition);
	if (same)
		completeness_doubt_at(r, p->at, true,
				      "%.*s:%zu%.*s refers to it too, but %s did not list it",
				      STR_ARG(shown), p->at->line, STR_ARG(buf_str(&condition)),
				      server_name(r->server));
	else if (!l->n)
		say_unknown(p, &condition);
	else if (is_lost(p, l))
		say_lost(p);
	else if (condition.n)
		asks = ask_hover(p);
	else if (is_twin(r, p->at))
		say_twin(p);
	return !asks;
}

static void on_completeness_check_definition(void *arg, struct msg *m, const struct err *why)
{
	struct completeness_place *p = arg;
	struct completeness *r = p->of;
	struct locations l SCOPED(locations_release) = { 0 };
	struct err e = *why;
	size_t foreign = 0;
	bool judged = true;

	p->asked = 0;
	if (!e.code)
		proto_locations(m->raw, &l, &foreign, &e);
	if (!completeness_stops(r) && e.code && e.code != ERR_PEER)
		say_unanswered(p, &e);
	else if (!completeness_stops(r) && !foreign)
		judged = judge(p, &l);
	if (judged)
		completeness_check_answered(r);
}

static void check_ask_place(struct completeness *r, struct completeness_place *p)
{
	struct workspace *w = r->ox->workspace;
	struct server *s = r->server;
	struct err e = ERR_INIT;
	struct doc *d = workspace_doc(w, p->at->path, &e);

	if (!d || doc_hash(d) != p->at->text)
		return;
	if (server_version(s, p->at->path) < 0)
		server_show(s, d, workspace_filetype(w, p->at->path));
	r->waiting++;
	p->asked = server_ask(s, LSP_DEFINITION, proto_at(d, p->at->at, server_encoding(s)),
			      completeness_left(r), on_completeness_check_definition, p);
}

static void ask_places(struct completeness *r)
{
	r->waiting = 1; /* this call */
	for (size_t i = 0; i < r->places; i++)
		check_ask_place(r, &r->place[i]);
	completeness_check_answered(r);
}

bool completeness_asks(const struct completeness *r, const struct word_use *m)
{
	return server_takes(r->server, m->path, ERR_IGNORED) && !m->in_macro &&
	       (!r->local || !strcmp(m->path, r->path)) && !r->has(r->arg, m);
}

/* Places that the answer does not have, of which the server is to say what they mean. */
struct open_places {
	const struct word_use **v;
	size_t n;
};

static void open_places_init(struct open_places *open, const struct completeness *r,
			     const struct word_use *v, size_t n)
{
	open->v = mem_new((n + 1) * sizeof(const struct word_use *));
	for (size_t i = 0; i < n; i++)
		if (completeness_asks(r, &v[i]))
			open->v[open->n++] = &v[i];
}

static void open_places_release(struct open_places *open)
{
	free(open->v);
}

/* Of files that lack an include: each place in them may be one of what was asked about. */
static void choose_lacking(struct completeness *r, const struct open_places *open, size_t most,
			   bool expands)
{
	for (size_t i = 0; i < open->n; i++) {
		const struct word_use *m = open->v[i];

		if (!lack_at(r, m))
			continue;
		if (r->places == most)
			completeness_missed(r, m->path, lack_at(r, m));
		else
			r->place[r->places++] = (struct completeness_place){ r, m, expands, 0 };
	}
}

/* Declarations in headers first: they are what the others hang on. Returns how many there was no
 * room for. */
static size_t completeness_check_choose(struct completeness *r, const struct open_places *open,
					bool headers, size_t most)
{
	size_t beyond = 0;

	for (size_t i = 0; i < open->n; i++) {
		const struct word_use *m = open->v[i];

		if (has_extension(m->path, ".h") != headers || lack_at(r, m))
			continue;
		if (r->places < most)
			r->place[r->places++] = (struct completeness_place){ r, m, false, 0 };
		else
			beyond++;
	}
	return beyond;
}

/* Of a local name the server knows the whole scope. */
static void say_beyond(struct completeness *r, size_t beyond)
{
	if (beyond && !r->local)
		completeness_doubt(r, false,
				   "%s was not asked whether %zu more occurrence%s of the name "
				   "refer%s to it (reach.places)",
				   server_name(r->server), beyond, beyond == 1 ? "" : "s",
				   beyond == 1 ? "s" : "");
}

void completeness_check(struct completeness *r)
{
	if (!r->local)
		completeness_note_unread(r);
	if (completeness_has_macros(r))
		completeness_pick(r, completeness_look_macros);
	else
		completeness_check_places(r);
}

static void choose_places(struct completeness *r, size_t most)
{
	struct open_places open SCOPED(open_places_release) = { 0 };
	struct open_places expanded SCOPED(open_places_release) = { 0 };
	size_t beyond;

	open_places_init(&open, r, r->mention, r->n_mentions);
	open_places_init(&expanded, r, r->expansion, r->n_expansions);
	choose_lacking(r, &open, most, false);
	choose_lacking(r, &expanded, most, true);
	beyond = completeness_check_choose(r, &open, true, most);
	beyond += completeness_check_choose(r, &open, false, most);
	say_beyond(r, beyond);
}

void completeness_check_places(struct completeness *r)
{
	size_t most = (size_t)config_get(&r->ox->config, CFG_REACH_PLACES);
	size_t all = r->n_mentions + r->n_expansions;

	r->place = mem_new((all < most ? all : most) * sizeof(*r->place));
	if (server_can(r->server, LSP_DEFINITION))
		choose_places(r, most);
	if (r->places)
		completeness_pick(r, ask_places);
	else if (completeness_may_override(r))
		completeness_pick(r, completeness_look_override);
	else
		oxide_soon(r->ox, completeness_is_all, r);
}
