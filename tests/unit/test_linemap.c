#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "gen.h"
#include "text/linemap.h"

static void an_edit_is_counted_once(void **state)
{
	struct linemap *m = linemap_new(100);

	(void)state;
	linemap_splice(m, 10, 0, 1);
	linemap_splice(m, 5, 0, 2);
	assert_int_equal(linemap_now(m, 20), 23);
	assert_int_equal(linemap_now(m, 5), 7);
	assert_int_equal(linemap_now(m, 4), 4);
	assert_int_equal(linemap_now(m, 100), 103);
	assert_int_equal(linemap_lines(m), 103);
	linemap_free(m);
}

static void lines_that_were_replaced_are_gone(void **state)
{
	struct linemap *m = linemap_new(6);

	(void)state;
	linemap_splice(m, 2, 2, 2);
	assert_int_equal(linemap_now(m, 1), 1);
	assert_true(linemap_now(m, 2) == LINEMAP_GONE);
	assert_true(linemap_now(m, 3) == LINEMAP_GONE);
	assert_int_equal(linemap_now(m, 4), 4);
	linemap_splice(m, 0, 6, 0);
	assert_true(linemap_now(m, 0) == LINEMAP_GONE);
	assert_int_equal(linemap_now(m, 6), 0);
	linemap_splice(m, 0, 0, 3);
	assert_int_equal(linemap_now(m, 6), 3);
	linemap_free(m);
}

static void insertions_at_one_line_keep_their_order(void **state)
{
	struct linemap *m = linemap_new(3);

	(void)state;
	linemap_splice(m, linemap_now(m, 1), 0, 2);
	linemap_splice(m, linemap_now(m, 1), 0, 1);
	assert_int_equal(linemap_now(m, 0), 0);
	assert_int_equal(linemap_now(m, 1), 4);
	linemap_free(m);
}

/* The current text as an array: the original number of each line, or that it was added. */
struct model {
	size_t *line;
	size_t n;
};

static void model_splice(struct model *m, size_t at, size_t removed, size_t added)
{
	memmove(m->line + at + added, m->line + at + removed,
		(m->n - at - removed) * sizeof(*m->line));
	for (size_t i = 0; i < added; i++)
		m->line[at + i] = LINEMAP_GONE;
	m->n = m->n - removed + added;
}

static void like_an_array_of_lines(void **state)
{
	struct gen g = { 20261121 };

	(void)state;
	for (int round = 0; round < 60; round++) {
		size_t lines = gen_below(&g, 60), now[61];
		struct linemap *m = linemap_new(lines);
		struct model model = { mem_new(1000 * sizeof(size_t)), lines + 1 };

		for (size_t i = 0; i <= lines; i++)
			model.line[i] = i;
		for (int step = 0; step < 60; step++) {
			size_t at = gen_below(&g, model.n);
			size_t removed = gen_below(&g, (model.n - at < 5 ? model.n - at : 5));
			size_t added = gen_below(&g, 6);

			linemap_splice(m, at, removed, added);
			model_splice(&model, at, removed, added);
			memset(now, 0xff, sizeof(now));
			for (size_t i = 0; i < model.n; i++)
				if (model.line[i] != LINEMAP_GONE)
					now[model.line[i]] = i;
			for (size_t i = 0; i <= lines; i++)
				assert_true(linemap_now(m, i) == now[i]);
			assert_int_equal(linemap_lines(m), model.n - 1);
		}
		linemap_free(m);
		free(model.line);
	}
}

/* As many as there are in a large request; were one of them to cost as much as there are splices,
 * this would be the test that never ends. */
static void many_splices(void **state)
{
	struct linemap *m = linemap_new(2000000);
	size_t at;

	(void)state;
	for (size_t i = 0; i < 400000; i++) {
		at = linemap_now(m, i * 5);
		assert_int_equal(at, i * 6);
		linemap_splice(m, at, 1, 2);
	}
	for (size_t i = 0; i < 400000; i++)
		assert_int_equal(linemap_now(m, i * 5 + 1), i * 6 + 2);
	linemap_free(m);
	m = linemap_new(600000);
	for (size_t i = 0; i < 200000; i++)
		linemap_splice(m, linemap_now(m, i * 3), 1, 0);
	for (size_t i = 0; i < 200000; i++)
		assert_int_equal(linemap_now(m, i * 3 + 1), i * 2);
	linemap_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_edit_is_counted_once),
		cmocka_unit_test(lines_that_were_replaced_are_gone),
		cmocka_unit_test(insertions_at_one_line_keep_their_order),
		cmocka_unit_test(like_an_array_of_lines),
		cmocka_unit_test(many_splices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
