#include "macro_uses.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "../code/macro.h"
#include "../core/workspace.h"
#include "places.h"

/*
 *     macro_uses_find -> on_macro_uses_places -> macro_uses_step
 *     macro_uses_step -+-> (for the macro around the macro) on_macro_uses_searched
 *                      |       -> macro_uses_step ...
 *                      +-> fn
 */
struct link { /* a macro */
	char *name;
	size_t inside;	 /* the link that its body has; 0 is the symbol itself */
	struct buf body; /* one of its texts */
	bool proved, searched;
	bool twice;  /* a body has more than one of what it is inside of */
	size_t seen; /* where its name was last */
};

struct macro_uses {
	struct target *target;
	const char *filetype;
	struct link *link; /* as they are found: what one is inside of is before it */
	size_t links, cap;
	char **path; /* where macros have the symbol's name */
	size_t paths;
	struct map expanded; /* macros, of which the server lists such a place */
	struct word_search *search;
	size_t seeking; /* the link it is for */
	int64_t asked;
	bool cancelled;
	struct err why; /* the server did not list the uses */
	void (*fn)(void *arg);
	void *arg;
};

static bool within(const struct macro_uses *u, size_t link, struct str name)
{
	for (; link; link = u->link[link].inside)
		if (str_eq(str_of(u->link[link].name), name))
			return true;
	return str_eq(str_of(u->link[0].name), name);
}

static void add_link(struct macro_uses *u, struct str text, const struct macro *m, size_t inside)
{
	struct oxide *ox = call_oxide(u->target->call);
	struct str name = str_sub(text, m->name.at, m->name.end);

	if (within(u, inside, name) ||
	    u->links > (size_t)config_get(&ox->config, CFG_RENAME_MACROS))
		return;
	for (size_t i = 1; i < u->links; i++)
		if (u->link[i].inside == inside && str_eq(str_of(u->link[i].name), name)) {
			u->link[i].twice |= u->link[i].seen == m->name.at;
			u->link[i].seen = m->name.at;
			return;
		}
	mem_add(u->link, u->links, u->cap,
		(struct link){
			.name = mem_dup(name.p, name.n), .inside = inside, .seen = m->name.at });
	buf_add(&u->link[u->links - 1].body, str_sub(text, m->body.at, m->body.end));
}

/* The macros in these files whose bodies have what `inside` is called. */
static void add_links(struct macro_uses *u, const char *const *path, size_t n, size_t inside)
{
	struct str name = str_of(u->link[inside].name);
	struct places places SCOPED(places_release) = { 0 };

	places_init(&places, call_oxide(u->target->call));
	for (size_t i = 0; i < n; i++) {
		struct doc *d = places_doc(&places, path[i]);
		struct macros in = macros_of(d ? doc_text(d) : STR(""));
		struct macro m;

		for (size_t at = 0; macros_next_use(&in, name, &at, &m); at += name.n)
			add_link(u, in.text, &m, inside);
	}
}

static void prove(struct macro_uses *u, size_t link)
{
	for (; link && !u->link[link].proved; link = u->link[link].inside)
		u->link[link].proved = true;
}

static void macro_uses_step(struct macro_uses *u);

static void on_macro_uses_searched(void *arg)
{
	struct macro_uses *u = arg;
	const char **paths;
	size_t n = word_search_macros(u->search, &paths);

	add_links(u, paths, n, u->seeking);
	free(paths);
	word_search_free(u->search);
	u->search = NULL;
	macro_uses_step(u);
}

/* Proves what can be proved, and looks for what is around the first that is not. */
static void macro_uses_step(struct macro_uses *u)
{
	struct oxide *ox = call_oxide(u->target->call);

	for (size_t i = 1; i < u->links; i++)
		if (map_get(&u->expanded, str_of(u->link[i].name)))
			prove(u, i);
	for (size_t i = 1; i < u->links && !u->cancelled && !u->why.code; i++) {
		struct link *l = &u->link[i];

		if (l->proved || l->searched)
			continue;
		l->searched = true;
		u->seeking = i;
		u->search = word_search_start(ox, call_root(u->target->call), str_of(l->name),
					      u->filetype);
		word_search_wait(u->search, on_macro_uses_searched, u);
		return;
	}
	u->fn(u->arg);
}

/* At such a place is the macro's name, not the symbol's. */
static void note_expanded(struct macro_uses *u, struct places *places, const struct location *l)
{
	struct doc *d = places_doc(places, l->path.p);
	struct str word;
	struct span at;

	if (!d)
		return;
	at = target_word(doc_text(d),
			 doc_byte(d, l->range.from, server_encoding(u->target->server)));
	word = str_sub(doc_text(d), at.at, at.end);
	if (word.n && !str_eq(word, str_of(u->link[0].name)))
		map_put(&u->expanded, word, u);
}

