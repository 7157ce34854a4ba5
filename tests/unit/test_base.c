#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/plain.h"
#include "base/utf.h"
#include "gen.h"

static void strings_compare(void **state)
{
	struct str s = STR("src/a.c");

	(void)state;
	assert_true(str_eq(STR("a"), STR("a")));
	assert_false(str_eq(STR("a"), STR("ab")));
	assert_true(str_eq((struct str){ NULL, 0 }, STR("")));
	assert_true(str_cmp(STR("a"), STR("ab")) < 0);
	assert_true(str_cmp(STR("b"), STR("ab")) > 0);
	assert_true(str_cmp(STR("\x7f"), STR("\xc3\xa9")) < 0);
	assert_int_equal(str_cmp(STR("ab"), STR("ab")), 0);
	assert_true(str_starts(s, STR("src/")));
	assert_false(str_starts(STR("sr"), STR("src/")));
	assert_true(str_ends(s, STR(".c")));
	assert_false(str_ends(STR("c"), STR(".c")));
	assert_false(str_skip(&s, STR("lib/")));
	assert_true(str_skip(&s, STR("src/")));
	assert_text(s, STR("a.c"));
	assert_text(str_trim(STR(" \t\r\n a b \v\f")), STR("a b"));
	assert_text(str_trim(STR(" \n")), STR(""));
	assert_int_equal(str_of(NULL).n, 0);
}

static void strings_are_found(void **state)
{
	(void)state;
	assert_int_equal(str_find(STR("abcabd"), STR("abd")), 3);
	assert_int_equal(str_find(STR("abc"), STR("abcd")), -1);
	assert_int_equal(str_find(STR("abc"), STR("")), 0);
	assert_int_equal(str_find(STR("a\0b"), STR("\0b")), 1);
	assert_int_equal(str_find(STR(""), STR("x")), -1);
}

static void lines_come_without_their_ends(void **state)
{
	struct str rest = STR("a\r\n\nb\rc\r\nlast"), line;

	(void)state;
	assert_true(str_line(&rest, &line));
	assert_text(line, STR("a"));
	assert_true(str_line(&rest, &line));
	assert_text(line, STR(""));
	assert_true(str_line(&rest, &line));
	assert_text(line, STR("b\rc"));
	assert_true(str_line(&rest, &line));
	assert_text(line, STR("last"));
	assert_false(str_line(&rest, &line));
	rest = STR("x\n");
	assert_true(str_line(&rest, &line));
	assert_false(str_line(&rest, &line));
}

static void common_parts_are_measured(void **state)
{
	char a[300], b[300];

	(void)state;
	assert_int_equal(str_common(STR(""), STR("a")), 0);
	assert_int_equal(str_common(STR("ab"), STR("abc")), 2);
	assert_int_equal(str_common_end(STR("bc"), STR("abc")), 2);
	assert_int_equal(str_common_end(STR("abx"), STR("ab")), 0);
	memset(a, 'x', sizeof(a));
	for (size_t at = 0; at < sizeof(a); at++) {
		memset(b, 'x', sizeof(b));
		b[at] = 'y';
		assert_int_equal(str_common((struct str){ a, 300 }, (struct str){ b, 300 }), at);
		assert_int_equal(str_common_end((struct str){ a, 300 }, (struct str){ b, 300 }),
				 299 - at);
		assert_int_equal(str_common((struct str){ a, at }, (struct str){ b, 300 }), at);
	}
}

static void bytes_are_counted(void **state)
{
	char text[5000];
	size_t want[2] = { 0, 0 };

	(void)state;
	assert_int_equal(str_count(STR(""), 'x'), 0);
	for (size_t i = 0; i < sizeof(text); i++) {
		struct str s = { text, i };

		assert_int_equal(str_count(s, '\n'), want[0]);
		assert_int_equal(str_count(s, '\xff'), want[1]);
		/* neighbours of the byte, and it itself many times in a row */
		text[i] = "\n\v\t\n\x8a\xff\0"[i < 2500 ? i % 7 : i < 4900 ? 0 : 5];
		want[0] += text[i] == '\n';
		want[1] += text[i] == '\xff';
	}
}

