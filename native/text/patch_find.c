#include <stdlib.h>

#include "../base/mem.h"
#include "../base/sha1.h"
#include "patch_match.h"

/* The lines to look for, as they are to be compared. */
static struct str compared(const struct patch_finder *l, const struct patch_line *line)
{
	struct str s = patch_text(line);

	if (l->verbatim)
		s.n += line->cr; /* it is right behind */
	else if (l->mark)
		str_skip(&s, STR("\xef\xbb\xbf"));
	return s;
}

const struct str *locate_old(struct patch_finder *l, struct placing *g)
{
	struct str *old;

	if (g->old)
		return g->old;
	g->old = old = arena_new(&l->parts, (g->n + 1) * sizeof(*old));
	for (size_t i = 0; i < g->hunk->lines; i++)
		if (g->hunk->line[i].mark != '+')
			*old++ = compared(l, &g->hunk->line[i]);
	return g->old;
}

static void prepare(struct patch_finder *l, const struct patch_file *f)
{
	l->file = f;
	l->hunks = f->hunks;
	l->hunk = mem_new(f->hunks * sizeof(*l->hunk));
	for (size_t i = 0; i < f->hunks; i++) {
		struct placing *g = &l->hunk[i];

		g->hunk = &f->hunk[i];
		for (size_t k = 0; k < g->hunk->lines; k++)
			g->n += g->hunk->line[k].mark != '+';
		if (!l->verbatim)
			locate_old(l, g);
	}
}

/* Lines [at, at + n) of the text are to become `with`. Hunks that touch make one change. */
struct change {
	size_t at, n;
	struct buf with;
	size_t added;
	bool open; /* the last added line has no end, or the last removed one was said to have none:
		    * how the file ends is up to the patch */
	int tag;
	bool some;
};

static size_t end_length(struct str s)
{
	return str_ends(s, STR("\r\n")) ? 2 : str_ends(s, STR("\n")) || str_ends(s, STR("\r"));
}

/* Lines that are to be the last of a text whose last line has no end. An empty one has its own all
 * the same: without it, it would be no line. */
static void put_open(const struct change *c, struct span span, struct edits *out)
{
	struct str with = buf_str(&c->with), eol = str_sub(with, with.n - end_length(with), with.n);
	struct str lines = str_sub(with, 0, with.n - eol.n);
	struct buf all SCOPED(buf_release) = BUF_INIT;

	if (!c->n) /* the line end moves in front */
		buf_add(&all, eol);
	buf_add(&all, !lines.n || end_length(lines) ? with : lines);
	edits_add(out, span, buf_str(&all), c->tag);
}

static void put_change(const struct patch_finder *l, struct change *c, struct edits *out)
{
	struct span span = { lookup_start(&l->text, c->at), lookup_start(&l->text, c->at + c->n) };
	bool keep_open = !l->verbatim && !c->open && c->at + c->n == l->text.n &&
			 !lookup_has_final_end(&l->text);

	if (keep_open && c->added) {
		put_open(c, span, out);
	} else {
		if (keep_open && c->at && lookup_line(&l->text, c->at - 1).n)
			span.at = lines_span(&l->text.table, l->text.text, c->at - 1).end;
		edits_add(out, span, buf_str(&c->with), c->tag);
	}
}

static void end_change(const struct patch_finder *l, struct change *c, struct edits *out)
{
	if (c->some)
		put_change(l, c, out);
	c->some = c->open = false;
	c->added = 0;
	buf_clear(&c->with);
}

/* The change goes on at line `at`, or another one begins there. */
static void at_line(const struct patch_finder *l, struct change *c, size_t at, int tag,
		    struct edits *out)
{
	if (c->some && c->at + c->n == at)
		return;
	end_change(l, c, out);
	c->at = at;
	c->n = 0;
	c->tag = tag;
	c->some = true;
}

static void put_hunk(const struct patch_finder *l, const struct placing *g, struct str eol,
		     struct change *c, struct edits *out)
{
	size_t at = g->at;
	int tag = (int)(g->hunk - l->file->hunk);

	for (size_t i = 0; i < g->hunk->lines; i++) {
		const struct patch_line *line = &g->hunk->line[i];

		if (line->mark == ' ') {
			at++;
			continue;
		}
		at_line(l, c, at, tag, out);
		c->open |= line->no_newline;
		if (line->mark == '-') {
			c->n++;
			at++;
			continue;
		}
		buf_add(&c->with, compared(l, line));
		if (!line->no_newline)
			buf_add(&c->with, l->verbatim ? STR("\n") : eol);
		c->added++;
	}
}

