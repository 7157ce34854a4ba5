#include <stdlib.h>

#include "../base/mem.h"
#include "../code/decl.h"
#include "../core/workspace.h"
#include "../lsp/scan.h"
#include "../servers/trial.h"
#include "resolve_impl.h"

/*
 *     resolve_choose -> (several of one path) ask_definitions -> on_choice_definition (each)
 *         -> choice_decide
 */

static struct doc *doc_of(const struct candidate *c)
{
	return workspace_doc(call_oxide(c->look->of->call)->workspace, c->symbol->path.p,
			     ERR_IGNORED);
}

static size_t resolve_choose_name_at(const struct candidate *c, struct doc *d)
{
	return symbol_name_at(c->symbol, d, server_encoding(c->look->server));
}

static struct decl declaration(struct oxide *ox, struct doc *d, struct range r, enum pos_enc enc)
{
	struct span none = { 0, 0 };

	return decl_in(d, language_of(workspace_filetype(ox->workspace, doc_path(d))),
		       range_span(r, doc_lines(d, LINES_LSP), doc_text(d), enc), none);
}

bool resolve_opens(struct resolving *r, struct doc *d, const struct symbol *s, enum pos_enc enc)
{
	return declaration(call_oxide(r->call), d, s->range, enc).opens;
}

static bool has_body(const struct candidate *c)
{
	struct doc *d = doc_of(c);

	return d && resolve_opens(c->look->of, d, c->symbol, server_encoding(c->look->server));
}

/* What names it, and nothing else of its file. */
static json *name_of(const struct candidate *c)
{
	struct symbol_choice same[RESOLVE_IN_A_FILE];
	struct buf path SCOPED(buf_release) = BUF_INIT;
	size_t n = 0, i = 0;

	symbol_path(c->symbol, &path);
	if (c->look->path)
		n = symbols_choices(&c->look->symbols, buf_str(&path), same, RESOLVE_IN_A_FILE);
	while (i < n && same[i].symbol != c->symbol)
		i++;
	return n > 1 && i < n ? json_strf("%s[%zu]", path.p, i) : json_str(buf_str(&path));
}

static json *row_of(struct resolving *r, const struct candidate *c)
{
	return json_of({ "file", json_str(call_shown(r->call, c->symbol->path.p)) },
		       { "line", json_int((int64_t)c->symbol->name_range.from.line + 1) },
		       { "symbol_name", name_of(c) },
		       { "kind", json_strz(symbol_kind_name(c->symbol->kind)) });
}

/* All but one of a group. */
static json *resolve_choose_rows_of(struct resolving *r, const struct candidate *but)
{
	size_t most = call_context(r->call)->flat
			      ? r->founds
			      : (size_t)config_get(&call_oxide(r->call)->config, CFG_SYMBOL_LIST);
	json *list = json_array();

	for (size_t i = 0; i < r->founds && json_len(list) < most; i++)
		if (r->found[i].group == i && (!but || r->found[i].group != but->group))
			json_push(list, row_of(r, &r->found[i]));
	return list;
}

/* Of several definitions of one path servers may list the last alone: of a property the setter, of
 * an #if the branch that is compiled. The text shows the others. */
static void add_unlisted(struct resolving *r, struct resolved *out)
{
	struct target *t = out->target;
	struct symbol_choice v[RESOLVE_IN_A_FILE];
	struct symbols all SCOPED(symbols_release) = { 0 };
	size_t n = 0;

	if (!str_ends(r->want, STR("]")) &&
	    symbols_of_text(target_language(t), t->doc, &all, ERR_IGNORED))
		n = symbols_choices(&all, str_of(out->name_path), v, RESOLVE_IN_A_FILE);
	for (size_t i = 0; i < n; i++) {
		const struct symbol *s = v[i].symbol;

		if (!v[i].name.n || symbol_name_at(s, t->doc, POS_UTF8) == t->byte ||
		    !resolve_opens(r, t->doc, s, POS_UTF8))
			continue;
		json_push(out->others,
			  json_of({ "file", json_str(call_shown(r->call, t->path)) },
				  { "line", json_int((int64_t)s->name_range.from.line + 1) },
				  { "symbol_name",
				    json_strf("%.*s[%zu]", STR_ARG(v[i].name), v[i].index) },
				  { "kind", json_strz(symbol_kind_name(s->kind)) }));
	}
}

