#include <stdlib.h>
#include <string.h>

#include "../base/mem.h"
#include "../code/outline.h"
#include "../core/workspace.h"
#include "completeness_impl.h"
#include "trial.h"

/*
 * Members of Python's classes that override what is renamed, or are overridden by it: servers of
 * Python take each for a symbol of its own. Which class is above which, they tell by where the
 * names of bases are defined. The caller may change them all together, but for those that are not
 * the project's.
 *
 *     completeness_look_override -> expand (each class) -> on_override_base -> expand ...
 *         -> override_finish
 */
struct kin_class {
	char *path;
	size_t at;		       /* the byte of its name */
	const struct word_use *member; /* by which it was found; NULL: as a base */
	bool owner;		       /* of what the answer has */
	size_t foreign;		       /* the line of a member that is none of the mentions; or 0 */
	size_t *up;		       /* its bases, of the classes */
	size_t ups, up_cap;
};

struct kin_base {
	struct completeness_kin *of;
	size_t class; /* whose base it is */
	int64_t asked;
};

struct completeness_kin {
	struct completeness *r;
	struct kin_class *v;
	size_t n, cap, expanded;
	struct kin_base **base;
	size_t bases, base_cap;
	size_t waiting;
	bool too_many;
};

static size_t class_at(struct completeness_kin *k, const char *path, size_t at)
{
	for (size_t i = 0; i < k->n; i++)
		if (k->v[i].at == at && !strcmp(k->v[i].path, path))
			return i;
	if (k->n >= (size_t)config_get(&k->r->ox->config, CFG_REACH_PLACES)) {
		k->too_many = true;
		return SIZE_MAX;
	}
	k->v = mem_grow(k->v, &k->cap, k->n + 1, sizeof(*k->v));
	k->v[k->n] = (struct kin_class){ .path = mem_dup(path, strlen(path)), .at = at };
	return k->n++;
}

static bool word_before_is(struct str text, size_t at, const char *const *words)
{
	size_t from = at;

	while (from && (text.p[from - 1] == '_' || str_named(text.p[from - 1])))
		from--;
	return str_among(str_sub(text, from, at), words);
}

/* Whether a name is given a value or a type behind `end`. */
static bool is_bound(struct str text, size_t end)
{
	while (end < text.n && (text.p[end] == ' ' || text.p[end] == '\t'))
		end++;
	return end < text.n &&
	       (text.p[end] == ':' ||
		(text.p[end] == '=' && !(end + 1 < text.n && text.p[end + 1] == '=')));
}

static bool is_first(struct str text, size_t at)
{
	while (at && (text.p[at - 1] == ' ' || text.p[at - 1] == '\t'))
		at--;
	return !at || text.p[at - 1] == '\n';
}

/* The class of which the name is a member that is defined there; NULL: it is none. */
static const struct outline_item *owner_of(const struct outline *o, struct str text,
					   const struct word_use *m)
{
	static const char *const selves[] = { "self", "cls", NULL };
	const struct outline_item *inner = NULL, *outer;

	for (size_t i = 0; i < o->n; i++)
		if (o->v[i].all.at <= m->at && m->at < o->v[i].all.end)
			inner = &o->v[i];
	if (!inner)
		return NULL;
	outer = inner->parent ? &o->v[inner->parent - 1] : NULL;
	if (inner->kind == OUTLINE_TYPE)
		return inner->name.at != m->at && is_first(text, m->at) &&
				       is_bound(text, m->at + m->n)
			       ? inner
			       : NULL;
	if (inner->kind != OUTLINE_FUNCTION || !outer || outer->kind != OUTLINE_TYPE)
		return NULL;
	if (inner->name.at == m->at)
		return outer;
	return m->at && text.p[m->at - 1] == '.' && word_before_is(text, m->at - 1, selves) &&
			       is_bound(text, m->at + m->n)
		       ? outer
		       : NULL;
}

static bool outline_doc(struct completeness *r, const char *path, struct doc **d, struct outline *o)
{
	struct err e = ERR_INIT;

	*d = workspace_doc(r->ox->workspace, path, &e);
	return *d && outline_of(language_of("python"), doc_text(*d), o, &e);
}

