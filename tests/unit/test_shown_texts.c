// links: full
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "gen.h"
#include "shown_rig.h"

static void put_numbered(struct buf *out, size_t from, size_t to)
{
	for (size_t i = from; i <= to; i++)
		buf_addf(out, "line %zu\n", i);
}

static void show(struct shown_texts *s, const char *text, size_t first, size_t last)
{
	shown_texts_note(s, FILE_PATH, str_of(text), first, last);
}

static void a_number_means_the_line_that_was_shown(void **state)
{
	struct shown_texts *s = shown_texts_new(1000000);
	const char *now = "new\na\nb\nC\nd\nlast\n";

	(void)state;
	assert_int_equal(carried(s, now, 3, 1), 3); /* never shown: the present text */
	show(s, "a\nb\nc\nd\n", 1, SHOWN_END);
	assert_int_equal(carried(s, now, 1, 1), 2);
	assert_int_equal(carried(s, now, 1, 2), 2);
	assert_int_equal(carried(s, now, 3, 1), 0); /* that very line has changed */
	assert_int_equal(carried(s, now, 2, 3), 0); /* and so has one of these */
	assert_int_equal(carried(s, now, 4, 1), 5);
	assert_int_equal(carried(s, now, 4, 0), 5); /* before the line */
	assert_int_equal(carried(s, now, 5, 0), 7); /* behind the last */
	assert_int_equal(carried(s, now, 5, 1), 0); /* no line of that text */
	show(s, now, 1, SHOWN_END);
	assert_int_equal(carried(s, now, 5, 1), 5);
	shown_texts_free(s);
}

static void of_another_part_all_readings_have_to_agree(void **state)
{
	struct shown_texts *s = shown_texts_new(1000000);
	const char *now = "x\na\nb\nc\nd\ne\nf\n";

	(void)state;
	show(s, "a\nb\nc\nd\ne\nf\n", 1, SHOWN_END);
	show(s, now, 1, 3);
	assert_int_equal(carried(s, now, 2, 1), 2);
	assert_int_equal(carried(s, now, 5, 1), 0);
	/* what stands before all that has moved is the same in both */
	show(s, "a\nb\nc\nd\ny\ne\nf\n", 5, 5);
	assert_int_equal(carried(s, "a\nb\nc\nd\ny\ne\nf\n", 5, 1), 5);
	shown_texts_free(s);
}

static void its_own_changes_may_have_been_counted_in(void **state)
{
	struct shown_texts *s = shown_texts_new(1000000);
	struct buf was = BUF_INIT, now = BUF_INIT;

	(void)state;
	put_numbered(&was, 1, 20);
	show(s, was.p, 1, SHOWN_END);
	/* one line for one: all numbers stay, and that line is the client's */
	put_numbered(&now, 1, 4);
	buf_adds(&now, "five\n");
	put_numbered(&now, 6, 20);
	change(s, was.p, now.p);
	assert_int_equal(carried(s, now.p, 5, 1), 5);
	assert_int_equal(carried(s, now.p, 19, 1), 19);
	/* a user's line above moves them, and the client need not know */
	buf_clear(&was);
	buf_addf(&was, "above\n%s", now.p);
	assert_int_equal(carried(s, was.p, 5, 1), 6);
	assert_int_equal(carried(s, was.p, 19, 1), 20);
	/* two lines for one: below, nobody knows which number is meant */
	buf_clear(&now);
	buf_adds(&now, "above\nline 1\nfirst\nsecond\n");
	put_numbered(&now, 3, 4);
	buf_adds(&now, "five\n");
	put_numbered(&now, 6, 20);
	change(s, was.p, now.p);
	assert_int_equal(carried(s, now.p, 12, 1), 0);
	/* and above, the diff has shown another line 1 than the client read */
	assert_int_equal(carried(s, now.p, 1, 1), 0);
	/* unless it is shown again */
	show(s, now.p, 10, 15);
	assert_int_equal(carried(s, now.p, 12, 1), 12);
	shown_texts_free(s);
	buf_release(&was);
	buf_release(&now);
}

static void a_round_is_seen_at_its_end(void **state)
{
	struct shown_texts *s = shown_texts_new(1000000);
	const char *was = "a\nb\nc\nd\n", *now = "x\ny\na\nb\nc\nd\n";

	(void)state;
	show(s, was, 1, SHOWN_END);
	shown_texts_round(s);
	change(s, was, now);
	show(s, now, 1, SHOWN_END);
	assert_int_equal(carried(s, now, 3, 1), 5); /* it has seen nothing of this yet */
	shown_texts_round(s);
	assert_int_equal(carried(s, now, 3, 1), 3);
	shown_texts_free(s);
}

