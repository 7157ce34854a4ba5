#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "gen.h"
#include "wire/sse.h"

struct seen {
	struct buf out;
	size_t most; /* events that are wanted; 0: all */
	size_t n;
};

static bool on_event(void *arg, struct str name, struct str data, struct err *e)
{
	struct seen *seen = arg;

	buf_addf(&seen->out, "[%.*s|%.*s]", STR_ARG(name), STR_ARG(data));
	if (++seen->n == seen->most)
		return err_set(e, ERR_CANCELLED, "enough");
	return true;
}

static bool feed_copy(struct sse *s, struct str piece, struct seen *seen, struct err *e)
{
	char *copy = mem_copy(piece.p, piece.n ? piece.n : 1);
	bool ok = sse_feed(s, (struct str){ copy, piece.n }, on_event, seen, e);

	free(copy);
	return ok;
}

/* Cut in three at every two places, so that a CR may end one piece and an LF be one. */
static void assert_events(const char *text, const char *events, bool cut)
{
	struct str stream = str_of(text);

	for (size_t a = 0; a <= stream.n; a++)
		for (size_t b = a; b <= stream.n; b++) {
			struct sse s = { .limit = 1000 };
			struct seen seen = { 0 };
			struct err e = ERR_INIT;

			assert_true(feed_copy(&s, str_sub(stream, 0, a), &seen, &e));
			assert_true(feed_copy(&s, str_sub(stream, a, b), &seen, &e));
			assert_true(feed_copy(&s, str_sub(stream, b, stream.n), &seen, &e));
			assert_text(buf_str(&seen.out), str_of(events));
			assert_int_equal(sse_is_cut(&s), cut);
			buf_release(&seen.out);
			sse_release(&s);
		}
}

static void lines_end_with_lf_crlf_or_cr(void **state)
{
	(void)state;
	assert_events("data: a\n\ndata: b\n\n", "[|a][|b]", false);
	assert_events("data: a\r\n\r\ndata: b\r\n\r\n", "[|a][|b]", false);
	assert_events("data: a\r\rdata: b\r\r", "[|a][|b]", false);
	assert_events("data: a\r\n\ndata: b\n\r\n", "[|a][|b]", false);
}

static void fields_are_read_as_the_standard_says(void **state)
{
	(void)state;
	assert_events("event: x\ndata:  two\ndata: lines\n\n", "[x| two\nlines]", false);
	assert_events("data\n\n", "[|]", false);
	assert_events(": comment\nid: 7\nretry: 9\ndata:a\nunknown: b\n\n", "[|a]", false);
	assert_events("event: lost\n\ndata: a\n\n", "[|a]", false);
	assert_events("\xef\xbb\xbf"
		      "data: a\n\n",
		      "[|a]", false);
	assert_events("\n\n\n", "", false);
	assert_events("data: \xf0\x9f\x98\x80\n\n", "[|\xf0\x9f\x98\x80]", false);
}

static void an_event_without_its_end_is_cut(void **state)
{
	(void)state;
	assert_events("data: a\n\ndata: b", "[|a]", true);
	assert_events("data: a\n", "", true);
	assert_events("da", "", true);
}

static void one_that_is_too_long_is_refused(void **state)
{
	static const char *const longer[] = { "data: 0123456789\n\n", "data: 01\ndata: 23456\n\n",
					      "event: 0123456789\n\n", ": 01234567890" };

	(void)state;
	for (size_t i = 0; i < sizeof(longer) / sizeof(longer[0]); i++)
		for (int bytewise = 0; bytewise < 2; bytewise++) {
			struct sse s = { .limit = 12 };
			struct seen seen = { 0 };
			struct err e = ERR_INIT;
			struct str all = str_of(longer[i]);
			bool ok = true;

			for (size_t k = 0; ok && bytewise && k < all.n; k++)
				ok = feed_copy(&s, str_sub(all, k, k + 1), &seen, &e);
			if (!bytewise)
				ok = feed_copy(&s, all, &seen, &e);
			assert_false(ok);
			assert_int_equal(e.code, ERR_LIMIT);
			assert_int_equal(seen.n, 0);
			sse_release(&s);
			buf_release(&seen.out);
		}
}

static void who_has_enough_ends_it(void **state)
{
	struct sse s = { .limit = 1000 };
	struct seen seen = { .most = 1 };
	struct err e = ERR_INIT;

	(void)state;
	assert_false(feed_copy(&s, STR("data: a\n\ndata: b\n\n"), &seen, &e));
	assert_int_equal(e.code, ERR_CANCELLED);
	assert_text(buf_str(&seen.out), STR("[|a]"));
	buf_release(&seen.out);
	sse_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_end_with_lf_crlf_or_cr),
		cmocka_unit_test(fields_are_read_as_the_standard_says),
		cmocka_unit_test(an_event_without_its_end_is_cut),
		cmocka_unit_test(one_that_is_too_long_is_refused),
		cmocka_unit_test(who_has_enough_ends_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
