#include "menu.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "../core/workspace.h"
#include "diagnose.h"
#include "remedy.h"
#include "trial.h"

/* start -> on_diagnosed -> on_first -> (each other server) on_other -> on_actions -> over */
struct asking {
	struct menu *of;
	struct pick *pick;
	struct span place;     /* a part of the menu's, or all of it */
	struct menu_part part; /* its server is in use until the end */
	int64_t asked;
};

struct menu {
	struct oxide *ox;
	char *path;
	struct menu_spec spec;
	menu_made *fn;
	void *arg;
	struct diagnose *diagnosing;
	struct pick *first;
	struct asking **v;
	size_t n, cap, waiting;
	struct doc *doc;
	struct span place;
	uint64_t moves;
	struct arena texts;
	struct err why;
	bool cancelled;
};

static bool alike(const struct action *a, const struct action *b)
{
	return str_eq(a->title, b->title) && str_eq(a->kind, b->kind);
}

static bool was_offered(const struct menu *m, size_t part, const struct action *a)
{
	for (size_t i = 0; i < part; i++)
		for (size_t k = 0; k < m->v[i]->part.actions.n; k++)
			if (m->v[i]->part.server == m->v[part]->part.server &&
			    alike(&m->v[i]->part.actions.v[k], a))
				return true;
	return false;
}

/* What a server offers at several places of the line. */
static void drop_again(struct menu *m)
{
	for (size_t i = 1; i < m->n; i++) {
		struct actions *all = &m->v[i]->part.actions;
		size_t kept = 0;

		for (size_t k = 0; k < all->n; k++)
			if (!was_offered(m, i, &all->v[k]))
				all->v[kept++] = all->v[k];
		all->n = kept;
	}
}

static void over(struct menu *m)
{
	if (--m->waiting)
		return;
	drop_again(m);
	if (m->cancelled)
		err_set(&m->why, ERR_CANCELLED, "cancelled");
	m->fn(m->arg, &m->why);
}

/* Some servers offer all they know of the place, whatever kind was asked for. */
static void keep_fitting(struct asking *q)
{
	struct actions *all = &q->part.actions;
	const struct server *s = q->part.server;
	size_t kept = 0;

	for (size_t i = 0; i < all->n; i++) {
		const struct action *a = &all->v[i];

		if (remedy_possible(s, a) &&
		    (!q->of->spec.kind.n || action_is(a, q->of->spec.kind)))
			all->v[kept++] = *a;
	}
	all->n = kept;
}

static void on_actions(void *arg, struct msg *m, const struct err *why)
{
	struct asking *q = arg;
	struct err e = *why;

	q->asked = 0;
	if (!e.code && actions_read(m->raw, &q->part.actions, &e))
		keep_fitting(q);
	over(q->of);
}

static struct span bytes_of(struct menu *m, const struct diag *d)
{
	return (struct span){ doc_byte(m->doc, d->range.from, d->enc),
			      doc_byte(m->doc, d->range.to, d->enc) };
}

static bool is_about(struct asking *q, const struct diag *d)
{
	struct menu *m = q->of;
	struct span at = bytes_of(m, d);
	size_t first, last, from, to, column;

	if (strcmp(d->server, server_key(q->part.server)) != 0)
		return false;
	if (q->place.at != m->place.at || q->place.end != m->place.end)
		return at.at <= q->place.end && at.end >= q->place.at;
	doc_where(m->doc, m->place.at, &first, &column);
	doc_where(m->doc, m->place.end, &last, &column);
	doc_where(m->doc, at.at, &from, &column);
	doc_where(m->doc, at.end, &to, &column);
	return from <= last && to >= first;
}

/* What the server finds wrong on the lines of the place: that is what fixes are for. */
static void look_up(struct asking *q)
{
	struct menu *m = q->of;
	const struct diag **all;
	size_t n = diag_list(m->ox->diags, m->path, DIAG_HINT, &all);

	q->part.about = mem_new((n + 1) * sizeof(*all));
	for (size_t i = 0; i < n; i++) {
		struct diag *copy;

		if (!is_about(q, all[i]))
			continue;
		copy = arena_new(&m->texts, sizeof(*copy));
		*copy = diag_copy(&m->texts, all[i]);
		q->part.about[q->part.abouts++] = copy;
	}
	free(all);
}

static void ask_at(struct asking *q, struct server *s, struct span place)
{
	struct menu *m = q->of;
	struct range r = { doc_pos(m->doc, place.at, server_encoding(s)),
			   doc_pos(m->doc, place.end, server_encoding(s)) };

	q->place = place;
	q->part.server = s;
	server_use(s);
	look_up(q);
	q->asked = server_ask(s, LSP_CODE_ACTIONS,
			      actions_ask(m->path, r, q->part.about, q->part.abouts, m->spec.kind),
			      m->spec.timeout_ms, on_actions, q);
}

static struct asking *add(struct menu *m)
{
	struct asking *q = mem_new(sizeof(*q));

	q->of = m;
	m->v = mem_grow(m->v, &m->cap, m->n + 1, sizeof(struct asking *));
	m->v[m->n++] = q;
	m->waiting++;
	return q;
}

static bool is_whole_line(const struct menu_spec *s)
{
	return s->line && !s->column && !s->end_column && (!s->end_line || s->end_line == s->line);
}

/* A word, or signs. */
static bool begins(struct str text, size_t at)
{
	char c = text.p[at], before = at ? text.p[at - 1] : ' ';

	return !str_any(" \t\r", c) &&
	       (str_any(" \t\n", before) || str_named(before) != str_named(c));
}

/* About all of the place, and of a line about what is wrong on it and where a word or signs begin.
 */