static void what_is_not_kept_holds_for_the_same_text_alone(void **state)
{
	struct shown_texts *s = shown_texts_new(1000);
	struct buf large = BUF_INIT;

	(void)state;
	show(s, "a\nb\n", 1, SHOWN_END);
	put_numbered(&large, 1, 1000);
	shown_texts_note(s, "/p/large", buf_str(&large), 1, SHOWN_END);
	assert_int_equal(carried(s, "a\nb\n", 2, 1), 2);
	assert_int_equal(carried(s, "x\na\nb\n", 2, 1), 0);
	show(s, "x\na\nb\n", 1, SHOWN_END);
	assert_int_equal(carried(s, "y\nx\na\nb\n", 2, 1), 3);
	shown_texts_move(s, FILE_PATH, "/p/b.c");
	assert_int_equal(carried(s, "y\nx\na\nb\n", 2, 1), 2);
	shown_texts_move(s, "/p/b.c", FILE_PATH);
	assert_int_equal(carried(s, "y\nx\na\nb\n", 2, 1), 3);
	shown_texts_forget(s, FILE_PATH);
	assert_int_equal(carried(s, "y\nx\na\nb\n", 2, 1), 2);
	shown_texts_free(s);
	buf_release(&large);
}

static void a_refusal_shows_what_is_there(void **state)
{
	struct shown_texts *s = shown_texts_new(1000000);
	struct shown_lines l = { .line = 3, .count = 1 };
	const char *now = "new\na\nb\nC\nd\ne\nf\ng\nh\n";
	json *v = json_object();

	(void)state;
	show(s, "a\nb\nc\nd\ne\nf\ng\nh\n", 1, SHOWN_END);
	shown_texts_round(s);
	shown_texts_explain(s, shown_texts_moment(s), FILE_PATH, "a.c", str_of(now), &l, v);
	assert_text(json_get_str(v, "lines"), STR("1: new\n2: a\n3: b\n4: C\n5: d\n6: e\n7: f\n"));
	assert_text(
		json_get_str(v, "changed"),
		STR("--- a/a.c\n+++ b/a.c\n@@ -1,6 +1,7 @@\n+new\n a\n b\n-c\n+C\n d\n e\n f\n"));
	json_free(v);
	assert_int_equal(carried(s, now, 3, 1), 0);
	shown_texts_round(s); /* it has read that */
	assert_int_equal(carried(s, now, 3, 1), 3);
	assert_int_equal(carried(s, now, 8, 1), 9);
	shown_texts_free(s);
}

/*
 * A user and a client edit one text in any order, the client by line numbers. The model of the text
 * knows each line by an identity, and what the client thinks of: whatever it makes of its own
 * changes and of what it reads, each of its edits has to land on the line that it means, or is
 * refused. Which way a client thinks, the program cannot know.
 */
#define LINES_MOST 400
enum thinking {
	NAIVE,	/* a number means the line that it was shown with */
	COUNTS, /* and is counted on after a change of its own */
	ADAPTS, /* and by what it reads, also of lines that it does not read */
	WAYS
};

struct text {
	struct line {
		unsigned id; /* 0: there is none */
		unsigned kind;
	} v[LINES_MOST];
	size_t n;
};

struct play {
	struct gen g;
	struct shown_texts *shown;
	struct text now, mind; /* mind.v[n - 1]: what number n means to the client */
	enum thinking way;
	bool rounds, twins;
	unsigned last_id;
	size_t landed, refused;
};

static void print_text(const struct text *t, struct buf *out)
{
	buf_clear(out);
	for (size_t i = 0; i < t->n; i++) {
		if (t->v[i].kind)
			buf_addf(out, "twin %u\n", t->v[i].kind);
		else
			buf_addf(out, "line %u\n", t->v[i].id);
	}
}

static void splice(struct text *t, size_t at, size_t removed, const struct line *v, size_t n)
{
	if (at > t->n)
		return;
	removed = removed > t->n - at ? t->n - at : removed;
	if (t->n - removed + n > LINES_MOST)
		return;
	memmove(t->v + at + n, t->v + at + removed, (t->n - at - removed) * sizeof(*v));
	memcpy(t->v + at, v, n * sizeof(*v));
	t->n = t->n - removed + n;
}

static size_t new_lines(struct play *p, struct line *v, size_t least)
{
	size_t n = least + gen_below(&p->g, 4);

	for (size_t i = 0; i < n; i++)
		v[i] = (struct line){ ++p->last_id, p->twins && !gen_below(&p->g, 2)
							    ? 1 + (unsigned)gen_below(&p->g, 3)
							    : 0 };
	return n;
}