static void texts_are_cut_at_whole_characters(void **state)
{
	static const char *const words[] = { "let", "", "const", NULL };
	struct str s = STR("a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80z");
	static const size_t ends[] = { 0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11 };

	(void)state;
	for (size_t most = 0; most < sizeof(ends) / sizeof(*ends); most++)
		assert_int_equal(str_cut(s, most).n, ends[most]);
	/* of what is no text no more is lost than a character may have */
	assert_int_equal(str_cut(STR("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80"), 9).n, 5);
	assert_int_equal(str_lines(STR("")), 0);
	assert_int_equal(str_lines(STR("a\nb")), 2);
	assert_int_equal(str_lines(STR("a\nb\n")), 2);
	assert_true(str_among(STR("const"), words));
	assert_false(str_among(STR("cons"), words));
	assert_false(str_among(STR(""), words)); /* no word */
	assert_true(str_same_word(STR("Esc"), "eSC"));
	assert_false(str_same_word(STR("Es"), "Esc"));
}

static void numbers_are_printed(void **state)
{
	static const uint64_t numbers[] = { 0, 9, 10, 12345, UINT64_MAX };
	struct buf out = BUF_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		buf_addn(&out, numbers[i]);
		buf_addc(&out, ' ');
	}
	assert_string_equal(out.p, "0 9 10 12345 18446744073709551615 ");
	buf_release(&out);
}

/* The table of all prefixes, as it stands in textbooks. */
static size_t naive_distance(struct str a, struct str b)
{
	size_t d[12][12];

	for (size_t i = 0; i <= a.n; i++)
		for (size_t j = 0; j <= b.n; j++) {
			size_t best = i + j;

			if (i && j)
				best = d[i - 1][j - 1] + (a.p[i - 1] != b.p[j - 1]);
			if (i && d[i - 1][j] + 1 < best)
				best = d[i - 1][j] + 1;
			if (j && d[i][j - 1] + 1 < best)
				best = d[i][j - 1] + 1;
			d[i][j] = best;
		}
	return d[a.n][b.n];
}

static void distances_are_right_up_to_the_bound(void **state)
{
	static const char *const letters[] = { "a", "b", "c" };
	struct gen g = { 8 };

	(void)state;
	assert_int_equal(str_distance(STR("rename"), STR("rename"), 3), 0);
	assert_int_equal(str_distance(STR("hoover"), STR("hover"), 3), 1);
	for (int i = 0; i < 20000; i++) {
		struct buf a = BUF_INIT, b = BUF_INIT;
		size_t most = gen_below(&g, 12), want, got;

		GEN_TEXT(&g, &a, letters, gen_below(&g, 11));
		GEN_TEXT(&g, &b, letters, gen_below(&g, 11));
		want = naive_distance(buf_str(&a), buf_str(&b));
		got = str_distance(buf_str(&a), buf_str(&b), most);
		assert_true(want <= most ? got == want : got > most);
		buf_release(&a);
		buf_release(&b);
	}
}

static void buffers_grow_and_end_with_nul(void **state)
{
	struct buf b = BUF_INIT;
	char *p;

	(void)state;
	assert_text(buf_str(&b), STR(""));
	buf_drop(&b, 0);
	buf_clear(&b);
	buf_addn(&b, 0);
	buf_addc(&b, ' ');
	buf_addn(&b, UINT64_MAX);
	assert_string_equal(b.p, "0 18446744073709551615");
	buf_clear(&b);
	for (int i = 0; i < 1000; i++)
		buf_addf(&b, "%d,", i);
	assert_int_equal(b.n, 3890);
	assert_int_equal(b.p[b.n], '\0');
	buf_drop(&b, 3886);
	assert_string_equal(b.p, "999,");
	buf_addc(&b, '\0');
	buf_add(&b, (struct str){ NULL, 0 });
	buf_adds(&b, NULL);
	assert_int_equal(b.n, 5);
	buf_clear(&b);
	memcpy(buf_room(&b, 3), "abc", 3);
	b.n += 3;
	buf_end(&b);
	p = buf_detach(&b);
	assert_string_equal(p, "abc");
	free(p);
	assert_null(b.p);
	p = buf_detach(&b);
	assert_string_equal(p, "");
	free(p);
	buf_release(&b);
	buf_release(&b);
}