static void ask(struct asking *q, struct server *s)
{
	struct menu *m = q->of;
	size_t most = (size_t)config_get(&m->ox->config, CFG_ACTIONS_COLUMNS), asked = 0;
	struct str text = doc_text(m->doc);

	ask_at(q, s, m->place);
	if (!is_whole_line(&m->spec))
		return;
	for (size_t i = 0; i < q->part.abouts && asked < most; i++, asked++)
		ask_at(add(m), s, bytes_of(m, q->part.about[i]));
	for (size_t at = m->place.at; at < m->place.end && asked < most; at++)
		if (begins(text, at)) {
			ask_at(add(m), s, (struct span){ at, at });
			asked++;
		}
}

static void on_other(void *arg, struct server *s, bool settled, const struct err *e)
{
	struct asking *q = arg;

	(void)settled;
	(void)e;
	q->pick = NULL;
	if (s && !q->of->cancelled)
		ask(q, s);
	else
		over(q->of);
}

static void ask_others(struct menu *m, const struct server *first)
{
	struct server **all;
	size_t n = pool_serving(m->ox->pool, m->path, LSP_CODE_ACTIONS, &all);

	for (size_t i = 0; i < n; i++) {
		struct asking *q = all[i] == first ? NULL : add(m);

		if (q)
			q->pick = pool_pick_named(m->ox->pool, m->path, str_of(server_name(all[i])),
						  LSP_CODE_ACTIONS, POOL_OPEN, on_other, q);
	}
	free(all);
}

/* Clamped to the text, as columns are everywhere. */
static struct span place_of(struct menu *m)
{
	const struct menu_spec *s = &m->spec;
	const struct line_table *lines = doc_lines(m->doc, LINES_VIM);
	size_t last = (size_t)(s->end_line ? s->end_line : s->line);
	struct span at = { 0, doc_text(m->doc).n };

	if (!s->line)
		return at;
	at.at = doc_at(m->doc, (size_t)s->line, s->column ? (size_t)s->column : 1);
	if (s->end_column)
		at.end = doc_at(m->doc, last, (size_t)s->end_column);
	else if (s->column && !s->end_line)
		at.end = at.at;
	else if (last && last <= lines->n)
		at.end = lines_span(lines, doc_text(m->doc), last - 1).end;
	if (at.end < at.at)
		at.end = at.at;
	return at;
}

static void on_first(void *arg, struct server *s, bool settled, const struct err *e)
{
	struct menu *m = arg;

	(void)settled;
	m->first = NULL;
	m->why = *e;
	m->doc = s ? workspace_doc(m->ox->workspace, m->path, &m->why) : NULL;
	if (m->doc && !m->cancelled) {
		m->moves = workspace_moves(m->ox->workspace);
		m->place = place_of(m);
		ask(add(m), s);
		ask_others(m, s);
	}
	over(m);
}

static void pick_first(struct menu *m)
{
	m->first = pool_pick(m->ox->pool, m->path, LSP_CODE_ACTIONS, POOL_OPEN, on_first, m);
}

/* Without them the fixes for what is wrong here would be missing; that is all. */
static void on_diagnosed(void *arg, struct server *s, bool complete, const struct err *e)
{
	struct menu *m = arg;

	(void)s;
	(void)complete;
	(void)e;
	m->diagnosing = NULL;
	if (m->cancelled)
		over(m);
	else
		pick_first(m);
}

/* A server that never tells which text it speaks of would be waited for in silence; a person in an
 * editor asks about what is on the screen. */
static bool is_on_screen(struct menu *m)
{
	struct server **all;
	size_t n = pool_serving(m->ox->pool, m->path, LSP_CODE_ACTIONS, &all);
	int64_t version;
	bool is = false;

	for (size_t i = 0; i < n && !is && m->ox->editor.apply; i++)
		is = !server_versioned(all[i]) &&
		     diag_seen(m->ox->diags, server_key(all[i]), m->path, &version);
	free(all);
	return is;
}

struct menu *menu_start(struct oxide *ox, const char *path, const struct menu_spec *spec,
			menu_made *fn, void *arg)
{
	struct menu *m = mem_new(sizeof(*m));

	m->ox = ox;
	m->path = mem_dup(path, strlen(path));
	m->spec = *spec;
	m->fn = fn;
	m->arg = arg;
	m->waiting = 1; /* the first server */
	if (is_on_screen(m))
		pick_first(m);
	else
		m->diagnosing = diagnose_start(ox, path, spec->timeout_ms, on_diagnosed, m);
	return m;
}

void menu_cancel(struct menu *m)
{
	m->cancelled = true;
	if (m->diagnosing)
		diagnose_cancel(m->diagnosing);
	if (m->first)
		pool_unpick(m->first);
	for (size_t i = 0; i < m->n; i++) {
		if (m->v[i]->pick)
			pool_unpick(m->v[i]->pick);
		if (m->v[i]->asked)
			server_cancel(m->v[i]->part.server, m->v[i]->asked);
	}
}

size_t menu_parts(const struct menu *m)
{
	return m->n;
}

const struct menu_part *menu_part(const struct menu *m, size_t i)
{
	return &m->v[i]->part;
}

struct doc *menu_doc(const struct menu *m)
{
	return m->doc;
}

uint64_t menu_moves(const struct menu *m)
{
	return m->moves;
}

struct span menu_place(const struct menu *m)
{
	return m->place;
}

void menu_free(struct menu *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->n; i++) {
		if (m->v[i]->part.server)
			server_leave(m->v[i]->part.server);
		actions_release(&m->v[i]->part.actions);
		free(m->v[i]->part.about);
		free(m->v[i]);
	}
	arena_release(&m->texts);
	free(m->v);
	free(m->path);
	free(m);
}
