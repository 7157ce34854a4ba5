#include "macro_find.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "../code/macro.h"
#include "../code/names.h"
#include "../core/workspace.h"
#include "../lsp/proto.h"
#include "../servers/word_search.h"

/*
 *     macro_find -> on_macro_find_searched -> ask_file -> on_macro_find_picked
 *         -> on_macro_find_definition (each place) -> ask_file
 */
struct read_set {
	struct macro_find *of;
	struct macro_place place;
	int64_t asked;
};

struct macro_find {
	struct call *call;
	char *name;
	struct word_search *mentions;
	struct doc **doc; /* with the name in their code */
	size_t docs, doc_cap;
	struct read_set *v;
	size_t n, cap, defines;
	struct macro_place *places;
	size_t next; /* of v */
	struct pick *pick;
	struct server *server;
	size_t waiting;
	bool cut, cancelled;
	struct err why;
	void (*fn)(void *arg);
	void *arg;
};

static void macro_find_finish(struct macro_find *f)
{
	f->places = mem_new((f->n + 1) * sizeof(*f->places));
	for (size_t i = 0; i < f->n; i++)
		f->places[i] = f->v[i].place;
	f->fn(f->arg);
}

static void ask_file(struct macro_find *f);

static void macro_find_answered(struct macro_find *f)
{
	if (--f->waiting)
		return;
	if (f->cancelled)
		macro_find_finish(f);
	else
		ask_file(f);
}

/* The file of the definition that the server names, where that is a `#define` of the macro. */
static const char *define_at(const struct macro_find *f, const struct location *l)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct macro_place *p = &f->v[i].place;
		size_t line, column;

		if (p->means != MACRO_DEFINED || !str_eq(str_of(p->path), l->path))
			continue;
		for (size_t k = 0; k < f->docs; k++)
			if (!strcmp(doc_path(f->doc[k]), p->path)) {
				doc_where(f->doc[k], p->at, &line, &column);
				if (line == l->range.from.line + 1)
					return p->path;
			}
	}
	return NULL;
}

static void on_macro_find_definition(void *arg, struct msg *m, const struct err *why)
{
	struct read_set *s = arg;
	struct locations l SCOPED(locations_release) = { 0 };
	struct err e = *why;
	size_t foreign = 0;

	s->asked = 0;
	if (!e.code && proto_locations(m->raw, &l, &foreign, &e) && l.n) {
		s->place.means = MACRO_OTHER;
		for (size_t i = 0; i < l.n && s->place.means == MACRO_OTHER; i++)
			if ((s->place.defined = define_at(s->of, &l.v[i])))
				s->place.means = MACRO_USED;
	}
	macro_find_answered(s->of);
}

static void macro_find_ask_place(struct macro_find *f, struct read_set *s, struct doc *d)
{
	if (s->place.means == MACRO_DEFINED)
		return;
	f->waiting++;
	s->asked = server_ask(f->server, LSP_DEFINITION,
			      proto_at(d, s->place.at, server_encoding(f->server)),
			      call_context(f->call)->timeout_ms, on_macro_find_definition, s);
}

/* Without a server its places are words. */
static void on_macro_find_picked(void *arg, struct server *s, bool settled, const struct err *why)
{
	struct macro_find *f = arg;
	const char *path = f->v[f->next].place.path;
	struct err e = *why;
	struct doc *d = workspace_doc(call_oxide(f->call)->workspace, path, &e);

	(void)settled;
	f->pick = NULL;
	f->server = s;
	f->waiting = 1; /* this call */
	for (; f->next < f->n && f->v[f->next].place.path == path; f->next++)
		if (s && d && !f->cancelled)
			macro_find_ask_place(f, &f->v[f->next], d);
	macro_find_answered(f);
}

static void ask_file(struct macro_find *f)
{
	if (f->next == f->n) {
		macro_find_finish(f);
		return;
	}
	f->pick = pool_pick(call_oxide(f->call)->pool, f->v[f->next].place.path, LSP_DEFINITION,
			    POOL_READ, on_macro_find_picked, f);
}

