// links: full
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "nvim/chat_frames.h"

#define FRAMES 4096

/* A screen that notes when it was drawn, and what it shows: thoughts in brackets. */
struct screen {
	struct buf text;
	uint64_t now, at[FRAMES];
	size_t frames;
	bool thought;
};

static void show(void *self, struct buf *text, bool thought)
{
	struct screen *s = self;

	if (thought != s->thought)
		buf_add(&s->text, thought ? STR("[") : STR("]"));
	s->thought = thought;
	buf_add(&s->text, buf_str(text));
	buf_release(text);
}

static void draw(struct chat_frames *f, struct screen *s)
{
	assert_true(s->frames < FRAMES);
	s->at[s->frames++] = s->now;
	chat_frames_show(f, s->now, show, s);
}

static void let_pass(struct chat_frames *f, struct screen *s, uint64_t ms)
{
	for (uint64_t end = s->now + ms; s->now < end; s->now++)
		if (chat_frames_due(f) <= s->now)
			draw(f, s);
}

static size_t most_in_a_second(const struct screen *s)
{
	size_t most = 0;

	for (size_t first = 0, i = 0; i < s->frames; i++) {
		while (s->at[i] - s->at[first] >= 1000)
			first++;
		if (i - first + 1 > most)
			most = i - first + 1;
	}
	return most;
}

/* A piece each millisecond; each third one is a thought. */
static void at_most_30_a_second(void **state)
{
	struct chat_frames f = { 0 };
	struct screen s = { .now = 5 };
	struct buf want = BUF_INIT;

	(void)state;
	for (int i = 0; i < 9999; i++) {
		bool thought = i % 3 == 1;
		struct buf word = BUF_INIT;

		buf_addf(&word, "%d ", i);
		chat_frames_add(&f, buf_str(&word), thought);
		buf_addf(&want, thought ? "[%d ]" : "%d ", i);
		buf_release(&word);
		let_pass(&f, &s, 1);
	}
	let_pass(&f, &s, 100);
	assert_int_equal(most_in_a_second(&s), 30);
	assert_string_equal(buf_str(&s.text).p, buf_str(&want).p);
	assert_true(chat_frames_due(&f) == UINT64_MAX);
	chat_frames_release(&f);
	buf_release(&want);
	buf_release(&s.text);
}

static void the_first_at_once_and_each_after_a_pause(void **state)
{
	struct chat_frames f = { 0 };
	struct screen s = { .now = 7 };

	(void)state;
	chat_frames_add(&f, STR(""), true);
	assert_true(chat_frames_due(&f) == UINT64_MAX);
	chat_frames_add(&f, STR("a"), false);
	let_pass(&f, &s, 1);
	assert_string_equal(buf_str(&s.text).p, "a");
	chat_frames_add(&f, STR("b"), false);
	chat_frames_add(&f, STR("c"), false);
	let_pass(&f, &s, FRAME_MS - 1);
	assert_string_equal(buf_str(&s.text).p, "a");
	let_pass(&f, &s, 1);
	assert_string_equal(buf_str(&s.text).p, "abc");
	let_pass(&f, &s, FRAME_MS);
	chat_frames_add(&f, STR("d"), false);
	let_pass(&f, &s, 1);
	assert_string_equal(buf_str(&s.text).p, "abcd");
	assert_int_equal(s.frames, 3);
	chat_frames_add(&f, STR("never shown"), false);
	chat_frames_release(&f);
	buf_release(&s.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(at_most_30_a_second),
		cmocka_unit_test(the_first_at_once_and_each_after_a_pause),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