static void arenas_keep_what_they_hold(void **state)
{
	struct arena a = { 0 };
	struct str s[500];

	(void)state;
	for (size_t i = 0; i < 500; i++) {
		char text[3000];
		unsigned char *zero = arena_new(&a, i);

		assert_int_equal((uintptr_t)zero % _Alignof(max_align_t), 0);
		for (size_t k = 0; k < i; k++)
			assert_int_equal(zero[k], 0);
		memset(zero, 0xff, i);
		memset(text, 'a' + (int)(i % 26), sizeof(text));
		s[i] = arena_str(&a, (struct str){ text, i * 17 % 3000 });
	}
	for (size_t i = 0; i < 500; i++) {
		assert_int_equal(s[i].p[s[i].n], '\0');
		for (size_t k = 0; k < s[i].n; k++)
			assert_int_equal(s[i].p[k], 'a' + (int)(i % 26));
	}
	arena_release(&a);
	arena_release(&a);
}

static void errors_gather_context(void **state)
{
	struct err e = ERR_INIT;
	char euros[601] = "";

	(void)state;
	while (strlen(euros) < 600)
		strcat(euros, "\xe2\x82\xac");
	assert_false(err_set(&e, ERR_CONFLICT, "edits %d and %d overlap", 1, 2));
	assert_false(err_in(&e, "src/%s", "a.c"));
	assert_string_equal(e.msg, "src/a.c: edits 1 and 2 overlap");
	assert_int_equal(e.code, ERR_CONFLICT);
	for (int i = 0; i < 100; i++)
		err_in(&e, "a longer and longer way to the cause");
	assert_true(strlen(e.msg) < sizeof(e.msg));
	assert_non_null(strstr(e.msg, "cause: src/a.c: edits 1 and 2 overlap"));
	for (int cut = 0; cut < 4; cut++) {
		err_set(&e, ERR_IO, "%.*sthe reason", cut, "xxx");
		err_in(&e, "%s", euros);
		assert_true(strlen(e.msg) < sizeof(e.msg));
		assert_memory_equal(e.msg, "\xe2\x82\xac", 3);
		assert_non_null(strstr(e.msg, "\xe2\x82\xac...\xe2\x82\xac"));
		assert_non_null(strstr(e.msg, "\xe2\x82\xac: "));
		assert_non_null(strstr(e.msg, "the reason"));
	}
	err_set(&e, ERR_IO, "%600s", "x");
	assert_int_equal(strlen(e.msg), sizeof(e.msg) - 1);
	for (int c = ERR_OK + 1; c < ERR_COUNT; c++) {
		assert_int_equal(err_from_rpc(err_rpc((enum err_code)c)), c);
		assert_string_not_equal(err_name((enum err_code)c), "unknown");
		for (int d = ERR_OK; d < c; d++)
			assert_string_not_equal(err_name((enum err_code)c),
						err_name((enum err_code)d));
	}
	assert_int_equal(err_from_rpc(-1), ERR_PEER);
}

static void utf8_round_trips(void **state)
{
	struct buf b = BUF_INIT;

	(void)state;
	for (uint32_t code = 0; code <= 0x10ffff; code++) {
		struct utf u;

		if (code >= 0xd800 && code < 0xe000)
			continue;
		buf_clear(&b);
		utf_put(&b, code);
		u = utf_at(buf_str(&b), 0);
		assert_true(u.ok && u.code == code && u.n == b.n);
		for (size_t cut = 1; cut < b.n; cut++)
			assert_false(utf_at(str_sub(buf_str(&b), 0, cut), 0).ok);
	}
	buf_release(&b);
}

static void bad(struct str s)
{
	struct utf u = utf_at(s, 0);

	assert_false(u.ok);
	assert_int_equal(u.n, 1);
	assert_int_equal(u.code, 0xfffd);
	assert_false(utf_clean(s));
}

