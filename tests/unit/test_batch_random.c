/*
 * Random batches against a model that knows nothing of rounds, claims or treaps: a text is bytes,
 * and for each line of the file as the caller saw it, where that line begins by now. Operations are
 * carried out on it one after another. What the model takes the batch has to take, with the same
 * texts; what it refuses the batch has to refuse, and nothing is changed then.
 *
 *     OXIDE_BATCHES=100000 OXIDE_BATCH_SEED=n build/san/unit/test_batch_random
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "base/mem.h"
#include "edit/batch.h"
#include "gen.h"
#include "memfs.c"
#include "memfs_source.h"

#include "batch_model.h"

#define FEW 4000

static struct memfs m;
static struct plan_source src;
static struct operations ops;
static struct model before; /* the files as the caller saw them */
static size_t verdicts[3];

static const char *const names[] = { "/r/a", "/r/b", "/r/c", "/r/d/a" };

static const char *any_name(struct gen *g)
{
	/* mostly one file, so that operations meet */
	return gen_below(g, 3) ? names[0] : names[gen_below(g, 4)];
}

static const char *const alike[] = { "a", "b", "ab", "\n", "a\n", "b\n" };
static const char *const words[] = { "first", "second", "\n", "third\n", "fourth", "fifth\n" };

static const char *const *pieces;

static struct str text_of(struct gen *g, size_t most)
{
	struct buf out = BUF_INIT;
	struct str kept;

	gen_text(g, &out, pieces, 6, gen_below(g, most + 1));
	kept = arena_str(&ops.parts, buf_str(&out));
	buf_release(&out);
	return kept;
}

/* What is expected of lines: mostly what is there. */
static void expect(struct gen *g, struct operation *op)
{
	const struct model_file *f = model_file(&before, op->path);
	struct str text = f ? buf_str(&f->text) : STR("");
	size_t at = op->line - 1;

	if (gen_below(g, 4) || !f || at + op->count > model_lines(text))
		return;
	op->expect = gen_below(g, 5) ? arena_str(&ops.parts, model_rows(text, at, op->count))
				     : STR("something else");
}

/* Mostly lines that are there. */
static void by_line(struct gen *g, struct operation *op)
{
	const struct model_file *f = model_file(&before, op->path);
	size_t lines = f ? model_lines(buf_str(&f->text)) : 0, places;

	op->count = 0;
	if (op->kind != OPERATION_INSERT) {
		op->count = 1 + !gen_below(g, 4);
		op->count += !gen_below(g, 8);
	}
	places = lines < op->count ? 0 : lines - op->count + 1;
	places += !gen_below(g, 8);
	op->line = 1 + (places ? gen_below(g, places) : lines);
	if (op->kind != OPERATION_DELETE)
		op->with = text_of(g, 3);
	if (op->count)
		expect(g, op);
}

/* Mostly a piece of what is there, the longer the likelier there once. */
static void by_string(struct gen *g, struct operation *op)
{
	const struct model_file *f = model_file(&before, op->path);

	if (f && f->text.n && gen_below(g, 5)) {
		size_t from = gen_below(g, f->text.n), n = 1 + gen_below(g, f->text.n - from);

		op->find = arena_str(&ops.parts, str_sub(buf_str(&f->text), from, from + n));
	}
	while (!op->find.n)
		op->find = text_of(g, 3);
	op->with = text_of(g, 3);
	op->all = !gen_below(g, 4);
}

