// links: full
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "shown_rig.h"

#define MOST 1000000

/* What another process knows, where the file has that text; NULL: it is gone. */
static struct shown_texts *again(struct shown_texts *s, const char *now)
{
	struct shown_texts *other = shown_texts_new(MOST);
	struct str text = str_of(now ? now : "");
	json *kept SCOPED(json_release) = shown_texts_kept(s, 0);

	json_each(row, kept) {
		char *path SCOPED(mem_release) = json_dup(row, "file");

		shown_texts_restore(other, path, row, now ? &text : NULL);
	}
	shown_texts_free(s);
	return other;
}

static void the_same_text_needs_no_reading(void **state)
{
	struct shown_texts *s = shown_texts_new(MOST);

	(void)state;
	shown_texts_note(s, FILE_PATH, STR("a\nb\nc\n"), 1, SHOWN_END);
	s = again(again(s, "a\nb\nc\n"), "a\nb\nc\n");
	assert_int_equal(carried(s, "a\nb\nc\n", 2, 1), 2);
	assert_int_equal(carried(s, "x\na\nb\nc\n", 2, 1), 3); /* it is known again */
	assert_int_equal(carried(s, "a\nx\nc\n", 2, 1), 0);
	shown_texts_free(s);
}

static void another_text_has_to_be_read(void **state)
{
	struct shown_texts *s = shown_texts_new(MOST);

	(void)state;
	shown_texts_note(s, FILE_PATH, STR("a\nb\nc\n"), 2, 2);
	s = again(again(s, "x\na\nb\nc\n"), NULL);
	for (size_t line = 1; line <= 5; line++)
		assert_int_equal(carried(s, "x\na\nb\nc\n", line, 1), 0);
	shown_texts_note(s, FILE_PATH, STR("x\na\nb\nc\n"), 3, 3);
	assert_int_equal(carried(s, "x\na\nb\nc\n", 3, 1), 3);
	assert_int_equal(carried(s, "x\na\nb\nc\n", 4, 1), 0);
	shown_texts_free(s);
}

#define WAS "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n"
#define NOW "1\ntwo\nmore\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n"

/* As it was before: whatever is taken then was taken already, and means the same. */
static void behind_a_change_no_number_means_more_than_it_did(void **state)
{
	struct shown_texts *s = shown_texts_new(MOST), *other;
	size_t taken = 0;

	(void)state;
	shown_texts_note(s, FILE_PATH, STR(WAS), 1, SHOWN_END);
	change(s, WAS, NOW);
	other = shown_texts_new(MOST);
	shown_texts_note(other, FILE_PATH, STR(WAS), 1, SHOWN_END);
	change(other, WAS, NOW);
	s = again(s, NOW);
	for (size_t line = 1; line <= 16; line++) {
		size_t at = carried(s, NOW, line, 1);

		taken += at != 0;
		assert_true(!at || at == carried(other, NOW, line, 1));
		assert_true(!at || at == line);
	}
	assert_in_range(taken, 1, 14);
	assert_int_equal(carried(s, NOW, 12, 1), 0);
	shown_texts_free(s);
	shown_texts_free(other);
}

static void a_change_that_keeps_the_lines_leaves_no_doubt(void **state)
{
	struct shown_texts *s = shown_texts_new(MOST);

	(void)state;
	shown_texts_note(s, FILE_PATH, STR("a\nb\nc\n"), 1, SHOWN_END);
	change(s, "a\nb\nc\n", "x\nb\nc\n");
	s = again(s, "x\nb\nc\n");
	assert_int_equal(carried(s, "x\nb\nc\n", 3, 1), 3);
	shown_texts_free(s);
}

static void what_was_given_up_stays_so(void **state)
{
	struct shown_texts *s = shown_texts_new(MOST);

	(void)state;
	shown_texts_note(s, FILE_PATH, STR("a\nb\n"), 1, SHOWN_END);
	shown_texts_back(s, 1); /* no such mark */
	s = again(s, "a\nb\n");
	assert_int_equal(carried(s, "a\nb\n", 1, 1), 0);
	shown_texts_free(s);

	s = shown_texts_new(1); /* no room */
	shown_texts_note(s, FILE_PATH, STR("a\nb\n"), 1, SHOWN_END);
	s = again(s, "a\nb\n");
	assert_int_equal(carried(s, "a\nb\n", 1, 1), 1);
	assert_int_equal(carried(s, "x\nb\n", 1, 1), 0);
	shown_texts_free(s);
}

static void only_what_is_new_is_kept_again(void **state)
{
	struct shown_texts *s = shown_texts_new(MOST);
	uint64_t moment;
	json *kept;

	(void)state;
	shown_texts_note(s, FILE_PATH, STR("a\n"), 1, SHOWN_END);
	moment = shown_texts_now(s);
	shown_texts_note(s, "/p/b.c", STR("b\n"), 1, SHOWN_END);
	kept = shown_texts_kept(s, moment);
	assert_int_equal(json_len(kept), 1);
	assert_true(str_eq(json_get_str(json_first(kept), "file"), STR("/p/b.c")));
	json_free(kept);
	shown_texts_move(s, FILE_PATH, "/p/c.c");
	kept = shown_texts_kept(s, moment + 1);
	assert_true(str_eq(json_get_str(json_first(kept), "file"), STR("/p/c.c")));
	json_free(kept);
	shown_texts_free(s);
}

static void in_doubt_no_file_is_known(void **state)
{
	struct shown_texts *s = shown_texts_new(MOST);

	(void)state;
	assert_int_equal(carried(s, "a\n", 1, 1), 1);
	shown_texts_doubt(s);
	assert_int_equal(carried(s, "a\n", 1, 1), 0);
	shown_texts_note(s, FILE_PATH, STR("a\n"), 1, SHOWN_END);
	assert_int_equal(carried(s, "a\n", 1, 1), 1);
	shown_texts_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_text_needs_no_reading),
		cmocka_unit_test(another_text_has_to_be_read),
		cmocka_unit_test(behind_a_change_no_number_means_more_than_it_did),
		cmocka_unit_test(a_change_that_keeps_the_lines_leaves_no_doubt),
		cmocka_unit_test(what_was_given_up_stays_so),
		cmocka_unit_test(only_what_is_new_is_kept_again),
		cmocka_unit_test(in_doubt_no_file_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