static void add_members(struct completeness_kin *k)
{
	struct completeness *r = k->r;
	struct outline o = { 0 };
	const char *last = "";
	struct doc *d = NULL;

	for (size_t i = 0; i < r->n_mentions; i++) {
		const struct word_use *m = &r->mention[i];
		const struct outline_item *in;
		size_t at;

		if (strcmp(last, m->path) != 0) {
			outline_release(&o);
			o = (struct outline){ 0 };
			if (!outline_doc(r, m->path, &d, &o))
				outline_release(&o);
			last = m->path;
		}
		in = d && doc_hash(d) == m->text ? owner_of(&o, doc_text(d), m) : NULL;
		at = in ? class_at(k, m->path, in->name.at) : SIZE_MAX;
		if (at == SIZE_MAX)
			continue;
		if (r->has(r->arg, m))
			k->v[at].owner = true;
		else if (!k->v[at].member)
			k->v[at].member = m;
	}
	outline_release(&o);
}

/* Marks the classes above one; each once, for they may go round. */
static void mark_above(const struct completeness_kin *k, size_t class, bool *seen)
{
	const struct kin_class *c = &k->v[class];

	for (size_t i = 0; i < c->ups; i++) {
		if (seen[c->up[i]])
			continue;
		seen[c->up[i]] = true;
		mark_above(k, c->up[i], seen);
	}
}

static bool is_above(const struct completeness_kin *k, size_t above, size_t below)
{
	bool *seen SCOPED(mem_release) = mem_new((k->n + 1) * sizeof(*seen));

	mark_above(k, below, seen);
	return seen[above];
}

static void note_member(struct completeness_kin *k, const struct kin_class *c, bool *again)
{
	struct completeness *r = k->r;
	struct workspace *w = r->ox->workspace;
	const struct word_use *m = c->member;

	if (c->foreign)
		completeness_doubt(r, true, "%.*s:%zu, outside of the project, is overridden by it",
				   STR_ARG(workspace_shown(w, c->path)), c->foreign);
	else if (r->too && r->too(r->arg, m))
		*again = true;
	else
		completeness_doubt_at(
			r, m, true,
			"%.*s:%zu overrides it, or is overridden by it, but %s did not "
			"list it",
			STR_ARG(workspace_shown(w, m->path)), m->line, server_name(r->server));
}

static bool is_kin(const struct completeness_kin *k, size_t c)
{
	for (size_t i = 0; i < k->n; i++)
		if (k->v[i].owner && i != c && (is_above(k, i, c) || is_above(k, c, i)))
			return true;
	return false;
}

static void override_finish(struct completeness_kin *k)
{
	struct completeness *r = k->r;
	bool again = false;

	for (size_t i = 0; i < k->n && !completeness_stops(r); i++)
		if ((k->v[i].member || k->v[i].foreign) && is_kin(k, i))
			note_member(k, &k->v[i], &again);
	if (k->too_many)
		completeness_doubt(r, false,
				   "not all classes were searched for overrides (reach.places)");
	r->kin = NULL;
	for (size_t i = 0; i < k->n; i++) {
		free(k->v[i].path);
		free(k->v[i].up);
	}
	for (size_t i = 0; i < k->bases; i++)
		free(k->base[i]);
	free(k->base);
	free(k->v);
	free(k);
	completeness_done(r, again);
}

static void expand_all(struct completeness_kin *k);

static void override_answered(struct completeness_kin *k)
{
	if (!--k->waiting)
		override_finish(k);
}

/* The line of a member of the name; 0: the class has none. */
static size_t member_line(struct completeness_kin *k, const struct outline *o, struct doc *d,
			  size_t class)
{
	struct str name = word_search_name(k->r->mentions);
	size_t at = class, line, column;

	for (; str_find_name(doc_text(d), name, &at); at += name.n) {
		struct word_use m = { .at = at, .n = name.n };
		const struct outline_item *in = owner_of(o, doc_text(d), &m);

		if (!in || in->name.at != class)
			continue;
		doc_where(d, at, &line, &column);
		return line;
	}
	return 0;
}

static void add_base(struct completeness_kin *k, size_t class, const struct location *l)
{
	struct outline o SCOPED(outline_release) = { 0 };
	struct doc *d;
	size_t byte, at = SIZE_MAX;
	struct kin_class *c;

	if (!outline_doc(k->r, l->path.p, &d, &o))
		return;
	byte = doc_byte(d, l->range.from, server_encoding(k->r->server));
	for (size_t i = 0; i < o.n; i++)
		if (o.v[i].kind == OUTLINE_TYPE && o.v[i].name.at == byte)
			at = class_at(k, l->path.p, byte);
	if (at != SIZE_MAX && !k->v[at].member && !k->v[at].owner)
		k->v[at].foreign = member_line(k, &o, d, byte);
	if (at == SIZE_MAX)
		return;
	c = &k->v[class];
	mem_add(c->up, c->ups, c->up_cap, at);
}