static void utf8_that_is_none_is_one_byte(void **state)
{
	(void)state;
	bad(STR("\x80"));
	bad(STR("\xbf"
		"a"));
	bad(STR("\xc0\x80"));
	bad(STR("\xc1\xbf"));
	bad(STR("\xc3"));
	bad(STR("\xc3"
		"a"));
	bad(STR("\xe0\x9f\xbf"));
	bad(STR("\xed\xa0\x80"));
	bad(STR("\xf0\x8f\xbf\xbf"));
	bad(STR("\xf4\x90\x80\x80"));
	bad(STR("\xf5\x80\x80\x80"));
	bad(STR("\xff"));
	assert_true(utf_clean(STR("")));
	assert_true(utf_clean(STR("a\0\xc3\xa9\xf4\x8f\xbf\xbf")));
	assert_false(utf_clean(STR("abc\xc3")));
}

static void hashes_tell_texts_apart(void **state)
{
	(void)state;
	assert_true(hash_of(STR("a")) == hash_of(STR("a")));
	assert_true(hash_of(STR("a")) != hash_of(STR("b")));
	assert_true(hash_of(STR("")) == hash_of((struct str){ NULL, 0 }));
}

static void copies_are_whole(void **state)
{
	size_t cap = 0;
	int *v = NULL;
	char *s = mem_dup("a\0b", 3), *p = mem_copy(s, 4);

	(void)state;
	assert_memory_equal(p, "a\0b\0", 4);
	for (size_t i = 0; i < 1000; i++) {
		v = mem_grow(v, &cap, i + 1, sizeof(*v));
		v[i] = (int)i;
	}
	assert_int_equal(v[999], 999);
	assert_in_range(cap, 1000, 2000);
	free(s);
	free(p);
	free(v);
}

/* What a terminal would obey is shown, the rest is left as it is. */
static void plain_text_moves_no_cursor(void **state)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{ "\tint a; /* \xc3\xa9 \xe2\x82\xac */\n",
		  "\tint a; /* \xc3\xa9 \xe2\x82\xac */\n" },
		{ "\x1b[31mred\x1b[0m\x07", "<1b>[31mred<1b>[0m<07>" },
		{ "a\r\nb\rc\r", "a\r\nb<0d>c<0d>" },
		{ "\x7f \xc2\x9b"
		  "31m",
		  "<7f> <9b>31m" },
		{ "\x9b"
		  "2J \xff",
		  "<9b>2J <ff>" },
		{ "a\xe2\x80\xae b\xe2\x81\xa6 c\xd8\x9c", "a<202e> b<2066> c<61c>" },
		{ "\xf3\xa0\x81\x81", "<e0041>" },
	};
	struct buf out = BUF_INIT;
	struct err e = { ERR_IO, "a\x1b"
				 "b" };
	json *v, *plain;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		buf_clear(&out);
		plain_add(&out, str_of(rows[i].text));
		assert_string_equal(buf_str(&out).p, rows[i].want);
	}
	plain_err(&e);
	assert_string_equal(e.msg, "a<1b>b");
	v = json_parse(STR("{\"\\u001b\":[\"\\u001b[0m\",1,null,true]}"), &e);
	plain = plain_tree(v);
	buf_clear(&out);
	json_print(&out, plain);
	assert_string_equal(out.p, "{\"<1b>\":[\"<1b>[0m\",1,null,true]}");
	json_free(v);
	json_free(plain);
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strings_compare),
		cmocka_unit_test(strings_are_found),
		cmocka_unit_test(lines_come_without_their_ends),
		cmocka_unit_test(common_parts_are_measured),
		cmocka_unit_test(bytes_are_counted),
		cmocka_unit_test(texts_are_cut_at_whole_characters),
		cmocka_unit_test(numbers_are_printed),
		cmocka_unit_test(distances_are_right_up_to_the_bound),
		cmocka_unit_test(buffers_grow_and_end_with_nul),
		cmocka_unit_test(arenas_keep_what_they_hold),
		cmocka_unit_test(errors_gather_context),
		cmocka_unit_test(utf8_round_trips),
		cmocka_unit_test(utf8_that_is_none_is_one_byte),
		cmocka_unit_test(hashes_tell_texts_apart),
		cmocka_unit_test(copies_are_whole),
		cmocka_unit_test(plain_text_moves_no_cursor),
	};

	return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