static int patch_find_by_place(const void *a, const void *b)
{
	const struct placing *x = a, *y = b;

	if (x->append != y->append)
		return x->append - y->append;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->hunk > y->hunk) - (x->hunk < y->hunk);
}

static void sort_places(const struct patch_finder *l)
{
	for (size_t i = 1; i < l->hunks; i++)
		if (patch_find_by_place(&l->hunk[i - 1], &l->hunk[i]) > 0) {
			qsort(l->hunk, l->hunks, sizeof(*l->hunk), patch_find_by_place);
			return;
		}
}

static void put_all(const struct patch_finder *l, enum line_rule rule, struct edits *out)
{
	struct str eol = match_eol(l->text.text, rule);
	struct change c = { 0 };

	sort_places(l);
	for (size_t i = 0; i < l->hunks; i++)
		put_hunk(l, &l->hunk[i], eol, &c, out);
	end_change(l, &c, out);
	buf_release(&c.with);
}

/* One way of comparing. */
struct way {
	enum line_rule rule;
	bool verbatim;
};

static bool try_way(const struct patch *p, const struct patch_file *f, struct str text,
		    struct way way, struct edits *out, enum match *how, struct patch_failure *why,
		    struct err *e)
{
	struct patch_finder l = { .v4a = p->form == PATCH_V4A,
				  .verbatim = way.verbatim,
				  .mark = str_starts(text, STR("\xef\xbb\xbf")),
				  .how = MATCH_EXACT,
				  .why = why,
				  .e = e };
	bool ok;

	lookup_init(&l.text, text, way.rule);
	l.scopes.text = &l.text;
	if (way.verbatim && l.mark) {
		l.text.table.at[0] = 0;
		l.text.n += l.text.n == 0;
	}
	prepare(&l, f);
	ok = l.v4a ? place_v4a(&l) : place_unified(&l);
	if (ok) {
		put_all(&l, way.rule, out);
		if (l.how > *how)
			*how = l.how;
	}
	for (size_t i = 0; i < l.hunks; i++)
		free(l.hunk[i].fit);
	free(l.hunk);
	arena_release(&l.parts);
	scope_index_release(&l.scopes);
	lookup_release(&l.text);
	return ok;
}

static bool has_lone_cr(struct str text)
{
	for (size_t i = 0; i < text.n; i++) {
		const char *cr = memchr(text.p + i, '\r', text.n - i);

		if (!cr)
			return false;
		i = (size_t)(cr - text.p);
		if (i + 1 == text.n || text.p[i + 1] != '\n')
			return true;
	}
	return false;
}

static bool keeps_text(const struct patch_file *f, struct str text)
{
	size_t lines = 0;
	struct lookup l SCOPED(lookup_release) = { 0 };

	for (size_t i = 0; i < f->hunks; i++)
		lines += f->hunk[i].old_count;
	lookup_init(&l, text, LINES_VIM);
	return lines != l.n;
}

/* Whether git has this name for the text. */
static bool has_id(struct str text, struct str id)
{
	char hex[2 * SHA1_BYTES + 1];

	sha1_blob(hex, text);
	return str_eq(str_of(hex), id);
}

static bool delete_binary(const struct patch_file *f, struct str text, struct edits *out,
			  struct err *e)
{
	if (!has_id(text, f->old_id))
		return err_set(e, ERR_CONFLICT,
			       "the patch deletes the file, but its content differs");
	edits_add(out, (struct span){ 0, text.n }, STR(""), 0);
	return true;
}

bool patch_locate(const struct patch *p, const struct patch_file *f, struct str text,
		  struct edits *out, enum match *how, struct patch_failure *why, struct err *e)
{
	struct way first = { LINES_VIM, p->form == PATCH_UNIFIED };
	struct way second = { p->form == PATCH_V4A ? LINES_LSP : LINES_VIM, false };

	*why = (struct patch_failure){ 0 };
	*how = MATCH_EXACT;
	if (f->old_id.n)
		return delete_binary(f, text, out, e);
	if (p->form == PATCH_UNIFIED && f->kind == PATCH_DELETE && keeps_text(f, text))
		return err_set(e, ERR_CONFLICT,
			       "the patch deletes the file, but does not list all of its lines");
	if (try_way(p, f, text, first, out, how, why, e))
		return true;
	if (p->form == PATCH_V4A && !has_lone_cr(text))
		return false;
	candidates_release(&why->near);
	return try_way(p, f, text, second, out, how, why, e);
}
