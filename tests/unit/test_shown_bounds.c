// links: full
/* However much a client is shown and changes, what is known of a file stays small. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "gen.h"
#include "shown_rig.h"
#include "tool/shown_texts_impl.h"

#define MOST 100000000

static struct shown_texts *s;

static int start(void **state)
{
	(void)state;
	s = shown_texts_new(MOST);
	return 0;
}

static int end(void **state)
{
	(void)state;
	shown_texts_free(s);
	return 0;
}

/* Each range is looked at for each line that comes: one for each of the lines would be a square. */
static void test_lines_of_its_own_are_one_range(void **state)
{
	struct buf was = BUF_INIT, now = BUF_INIT;
	const struct shown_file *f;

	(void)state;
	buf_adds(&was, "first\n");
	buf_adds(&now, "first\n");
	for (int i = 0; i < 10000; i++) {
		buf_addf(&was, "old %d\n", i);
		buf_addf(&now, "new %d\n", i);
	}
	shown_texts_note(s, FILE_PATH, buf_str(&was), 1, SHOWN_END);
	change(s, was.p, now.p);
	f = shown_file_of(s, FILE_PATH);
	assert_int_equal(f->n, 2);
	assert_int_equal(f->v[1].ranges, 2); /* the other is what the answer shows */
	assert_true(view_covers(&f->v[1], 2, 10001, s->clock));
	buf_release(&was);
	buf_release(&now);
}

static void test_a_file_has_so_many_texts(void **state)
{
	struct shown_lines l = { .line = 1, .count = 1 };
	char text[32];

	(void)state;
	for (int i = 0; i < 3 * VIEWS_MOST; i++) {
		json *told = json_object();

		snprintf(text, sizeof(text), "line %d\n", i);
		shown_texts_explain(s, shown_texts_moment(s), FILE_PATH, "a.c", str_of(text), &l,
				    told);
		assert_in_range(shown_file_of(s, FILE_PATH)->n, 1, VIEWS_MOST);
		json_free(told);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, start, end)
		T(test_lines_of_its_own_are_one_range),
		T(test_a_file_has_so_many_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
