// links: full
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <core/text_cache.h>
#include <io/disk.h>

static char path[] = "/tmp/oxide-texts-XXXXXX";
static struct text_cache texts;

static void put(const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0 && !fclose(f));
}

/* What reading tells of the file, as if it had lain for long. */
static struct fs_stat seen(void)
{
	struct fs_stat st;
	struct err e;

	assert_true(disk_fs()->stat(NULL, path, &st, &e));
	st.settled = true;
	return st;
}

static bool take(const char *want)
{
	struct buf text = BUF_INIT;
	struct fs_stat st = { .kind = FS_NONE };
	bool there = text_cache_take(&texts, path, &text, &st);

	if (there) {
		assert_string_equal(text.p, want);
		assert_true(st.settled && st.kind == FS_FILE);
	} else {
		assert_true(!text.n && st.kind == FS_NONE);
	}
	buf_release(&text);
	return there;
}

static int start(void **state)
{
	(void)state;
	texts = (struct text_cache){ .room = 8 };
	put("text");
	return 0;
}

static int end(void **state)
{
	(void)state;
	text_cache_release(&texts);
	return 0;
}

static void gives_each_once(void **state)
{
	struct fs_stat st = seen();

	(void)state;
	text_cache_keep(&texts, path, STR("text"), &st);
	assert_true(take("text"));
	assert_false(take("text"));
}

static void gives_none_of_a_file_that_was_touched(void **state)
{
	struct fs_stat st = seen();

	(void)state;
	text_cache_keep(&texts, path, STR("text"), &st);
	put("longer");
	assert_false(take("text"));
	st = seen();
	text_cache_keep(&texts, path, STR("longer"), &st);
	assert_int_equal(unlink(path), 0);
	assert_false(take("longer"));
}

static void keeps_what_can_be_told_apart(void **state)
{
	struct fs_stat st = seen();

	(void)state;
	st.settled = false;
	text_cache_keep(&texts, path, STR("text"), &st);
	assert_false(take("text"));
}

static void keeps_no_more_than_there_is_room(void **state)
{
	struct fs_stat st = seen();

	(void)state;
	text_cache_keep(&texts, "/none", STR("12345"), &st);
	text_cache_keep(&texts, path, STR("text"), &st);
	assert_false(take("text"));
	text_cache_keep(&texts, path, STR("123"), &st);
	assert_true(take("123"));
}

#define T(f) cmocka_unit_test_setup_teardown(f, start, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(gives_each_once),
		T(gives_none_of_a_file_that_was_touched),
		T(keeps_what_can_be_told_apart),
		T(keeps_no_more_than_there_is_room),
	};
	int fd = mkstemp(path), failed;

	if (fd < 0)
		return 1;
	close(fd);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return failed;
}
