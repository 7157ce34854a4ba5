
#include "../base/hash.h"
#include "../base/mem.h"
#include "match.h"

/* Lines that are the same by a proof have the same hash; the other way round it is looked at. */
static uint64_t hash_by(struct str line, enum match how)
{
	struct buf fold SCOPED(buf_release) = BUF_INIT;

	if (how == MATCH_EXACT)
		return hash_of(line);
	if (how == MATCH_PUNCTUATION) {
		match_fold(&fold, line);
		line = buf_str(&fold);
	}
	return hash_of(match_trim_end(line));
}

/* How many of the lines before line i are also those that the run begins with (Knuth, Morris,
 * Pratt): after a mismatch no line of the text is looked at again. */
static size_t *borders(const uint64_t *v, size_t n)
{
	size_t *back = mem_new((n + 1) * sizeof(*back)), k = 0;

	for (size_t i = 1; i < n; i++) {
		while (k && v[i] != v[k])
			k = back[k];
		k += v[i] == v[k];
		back[i + 1] = k;
	}
	return back;
}

size_t lookup_run(const struct lookup *l, const struct str *lines, size_t n, enum match how,
		  size_t *where)
{
	uint64_t *v SCOPED(mem_release) = mem_new((n + 1) * sizeof(*v));
	size_t *back SCOPED(mem_release) = NULL, k = 0, count = 0;

	for (size_t i = 0; i < n; i++)
		v[i] = hash_by(lines[i], how);
	back = borders(v, n);
	for (size_t i = 0; n && i < l->n && count < 2; i++) {
		uint64_t hash = hash_by(lookup_line(l, i), how);

		while (k && (k == n || v[k] != hash))
			k = back[k];
		k += v[k] == hash;
		if (k < n || !lookup_fits(l, i + 1 - n, lines, n, how))
			continue;
		if (!count++)
			*where = i + 1 - n;
	}
	return count;
}