/* `best`: of the same group, for which it was chosen. */
static void resolve_choose_give(struct resolving *r, const struct candidate *c,
				const struct candidate *best)
{
	struct oxide *ox = call_oxide(r->call);
	struct resolved *out = mem_new(sizeof(*out));
	struct target *t = out->target = mem_new(sizeof(*t));
	struct buf name = BUF_INIT;
	struct err e = ERR_INIT;

	out->others = resolve_choose_rows_of(r, best);
	symbol_path(c->symbol, &name);
	out->name_path = buf_detach(&name);
	out->kind = c->symbol->kind;
	out->range = c->symbol->range;
	out->hinted = !r->hint.n || best->rank.hint;
	*t = (struct target){ .call = r->call,
			      .server = c->look->server,
			      .path = mem_dup(c->symbol->path.p, c->symbol->path.n),
			      .settled = c->look->settled };
	out->complete = t->settled && !r->why.code && (!r->cut || server_knows(t->server));
	t->doc = workspace_doc(ox->workspace, t->path, &e);
	if (!t->doc) {
		resolved_free(out);
		resolve_end(r, NULL, &e, NULL);
		return;
	}
	t->byte = resolve_choose_name_at(c, t->doc);
	add_unlisted(r, out);
	server_show(t->server, t->doc, workspace_filetype(ox->workspace, t->path));
	resolve_end(r, out, &e, NULL);
}

static void choice_refuse(struct resolving *r, struct err *e)
{
	json *object = error_object(e);

	error_put(object, "candidates", resolve_choose_rows_of(r, NULL));
	resolve_end(r, NULL, e, object);
}

static void none(struct resolving *r)
{
	struct err e = r->why;

	if (!e.code && !r->n)
		err_set(&e, ERR_NO_SERVER, "no installed language server handles any file of %s%s",
			call_root(r->call),
			r->exact ? "" : "; lsp_symbol with a file_path tells what texts alone do");
	else if (!e.code && r->mentioning)
		err_set(&e, ERR_NOT_FOUND,
			"nothing in %s is called %.*s, but %s occurs in %zu of its files",
			call_root(r->call), STR_ARG(r->want), r->last, r->mentioning);
	else if (!e.code)
		err_set(&e, ERR_NOT_FOUND, "nothing in %s is called %.*s or similar",
			call_root(r->call), STR_ARG(r->want));
	resolve_end(r, NULL, &e, NULL);
}

static void choice_cancelled(struct resolving *r)
{
	struct err e = ERR_INIT;

	err_set(&e, ERR_CANCELLED, "cancelled");
	resolve_end(r, NULL, &e, NULL);
}

static void ambiguous(struct resolving *r)
{
	struct err e = ERR_INIT;
	size_t n = 0;

	for (size_t i = 0; i < r->founds; i++)
		n += r->found[i].group == i;
	err_set(&e, ERR_AMBIGUOUS,
		"%zu symbols may be meant by %.*s; give `symbol_name` of one of the candidates, and "
		"its `file` as file_hint",
		n, STR_ARG(r->want));
	choice_refuse(r, &e);
}

static bool too_vague(struct resolving *r, const struct candidate *c)
{
	struct err e = ERR_INIT;

	if (c->rank.match == SYMBOL_EXACT && (!r->exact || !r->hint.n || c->rank.hint))
		return false;
	if (c->rank.match != SYMBOL_EXACT)
		err_set(&e, ERR_NOT_FOUND,
			"nothing is called %.*s; the candidates have similar names",
			STR_ARG(r->want));
	else
		err_set(&e, ERR_NOT_FOUND,
			"%.*s is not in a file that matches %.*s; the candidates are elsewhere",
			STR_ARG(r->want), STR_ARG(r->hint));
	choice_refuse(r, &e);
	return true;
}

/* A group counts as its best member does, whichever of them is given. */
static const struct candidate *definition_of(struct resolving *r, size_t group)
{
	const struct candidate *first = NULL;

	for (size_t i = 0; i < r->founds; i++) {
		const struct candidate *c = &r->found[i];

		if (c->group != group)
			continue;
		first = first ? first : c;
		if (has_body(c))
			return c;
	}
	return first;
}

/* Whether the candidates are where their servers have said. */
static bool are_still(const struct resolving *r, struct err *e)
{
	struct workspace *w = call_oxide(r->call)->workspace;

	for (size_t i = 0; i < r->founds; i++)
		if (!workspace_still_at(w, r->found[i].symbol->path.p, r->moves, e))
			return false;
	return true;
}

/* Candidates are sorted, and each group is called by its first. */
static void choice_decide(struct resolving *r)
{
	const struct candidate *best = &r->found[0];
	struct err e = ERR_INIT;

	if (!are_still(r, &e)) {
		resolve_end(r, NULL, &e, NULL);
		return;
	}
	if (too_vague(r, best))
		return;
	for (size_t i = 1; i < r->founds; i++)
		if (r->found[i].group == i && !symbol_rank_cmp(&best->rank, &r->found[i].rank)) {
			ambiguous(r);
			return;
		}
	resolve_choose_give(r, definition_of(r, 0), best);
}

static void join(struct resolving *r, size_t a, size_t b)
{
	size_t from = r->found[a].group, to = r->found[b].group;

	if (from < to) {
		size_t swap = from;

		from = to;
		to = swap;
	}
	for (size_t i = 0; i < r->founds; i++)
		if (r->found[i].group == from)
			r->found[i].group = to;
}

