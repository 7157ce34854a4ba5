#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <base/hash.h>
#include <base/path.h>
#include <edit/history.h>
#include <edit/plan.h>

#include "memfs.c" /* a unit test is built from one file */
#include "memfs_source.h"

#include "gen.h"
#include "history_rig.h"

static struct history_turn result;

static bool go(enum history_way way, const char *of, struct plan *p)
{
	history_turn_release(&result);
	return history_turn(h, "/r", str_of(of), way, p, &result, &e);
}

/* Carries it out, as the tools do. */
static void go_and_apply(enum history_way way, const char *of)
{
	struct plan *p = plan_new(&src);
	struct str rest, id;

	ok(go(way, of, p));
	apply(p);
	plan_free(p);
	for (rest = buf_str(&result.ids); str_line(&rest, &id);)
		ok(history_mark(h, id, way == HISTORY_UNDO, &e));
}

static void expect_refused(enum history_way way, enum err_code code, const char *why)
{
	struct plan *p = plan_new(&src);

	e = (struct err)ERR_INIT;
	assert_false(go(way, "", p));
	assert_int_equal(e.code, code);
	if (!strstr(e.msg, why))
		fail_msg("%s", e.msg);
	plan_free(p);
}

static int turn_end(void **state)
{
	turn = NULL;
	history_turn_release(&result);
	return end(state);
}

static const char *text_of(const char *path)
{
	struct node *n = node_at(&m, path);

	return n ? n->text.p : NULL;
}

static void type(const char *path, const char *text)
{
	memfs_put(&m, path, text, 0644);
}

static void edit(const char *path, size_t at, size_t to, const char *with)
{
	struct plan *p = plan_new(&src);
	struct buf id = BUF_INIT;

	spans(p, path, at, to, with);
	record(p, "edit", &id);
	buf_release(&id);
}

/* One of everything, in several transactions. */
static void there_and_back(void **state)
{
	struct buf id = BUF_INIT, now = BUF_INIT;
	const struct history_entry *v;

	(void)state;
	memfs_put_dir(&m, "/state/oxide");
	memfs_put_dir(&m, DIR_PATH);
	dump(&before);
	turn = "t1";
	large(&id);
	edit("/r/c", 0, 0, "more\n");
	edit("/r/new", 0, 4, "less");
	assert_string_equal(text_of("/r/new"), "less\n");
	go_and_apply(HISTORY_UNDO, "");
	assert_int_equal(listed(&v), 3);
	assert_true(v[0].undone && v[1].undone && v[2].undone);
	assert_true(str_eq(v[0].turn, STR("t1")));
	assert_null(text_of("/r/new"));
	go_and_apply(HISTORY_REDO, "");
	assert_string_equal(text_of("/r/new"), "less\n");
	assert_string_equal(text_of("/r/c"), "more\nBb\n");
	assert_null(text_of("/r/d/f"));
	expect_refused(HISTORY_REDO, ERR_NOT_FOUND, "to redo");
	go_and_apply(HISTORY_UNDO, "t1");
	dump(&now);
	assert_string_equal(now.p, before.p);
	buf_release(&now);
	buf_release(&id);
}

static void edits_made_since_stay(void **state)
{
	(void)state;
	turn = "t1";
	edit("/r/a", 5, 8, "2");
	type("/r/a", "zero\r\none\r\n2\nthree\r\nfour\n");
	go_and_apply(HISTORY_UNDO, "");
	assert_string_equal(text_of("/r/a"), "zero\r\none\r\ntwo\nthree\r\nfour\n");
	type("/r/a", "zero\r\none\r\ntwo\nthree\r\nFOUR\n");
	go_and_apply(HISTORY_REDO, "");
	assert_string_equal(text_of("/r/a"), "zero\r\none\r\n2\nthree\r\nFOUR\n");
}

static void the_same_lines_are_refused_and_listed(void **state)
{
	const json *first;

	(void)state;
	turn = "t1";
	edit("/r/b", 0, 1, "beta");
	edit("/r/a", 5, 8, "2");
	type("/r/a", "zero\none\r\nTWO\nthree\r\n");
	expect_refused(HISTORY_UNDO, ERR_STALE, "a (line 3)");
	first = json_first(result.clashes);
	assert_true(str_eq(json_get_str(first, "file"), STR("a")));
	assert_int_equal(json_number(json_first(json_first(json_get(first, "lines")))), 3);
	assert_string_equal(text_of("/r/b"), "beta\n");
}

static void files_that_came_or_went(void **state)
{
	struct buf id = BUF_INIT;

	(void)state;
	turn = "t1";
	large(&id);
	type("/r/new", "mine by now\n");
	expect_refused(HISTORY_UNDO, ERR_STALE, "new (was changed)");
	memfs_take(&m, "/r/new"); /* it is gone already: nothing is left to do there */
	go_and_apply(HISTORY_UNDO, "");
	assert_string_equal(text_of("/r/b"), "B\n");
	memfs_take(&m, "/r/b");
	expect_refused(HISTORY_REDO, ERR_STALE, "b (is gone)");
	buf_release(&id);
}