static void by_patch(struct gen *g, const char *path, int of)
{
	struct buf text = BUF_INIT;
	struct err e = ERR_INIT;
	const char *name = path + 3, *to = any_name(g) + 3;
	size_t n = ops.n;

	switch (gen_below(g, 4)) {
	case 0:
		buf_addf(&text, "*** Begin Patch\n*** Delete File: %s\n*** End Patch\n", name);
		break;
	case 1:
		buf_addf(&text, "*** Begin Patch\n*** Add File: %s\n+new\n+file\n*** End Patch\n",
			 name);
		break;
	case 2:
		buf_addf(&text, "diff --git a/%s b/%s\nrename from %s\nrename to %s\n", name, to,
			 name, to);
		break;
	default:
		buf_addf(&text, "diff --git a/%s b/%s\nold mode 100644\nnew mode 100755\n", name,
			 name);
	}
	if (!operations_from_patch(&ops, buf_str(&text), of, NULL, model_path, NULL, &e))
		ops.n = n; /* one to its own name */
	buf_release(&text);
}

static void random_operation(struct gen *g, int of)
{
	static const enum operation_kind kinds[] = {
		OPERATION_REPLACE, OPERATION_REPLACE, OPERATION_REPLACE, OPERATION_INSERT,
		OPERATION_INSERT,  OPERATION_DELETE,  OPERATION_DELETE,	 OPERATION_LINES,
	};
	const char *path = any_name(g);
	enum operation_kind kind;
	struct operation *op;

	if (!gen_below(g, 12)) {
		by_patch(g, path, of);
		return;
	}
	if (!gen_below(g, 25)) {
		kind = gen_below(g, 2) ? OPERATION_COPY : OPERATION_RENAME;
		op = operations_add(&ops, kind, path);
		op->new_path = any_name(g);
		op->of = of;
		return;
	}
	kind = kinds[gen_below(g, 8)];
	op = operations_add(&ops, kind, path);
	op->of = of;
	if (op->kind == OPERATION_REPLACE)
		by_string(g, op);
	else
		by_line(g, op);
}

static void make_files(struct gen *g, bool crlf)
{
	memfs_init(&m);
	memfs_put_dir(&m, "/r");
	memfs_put_dir(&m, "/r/d");
	for (size_t i = 0; i < 4; i++) {
		struct str text = text_of(g, 8);
		struct buf on_disk = BUF_INIT;

		if (i == 2 && gen_below(g, 2))
			continue;
		model_put(&before, names[i], text);
		model_to_disk(&on_disk, text, crlf);
		memfs_put(&m, names[i], buf_str(&on_disk).p, 0644);
		buf_release(&on_disk);
	}
}

static void say_batch(const char *what, const char *why)
{
	print_error("%s: %s\n", what, why);
	model_print(&before);
	for (size_t i = 0; i < ops.n; i++)
		model_print_operation(&ops.v[i]);
}

/* The tree as the plan leaves it, in the form of the model. */
static void model_of_plan(struct model *out, struct plan *p, bool crlf)
{
	size_t n;
	const struct txn_file *states;
	struct err e = ERR_INIT;

	for (size_t i = 0; i < plan_files(p); i++)
		assert_true(plan_want(p, i, &e));
	states = plan_states(p, &n);
	for (size_t i = 0; i < n; i++) {
		struct buf text = BUF_INIT;

		model_from_disk(&text, states[i].now, crlf);
		if (states[i].exists)
			model_put(out, states[i].path, buf_str(&text));
		else
			model_remove(out, states[i].path);
		buf_release(&text);
	}
}

/* What was carried out is what the model makes of it. */
static void check_texts(struct plan *p, const struct model *want, bool crlf)
{
	struct model got = { 0 };
	const char *where;

	model_copy(&got, &before);
	model_of_plan(&got, p, crlf);
	where = model_differs(&got, want);
	if (where) {
		say_batch("another text", where);
		print_error("--- got\n");
		model_print(&got);
		print_error("--- wanted\n");
		model_print(want);
		fail();
	}
	model_release(&got);
}