static bool is_at(const struct candidate *c, const struct location *l)
{
	return str_eq(c->symbol->path, l->path) &&
	       l->range.from.line >= c->symbol->range.from.line &&
	       l->range.from.line <= c->symbol->range.to.line;
}

static bool same_path(const struct candidate *a, const struct candidate *b)
{
	return a != b && !strcmp(a->plain, b->plain);
}

static void take_definitions(struct candidate *c, const struct locations *l)
{
	struct resolving *r = c->look->of;

	for (size_t i = 0; i < l->n; i++)
		for (size_t k = 0; k < r->founds; k++)
			if (same_path(c, &r->found[k]) && is_at(&r->found[k], &l->v[i]))
				join(r, (size_t)(c - r->found), k);
}

static void on_choice_definition(void *arg, struct msg *m, const struct err *why)
{
	struct candidate *c = arg;
	struct resolving *r = c->look->of;
	struct locations l SCOPED(locations_release) = { 0 };
	struct err e = *why;
	size_t foreign = 0;

	c->asked = 0;
	if (!e.code && proto_locations(m->raw, &l, &foreign, &e))
		take_definitions(c, &l);
	if (--r->waiting)
		return;
	if (call_cancelled(r->call))
		choice_cancelled(r);
	else
		choice_decide(r);
}

static void ask_definition(struct resolving *r, struct candidate *c)
{
	struct server *s = c->look->server;
	struct doc *d = server_can(s, LSP_DEFINITION) ? doc_of(c) : NULL;

	if (!d)
		return;
	r->waiting++;
	server_show(s, d, workspace_filetype(call_oxide(r->call)->workspace, doc_path(d)));
	c->asked = server_ask(s, LSP_DEFINITION,
			      proto_at(d, resolve_choose_name_at(c, d), server_encoding(s)),
			      call_context(r->call)->timeout_ms, on_choice_definition, c);
}

/* One symbol by two names of its file, of which a server may know both. */
static void join_names_of_files(struct resolving *r)
{
	for (size_t i = 0; i < r->founds; i++)
		for (size_t k = i + 1; k < r->founds; k++) {
			const struct symbol *a = r->found[i].symbol, *b = r->found[k].symbol;

			if (same_path(&r->found[i], &r->found[k]) &&
			    a->name_range.from.line == b->name_range.from.line &&
			    a->name_range.from.col == b->name_range.from.col &&
			    !str_eq(a->path, b->path) &&
			    workspace_is_same_file(a->path.p, b->path.p))
				join(r, i, k);
		}
}

/* A prototype and what it declares have one path; whether they are one, their server knows. */
static void ask_definitions(struct resolving *r)
{
	for (size_t i = 0; i < r->founds; i++)
		for (size_t k = 0; k < r->founds; k++)
			if (same_path(&r->found[i], &r->found[k])) {
				ask_definition(r, &r->found[i]);
				break;
			}
}

static int by_rank(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	int c = symbol_rank_cmp(&x->rank, &y->rank);

	if (!c)
		c = str_cmp(x->symbol->path, y->symbol->path);
	if (!c)
		c = (x->symbol->name_range.from.line > y->symbol->name_range.from.line) -
		    (x->symbol->name_range.from.line < y->symbol->name_range.from.line);
	return c;
}

void resolve_choose(struct resolving *r)
{
	if (call_cancelled(r->call)) {
		choice_cancelled(r);
		return;
	}
	if (!r->founds) {
		none(r);
		return;
	}
	qsort(r->found, r->founds, sizeof(*r->found), by_rank);
	while (r->found[r->founds - 1].rank.match != r->found[0].rank.match)
		free(r->found[--r->founds].plain);
	for (size_t i = 0; i < r->founds; i++)
		r->found[i].group = i;
	join_names_of_files(r);
	ask_definitions(r);
	if (!r->waiting)
		choice_decide(r);
}

void resolved_free(struct resolved *r)
{
	if (!r)
		return;
	target_free(r->target);
	json_free(r->others);
	free(r->name_path);
	free(r);
}

void resolved_put(struct resolved *r, json *result)
{
	json_put(result, "symbol", json_strz(r->name_path));
	json_put(result, "kind", json_strz(symbol_kind_name(r->kind)));
	json_put(result, "file_path", json_str(call_shown(r->target->call, r->target->path)));
	json_put(result, "server", json_strz(server_name(r->target->server)));
	if (!r->hinted)
		json_put(result, "hinted", json_bool(false));
	if (json_len(r->others))
		json_put(result, "others", json_copy(r->others));
}

struct span resolved_span(struct resolved *r)
{
	struct target *t = r->target;
	struct decl d =
		declaration(call_oxide(t->call), t->doc, r->range, server_encoding(t->server));
	const char *text = d.text.p;
	size_t at = d.lead;

	while (at && str_any(" \t", text[at - 1]))
		at--;
	return (struct span){ !at || text[at - 1] == '\n' ? at : d.lead, d.end };
}