/* A turn that was undone is made again in the order in which it came. */
static void several_turns(void **state)
{
	(void)state;
	turn = "t1";
	edit("/r/b", 0, 0, "1");
	turn = "t2";
	edit("/r/b", 0, 0, "2");
	turn = NULL;
	edit("/r/c", 0, 0, "by hand ");
	go_and_apply(HISTORY_UNDO, "");
	assert_string_equal(text_of("/r/b"), "1B\n");
	go_and_apply(HISTORY_UNDO, "");
	assert_string_equal(text_of("/r/b"), "B\n");
	go_and_apply(HISTORY_REDO, "");
	assert_string_equal(text_of("/r/b"), "1B\n");
	go_and_apply(HISTORY_REDO, "");
	assert_string_equal(text_of("/r/b"), "21B\n");
	go_and_apply(HISTORY_UNDO, "");
	turn = "t3";
	edit("/r/c", 0, 0, "3");
	expect_refused(HISTORY_REDO, ERR_NOT_FOUND, "to redo");
	go_and_apply(HISTORY_REDO, "t2"); /* by its name */
	assert_string_equal(text_of("/r/b"), "21B\n");
}

static void the_diff_of_a_turn(void **state)
{
	struct buf diff = BUF_INIT, id = BUF_INIT;

	(void)state;
	turn = "t1";
	edit("/r/a", 5, 8, "2");
	edit("/r/b", 0, 1, "beta");
	turn = NULL;
	small("by hand", &id);
	ok(history_turn_diff(h, "/r", STR(""), &diff, &result, &e));
	assert_string_equal(diff.p, "--- a/a\n+++ b/a\n@@ -1,3 +1,3 @@\n one\r\n-two\n+2\n "
				    "three\r\n--- a/b\n+++ b/b\n@@ -1 +1 @@\n-B\n+beta\n");
	buf_release(&diff);
	buf_release(&id);
}

/*
 * A turn changes lines of two files in one or two transactions; a person goes on editing. What
 * undo and redo make of it is known line by line: no two lines are equal.
 */
#define LINES 14

#define LINE_ROOM 24

struct line {
	char was[LINE_ROOM], turn[LINE_ROOM], now[LINE_ROOM]; /* "": no line */
	bool added; /* and the person put one in below it */
};

struct model {
	struct line v[LINES];
	bool clash; /* both changed one of them */
	bool near;  /* or one put a line in beside one that the other changed: it may be refused */
};

static void put_text(struct buf *out, const struct model *t, size_t offset)
{
	buf_clear(out);
	for (size_t i = 0; i < LINES; i++) {
		const char *line = (const char *)&t->v[i] + offset;

		if (*line)
			buf_addf(out, "%s\n", line);
		if (offset == offsetof(struct line, now) && t->v[i].added)
			buf_addf(out, "added %zu\n", i);
	}
	buf_end(out);
}

#define PUT_TEXT(out, t, member) put_text(out, t, offsetof(struct line, member))

/* `word` NULL: the line goes. */
static void put_line(char out[LINE_ROOM], const char *word, size_t i)
{
	*out = '\0';
	if (word)
		snprintf(out, LINE_ROOM, "%s %zu", word, i);
}

static void make_model(struct gen *g, struct model *t, size_t odds)
{
	*t = (struct model){ 0 };
	for (size_t i = 0; i < LINES; i++) {
		struct line *l = &t->v[i];
		/* Lines that are put in or taken away lie apart, where it is clear whose they are.
		 */
		bool apart = i % 4 == 1;

		snprintf(l->was, sizeof(l->was), "line %zu", i);
		strcpy(l->turn, l->was);
		if (!gen_below(g, odds))
			put_line(l->turn, apart && gen_below(g, 2) ? NULL : "turn", i);
		strcpy(l->now, l->turn);
	}
}

static bool is_turns(const struct model *t, size_t i)
{
	return i < LINES && strcmp(t->v[i].turn, t->v[i].was) != 0;
}

static bool is_persons(const struct model *t, size_t i)
{
	return i < LINES && (t->v[i].added || strcmp(t->v[i].turn, t->v[i].now) != 0);
}

/* Not so near to a line that the turn took away that it could be one typed in its place. */
static bool may_go(const struct model *t, size_t i)
{
	return i % 4 == 3 && *t->v[i - 2].turn && (i + 2 >= LINES || *t->v[i + 2].turn);
}

static void person_edits(struct gen *g, struct model *t, size_t odds)
{
	for (size_t i = 0; i < LINES; i++) {
		struct line *l = &t->v[i];

		if (gen_below(g, odds))
			continue;
		if (!gen_below(g, 4)) {
			l->added = true;
			continue;
		}
		if (!*l->turn) { /* the turn took it away: something is typed in its place */
			snprintf(l->now, sizeof(l->now), "typed %zu", i);
			t->clash = true;
			continue;
		}
		put_line(l->now, may_go(t, i) && gen_below(g, 2) ? NULL : "mine", i);
		t->clash |= is_turns(t, i);
	}
	for (size_t i = 0; i < LINES; i++)
		if (is_turns(t, i) &&
		    (t->v[i].added || is_persons(t, i - 1) || is_persons(t, i + 1)))
			t->near = true;
}