static void on_macro_uses_places(void *arg, struct msg *m, const struct err *why)
{
	struct macro_uses *u = arg;
	struct locations l SCOPED(locations_release) = { 0 };
	struct places places SCOPED(places_release) = { 0 };
	size_t foreign = 0;

	u->why = *why;
	places_init(&places, call_oxide(u->target->call));
	if (!u->why.code && proto_locations(m->raw, &l, &foreign, &u->why))
		for (size_t i = 0; i < l.n; i++)
			note_expanded(u, &places, &l.v[i]);
	macro_uses_step(u);
}

static void keep_paths(struct macro_uses *u, const struct word_search *m)
{
	const char **paths;

	u->paths = word_search_macros(m, &paths);
	u->path = mem_new((u->paths + 1) * sizeof(*u->path));
	for (size_t i = 0; i < u->paths; i++)
		u->path[i] = mem_dup(paths[i], strlen(paths[i]));
	free(paths);
}

struct macro_uses *macro_uses_find(struct target *t, struct str name, const struct word_search *m,
				   void (*fn)(void *arg), void *arg)
{
	struct macro_uses *u = mem_new(sizeof(*u));
	enum pos_enc enc = server_encoding(t->server);

	u->target = t;
	u->filetype = workspace_filetype(call_oxide(t->call)->workspace, t->path);
	u->fn = fn;
	u->arg = arg;
	u->link = mem_grow(u->link, &u->cap, 1, sizeof(*u->link));
	u->link[u->links++] = (struct link){ .name = mem_dup(name.p, name.n) };
	keep_paths(u, m);
	add_links(u, (const char *const *)u->path, u->paths, 0);
	u->asked =
		server_ask(t->server, LSP_REFERENCES, proto_references(t->doc, t->byte, enc, true),
			   call_context(t->call)->timeout_ms, on_macro_uses_places, u);
	return u;
}

void macro_uses_cancel(void *macro_uses)
{
	struct macro_uses *u = macro_uses;

	u->cancelled = true;
	word_search_cancel(u->search);
	server_cancel(u->target->server, u->asked);
}

const struct err *macro_uses_unknown(const struct macro_uses *u)
{
	return u->why.code && u->links > 1 ? &u->why : NULL;
}

bool macro_uses_any(const struct macro_uses *u)
{
	for (size_t i = 1; i < u->links; i++)
		if (u->link[i].proved)
			return true;
	return false;
}

/* Whether it has another macro in it that has the symbol's name, too. */
static bool is_nested(const struct macro_uses *u, const struct link *l)
{
	for (size_t i = 1; i < u->links; i++) {
		size_t at = 0;

		if (!u->link[i].inside &&
		    str_find_name(buf_str(&l->body), str_of(u->link[i].name), &at))
			return true;
	}
	return false;
}

const char *macro_uses_doubt(const struct macro_uses *u)
{
	for (size_t i = 1; i < u->links; i++) {
		const struct link *l = &u->link[i];

		if (!l->inside && l->proved && (l->twice || is_nested(u, l)))
			return l->name;
	}
	return NULL;
}

static bool is_proved(const struct macro_uses *u, struct str macro)
{
	for (size_t i = 1; i < u->links; i++)
		if (!u->link[i].inside && u->link[i].proved &&
		    str_eq(str_of(u->link[i].name), macro))
			return true;
	return false;
}

static bool macro_uses_add_file(const struct macro_uses *u, struct plan *p, const char *path,
				struct str new_name, struct err *e)
{
	struct str name = str_of(u->link[0].name), text;
	struct edits spans SCOPED(edits_release) = EDITS_INIT;
	struct op op = { .kind = OP_SPANS, .path = path, .spans = &spans };
	bool ok = plan_text(p, path, &text, e);
	struct macros in = macros_of(ok ? text : STR(""));
	struct macro m;

	for (size_t at = 0; macros_next_use(&in, name, &at, &m); at += name.n)
		if (is_proved(u, str_sub(text, m.name.at, m.name.end)))
			edits_add(&spans, (struct span){ at, at + name.n }, new_name, 0);
	return ok && (!spans.n || plan_add(p, &op, e));
}

bool macro_uses_add(const struct macro_uses *u, struct plan *p, struct str new_name, struct err *e)
{
	for (size_t i = 0; i < u->paths; i++)
		if (!macro_uses_add_file(u, p, u->path[i], new_name, e))
			return false;
	return true;
}

void macro_uses_free(struct macro_uses *u)
{
	if (!u)
		return;
	for (size_t i = 0; i < u->links; i++) {
		free(u->link[i].name);
		buf_release(&u->link[i].body);
	}
	for (size_t i = 0; i < u->paths; i++)
		free(u->path[i]);
	map_release(&u->expanded);
	free(u->link);
	free(u->path);
	free(u);
}