/* Of what is in a `#define`, parameters and what is pasted are not uses of the macro. */
static bool is_place(struct macros *in, const struct name_place *at, bool *defines)
{
	struct macro m;
	bool around = at->directive && macros_around(in, at->at, &m.name);

	*defines = around && m.name.at == at->at;
	return !around || *defines || macros_using(in, at->at, &m);
}

static void macro_find_read_file(struct macro_find *f, const char *path)
{
	struct oxide *ox = call_oxide(f->call);
	const struct language *lang = language_of(workspace_filetype(ox->workspace, path));
	struct names names = { 0 };
	struct doc *d =
		language_has_macros(lang) ? workspace_doc(ox->workspace, path, ERR_IGNORED) : NULL;
	struct macros in;
	bool defines;

	if (!d)
		return;
	in = macros_of(doc_text(d));
	names_in_code(lang, doc_text(d), str_of(f->name), &names);
	for (size_t i = 0; i < names.n; i++) {
		if (!is_place(&in, &names.v[i], &defines))
			continue;
		mem_add(f->v, f->n, f->cap,
			(struct read_set){ .of = f,
					   .place = { doc_path(d), names.v[i].at,
						      defines ? MACRO_DEFINED : MACRO_WORD,
						      defines ? doc_path(d) : NULL } });
		f->defines += defines;
	}
	mem_add(f->doc, f->docs, f->doc_cap, d);
	free(names.v);
}

static void on_macro_find_searched(void *arg)
{
	struct macro_find *f = arg;
	size_t most = (size_t)config_get(&call_oxide(f->call)->config, CFG_RENAME_COMPARED), n;
	const char **path;

	n = f->cancelled ? 0 : word_search_all_files(f->mentions, &path);
	for (size_t i = 0; i < n; i++)
		macro_find_read_file(f, path[i]);
	if (!f->cancelled)
		free(path);
	f->cut = f->n > most;
	if (!f->defines || f->cut || f->cancelled)
		macro_find_finish(f);
	else
		ask_file(f);
}

struct macro_find *macro_find(struct call *call, const char *path, struct str name,
			      void (*fn)(void *arg), void *arg)
{
	struct macro_find *f = mem_new(sizeof(*f));
	struct oxide *ox = call_oxide(call);

	f->call = call;
	f->name = mem_dup(name.p, name.n);
	f->fn = fn;
	f->arg = arg;
	f->mentions = word_search_start(ox, call_root(call), name,
					workspace_filetype(ox->workspace, path));
	word_search_wait(f->mentions, on_macro_find_searched, f);
	return f;
}

void macro_find_cancel(void *macro_find)
{
	struct macro_find *f = macro_find;

	f->cancelled = true;
	word_search_cancel(f->mentions);
	if (f->pick)
		pool_unpick(f->pick);
	for (size_t i = 0; i < f->n; i++)
		if (f->v[i].asked)
			server_cancel(f->server, f->v[i].asked);
}

const struct macro_place *macro_found(const struct macro_find *f, size_t *n, struct err *e)
{
	*n = f->n;
	if (f->cancelled)
		err_set(e, ERR_CANCELLED, "cancelled; nothing was changed");
	else if (!f->defines)
		err_set(e, ERR_NOT_FOUND, "no file of the project defines %s", f->name);
	else if (f->cut)
		err_set(e, ERR_LIMIT, "%s occurs in more than %lld places (rename.compared)",
			f->name,
			(long long)config_get(&call_oxide(f->call)->config, CFG_RENAME_COMPARED));
	else
		return f->places;
	return NULL;
}

void macro_find_free(struct macro_find *f)
{
	if (!f)
		return;
	word_search_free(f->mentions);
	free(f->places);
	free(f->doc);
	free(f->name);
	free(f->v);
	free(f);
}
