#include "patch_match.h"

#include <stdlib.h>

#include "../base/mem.h"

#define MOST_FITS 4096

/* Of the old lines only the last can lack its end. */
static bool ends_open(const struct placing *g)
{
	for (size_t i = g->hunk->lines; i--;)
		if (g->hunk->line[i].mark != '+')
			return g->hunk->line[i].no_newline;
	return false;
}

/* No line of a patch holds an LF, so that where bytes are the same, lines are. */
static bool fits_verbatim(const struct patch_finder *l, const struct placing *g, size_t at,
			  bool open)
{
	struct str rest = str_sub(l->text.text, lookup_start(&l->text, at), l->text.text.n);
	size_t left = g->n;

	for (const struct patch_line *line = g->hunk->line; left; line++) {
		size_t n = line->n + line->cr; /* it is right behind */
		bool ended = !open || left > 1;

		if (line->mark == '+')
			continue;
		if (rest.n < n + ended || memcmp(rest.p, line->p, n) != 0 ||
		    (ended ? rest.p[n] != '\n' : rest.n > n))
			return false;
		rest = str_sub(rest, n + ended, rest.n);
		left--;
	}
	return true;
}

/* Whether the hunk's old lines are at line `at`. */
static bool locate_fits(const struct patch_finder *l, const struct placing *g, size_t at,
			enum match how)
{
	bool open = ends_open(g);

	if (at > l->text.n || g->n > l->text.n - at)
		return false;
	if (l->verbatim)
		return fits_verbatim(l, g, at, open);
	return lookup_fits(&l->text, at, g->old, g->n, how) &&
	       (!open || (at + g->n == l->text.n && !lookup_has_final_end(&l->text)));
}

bool locate_all(struct patch_finder *l, struct placing *g, enum match how)
{
	const struct str *old = locate_old(l, g);
	size_t k = lookup_rarest(&l->text, old, g->n);

	g->fits = 0;
	for (size_t i = lookup_first(&l->text, old[k]); i != LOOKUP_END;
	     i = lookup_next(&l->text, i)) {
		if (i < k || !locate_fits(l, g, i - k, how))
			continue;
		if (g->fits == MOST_FITS)
			return false;
		mem_add(g->fit, g->fits, g->fit_cap, i - k);
	}
	return true;
}

bool locate_refuse(struct patch_finder *l, const struct placing *g, enum err_code code,
		   const char *fmt, ...)
{
	struct buf text SCOPED(buf_release) = BUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	buf_addv(&text, fmt, ap);
	va_end(ap);
	l->why->hunk = (size_t)(g - l->hunk);
	return err_set(l->e, code, "hunk %zu (line %u of the patch) %s", l->why->hunk + 1,
		       g->hunk->at, text.p);
}

bool locate_lost(struct patch_finder *l, struct placing *g, const char *fmt, ...)
{
	const struct str *old = locate_old(l, g);
	struct buf text SCOPED(buf_release) = BUF_INIT, lines SCOPED(buf_release) = BUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	buf_addv(&text, fmt, ap);
	va_end(ap);
	for (size_t i = 0; i < g->n; i++) {
		buf_add(&lines, old[i]);
		buf_addc(&lines, '\n');
	}
	find_candidates(l->text.text, buf_str(&lines), &l->why->near);
	locate_refuse(l, g, ERR_NOT_FOUND, "%s", text.p);
	return false;
}

bool locate_several(struct patch_finder *l, const struct placing *g, size_t from, size_t to)
{
	candidates_release(&l->why->near);
	for (size_t i = from; i < to; i++)
		candidates_add(&l->why->near,
			       (struct near){ .line = g->fit[i] + 1,
					      .text = lookup_line(&l->text, g->fit[i]),
					      .why = NEAR_SEEN });
	return locate_refuse(l, g, ERR_AMBIGUOUS,
			     "matches %s%zu places, the first at line %zu; give more context lines",
			     to - from == MOST_FITS ? "more than " : "", to - from,
			     g->fit[from] + 1);
}

/* Unified. Places are numbered as in the old text; the hunks that were placed so far keep off each
 * other. Where a hunk is as written, with its lines, there is no doubt. Else one place has to
 * be the only one: `git apply` takes the nearest, which may be wrong. */
struct written {
	size_t placed; /* hunks so far */
	size_t end;    /* behind all of them, as long as they come in order */
	long grown;    /* lines added by them */
	long shift;    /* how far the last one was from where it was said to be */
	bool moved;    /* one was elsewhere than written */
};

