#include "fuzz.h"
#include "text/edit.h"

/*
 * Edits to a text, against a model that goes through it byte by byte. The input: the text, %%, and
 * an edit a line, "AT,BYTES NEW TEXT"; in the new text \n and \r stand for themselves.
 */
#define MOST 64

static struct str escaped(struct str s, struct buf *out)
{
	buf_clear(out);
	for (size_t i = 0; i < s.n; i++) {
		bool two = s.p[i] == '\\' && i + 1 < s.n;

		if (two && (s.p[i + 1] == 'n' || s.p[i + 1] == 'r'))
			buf_addc(out, s.p[++i] == 'n' ? '\n' : '\r');
		else
			buf_addc(out, s.p[i]);
	}
	return buf_str(out);
}

static void read_edits(struct edits *set, struct str text, struct str rest)
{
	struct buf with = BUF_INIT;
	struct str line;

	while (set->n < MOST && str_line(&rest, &line)) {
		size_t at = fuzz_number(&line, text.n);
		size_t n = fuzz_number(&line, text.n - at);

		edits_add(set, (struct span){ at, at + n }, escaped(line, &with), (int)set->n);
	}
	buf_release(&with);
}

static bool any_overlap(const struct edits *set)
{
	for (size_t i = 0; i < set->n; i++)
		for (size_t k = 0; k < i; k++)
			if (set->v[i].span.at < set->v[k].span.end &&
			    set->v[k].span.at < set->v[i].span.end)
				return true;
	return false;
}

static bool is_insertion(const struct edit *e)
{
	return e->span.at == e->span.end;
}

/* The new text, and where each byte of the old one, and its end, is found in it. */
static void model(const struct edits *set, struct str text, struct buf *out, size_t *map)
{
	size_t skip = 0, replaced_at = 0;

	for (size_t at = 0; at <= text.n; at++) {
		for (int insertions = 1; insertions >= 0; insertions--)
			for (size_t i = 0; i < set->n; i++) {
				const struct edit *e = &set->v[i];

				if (e->span.at != at || is_insertion(e) != (insertions == 1))
					continue;
				replaced_at = insertions ? replaced_at : out->n;
				skip = insertions ? skip : e->span.end;
				buf_add(out, e->with);
			}
		map[at] = at < skip ? replaced_at : out->n;
		if (at >= skip && at < text.n)
			buf_addc(out, text.p[at]);
	}
}

static void check_apply(const struct edits *set, struct str text, struct str want)
{
	struct buf got = BUF_INIT;

	edits_apply(set, text, &got);
	must_be(buf_str(&got), want);
	buf_release(&got);
}

static void check_checked(struct edits *set, struct str text, struct str want, const size_t *map)
{
	struct edits back = EDITS_INIT;

	check_apply(set, text, want);
	for (size_t at = 0; at <= text.n; at++)
		must(edits_map(set, at) == map[at]);
	edits_invert(set, text, &back);
	check_apply(&back, want, text);
	edits_release(&back);
	edits_reduce(set, text);
	check_apply(set, text, want);
	for (size_t i = 0; i < set->n; i++)
		must(!str_eq(set->v[i].with, str_sub(text, set->v[i].span.at, set->v[i].span.end)));
	edits_invert(set, text, &back);
	check_apply(&back, want, text);
	edits_release(&back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str rest = fuzz_input(data, size), text = fuzz_section(&rest);
	size_t *map = malloc((text.n + 1) * sizeof(*map));
	struct edits set = EDITS_INIT;
	struct buf want = BUF_INIT;
	struct edit_clash clash = { -1, -1 };
	bool clashes;

	read_edits(&set, text, rest);
	clashes = any_overlap(&set);
	model(&set, text, &want, map);
	must(edits_check(&set, text.n, &clash) == !clashes);
	if (clashes)
		must(clash.a >= 0 && clash.b >= 0 && clash.a != clash.b);
	else
		check_checked(&set, text, buf_str(&want), map);
	edits_release(&set);
	buf_release(&want);
	free(map);
	return 0;
}
