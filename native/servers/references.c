#include "references.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "../base/map.h"
#include "../base/mem.h"
#include "../core/workspace.h"
#include "../io/disk.h"

/*
 *     references_find -> references_ask -> on_references_places -> on_references_reached -> fn
 *                                ^-- on_references_server <------(again)
 *
 * Declarations are asked for too, until the end: each file that has one is as much a part of it.
 */
struct references {
	struct oxide *ox;
	struct references_spec spec;
	char *path, *name;
	references_found *fn;
	void *arg;
	struct word_search *mentions;
	struct completeness *reach;
	struct locations found;
	int64_t asked;
	uint64_t moves; /* of the workspace, then */
	bool cancelled;
	bool last; /* all is known: without declarations now */
};

static int references_in_order(const void *a, const void *b)
{
	const struct location *x = a, *y = b;
	struct pos p = x->range.from, q = y->range.from;
	int c = str_cmp(x->path, y->path);

	if (!c)
		c = p.line < q.line ? -1 : p.line > q.line;
	return c ? c : p.col < q.col ? -1 : p.col > q.col;
}

/* Those of one file by one of its names. */
struct named_places {
	struct location *v;
	size_t n;
	bool open, link;
};

/* What the other has as well goes. */
static void drop_known(struct named_places *from, const struct named_places *other)
{
	for (size_t i = 0; i < from->n; i++) {
		struct location at = from->v[i];

		at.path = other->v->path;
		if (bsearch(&at, other->v, other->n, sizeof(at), references_in_order))
			from->v[i].path.n = 0;
	}
}

/* Whether the file is told of by this name rather than by the other: by that of the buffer, or else
 * by one that is no link. */
static bool is_better(const struct named_places *p, const struct named_places *than)
{
	return p->open != than->open ? p->open : than->link && !p->link;
}

static void add_named(const struct references *r, struct map *seen, struct named_places *p)
{
	const struct fs *fs = disk_fs();
	struct named_places *was;
	struct fs_stat st;
	char key[64];
	int n;

	if (!fs->stat(fs->self, p->v->path.p, &st, ERR_IGNORED) || !st.ino)
		return;
	p->link = st.link;
	p->open = workspace_buffer_at(r->ox->workspace, p->v->path.p);
	n = snprintf(key, sizeof(key), "%" PRIu64 ":%" PRIu64, st.dev, st.ino);
	was = map_get(seen, (struct str){ key, (size_t)n });
	if (!was) {
		map_put(seen, (struct str){ key, (size_t)n }, mem_copy(p, sizeof(*p)));
	} else if (is_better(p, was)) {
		drop_known(was, p);
		*was = *p;
	} else {
		drop_known(p, was);
	}
}

/* A server may take the names of one file for several files: each place counts once. */
static void merge_names(struct references *r)
{
	struct locations *l = &r->found;
	struct map seen SCOPED(map_release_values) = MAP_INIT;
	size_t kept = 0;

	for (size_t from = 0, to; from < l->n; from = to) {
		struct named_places p = { .v = &l->v[from] };

		for (to = from; to < l->n && str_eq(l->v[to].path, p.v->path); to++)
			p.n++;
		add_named(r, &seen, &p);
	}
	for (size_t i = 0; i < l->n; i++)
		if (l->v[i].path.n)
			l->v[kept++] = l->v[i];
	l->n = kept;
}

/* Whether the places are still those of the texts. */
static bool are_still(const struct references *r, struct err *e)
{
	const struct locations *l = &r->found;

	for (size_t i = 0; i < l->n; i++)
		if ((!i || !str_eq(l->v[i].path, l->v[i - 1].path)) &&
		    !workspace_still_at(r->ox->workspace, l->v[i].path.p, r->moves, e))
			return false;
	return true;
}

static void references_end(struct references *r, struct err *e)
{
	if (r->cancelled)
		err_set(e, ERR_CANCELLED, "cancelled");
	if (!e->code)
		are_still(r, e);
	if (!e->code)
		merge_names(r);
	if (e->code)
		r->fn(r->arg, NULL, NULL, NULL, e);
	else
		r->fn(r->arg, r->spec.server, &r->found, r->reach, e);
	locations_release(&r->found);
	completeness_free(r->reach);
	word_search_free(r->mentions);
	free(r->name);
	free(r->path);
	free(r);
}

static bool found_in(const struct references *r, const char *path, const struct word_use *m)
{
	bool bytes = server_encoding(r->spec.server) == POS_UTF8;
	struct location at = { .path = str_of(path) };

	at.range.from = (struct pos){ (uint32_t)m->line - 1, bytes ? m->column : m->units };
	return r->found.n && bsearch(&at, r->found.v, r->found.n, sizeof(at), references_in_order);
}