static void check_all_or_none(unsigned flags, bool crlf)
{
	struct batch *b = batch_new(&ops, flags);
	struct model want = { 0 };
	struct err e = ERR_INIT;
	struct plan *p = batch_run(b, &src, &e);
	enum model_verdict verdict;

	model_copy(&want, &before);
	verdict = model_run(&want, &ops, NULL, flags & BATCH_CONFLICTS);
	verdicts[verdict]++;
	if (verdict == MODEL_TAKEN && !p) {
		say_batch("refused, and should not be", e.msg);
		fail();
	}
	if (verdict == MODEL_REFUSED && p) {
		say_batch("taken, and should not be", want.why);
		fail();
	}
	if (p && verdict == MODEL_TAKEN)
		check_texts(p, &want, crlf);
	if (!p)
		assert_true(e.code != ERR_OK && *e.msg);
	plan_free(p);
	batch_free(b);
	model_release(&want);
}

/* Each file is changed by all of its operations, or by none. */
static void check_kept(bool crlf)
{
	struct batch *b = batch_new(&ops, BATCH_CONFLICTS | BATCH_KEEP_GOOD);
	bool *left_out = mem_new(ops.n + 1);
	struct model want = { 0 };
	struct err e = ERR_INIT;
	struct plan *p = batch_run(b, &src, &e);
	enum model_verdict verdict;

	for (size_t i = 0; i < ops.n; i++)
		left_out[i] = batch_outcome(b, i)->why;
	for (size_t i = 0; i < ops.n; i++)
		for (size_t k = 0; k < ops.n; k++)
			if (!strcmp(ops.v[i].path, ops.v[k].path) && left_out[i] != left_out[k]) {
				say_batch("a file in part", ops.v[i].path);
				fail();
			}
	model_copy(&want, &before);
	verdict = model_run(&want, &ops, left_out, true);
	if (p && verdict == MODEL_REFUSED) {
		say_batch("kept, and should not be", want.why);
		fail();
	}
	if (p && verdict == MODEL_TAKEN)
		check_texts(p, &want, crlf);
	plan_free(p);
	batch_free(b);
	free(left_out);
	model_release(&want);
}

/* Each number is drawn in a statement of its own: a seed means the same to every compiler. */
static void one_batch(uint64_t seed)
{
	struct gen g = { seed * 0x9e3779b97f4a7c15u | 1 };
	size_t n = 1 + gen_below(&g, 3), more = gen_below(&g, 4);
	bool many = gen_below(&g, 2), crlf = !gen_below(&g, 4);

	ops = (struct operations){ 0 };
	pieces = gen_below(&g, 2) ? alike : words;
	make_files(&g, crlf);
	src = memfs_source(&m);
	n += many ? more : 0;
	for (size_t i = 0; i < n; i++)
		random_operation(&g, (int)i);
	check_all_or_none(BATCH_CONFLICTS, crlf);
	check_all_or_none(0, crlf);
	check_kept(crlf);
	operations_release(&ops);
	model_release(&before);
	memfs_release(&m);
}

static uint64_t current;

static void random_batches(void **state)
{
	const char *many = getenv("OXIDE_BATCHES"), *seed = getenv("OXIDE_BATCH_SEED");
	uint64_t from = seed ? strtoull(seed, NULL, 10) : many ? (uint64_t)time(NULL) << 20 : 1;
	uint64_t n = many ? strtoull(many, NULL, 10) : FEW;

	(void)state;
	for (current = from; current < from + n; current++)
		one_batch(current);
	print_message("# %zu taken, %zu refused, of %zu the model leaves open what becomes\n",
		      verdicts[MODEL_TAKEN], verdicts[MODEL_REFUSED], verdicts[MODEL_OPEN]);
	if (n >= FEW) {
		assert_true(verdicts[MODEL_TAKEN] > n / 2);
		assert_true(verdicts[MODEL_OPEN] < n / 4);
	}
}

static int say_seed(void **state)
{
	(void)state;
	print_message("# the last batch: OXIDE_BATCHES=1 OXIDE_BATCH_SEED=%" PRIu64 "\n", current);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(random_batches, say_seed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