static void user_edits(struct play *p)
{
	size_t at = gen_below(&p->g, p->now.n + 1), removed = gen_below(&p->g, 4), n;
	struct line v[8];

	n = new_lines(p, v, 0);
	splice(&p->now, at, removed, v, n);
}

static void client_reads(struct play *p)
{
	struct buf text = BUF_INIT;
	size_t first = 1, last = p->now.n;
	bool whole = !gen_below(&p->g, 3) || !p->now.n;

	if (!whole) {
		first = 1 + gen_below(&p->g, p->now.n);
		last = first + gen_below(&p->g, p->now.n - first + 1);
	}
	print_text(&p->now, &text);
	shown_texts_note(p->shown, FILE_PATH, buf_str(&text), first, whole ? SHOWN_END : last);
	if (!whole)
		shown_texts_note(p->shown, FILE_PATH, buf_str(&text), p->now.n + 1, SHOWN_END);
	if (whole || p->way == ADAPTS)
		p->mind = p->now;
	if (p->mind.n > p->now.n) /* it is told where the end is */
		p->mind.n = p->now.n;
	for (; p->mind.n < last; p->mind.n++)
		p->mind.v[p->mind.n] = (struct line){ 0, 0 };
	for (size_t i = first; i <= last; i++)
		p->mind.v[i - 1] = p->now.v[i - 1];
	buf_release(&text);
}

static bool sees_other_line(struct play *p, size_t k)
{
	return k < p->mind.n && p->mind.v[k].id && p->mind.v[k].id != p->now.v[k].id;
}

/* The answer shows the lines around, which it has read where that is certain. Who counts, and sees
 * that it has counted wrong, knows no other number any more. */
static void client_sees_diff(struct play *p, const struct diff *d)
{
	bool wrong = false;

	for (int pass = 0; pass < 2 && p->rounds; pass++) {
		if (pass && wrong && p->way != NAIVE)
			memset(p->mind.v, 0, p->mind.n * sizeof(*p->mind.v));
		for (size_t i = 0; i < d->n; i++) {
			size_t k =
				d->v[i].new_at < DIFF_CONTEXT ? 0 : d->v[i].new_at - DIFF_CONTEXT;

			for (; k < d->v[i].new_at + d->v[i].new_n + DIFF_CONTEXT && k < p->now.n;
			     k++) {
				wrong |= sees_other_line(p, k);
				for (; p->mind.n <= k; p->mind.n++)
					p->mind.v[p->mind.n] = (struct line){ 0, 0 };
				if (pass)
					p->mind.v[k] = p->now.v[k];
			}
		}
	}
}

/* It knows what it has replaced, under whichever numbers it saw that. */
static void client_forgets(struct play *p, const struct line *old, size_t count,
			   const struct line *v, size_t n)
{
	for (size_t i = 0; i < p->mind.n; i++)
		for (size_t k = 0; k < count; k++)
			if (p->mind.v[i].id == old[k].id)
				p->mind.v[i] = count == n ? v[k] : (struct line){ 0, 0 };
}

static void client_has_changed(struct play *p, struct str was, size_t line, size_t count,
			       const struct line *v, size_t n)
{
	struct buf now = BUF_INIT;
	struct diff d;

	print_text(&p->now, &now);
	diff_lines(&d, was, buf_str(&now));
	shown_texts_changed(p->shown, FILE_PATH,
			    &(struct shown_change){ &was, &d, buf_str(&now), buf_str(&now) });
	if (p->way != NAIVE)
		splice(&p->mind, line - 1, count, v, n);
	client_sees_diff(p, &d);
	diff_release(&d);
	buf_release(&now);
}

static bool is_meant(const struct play *p, size_t at, size_t number)
{
	const struct line *meant = &p->mind.v[number - 1], *is = &p->now.v[at - 1];

	if (p->twins) /* the texts alone may not tell who is who, but they have to be alike */
		return meant->kind == is->kind && (meant->kind || meant->id == is->id);
	return meant->id == is->id;
}

