#include "patch_match.h"

/*
 * V4A. A hunk has no line numbers: its lines have to be in one place alone. What can decide
 * between several are the anchors above it, the end of the file, and that hunks come in order.
 */

static bool find_scopes(struct patch_finder *l, const struct placing *g, struct scopes *s)
{
	size_t missing;
	struct str anchor;

	if (scopes_find(&l->scopes, g->hunk->anchor, g->hunk->anchors, s, &missing))
		return true;
	anchor = g->hunk->anchor[missing];
	find_candidates(l->text.text, anchor, &l->why->near);
	return locate_refuse(l, g, ERR_NOT_FOUND, "was not found: no line is `%.*s`%s",
			     (int)(anchor.n < 100 ? anchor.n : 100), anchor.p,
			     missing ? " below the @@ before it" : "");
}

static void keep_at_end(const struct patch_finder *l, struct placing *g)
{
	size_t n = 0;

	for (size_t i = 0; i < g->fits; i++)
		if (g->fit[i] + g->n == l->text.n)
			g->fit[n++] = g->fit[i];
	g->fits = n;
}

/* By the strongest proof by which there is a place at all. */
static bool patch_anchor_collect(struct patch_finder *l, struct placing *g, const struct scopes *s,
				 enum match *how)
{
	g->fits = 0;
	for (*how = MATCH_EXACT; !g->fits && *how <= MATCH_PUNCTUATION; (*how)++) {
		if (!locate_all(l, g, *how))
			return locate_several(l, g, 0, g->fits);
		if (g->hunk->at_end)
			keep_at_end(l, g);
		if (s->n)
			g->fits = scopes_keep(&l->scopes, s, g->fit, g->fits);
	}
	(*how)--;
	return true;
}

static bool lost(struct patch_finder *l, struct placing *g)
{
	if (g->hunk->at_end)
		return locate_lost(l, g, "was not found: its lines are not at the end of the file");
	if (g->hunk->anchors)
		return locate_lost(l, g, "was not found: its lines are not below its @@ line");
	return locate_lost(l, g, "was not found: its lines are not in the file");
}

/* Empty lines at the end of a hunk may be there for looks. */
static size_t without_empty(const struct placing *g)
{
	size_t n = g->n;

	for (size_t i = g->hunk->lines; i && n; i--, n--)
		if (g->hunk->line[i - 1].mark != ' ' || g->hunk->line[i - 1].n)
			break;
	return n;
}

static bool search(struct patch_finder *l, struct placing *g)
{
	struct scopes s = { 0 };
	size_t least = without_empty(g), all = g->n;
	enum match how;
	bool ok;

	if (!least) {
		g->append = true;
		g->at = l->text.n;
		if (!all && (!g->hunk->anchors || g->hunk->at_end))
			return true;
		return locate_refuse(l, g, ERR_AMBIGUOUS,
				     "only adds lines; add the line before or after them as "
				     "context");
	}
	ok = find_scopes(l, g, &s) && patch_anchor_collect(l, g, &s, &how);
	if (ok && !g->fits && least < all) {
		g->n = least;
		ok = patch_anchor_collect(l, g, &s, &how);
		if (ok && !g->fits)
			g->n = all;
	}
	scopes_release(&s);
	if (!ok)
		return false;
	if (!g->fits)
		return lost(l, g);
	if (how > l->how)
		l->how = how;
	return true;
}

/* Places each hunk as early as the order of hunks allows. */
static bool place_early(struct patch_finder *l)
{
	size_t end = 0;

	for (size_t i = 0; i < l->hunks; i++) {
		struct placing *g = &l->hunk[i];
		size_t k = 0;

		if (g->append)
			continue;
		while (k < g->fits && g->fit[k] < end)
			k++;
		if (k == g->fits)
			return locate_lost(l, g,
					   "matches at line %zu, before the end of the previous "
					   "hunk (line %zu); put the hunks in file order",
					   g->fit[k - 1] + 1, end);
		g->at = g->fit[k];
		end = g->at + g->n;
	}
	return true;
}

/* ... and looks how late each could be: if that is another place, there are two ways. */
static bool is_only_way(struct patch_finder *l)
{
	struct placing *doubtful = NULL;
	size_t from = 0, to = 0, limit = l->text.n;

	for (size_t i = l->hunks; i--;) {
		struct placing *g = &l->hunk[i];
		size_t last = g->fits;

		if (g->append)
			continue;
		while (g->fit[last - 1] + g->n > limit)
			last--;
		limit = g->fit[last - 1];
		if (limit == g->at)
			continue;
		doubtful = g;
		to = last;
		for (from = to - 1; g->fit[from] != g->at;)
			from--;
	}
	return !doubtful || locate_several(l, doubtful, from, to);
}

bool place_v4a(struct patch_finder *l)
{
	for (size_t i = 0; i < l->hunks; i++)
		if (!search(l, &l->hunk[i]))
			return false;
	return place_early(l) && is_only_way(l);
}