static size_t context_lines(const struct patch_hunk *h, bool trailing)
{
	size_t n = 0;

	while (n < h->lines && h->line[trailing ? h->lines - 1 - n : n].mark == ' ')
		n++;
	return n;
}

/* A hunk that begins with line 1 and has less context before than behind, or has none behind, was
 * made at that end of the file, and belongs there. */
static bool may_stand(const struct patch_finder *l, const struct placing *g,
		      const struct written *w, size_t at)
{
	size_t leading = context_lines(g->hunk, false), trailing = context_lines(g->hunk, true);

	if (leading || trailing) {
		if (g->hunk->old_line <= 1 && leading < trailing && at)
			return false;
		if (!trailing && at + g->n != l->text.n)
			return false;
	}
	for (size_t i = 0; at < w->end && i < w->placed; i++)
		if (at < l->hunk[i].at + l->hunk[i].n && l->hunk[i].at < at + g->n)
			return false;
	return true;
}

static void keep_possible(const struct patch_finder *l, struct placing *g, const struct written *w)
{
	size_t n = 0;

	for (size_t i = 0; i < g->fits; i++)
		if (may_stand(l, g, w, g->fit[i]))
			g->fit[n++] = g->fit[i];
	g->fits = n;
}

/* Of several places the one that moved as the hunk before did, if it is also the nearest: then all
 * ways of reading the patch lead there. */
static bool moved_along(const struct placing *g, const struct written *w, long written)
{
	long there = written + w->shift;
	bool found = false;

	if (!w->shift)
		return false;
	for (size_t i = 0; i < g->fits; i++) {
		long p = (long)g->fit[i];

		if (p == there)
			found = true;
		else if (labs(p - written) <= labs(w->shift))
			return false;
	}
	return found;
}

/* git takes a hunk without context for one at the end of the file, GNU patch for one that is as
 * written. Where both would do, they would not do the same. */
static bool also_at_end(const struct patch_finder *l, const struct placing *g, size_t written)
{
	size_t at = l->text.n - g->n;

	return !context_lines(g->hunk, false) && !context_lines(g->hunk, true) && at != written &&
	       locate_fits(l, g, at, MATCH_EXACT);
}

static bool place_bare(struct patch_finder *l, struct placing *g)
{
	const struct patch_hunk *h = g->hunk;

	g->at = l->text.n;
	if (h->old_line == l->text.n)
		return true;
	if (!h->old_line)
		return locate_refuse(l, g, ERR_NOT_FOUND,
				     "expects an empty file, but the file has %zu line%s",
				     l->text.n, l->text.n == 1 ? "" : "s");
	return locate_refuse(l, g, ERR_AMBIGUOUS,
			     "has no context and no removed lines, so line %zu cannot be "
			     "verified; add context lines",
			     h->old_line);
}

static bool place_one(struct patch_finder *l, struct placing *g, const struct written *w)
{
	const struct patch_hunk *h = g->hunk;
	long written = (long)h->old_line - 1;
	bool agree = (long)h->new_line - (h->new_count > 0) == written + w->grown;

	if (!g->n)
		return place_bare(l, g);
	if (written >= 0 && agree && !w->moved && may_stand(l, g, w, (size_t)written) &&
	    locate_fits(l, g, (size_t)written, MATCH_EXACT) &&
	    !also_at_end(l, g, (size_t)written)) {
		g->at = (size_t)written;
		return true;
	}
	if (!locate_all(l, g, MATCH_EXACT))
		return locate_several(l, g, 0, g->fits);
	keep_possible(l, g, w);
	if (!g->fits)
		return locate_lost(l, g, "was not found: its lines are not in the file%s",
				   w->placed ? " or belong to another hunk" : "");
	if (g->fits > 1) {
		if (!agree || !moved_along(g, w, written))
			return locate_several(l, g, 0, g->fits);
		g->fit[0] = (size_t)(written + w->shift);
	}
	g->at = g->fit[0];
	if ((long)g->at != written)
		l->how = MATCH_RELOCATED;
	return true;
}

bool place_unified(struct patch_finder *l)
{
	struct written w = { 0 };

	for (size_t i = 0; i < l->hunks; i++) {
		struct placing *g = &l->hunk[i];
		const struct patch_hunk *h = g->hunk;

		if (!place_one(l, g, &w))
			return false;
		w.placed++;
		w.shift = g->n ? (long)g->at - ((long)h->old_line - 1) : w.shift;
		w.moved |= w.shift != 0;
		w.grown += (long)h->new_count - (long)h->old_count;
		if (g->at + g->n > w.end)
			w.end = g->at + g->n;
	}
	return true;
}