static void client_edits(struct play *p)
{
	struct shown_lines l;
	struct buf was = BUF_INIT;
	struct line v[8], old[2], meant[2];
	struct err e = ERR_INIT;
	size_t number, n;

	if (!p->mind.n)
		return;
	number = 1 + gen_below(&p->g, p->mind.n);
	l = (struct shown_lines){ .line = number, .count = gen_below(&p->g, 3) };
	for (size_t i = 0; i < (l.count ? l.count : 1); i++)
		if (number - 1 + i >= p->mind.n || !p->mind.v[number - 1 + i].id)
			return; /* it knows of no such line */
	print_text(&p->now, &was);
	if (shown_texts_carry(p->shown, shown_texts_moment(p->shown), FILE_PATH, buf_str(&was), &l,
			      &e)) {
		for (size_t i = 0; i < (l.count ? l.count : 1); i++)
			if (l.line + i > p->now.n || !is_meant(p, l.line + i, number + i))
				fail_msg("number %zu of way %d%s means line %u, %u, and is line "
					 "%zu of:\n%s",
					 number + i, p->way, p->rounds ? " in rounds" : "",
					 p->mind.v[number - 1 + i].id,
					 p->mind.v[number - 1 + i].kind, l.line + i, was.p);
		n = new_lines(p, v, !l.count);
		memcpy(old, p->now.v + l.line - 1, l.count * sizeof(*old));
		memcpy(meant, p->mind.v + number - 1, l.count * sizeof(*meant));
		splice(&p->now, l.line - 1, l.count, v, n);
		client_forgets(p, old, l.count, v, n);
		client_forgets(p, meant, l.count, v, n); /* a twin of it */
		client_has_changed(p, buf_str(&was), number, l.count, v, n);
		p->landed++;
	} else {
		assert_int_equal(e.code, ERR_STALE);
		p->refused++;
	}
	buf_release(&was);
}

static void play(struct play *p, size_t steps)
{
	struct line v[8];

	p->shown = shown_texts_new(1000000);
	p->now.n = 0;
	while (p->now.n < 30)
		splice(&p->now, p->now.n, 0, v, new_lines(p, v, 1));
	p->mind.n = 0;
	client_reads(p);
	for (size_t i = 0; i < steps; i++) {
		size_t what = gen_below(&p->g, 10);

		if (p->rounds)
			shown_texts_round(p->shown);
		if (what < 3)
			user_edits(p);
		else if (what < 5)
			client_reads(p);
		else
			client_edits(p);
	}
	shown_texts_free(p->shown);
}

static void every_edit_lands_where_it_was_meant_or_is_refused(void **state)
{
	struct play *p = mem_new(sizeof(*p));
	size_t rounds = 4000;

	(void)state;
	p->g.state = 20261124;
	for (size_t i = 0; i < rounds; i++) {
		p->way = (enum thinking)(i % WAYS);
		p->rounds = i / WAYS % 2;
		p->twins = i / (2 * WAYS) % 2;
		play(p, 12);
	}
	/* it is no use to refuse them all */
	assert_true(p->landed > rounds);
	assert_true(p->landed > p->refused / 2);
	print_message("%zu edits landed, %zu were refused\n", p->landed, p->refused);
	free(p);
}

/* A client that reads, and whose numbers only the user's edits can make old. */
static void the_user_alone_never_makes_a_line_lost_that_is_there(void **state)
{
	struct play *p = mem_new(sizeof(*p));

	(void)state;
	p->g.state = 11;
	for (size_t round = 0; round < 2000; round++) {
		struct buf text = BUF_INIT;

		p->twins = false;
		p->shown = shown_texts_new(1000000);
		p->now.n = p->mind.n = 0;
		user_edits(p);
		print_text(&p->now, &text);
		show(p->shown, text.p, 1, SHOWN_END);
		p->mind = p->now;
		for (size_t i = 0; i < 6; i++)
			user_edits(p);
		print_text(&p->now, &text);
		for (size_t i = 0; i < p->mind.n; i++) {
			size_t at = 0;

			for (size_t k = 0; k < p->now.n; k++)
				if (p->now.v[k].id == p->mind.v[i].id)
					at = k + 1;
			assert_int_equal(carried(p->shown, text.p, i + 1, 1), at);
		}
		shown_texts_free(p->shown);
		buf_release(&text);
	}
	free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_number_means_the_line_that_was_shown),
		cmocka_unit_test(of_another_part_all_readings_have_to_agree),
		cmocka_unit_test(its_own_changes_may_have_been_counted_in),
		cmocka_unit_test(a_round_is_seen_at_its_end),
		cmocka_unit_test(what_is_not_kept_holds_for_the_same_text_alone),
		cmocka_unit_test(a_refusal_shows_what_is_there),
		cmocka_unit_test(every_edit_lands_where_it_was_meant_or_is_refused),
		cmocka_unit_test(the_user_alone_never_makes_a_line_lost_that_is_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
