#include <stdlib.h>

#include "../base/mem.h"
#include "../core/workspace.h"
#include "code_actions_impl.h"

static bool was_offered(const struct code_actions *c, size_t before, const struct action *a)
{
	for (size_t i = 0; i < before; i++) {
		const struct offer *o = &c->v[i]->offer;

		for (size_t k = 0; k < o->actions.n; k++)
			if (o->server == c->v[before]->offer.server &&
			    action_alike(&o->actions.v[k], a))
				return true;
	}
	return false;
}

/* What a server offers at several places of the line. */
void code_place_drop_repeated(struct code_actions *c)
{
	for (size_t i = 1; i < c->n; i++) {
		struct actions *all = &c->v[i]->offer.actions;
		size_t kept = 0;

		for (size_t k = 0; k < all->n; k++)
			if (!was_offered(c, i, &all->v[k]))
				all->v[kept++] = all->v[k];
		all->n = kept;
	}
}

static struct span diag_bytes(struct code_actions *c, const struct diag *d)
{
	return (struct span){ doc_byte(c->doc, d->range.from, d->enc),
			      doc_byte(c->doc, d->range.to, d->enc) };
}

/* Of the whole place, all that is on its lines. */
static bool is_diag_at(struct code_actions *c, const struct diag *d, struct span at)
{
	struct span where = diag_bytes(c, d);
	size_t first, last, from, to, column;

	if (at.at != c->place.at || at.end != c->place.end)
		return where.at <= at.end && where.end >= at.at;
	doc_where(c->doc, at.at, &first, &column);
	doc_where(c->doc, at.end, &last, &column);
	doc_where(c->doc, where.at, &from, &column);
	doc_where(c->doc, where.end, &to, &column);
	return from <= last && to >= first;
}

/* What the server finds wrong there: that is what fixes are for. */
static void list_diags(struct action_question *q, const struct server *s, struct span at)
{
	struct code_actions *c = q->file->of;
	struct offer *o = &q->offer;
	const struct diag **all;
	size_t n = diag_list(c->ox->diags, o->path, DIAG_HINT, &all);

	o->about = arena_new(&c->texts, (n + 1) * sizeof(*all));
	for (size_t i = 0; i < n; i++)
		if (!strcmp(all[i]->server, server_key(s)) && is_diag_at(c, all[i], at))
			code_actions_about(q, all[i]);
	free(all);
}

static struct range range_of(struct doc *d, struct span at, const struct server *s)
{
	enum pos_enc enc = server_encoding(s);

	return (struct range){ doc_pos(d, at.at, enc), doc_pos(d, at.end, enc) };
}

static void ask_at(struct action_question *q, struct server *s, struct span at)
{
	struct code_actions *c = q->file->of;

	q->offer.place = range_of(c->doc, c->place, s);
	list_diags(q, s, at);
	code_actions_ask(q, s, range_of(c->doc, at, s));
}

static bool is_whole_line(const struct code_place *p)
{
	return p->line && !p->column && !p->end_column && (!p->end_line || p->end_line == p->line);
}

/* A word, or signs. */
static bool begins_word(struct str text, size_t at)
{
	char c = text.p[at], before = at ? text.p[at - 1] : ' ';

	return !str_any(" \t\r", c) &&
	       (str_any(" \t\n", before) || str_named(before) != str_named(c));
}

/* About all of the place, and of a line about what is wrong on it and where a word or signs begin.
 */
static void ask_everywhere(struct action_question *q, struct server *s)
{
	struct code_actions *c = q->file->of;
	size_t most = (size_t)config_get(&c->ox->config, CFG_ACTIONS_COLUMNS), asked = 0;
	struct str text = doc_text(c->doc);

	ask_at(q, s, c->place);
	if (!is_whole_line(&c->lines))
		return;
	for (size_t i = 0; i < q->offer.abouts && asked < most; i++, asked++)
		ask_at(code_actions_question(q->file), s, diag_bytes(c, q->offer.about[i]));
	for (size_t at = c->place.at; at < c->place.end && asked < most; at++)
		if (begins_word(text, at)) {
			ask_at(code_actions_question(q->file), s, (struct span){ at, at });
			asked++;
		}
}

static void ask_other_servers(struct asked_file *f, const struct server *first)
{
	struct pool *pool = f->of->ox->pool;
	struct server **all;
	size_t n = pool_serving(pool, f->path, LSP_CODE_ACTIONS, &all);

	for (size_t i = 0; i < n; i++)
		if (all[i] != first)
			code_actions_pick(code_actions_question(f), server_name(all[i]));
	free(all);
}

/* Clamped to the text, as columns are everywhere. */
static struct span bytes_of_place(const struct code_actions *c)
{
	const struct code_place *p = &c->lines;
	const struct line_table *lines = doc_lines(c->doc, LINES_VIM);
	size_t last = (size_t)(p->end_line ? p->end_line : p->line);
	struct span at = { 0, doc_text(c->doc).n };

	if (!p->line)
		return at;
	at.at = doc_at(c->doc, (size_t)p->line, p->column ? (size_t)p->column : 1);
	if (p->end_column)
		at.end = doc_at(c->doc, last, (size_t)p->end_column);
	else if (p->column && !p->end_line)
		at.end = at.at;
	else if (last && last <= lines->n)
		at.end = lines_span(lines, doc_text(c->doc), last - 1).end;
	if (at.end < at.at)
		at.end = at.at;
	return at;
}

/* The first one to be asked brings the others. */
void code_place_ask(struct action_question *q, struct server *s)
{
	struct code_actions *c = q->file->of;
	bool first = q == c->v[0];

	if (first && !(c->doc = workspace_doc(c->ox->workspace, q->file->path, &c->why)))
		return;
	if (first) {
		c->moves = workspace_moves(c->ox->workspace);
		c->place = bytes_of_place(c);
	}
	ask_everywhere(q, s);
	if (first)
		ask_other_servers(q->file, s);
}

/* A server that never tells which text it speaks of would be waited for in silence; a person in an
 * editor asks about what is on the screen. */
bool code_place_is_shown(const struct code_actions *c)
{
	const char *path = c->file->path;
	struct server **all;
	size_t n = pool_serving(c->ox->pool, path, LSP_CODE_ACTIONS, &all);
	int64_t version;
	bool is = false;

	for (size_t i = 0; i < n && !is && c->ox->editor.apply; i++)
		is = !server_versioned(all[i]) &&
		     diag_seen(c->ox->diags, server_key(all[i]), path, &version);
	free(all);
	return is;
}
