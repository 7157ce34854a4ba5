// links: full
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "shown_rig.h"

static void what_came_behind_a_mark_was_not_seen(void **state)
{
	struct shown_texts *s = shown_texts_new(1000000);
	const char *was = "a\nb\nc\n", *now = "a\nx\ny\nc\n";

	(void)state;
	shown_texts_note(s, FILE_PATH, str_of(was), 1, SHOWN_END);
	shown_texts_mark(s, 1);
	change(s, was, now);
	for (int i = 0; i < 2; i++) {
		shown_texts_back(s, 1);
		assert_int_equal(carried(s, was, 3, 1), 3);
		assert_int_equal(carried(s, now, 3, 1), 4);
		assert_int_equal(carried(s, now, 2, 1), 0);
		shown_texts_forget(s, FILE_PATH);
		assert_int_equal(carried(s, now, 3, 1), 3);
	}
	shown_texts_move(s, FILE_PATH, "/p/b.c");
	shown_texts_back(s, 1);
	assert_true(shown_texts_has(s, FILE_PATH));
	assert_false(shown_texts_has(s, "/p/b.c"));
	shown_texts_free(s);
}

static void behind_a_place_without_a_mark_it_has_to_read_again(void **state)
{
	struct shown_texts *s = shown_texts_new(1000000);
	const char *was = "a\nb\n", *now = "x\na\nb\n";

	(void)state;
	shown_texts_mark(s, 1);
	shown_texts_note(s, FILE_PATH, str_of(was), 1, SHOWN_END);
	shown_texts_mark(s, 3);
	shown_texts_back(s, 2);
	assert_int_equal(carried(s, now, 1, 1), 0);
	shown_texts_back(s, 3); /* that is behind it, and forgotten */
	assert_int_equal(carried(s, now, 1, 1), 0);
	shown_texts_back(s, 1);
	assert_false(shown_texts_has(s, FILE_PATH));
	shown_texts_free(s);
}

static void the_first_marks_go_where_there_is_no_room(void **state)
{
	struct shown_texts *s = shown_texts_new(20000);
	struct buf was SCOPED(buf_release) = BUF_INIT;

	(void)state;
	for (size_t i = 1; i <= 1000; i++)
		buf_addf(&was, "line %zu\n", i);
	shown_texts_note(s, FILE_PATH, buf_str(&was), 1, SHOWN_END);
	for (size_t place = 1; place <= 3; place++)
		shown_texts_mark(s, place);
	shown_texts_back(s, 2);
	assert_true(shown_texts_has(s, FILE_PATH));
	shown_texts_back(s, 1);
	assert_false(shown_texts_has(s, FILE_PATH));
	assert_int_equal(carried(s, "x\n", 1, 1), 0);
	shown_texts_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_came_behind_a_mark_was_not_seen),
		cmocka_unit_test(behind_a_place_without_a_mark_it_has_to_read_again),
		cmocka_unit_test(the_first_marks_go_where_there_is_no_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
