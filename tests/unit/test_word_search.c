// links: full
/* The search for a name in the files of a project: it ends when nobody wants it any more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/projects.h"
#include "core_rig.h"
#include "servers/word_search_impl.h"

static int over; /* how many searches are */

static int enter(void **state)
{
	(void)state;
	over = 0;
	return !core_begin("words") || !write_text(path_in(dir, "a.c"), "int one, two;\n") ||
	       !write_text(path_in(dir, "b.c"), "int one, two;\n");
}

static void on_over(void *arg)
{
	over++;
	if (arg)
		loop_stop(ox->loop);
}

static size_t uses(const struct word_search *m)
{
	size_t n;

	free(word_search_code(m, &n));
	return n;
}

static void one_that_is_cancelled_ends_without_a_look(void **state)
{
	struct word_search *m = word_search_start(ox, dir, STR("one"), "c");

	(void)state;
	word_search_cancel(m);
	word_search_cancel(m); /* once more is nothing */
	word_search_wait(m, on_over, ox);
	loop_run(ox->loop);
	assert_int_equal(over, 1);
	assert_int_equal(uses(m), 0);
	assert_false(word_search_whole(m));
	word_search_free(m);
}

static void another_in_the_same_walk_finds_all(void **state)
{
	struct word_search *m = word_search_start(ox, dir, STR("one"), "c");
	struct word_search *other = word_search_start(ox, dir, STR("two"), "c");

	(void)state;
	word_search_cancel(m);
	word_search_wait(m, on_over, NULL);
	word_search_wait(other, on_over, ox);
	loop_run(ox->loop);
	assert_int_equal(over, 2);
	assert_int_equal(uses(other), 2);
	assert_true(word_search_whole(other));
	word_search_cancel(other); /* that it was found stays */
	assert_int_equal(uses(other), 2);
	word_search_free(m);
	word_search_free(other);
}

static void it_ends_within_a_file(void **state)
{
	struct word_search *m = word_search_start(ox, dir, STR("one"), "c");
	struct hits all = { 0 }, cut = { 0 };

	(void)state;
	word_search_search(m, &all, path_in(dir, "a.c"), STR("one(one, one);\n"));
	assert_int_equal(all.n, 3);
	atomic_store(&m->walk->stop, true);
	word_search_search(m, &cut, path_in(dir, "a.c"), STR("one(one, one);\n"));
	assert_int_equal(cut.n, 0);
	hits_release(&all);
	hits_release(&cut);
	word_search_free(m);
}

#define in_a_project(test) cmocka_unit_test_setup_teardown(test, enter, core_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_a_project(one_that_is_cancelled_ends_without_a_look),
		in_a_project(another_in_the_same_walk_finds_all),
		in_a_project(it_ends_within_a_file),
	};

	return cmocka_run_group_tests_name("word_search", tests, NULL, NULL);
}