/* What it comes to: theirs where they changed it, else as before the turn. */
static void expect_undone(const char *path, struct model *t)
{
	struct buf want = BUF_INIT;

	for (size_t i = 0; i < LINES; i++)
		if (!strcmp(t->v[i].now, t->v[i].turn))
			strcpy(t->v[i].now, t->v[i].was);
	PUT_TEXT(&want, t, now);
	assert_text(str_of(text_of(path)), buf_str(&want));
	buf_release(&want);
}

static void expect_text(const char *path, const struct model *t)
{
	struct buf want = BUF_INIT;

	PUT_TEXT(&want, t, now);
	assert_text(str_of(text_of(path)), buf_str(&want));
	buf_release(&want);
}

static void change_to(struct plan *p, const char *path, const struct buf *text)
{
	struct edits set = EDITS_INIT;

	diff_edits(&set, str_of(text_of(path)), buf_str(text));
	ok(plan_add(p, &(struct op){ .kind = OP_SPANS, .path = path, .spans = &set }, &e));
}

static void make_turn(struct gen *g, struct model *one, struct model *two)
{
	struct buf a = BUF_INIT, b = BUF_INIT, id = BUF_INIT;
	struct plan *p;

	PUT_TEXT(&a, one, was);
	type("/r/a", a.p);
	PUT_TEXT(&b, two, was);
	type("/r/b", b.p);
	PUT_TEXT(&a, one, turn);
	PUT_TEXT(&b, two, turn);
	p = plan_new(&src);
	change_to(p, "/r/a", &a);
	if (gen_below(g, 2)) {
		record(p, "one", &id);
		p = plan_new(&src);
	}
	change_to(p, "/r/b", &b);
	record(p, "two", &id);
	buf_release(&a);
	buf_release(&b);
	buf_release(&id);
}

static bool changes(const struct model *t)
{
	for (size_t i = 0; i < LINES; i++)
		if (strcmp(t->v[i].was, t->v[i].turn) != 0)
			return true;
	return false;
}

/* One round; whether it could be undone. */
static bool undo_one(struct gen *g, struct model *one, struct model *two)
{
	struct model as_left[2] = { *one, *two };
	struct plan *p = plan_new(&src);
	bool done = go(HISTORY_UNDO, turn, p);

	plan_free(p);
	if (!done) {
		assert_int_equal(e.code, ERR_STALE);
		assert_true(json_len(result.clashes) > 0);
		assert_true(one->clash || two->clash || one->near || two->near);
		expect_text("/r/a", one);
		expect_text("/r/b", two);
		return false;
	}
	assert_false(one->clash || two->clash);
	go_and_apply(HISTORY_UNDO, "");
	expect_undone("/r/a", one);
	expect_undone("/r/b", two);
	p = plan_new(&src);
	if (gen_below(g, 2) && go(HISTORY_REDO, turn, p)) {
		go_and_apply(HISTORY_REDO, turn);
		expect_text("/r/a", &as_left[0]);
		expect_text("/r/b", &as_left[1]);
	}
	plan_free(p);
	return true;
}

static void undo_against_a_model(void **state)
{
	const char *rounds = getenv("OXIDE_BATCHES");
	int n = rounds ? atoi(rounds) : 6000, count[2] = { 0 };
	struct gen g = { 5 };

	(void)state;
	for (int round = 0; round < n; round++) {
		size_t odds = 2 + gen_below(&g, 12), typed = 2 + gen_below(&g, 12);
		struct model one, two;
		char name[24];
		struct buf text = BUF_INIT;

		make_model(&g, &one, odds);
		make_model(&g, &two, odds);
		if (!changes(&one) && !changes(&two))
			continue;
		snprintf(name, sizeof(name), "t%d", round);
		turn = name;
		make_turn(&g, &one, &two);
		person_edits(&g, &one, typed);
		person_edits(&g, &two, typed);
		PUT_TEXT(&text, &one, now);
		type("/r/a", text.p);
		PUT_TEXT(&text, &two, now);
		type("/r/b", text.p);
		count[undo_one(&g, &one, &two)]++;
		buf_release(&text);
	}
	if (count[0] < n / 20 || count[1] < n / 20)
		fail_msg("%d undone, %d refused", count[1], count[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(there_and_back, start, turn_end),
		cmocka_unit_test_setup_teardown(edits_made_since_stay, start, turn_end),
		cmocka_unit_test_setup_teardown(the_same_lines_are_refused_and_listed, start,
						turn_end),
		cmocka_unit_test_setup_teardown(files_that_came_or_went, start, turn_end),
		cmocka_unit_test_setup_teardown(several_turns, start, turn_end),
		cmocka_unit_test_setup_teardown(the_diff_of_a_turn, start, turn_end),
		cmocka_unit_test_setup_teardown(undo_against_a_model, start, turn_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
