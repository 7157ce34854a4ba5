#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "gen.h"
#include "wire/lines_event.h"
#include "wire_play.h"

/* [buffer 3, tick 300, first 2, last 4, {"a\0b", "", "\xff"}, false] as Neovim sends it */
#define EVENT "\x96\xd4\x00\x03\xcd\x01\x2c\x02\x04\x93\xa3\x61\x00\x62\xa0\xa1\xff\xc2"

static void lines_are_read_in_place(void **state)
{
	static const char raw[] = EVENT;
	struct lines_event ev;
	struct str line, whole = { raw, sizeof(raw) - 1 };
	struct err e = ERR_INIT;

	(void)state;
	assert_true(lines_event_read(&ev, whole, &e));
	assert_int_equal(ev.buf, 3);
	assert_int_equal(ev.tick, 300);
	assert_int_equal(ev.first, 2);
	assert_int_equal(ev.last, 4);
	assert_int_equal(ev.lines, 3);
	assert_false(ev.more);
	assert_true(lines_event_next(&ev, &line));
	assert_int_equal(line.n, 3);
	assert_memory_equal(line.p, "a\0b", 3);
	assert_in_range((uintptr_t)line.p, (uintptr_t)raw, (uintptr_t)raw + sizeof(raw));
	assert_true(lines_event_next(&ev, &line));
	assert_int_equal(line.n, 0);
	assert_true(lines_event_next(&ev, &line));
	assert_memory_equal(line.p, "\xff", 1);
	assert_false(lines_event_next(&ev, &line));
	assert_false(lines_event_next(&ev, &line));
}

/* The whole text on attach: from 0 to the end, and more to come; a preview has no tick. */
static void an_attach_and_a_preview_are_told_apart(void **state)
{
	struct lines_event ev;
	struct str line;
	struct err e = ERR_INIT;

	(void)state;
	assert_true(lines_event_read(&ev, STR("\x96\x01\x05\x00\xff\x91\xa1x\xc3"), &e));
	assert_int_equal(ev.buf, 1);
	assert_int_equal(ev.tick, 5);
	assert_true(ev.last == SIZE_MAX);
	assert_true(ev.more);
	assert_true(lines_event_read(&ev, STR("\x96\x01\xc0\x02\x03\x90\xc2"), &e));
	assert_int_equal(ev.tick, -1);
	assert_int_equal(ev.lines, 0);
	assert_false(lines_event_next(&ev, &line));
}

static void what_is_no_event_is_refused(void **state)
{
	static const struct {
		struct str raw;
		const char *says;
	} bad[] = {
		{ { "\xc0", 1 }, "array" },
		{ { "\x95\x01\x05\x00\xff\x90", 6 }, "six arguments" },
		{ { "\x96\xa1x\x05\x00\xff\x90\xc2", 8 }, "expected an integer" },
		{ { "\x96\xd4\x00\xa0\x05\x00\xff\x90\xc2", 9 }, "expected an integer" },
		{ { "\x96\x01\x05\xff\xff\x90\xc2", 7 }, "line -1" },
		{ { "\x96\x01\x05\x00\xfe\x90\xc2", 7 }, "line -2" },
		{ { "\x96\x01\x05\x04\x03\x90\xc2", 7 }, "lines 4 to 3" },
		{ { "\x96\x01\x05\x00\xff\xa1x\xc2", 8 }, "array" },
		{ { "\x96\x01\x05\x00\xff\x91\x07\xc2", 8 }, "string" },
		{ { "\x96\x01\x05\x00\xff\xdd\xff\xff\xff\xff\xa1x", 12 }, "truncated" },
		{ { "\x96\x01\x05\x00\xff\x90\x01", 7 }, "true or false" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char *exact = mem_copy(bad[i].raw.p, bad[i].raw.n);
		struct lines_event ev;
		struct err e = ERR_INIT;

		assert_false(lines_event_read(&ev, (struct str){ exact, bad[i].raw.n }, &e));
		assert_int_equal(e.code, ERR_PROTOCOL);
		if (!strstr(e.msg, bad[i].says))
			fail_msg("%s: got %s", bad[i].says, e.msg);
		free(exact);
	}
}

static void every_cut_and_every_flipped_bit_is_survived(void **state)
{
	static const char raw[] = EVENT;
	size_t size = sizeof(raw) - 1;

	(void)state;
	for (size_t bit = 0; bit <= size * 8; bit++)
		for (size_t n = 0; n <= size; n++) {
			char *exact = mem_copy(raw, n);
			struct lines_event ev;
			struct str line;
			struct err e = ERR_INIT;
			bool ok;

			if (bit / 8 < n)
				exact[bit / 8] ^= (char)(1 << bit % 8);
			ok = lines_event_read(&ev, (struct str){ exact, n }, &e);
			if (ok)
				while (lines_event_next(&ev, &line))
					assert_true(line.p + line.n <= exact + n);
			/* only the bit past the end leaves the event whole */
			if (bit == size * 8)
				assert_int_equal(ok, n == size);
			free(exact);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_read_in_place),
		cmocka_unit_test(an_attach_and_a_preview_are_told_apart),
		cmocka_unit_test(what_is_no_event_is_refused),
		cmocka_unit_test(every_cut_and_every_flipped_bit_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
