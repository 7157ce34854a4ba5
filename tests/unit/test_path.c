#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/path.h"
#include "gen.h"

static void normal(const char *base, const char *path, const char *want)
{
	struct buf out = BUF_INIT;
	char *joined = path_join(base, path);

	path_normal(&out, base, str_of(path));
	assert_text(buf_str(&out), str_of(want));
	assert_string_equal(joined, want);
	free(joined);
	buf_release(&out);
}

static void paths_become_normal(void **state)
{
	(void)state;
	normal("/w", "a.c", "/w/a.c");
	normal("/w/", "./src//a.c", "/w/src/a.c");
	normal("/w", "../x/./y/", "/x/y");
	normal("/w", "/abs", "/abs");
	normal("/w", "", "/w");
	normal("/w", ".", "/w");
	normal("/w", "..", "/");
	normal("/w", "../../../etc", "/etc");
	normal("/", "..", "/");
	normal("/", "a", "/a");
	normal("/w", "a/b/../..", "/w");
	normal("/w", "...", "/w/...");
	normal("/w", "..a/.b", "/w/..a/.b");
	normal("/w/x", "a\n b\xff", "/w/x/a\n b\xff");
}

static void embedded_of_paths(void **state)
{
	(void)state;
	assert_text(path_base(STR("/a/b/c.h")), STR("c.h"));
	assert_text(path_base(STR("c.h")), STR("c.h"));
	assert_text(path_dir(STR("/a/b/c.h")), STR("/a/b"));
	assert_text(path_dir(STR("/a")), STR("/"));
	assert_text(path_dir(STR("a")), STR("."));
	assert_text(path_ext(STR("/a.b/c.h")), STR("h"));
	assert_text(path_ext(STR("/a.b/c")), STR(""));
	assert_text(path_ext(STR(".profile")), STR(""));
	assert_text(path_ext(STR("x.tar.gz")), STR("gz"));
}

static void below_is_by_whole_components(void **state)
{
	(void)state;
	assert_true(path_below(STR("/a"), STR("/a")));
	assert_true(path_below(STR("/a"), STR("/a/b")));
	assert_false(path_below(STR("/a"), STR("/ab")));
	assert_false(path_below(STR("/a/b"), STR("/a")));
	assert_true(path_below(STR("/"), STR("/a")));
	assert_text(path_shown(STR("/a"), STR("/a/b/c")), STR("b/c"));
	assert_text(path_shown(STR("/a"), STR("/ab")), STR("/ab"));
	assert_text(path_shown(STR("/a"), STR("/a")), STR("/a"));
	assert_text(path_shown(STR("/"), STR("/a")), STR("a"));
	assert_text(path_shown(STR(""), STR("/a")), STR("/a"));
}

static void from_uri(const char *uri, const char *want)
{
	struct buf out = BUF_INIT;
	struct err e = ERR_INIT;

	if (want) {
		assert_true(uri_to_path(&out, str_of(uri), &e));
		assert_text(buf_str(&out), str_of(want));
	} else {
		assert_false(uri_to_path(&out, str_of(uri), &e));
		assert_int_not_equal(e.code, ERR_OK);
		assert_non_null(strstr(e.msg, uri));
		assert_int_equal(out.n, 0);
	}
	buf_release(&out);
}

static void uris_are_decoded(void **state)
{
	(void)state;
	from_uri("file:///a/b.c", "/a/b.c");
	from_uri("file://localhost/a", "/a");
	from_uri("file:///a%20b/%C3%A9%c3%a9", "/a b/\xc3\xa9\xc3\xa9");
	from_uri("file:///a/../b/./c", "/b/c");
	from_uri("file:///a/%2e%2E/b", "/b");
	from_uri("file:///", "/");
	from_uri("file:///a%25", "/a%");
	from_uri("http://a/b", NULL);
	from_uri("file://host/a", NULL);
	from_uri("file://localhostile/a", NULL);
	from_uri("file:a", NULL);
	from_uri("", NULL);
	from_uri("file:///a%", NULL);
	from_uri("file:///a%2", NULL);
	from_uri("file:///a%zz", NULL);
	from_uri("file:///a%00b", NULL);
}

/* jscan_str() lets one through; a path would end there. */
static void a_uri_with_a_nul_is_refused(void **state)
{
	struct buf out = BUF_INIT;
	struct err e = ERR_INIT;

	(void)state;
	assert_false(uri_to_path(&out, STR("file:///a\0b"), &e));
	assert_int_equal(e.code, ERR_PROTOCOL);
	assert_int_equal(out.n, 0);
}

/* Each byte but NUL, in a name of its own and in a random path. */
static void uris_round_trip(void **state)
{
	struct gen g = { 12 };

	(void)state;
	for (int round = 0; round < 2000; round++) {
		struct buf path = BUF_INIT, uri = BUF_INIT, back = BUF_INIT;
		struct err e = ERR_INIT;
		size_t n = 1 + gen_below(&g, 12);

		buf_addc(&path, '/');
		if (round < 255 && round + 1 != '.' && round + 1 != '/')
			buf_addc(&path, (char)(round + 1));
		else
			while (n--)
				buf_addc(&path, (char)(1 + gen_below(&g, 255)));
		path_normal(&back, "/", buf_str(&path));
		buf_release(&path);
		path = back;
		back = (struct buf)BUF_INIT;
		uri_from_path(&uri, buf_str(&path));
		for (size_t i = 0; i < uri.n; i++)
			assert_in_range((unsigned char)uri.p[i], '!', '~');
		assert_true(uri_to_path(&back, buf_str(&uri), &e));
		assert_text(buf_str(&back), buf_str(&path));
		buf_release(&path);
		buf_release(&uri);
		buf_release(&back);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_become_normal),		cmocka_unit_test(embedded_of_paths),
		cmocka_unit_test(below_is_by_whole_components), cmocka_unit_test(uris_are_decoded),
		cmocka_unit_test(a_uri_with_a_nul_is_refused),	cmocka_unit_test(uris_round_trip),
	};

	return cmocka_run_group_tests_name("path", tests, NULL, NULL);
}
