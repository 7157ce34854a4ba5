/* Batches against a naive model: an array of lines that each operation changes in turn; and strings
 * as if each operation came alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "edit/batch.h"
#include "gen.h"
#include "memfs.c"
#include "memfs_source.h"

#include "batch_rig.h"

struct row {
	int original; /* -1: put in */
	char text[40];
};

struct rows {
	struct row v[400];
	size_t n;
};

static void rows_splice(struct rows *r, size_t at, size_t removed, size_t added)
{
	memmove(&r->v[at + added], &r->v[at + removed], (r->n - at - removed) * sizeof(*r->v));
	r->n += added - removed;
}

static size_t rows_at(const struct rows *r, size_t original, size_t lines)
{
	if (original == lines)
		return r->n;
	for (size_t i = 0; i < r->n; i++)
		if (r->v[i].original == (int)original)
			return i;
	return SIZE_MAX;
}

#define LINES 30

/* Takes one operation that touches lines nobody has touched; the model changes at once. */
static void random_operation(struct gen *g, struct rows *r, bool *used, int serial)
{
	size_t line = gen_below(g, LINES), at = rows_at(r, line, LINES);
	char text[24], find[24];

	snprintf(text, sizeof(text), "new %d", serial);
	if (used[line])
		return;
	switch (gen_below(g, 4)) {
	case 0: /* before a line, which itself stays */
		add(OPERATION_INSERT, "/r/a", line + 1, 0, text);
		rows_splice(r, at, 0, 1);
		r->v[at].original = -1;
		strcpy(r->v[at].text, text);
		return;
	case 1:
		add(OPERATION_DELETE, "/r/a", line + 1, 1, "");
		rows_splice(r, at, 1, 0);
		break;
	case 2:
		add(OPERATION_LINES, "/r/a", line + 1, 1, text);
		r->v[at].original = -1;
		strcpy(r->v[at].text, text);
		break;
	default:
		snprintf(find, sizeof(find), "<%zu>", line);
		snprintf(text, sizeof(text), "<%zu>", (line * 7 + (size_t)serial) % LINES + 100);
		replace("/r/a", find, text);
		snprintf(r->v[at].text, sizeof(r->v[at].text), "line %s", text);
	}
	used[line] = true;
}

static void batches_against_lines(void **state)
{
	struct gen g = { 7 };

	(void)state;
	for (int round = 0; round < 300; round++) {
		struct rows r = { .n = LINES };
		bool used[LINES] = { false };
		struct buf text = BUF_INIT;

		for (int i = 0; i < LINES; i++) {
			r.v[i].original = i;
			snprintf(r.v[i].text, sizeof(r.v[i].text), "line <%d>", i);
			buf_addf(&text, "line <%d>\n", i);
		}
		memfs_put(&m, "/r/a", text.p, 0644);
		for (int i = 0; i < 25; i++)
			random_operation(&g, &r, used, i);
		buf_clear(&text);
		for (size_t i = 0; i < r.n; i++)
			buf_addf(&text, "%s\n", r.v[i].text);
		gives("/r/a", text.p);
		operations_release(&ops);
		buf_release(&text);
	}
}

/* Strings that look alike, so that what one operation puts in, or joins, is what another seeks. */
static void random_replacements(struct gen *g, const char *const *pieces, size_t n_pieces)
{
	size_t n = 1 + gen_below(g, 7);

	for (size_t i = 0; i < n; i++) {
		struct buf find = BUF_INIT, with = BUF_INIT;

		gen_text(g, &find, pieces, n_pieces, 1 + gen_below(g, 3));
		gen_text(g, &with, pieces, n_pieces, gen_below(g, 3));
		replace("/r/a", buf_str(&find).p, buf_str(&with).p);
		ops.v[i].all = !gen_below(g, 6);
		buf_release(&find);
		buf_release(&with);
	}
}

/* Each operation as a batch of its own, on what those before it left. */
static void in_turn(struct buf *text, struct err *why)
{
	const struct operations all = ops;

	for (size_t i = 0; i < all.n; i++) {
		struct plan *p;
		struct batch *b;

		memfs_put(&m, "/r/a", buf_str(text).p, 0644);
		ops.v = &all.v[i];
		ops.n = 1;
		b = run(0, &p);
		why[i] =
			batch_outcome(b, 0)->why ? *batch_outcome(b, 0)->why : (struct err)ERR_INIT;
		if (p && plan_files(p)) {
			assert_true(plan_want(p, 0, &e));
			buf_clear(text);
			buf_add(text, plan_file(p, 0)->now);
		}
		plan_free(p);
		batch_free(b);
	}
	ops = all;
}

static void check_against_turns(struct str text)
{
	struct buf want = BUF_INIT;
	struct err why[8];
	struct plan *p;
	struct batch *b;

	buf_add(&want, text);
	in_turn(&want, why);
	memfs_put(&m, "/r/a", text.p, 0644);
	b = run(0, &p);
	for (size_t i = 0; i < ops.n; i++) {
		const struct err *got = batch_outcome(b, i)->why;

		if (strcmp(got ? got->msg : "", why[i].msg) != 0)
			fail_msg("operation %zu of %zu on \"%s\": \"%s\", alone \"%s\"", i, ops.n,
				 text.p, got ? got->msg : "", why[i].msg);
	}
	if (p && plan_files(p))
		assert_true(plan_want(p, 0, &e));
	if (p)
		assert_text(plan_files(p) ? plan_file(p, 0)->now : text, buf_str(&want));
	plan_free(p);
	batch_free(b);
	buf_release(&want);
}

static void strings_as_if_each_came_alone(void **state)
{
	/* shorter than a window of the search, and longer */
	static const char *const short_pieces[] = { "a", "b", "ab", "c" };
	static const char *const long_pieces[] = { "first, ", "second, ", "third.", "\n" };
	struct gen g = { 11 };

	(void)state;
	for (int round = 0; round < 6000; round++) {
		const char *const *pieces = round % 2 ? short_pieces : long_pieces;
		struct buf text = BUF_INIT;

		gen_text(&g, &text, pieces, 4, 1 + gen_below(&g, 14));
		random_replacements(&g, pieces, 4);
		check_against_turns(buf_str(&text));
		operations_release(&ops);
		buf_release(&text);
	}
}

#define T(f) cmocka_unit_test_setup_teardown(f, start, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(batches_against_lines),
		T(strings_as_if_each_came_alone),
	};

	return cmocka_run_group_tests_name("batch in turn", tests, NULL, NULL);
}