static bool references_has_place(void *arg, const struct word_use *m)
{
	const struct references *r = arg;

	bool found = found_in(r, m->path, m);

	for (const char *const *name = m->also; !found && name && *name; name++)
		found = found_in(r, *name, m);
	return found;
}

/* The server may have spoken of a text that has gone: of one in which another word is there. */
static void reread(struct references *r)
{
	enum pos_enc enc = server_encoding(r->spec.server);
	const char *last = NULL;

	for (size_t i = 0; server_indexes_late(r->spec.server) && i < r->found.n; i++) {
		const struct location *l = &r->found.v[i];
		struct err e = ERR_INIT;
		struct doc *d;
		size_t at;

		if (last && str_eq(l->path, str_of(last)))
			continue;
		d = workspace_doc(r->ox->workspace, l->path.p, &e);
		at = d ? doc_byte(d, l->range.from, enc) : 0;
		if (d && str_starts(str_sub(doc_text(d), at, doc_text(d).n), str_of(r->name)))
			continue;
		last = l->path.p;
		completeness_reread(r->reach, last);
	}
}

static void references_ask(struct references *r);

static void on_references_server(void *arg, struct server *s, const struct err *why)
{
	struct references *r = arg;
	struct err e = *why;

	if (s) {
		r->spec.server = s;
		references_ask(r);
	} else {
		references_end(r, &e);
	}
}

static void on_references_reached(void *arg, bool again)
{
	struct references *r = arg;
	struct err e = ERR_INIT;

	r->last = !again && !r->spec.declaration;
	if ((again || r->last) && !r->cancelled)
		completeness_server(r->reach, r->spec.server, LSP_REFERENCES, POOL_OPEN,
				    on_references_server, r);
	else
		references_end(r, &e);
}

static void on_references_places(void *arg, struct msg *m, const struct err *why)
{
	struct references *r = arg;
	struct err e = *why;
	size_t foreign = 0;

	r->asked = 0;
	if (!e.code)
		proto_locations(m->raw, &r->found, &foreign, &e);
	if (e.code) {
		references_end(r, &e);
		return;
	}
	if (r->found.n)
		qsort(r->found.v, r->found.n, sizeof(*r->found.v), references_in_order);
	if (r->last) {
		references_end(r, &e);
		return;
	}
	reread(r);
	completeness_look(r->reach, r->spec.server, r->found.n, references_has_place,
			  on_references_reached, r);
}

static void references_ask(struct references *r)
{
	struct server *s = r->spec.server;
	struct doc *d = workspace_known(r->ox->workspace, r->path);
	enum pos_enc enc = server_encoding(s);

	locations_release(&r->found);
	r->found = (struct locations){ 0 };
	r->moves = workspace_moves(r->ox->workspace);
	r->asked = server_ask(s, LSP_REFERENCES, proto_references(d, r->spec.byte, enc, !r->last),
			      r->spec.timeout_ms, on_references_places, r);
}

/* The name around a byte; may be empty. */
static char *references_name_at(struct str text, size_t at)
{
	size_t end = at;

	while (at && str_named(text.p[at - 1]))
		at--;
	while (end < text.n && str_named(text.p[end]))
		end++;
	return mem_dup(text.p + at, end - at);
}

struct references *references_find(struct oxide *ox, const struct references_spec *spec,
				   references_found *fn, void *arg)
{
	struct references *r = mem_new(sizeof(*r));
	struct doc *d = workspace_known(ox->workspace, spec->path);

	r->ox = ox;
	r->spec = *spec;
	r->path = mem_dup(spec->path, strlen(spec->path));
	r->spec.path = r->path;
	r->name = references_name_at(doc_text(d), spec->byte);
	r->fn = fn;
	r->arg = arg;
	r->mentions = word_search_start(ox, spec->root, str_of(r->name),
					workspace_filetype(ox->workspace, r->path));
	r->reach = completeness_new(ox, r->mentions, r->path, spec->byte);
	if (!spec->settled && !server_indexes_late(spec->server))
		completeness_doubt(r->reach, false, "%s was still indexing",
				   server_name(spec->server));
	if (!*r->name)
		completeness_doubt(r->reach, false, "no name to search files for");
	references_ask(r);
	return r;
}

void references_cancel(void *references)
{
	struct references *r = references;

	r->cancelled = true;
	if (r->asked)
		server_cancel(r->spec.server, r->asked);
	else
		completeness_cancel(r->reach);
}