static void on_override_base(void *arg, struct msg *m, const struct err *why)
{
	struct kin_base *b = arg;
	struct completeness_kin *k = b->of;
	struct locations l SCOPED(locations_release) = { 0 };
	struct err e = *why;
	size_t foreign = 0;

	b->asked = 0;
	if (!e.code && !completeness_stops(k->r) && proto_locations(m->raw, &l, &foreign, &e))
		for (size_t i = 0; i < l.n; i++)
			add_base(k, b->class, &l.v[i]);
	if (e.code && !completeness_stops(k->r))
		completeness_doubt(k->r, true, "%s did not say what a class in %.*s inherits: %s",
				   server_name(k->r->server),
				   STR_ARG(workspace_shown(k->r->ox->workspace,
							   k->v[b->class].path)),
				   e.msg);
	if (!completeness_stops(k->r))
		expand_all(k);
	override_answered(k);
}

static void ask_base(struct completeness_kin *k, size_t class, struct doc *d, size_t at)
{
	struct server *s = k->r->server;
	struct kin_base *b = mem_new(sizeof(*b));

	if (server_version(s, doc_path(d)) < 0)
		server_show(s, d, "python");
	*b = (struct kin_base){ k, class, 0 };
	mem_add(k->base, k->bases, k->base_cap, b);
	k->waiting++;
	b->asked = server_ask(s, LSP_DEFINITION, proto_at(d, at, server_encoding(s)),
			      completeness_left(k->r), on_override_base, b);
}

/* The last word of each part of `class C(a.B, D[T], metaclass=M)` that is no keyword argument. */
static void expand(struct completeness_kin *k, size_t class)
{
	struct err e = ERR_INIT;
	struct doc *d = workspace_doc(k->r->ox->workspace, k->v[class].path, &e);
	struct lexer l;
	size_t depth = 0, base = SIZE_MAX;
	bool named = false;

	if (!d)
		return;
	l = lex_from(language_of("python"), doc_text(d), k->v[class].at);
	for (struct token t = lex_next_code(&l); t.kind != TOKEN_END; t = lex_next_code(&l)) {
		struct str word = token_text(doc_text(d), t);
		bool opens = str_eq(word, STR("(")) || str_eq(word, STR("["));
		bool closes = str_eq(word, STR(")")) || str_eq(word, STR("]"));

		if (!depth && str_eq(word, STR(":")))
			break;
		if (depth == 1 && (closes || str_eq(word, STR(",")))) {
			if (base != SIZE_MAX && !named)
				ask_base(k, class, d, base);
			base = SIZE_MAX;
			named = false;
		} else if (depth == 1 && str_eq(word, STR("="))) {
			named = true;
		} else if (depth == 1 && t.kind == TOKEN_WORD) {
			base = t.span.at;
		}
		depth = depth + opens - (closes && depth);
	}
}

static void expand_all(struct completeness_kin *k)
{
	while (k->expanded < k->n)
		expand(k, k->expanded++);
}

void completeness_cancel_override(struct completeness *r)
{
	for (size_t i = 0; r->kin && i < r->kin->bases; i++)
		if (r->kin->base[i]->asked)
			server_cancel(r->server, r->kin->base[i]->asked);
}

static bool is_member(const struct completeness_kin *k)
{
	for (size_t i = 0; i < k->n; i++)
		if (k->v[i].owner)
			return true;
	return false;
}

bool completeness_may_override(const struct completeness *r)
{
	const char *ft = workspace_filetype(r->ox->workspace, r->path);

	return r->overrides && language_dialect(language_of(ft)) == DIALECT_PYTHON;
}

void completeness_look_override(struct completeness *r)
{
	struct completeness_kin *k;

	if (!completeness_may_override(r) || completeness_stops(r)) {
		completeness_done(r, false);
		return;
	}
	k = r->kin = mem_new(sizeof(*k));
	k->r = r;
	k->waiting = 1; /* this call */
	add_members(k);
	if (is_member(k))
		expand_all(k);
	override_answered(k);
}
