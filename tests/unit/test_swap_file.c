#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "edit/swap_file.h"

static void named(const char *entry, const char *path, const char *want)
{
	struct buf out = BUF_INIT;

	assert_int_equal(swap_name(str_of(entry), path, &out), want != NULL);
	assert_string_equal(buf_str(&out).p, want ? want : "");
	buf_release(&out);
}

static void names_as_vim_does(void **state)
{
	char path[400] = "/", want[400] = "/s/";

	(void)state;
	named(".", "/r/a.c", "/r/.a.c.sw");
	named(".", "/r/.a", "/r/.a.sw");
	named(".", "/a", "//.a.sw");
	named("./tmp", "/r/a.c", "/r/tmp/a.c.sw");
	named("/s/swap//", "/r/a%.c", "/s/swap/%r%a%.c.sw");
	named("/s", "/r/.a", "/s/.a.sw");
	named("/", "/r/a", "//a.sw");
	named("tmp", "/r/a", NULL);
	named("", "/r/a", NULL);
	memset(path + 1, 'x', 300);
	memset(want + 3, 'x', 250);
	strcat(want, ".sw");
	named("/s", path, want);
	want[3] = '%';
	named("/s//", path, want);
	assert_true(swap_name_is_exact(STR(".")));
	assert_true(swap_name_is_exact(STR("/s//")));
	assert_false(swap_name_is_exact(STR("/s")));
}

static void takes_directory_apart(void **state)
{
	struct str rest = STR(".,  /a\\,b//,,/c d,");
	struct buf out = BUF_INIT;

	(void)state;
	assert_true(swap_entry(&rest, &out));
	assert_string_equal(out.p, ".");
	assert_true(swap_entry(&rest, &out));
	assert_string_equal(out.p, "/a,b//");
	assert_true(swap_entry(&rest, &out));
	assert_string_equal(out.p, "/c d");
	assert_false(swap_entry(&rest, &out));
	buf_release(&out);
}

static void reads_a_head(void **state)
{
	char block[SWAP_HEAD] = "b0VIM 8.1";
	struct str all = { block, sizeof(block) };
	struct swap_head h;

	(void)state;
	memcpy(block + 24, "\x01\x02\x03\x00", 4);
	strcpy(block + 68, "host");
	strcpy(block + 108, "~me/r/a.c");
	assert_true(swap_read(all, &h));
	assert_int_equal(h.pid, 0x30201);
	assert_string_equal(h.host, "host");
	assert_false(h.modified);
	assert_true(swap_is_of(&h, "/home/me/r/a.c"));
	assert_false(swap_is_of(&h, "/home/me/r/b.c"));
	block[1007] = 0x55;
	memset(block + 24, 0xff, 44 + 40 + 898); /* nothing ends with a NUL */
	assert_true(swap_read(all, &h));
	assert_true(h.modified);
	assert_int_equal(h.pid, 0xffffffff);
	assert_int_equal(strlen(h.host), 40);
	assert_int_equal(strlen(h.file), 898);
	assert_false(swap_is_of(&h, "/r/a.c"));
	assert_false(swap_read((struct str){ block, sizeof(block) - 1 }, &h));
	block[1] = '1';
	assert_false(swap_read(all, &h));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_as_vim_does),
		cmocka_unit_test(takes_directory_apart),
		cmocka_unit_test(reads_a_head),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
