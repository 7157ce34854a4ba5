/* Anchors of V4A hunks, and what that costs in texts of many equal lines: lines looked at, not
 * time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "gen.h"
#include "text/patch_scope.h"

#define LINES 20000

struct rig {
	struct buf text;
	struct lookup lookup;
	struct scope_index x;
};

static void rig_init(struct rig *r)
{
	lookup_init(&r->lookup, buf_str(&r->text), LINES_VIM);
	r->x.text = &r->lookup;
}

static void rig_release(struct rig *r)
{
	scope_index_release(&r->x);
	lookup_release(&r->lookup);
	buf_release(&r->text);
}

static size_t found(struct rig *r, const struct str *anchors, size_t n, struct scopes *s)
{
	size_t missing = n;

	if (!scopes_find(&r->x, anchors, n, s, &missing))
		fail_msg("anchor %zu is nowhere", missing);
	return s->n;
}

static void test_many_anchors(void **state)
{
	static const struct str turns[] = { { "x", 1 }, { "  y", 3 } };
	struct rig equal = { .text = BUF_INIT }, turn = { .text = BUF_INIT };
	struct str anchors[100];
	struct scopes s;

	(void)state;
	for (size_t i = 0; i < LINES; i++) {
		buf_adds(&equal.text, "x\n");
		buf_adds(&turn.text, "x\n  y\n");
	}
	rig_init(&equal);
	for (size_t i = 0; i < 100; i++)
		anchors[i] = turns[0];
	assert_int_equal(found(&equal, anchors, 100, &s), LINES - 99);
	assert_in_range(equal.x.looked, LINES, 3 * LINES);
	scopes_release(&s);
	rig_init(&turn);
	for (size_t i = 0; i < 100; i++)
		anchors[i] = turns[i % 2];
	assert_int_equal(found(&turn, anchors, 100, &s), LINES - 49);
	assert_in_range(turn.x.looked, LINES, 250 * LINES);
	scopes_release(&s);
	rig_release(&equal);
	rig_release(&turn);
}

static void test_many_hunks_and_places(void **state)
{
	struct rig r = { .text = BUF_INIT };
	struct str anchor = STR("x");
	struct scopes s;
	size_t place[4096], first;

	(void)state;
	for (size_t i = 0; i < LINES; i++)
		buf_adds(&r.text, "x\n");
	rig_init(&r);
	found(&r, &anchor, 1, &s);
	scopes_release(&s);
	first = r.x.looked;
	for (size_t i = 0; i < 1000; i++) {
		place[0] = i;
		found(&r, &anchor, 1, &s);
		assert_int_equal(scopes_keep(&r.x, &s, place, 1), 1);
		scopes_release(&s);
	}
	assert_in_range(r.x.looked - first, 1000, 100 * 1000);
	found(&r, &anchor, 1, &s);
	for (size_t i = 0; i < 4096; i++)
		place[i] = LINES + 1 + i;
	first = r.x.looked;
	assert_int_equal(scopes_keep(&r.x, &s, place, 4096), 4096);
	assert_in_range(r.x.looked - first, 4096, 100 * 4096);
	scopes_release(&s);
	rig_release(&r);
}

/* The same, each scope held against each place. */
static size_t keep_slowly(const struct scopes *s, size_t *place, size_t n)
{
	bool *keep SCOPED(mem_release) = mem_new(n + 1);
	size_t belong = 0, kept = 0;

	for (size_t i = 0; i < s->n; i++) {
		bool near = false;

		for (size_t k = 0; k < n; k++)
			if (place[k] == s->v[i].at || place[k] == s->v[i].at + 1)
				near = keep[k] = true;
		for (size_t k = 0; k < n && !near; k++)
			keep[k] |= place[k] > s->v[i].at && place[k] < s->v[i].end;
	}
	for (size_t k = 0; k < n; k++)
		belong += keep[k];
	for (size_t k = 0; k < n; k++)
		if (belong ? keep[k] : place[k] > s->v[0].at)
			place[kept++] = place[k];
	return kept;
}

static void test_random_places(void **state)
{
	static const struct str anchors[] = { { "     a", 6 }, { "a", 1 }, { "  b", 3 } };
	static const char *const lines[] = {
		"a\n", " a\n", "  a\n", "   a\n", "b\n", "  b\n", "\n"
	};
	struct gen g = { .state = 1 };

	(void)state;
	for (int round = 0; round < 3000; round++) {
		struct rig r = { .text = BUF_INIT };
		size_t place[40], slow[40], n = 0, missing, kept;
		struct scopes s;

		for (size_t i = 0; i < 40; i++) {
			GEN_TEXT(&g, &r.text, lines, 1);
			if (!gen_below(&g, 4))
				place[n++] = i;
		}
		memcpy(slow, place, sizeof(slow));
		rig_init(&r);
		if (scopes_find(&r.x, anchors + gen_below(&g, 2), 1 + gen_below(&g, 2), &s,
				&missing)) {
			kept = scopes_keep(&r.x, &s, place, n);
			assert_int_equal(kept, keep_slowly(&s, slow, n));
			assert_memory_equal(place, slow, kept * sizeof(*place));
		}
		scopes_release(&s);
		rig_release(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_many_anchors),
		cmocka_unit_test(test_many_hunks_and_places),
		cmocka_unit_test(test_random_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
