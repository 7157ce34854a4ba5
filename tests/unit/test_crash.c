#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <base/hash.h>
#include <base/map.h>
#include <base/path.h>
#include <edit/txn.h>

#include "by_edits.h"
#include "memfs.c" /* a unit test is built from one file */

#include "crash_mixes.h"

/*
 * A model check of the transaction as it is built. Each mix of operations is stopped before every
 * call to the file system, and in the middle of those that write; then either the process alone was
 * killed, or the machine stopped, and any of the things that were not synced are lost, each by
 * itself. Then comes recovery, which is stopped at each of its calls in the same ways, and runs
 * again. The end is all old or all new, nothing lies about, and another program's text is where it
 * put it. It is new for sure once prepare has returned; but where another part of the change may be
 * refused, it is old until that is accepted, if the machine goes on.
 *
 *     OXIDE_CRASH_MORE=n    n > 1: each mix on each sort of file system, recovery is stopped at all
 *                           of its calls, and twice in a row, and n times as many sets of lost
 *                           things are tried
 */

enum must { EITHER, MUST_BE_OLD, MUST_BE_NEW };
enum course { COMMITS, ABORTS, ASKS, COURSES };

static const struct mix *mix;
static enum course course;
static struct buf old, new;
static struct map seen; /* states that were gone on from */
static size_t states;
static unsigned more = 1, turn;
static struct {
	unsigned at, torn; /* where it was stopped */
	uint64_t lost, half;
	bool crash;
} trail[4];			  /* how we came here, for messages */
static const char *text_of[6][2]; /* of each file, before and after; NULL: none */

static void put_words(struct buf *out, const uint64_t word[4], struct str text)
{
	buf_add(out, (struct str){ (const char *)word, 4 * sizeof(*word) });
	buf_add(out, text);
}

/* The same bytes for the same disk with the same operations to lose, in a form that costs little.
 */
static void full_dump(const struct memfs *m, struct buf *out)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct node *v = m->name[i].node;
		uint64_t word[] = { (uintptr_t)m->name[i].path, v->kind, v->mode, v->text.n };

		put_words(out, word, buf_str(&v->text));
		buf_adds(out, v->leads_to);
	}
	for (size_t i = 0; m->log && i < m->log->n; i++) {
		const struct mem_op *op = &m->log->op[i];
		uint64_t word[] = { (uintptr_t)op->a, (uintptr_t)op->b, op->kind, op->at };

		if (!op->safe)
			put_words(out, word, buf_str(&op->text));
	}
}

static bool is_known(struct memfs *m, enum must must, unsigned depth)
{
	struct buf all = BUF_INIT;
	uint64_t key[2];
	struct str s = { (const char *)key, sizeof(key) };
	bool known;

	qsort(m->name, m->n, sizeof(*m->name), by_path);
	full_dump(m, &all);
	key[0] = hash_of(buf_str(&all));
	key[1] = (unsigned)must * 4u + (m->boot > 1) * 2u + (depth ? 1 : 0);
	buf_release(&all);
	known = map_get(&seen, s);
	if (!known)
		map_put(&seen, s, &seen);
	return known;
}

/* Returns what a recovery must come to if the process is killed where this was stopped. */
static enum must run_txn(struct memfs *m)
{
	struct err e;
	/* Every second one as a change of more than one project. */
	const char *root = (mix - mixes) % 2 ? "/" : "/r";
	struct txn *t =
		txn_new(&m->fs, MEMFS_HOME, root, mix->file, mix->files, mix->dirs, mix->n_dirs);
	enum must must = EITHER;
	bool ok;

	if (course == ASKS)
		txn_ask(t, &(struct txn_editor){ 0 });
	ok = txn_prepare(t, &e);
	if (ok) {
		must = course == COMMITS ? MUST_BE_NEW : course == ASKS ? MUST_BE_OLD : EITHER;
		ok = txn_commit(t, &e);
		if (ok && course == ASKS) {
			ok = txn_accept(t, STR(""), &e);
			must = ok ? MUST_BE_NEW : EITHER;
		}
		if (ok && course != ABORTS)
			txn_seal(t, &e);
		else
			txn_abort(t, &e);
	}
	txn_free(t);
	return must;
}

/* Tells what the i-th lost thing is: a set of up to 64. */
struct lost {
	uint64_t set, half;
};

static int lose(void *arg, size_t i)
{
	const struct lost *l = arg;

	if (i >= 64 || !(l->set >> i & 1))
		return 0;
	return l->half >> i & 1 ? 2 : 1;
}

static uint64_t next_random(uint64_t *seed)
{
	*seed = hash_of((struct str){ (const char *)seed, sizeof(*seed) });
	return *seed;
}

/* Calls fn for sets of what may be lost: all of them if they are few. */
static void each_loss(const struct memfs *m, unsigned many,
		      void (*fn)(const struct memfs *m, struct lost *l, void *arg), void *arg)
{
	size_t n = memfs_pending(m);
	uint64_t all = n >= 64 ? UINT64_MAX : ((uint64_t)1 << n) - 1, seed = n;
	struct lost l = { 0, 0 };

	if (n <= (more > 1 ? 5 : 2)) {
		for (l.set = 0; l.set <= all; l.set++)
			fn(m, &l, arg);
		l = (struct lost){ all, all };
		fn(m, &l, arg);
		return;
	}
	fn(m, &l, arg);
	l.set = all;
	fn(m, &l, arg);
	l.half = all;
	fn(m, &l, arg);
	for (size_t i = 0; i < n && i < 64 && more > 1; i++) {
		l = (struct lost){ (uint64_t)1 << i, 0 };
		fn(m, &l, arg);
		l = (struct lost){ all & ~((uint64_t)1 << i), 0 };
		fn(m, &l, arg);
	}
	for (unsigned i = 0; i < many * more; i++) {
		l.set = next_random(&seed) & all;
		l.half = next_random(&seed);
		fn(m, &l, arg);
	}
}

static void bad(struct memfs *m, const char *what, const char *detail)
{
	static const char *const courses[] = { "commits", "aborts", "asks" };
	struct buf is = BUF_INIT;

	for (size_t i = 0; i < 4 && trail[i].at; i++)
		buf_addf(&is, "stopped at call %u%s, %s%llx (half %llx)\n", trail[i].at,
			 trail[i].torn ? " torn" : "", trail[i].crash ? "lost " : "killed ",
			 (unsigned long long)trail[i].lost, (unsigned long long)trail[i].half);
	memfs_dump(m, &is);
	fail_msg("%s, which %s: %s: %s\n%s", mix->name, courses[course], what, detail, is.p);
}

static bool in_force(const struct memfs *m, const char *journal)
{
	size_t n = strlen(journal) - strlen(".journal");
	struct buf path = BUF_INIT;
	struct node *v = node_at(m, journal), *second;
	bool yes;

	buf_addf(&path, "%.*s.head", (int)n, journal);
	second = node_at(m, path.p);
	yes = !journal_is_free(buf_str(&v->text)) || journal_has_copy(buf_str(&v->text)) ||
	      journal_has_other(buf_str(&v->text), second ? buf_str(&second->text) : STR(""),
				m->boot);
	buf_release(&path);
	return yes;
}

static void check_home(struct memfs *m)
{
	if (m->n_locks)
		bad(m, "a lock is held", m->locks[0].path);
	for (size_t i = 0; i < m->n; i++) {
		const char *path = m->name[i].path;
		struct str text = buf_str(&m->name[i].node->text);

		if (!path_below(STR(MEMFS_HOME), str_of(path)))
			continue;
		/* A machine that stops may leave a temporary filled; it is not used again then. */
		if (strstr(path, "kept-") ||
		    (strstr(path, ".pool/") && !memfs_is_blank(text) && m->boot == 1) ||
		    (str_ends(str_of(path), STR(".journal")) && in_force(m, path)))
			bad(m, "left behind", path);
	}
}

static void check_end(struct memfs *m, const struct recover_report *r, enum must must)
{
	static const char *const said[] = { "", "must be old", "must be new" };
	struct buf is = BUF_INIT;
	bool is_old, is_new;

	states++;
	for (size_t i = 0; i < r->notes; i++)
		if (r->note[i].is == RECOVER_LEFT)
			bad(m, r->note[i].what, r->note[i].why);
	memfs_dump(m, &is);
	is_old = !strcmp(is.p, old.p);
	is_new = !strcmp(is.p, new.p);
	if (!(must == MUST_BE_OLD ? is_old : must == MUST_BE_NEW ? is_new : is_old || is_new))
		bad(m, is_old || is_new ? "the wrong one" : "neither old nor new", said[must]);
	buf_release(&is);
	check_home(m);
}

struct way {
	enum must must;
	unsigned depth;
};

static void explore(struct memfs *m, enum must must, unsigned depth);

static void crashed(const struct memfs *m, struct lost *l, void *arg)
{
	const struct way *w = arg;
	struct memfs k;

	memfs_copy(&k, m);
	trail[w->depth].crash = true;
	trail[w->depth].lost = l->set;
	trail[w->depth].half = l->half;
	memfs_crash(&k, lose, l);
	explore(&k, w->must, w->depth);
	memfs_release(&k);
}

/* From a stopped machine or process on. */
static void stopped(const struct memfs *m, enum must must, unsigned depth)
{
	/* A machine that stops takes the other part of the change with it. */
	struct way w = { course == ASKS ? EITHER : must, depth };
	struct memfs k;

	memfs_copy(&k, m);
	trail[depth].crash = false;
	trail[depth].lost = 0;
	memfs_kill(&k);
	explore(&k, must, depth);
	memfs_release(&k);
	each_loss(m, depth ? 1 : 2, crashed, &w);
}

static unsigned recover(struct memfs *m, bool check, enum must must)
{
	struct recover_report r = { 0 };

	recover_all(&m->fs, MEMFS_HOME, true, NULL, &r);
	if (check)
		check_end(m, &r, must);
	recover_report_release(&r);
	return m->calls;
}

/* A file where a folder has to come, or in one that has to go. */
static bool in_the_way(const char *path)
{
	for (size_t i = 0; i < mix->files; i++)
		if (strcmp(path, mix->file[i].path) != 0 &&
		    (path_below(str_of(path), str_of(mix->file[i].path)) ||
		     path_below(str_of(mix->file[i].path), str_of(path))))
			return true;
	return false;
}

/* Somebody writes one of the files before recovery comes: his stays, the others agree. If it closes
 * one way, the other one has to be open: what the machine lost may have closed that. */
static void meddled(const struct memfs *from)
{
	for (size_t f = 0; f < mix->files; f++) {
		struct recover_report r = { 0 };
		struct memfs m;
		bool is[2] = { true, true };

		if (!text_at(from, mix->file[f].path) ||
		    (from->boot > 1 && in_the_way(mix->file[f].path)))
			continue;
		memfs_copy(&m, from);
		memfs_put(&m, mix->file[f].path, "by somebody else\n", 0644);
		recover_all(&m.fs, MEMFS_HOME, true, NULL, &r);
		if (!same_text(text_at(&m, mix->file[f].path), "by somebody else\n"))
			bad(&m, "overwritten", mix->file[f].path);
		for (size_t i = 0; i < mix->files; i++)
			for (int k = 0; k < 2 && i != f; k++)
				is[k] = is[k] &&
					same_text(text_at(&m, mix->file[i].path), text_of[i][k]);
		if (!is[0] && !is[1])
			bad(&m, "half changed after somebody wrote to", mix->file[f].path);
		recover_report_release(&r);
		memfs_release(&m);
	}
}

static void explore(struct memfs *m, enum must must, unsigned depth)
{
	struct memfs k;
	unsigned calls;

	if (is_known(m, must, depth))
		return;
	trail[depth + 1].at = 0;
	memfs_copy(&k, m);
	k.calls = 0;
	calls = recover(&k, true, must);
	memfs_record(&k);
	memfs_release(&k);
	if (depth > (more > 1))
		return;
	if (!depth)
		meddled(m);
	/* One call more: it runs to its end, and the machine stops then. */
	for (unsigned at = 1; at <= calls + 1; at++)
		for (int torn = 0; torn < 2; torn++) {
			/* Some of many alike, others each time. */
			if (at <= calls && turn++ % (more > 1 ? 1 : 101))
				continue;
			memfs_copy(&k, m);
			k.calls = 0;
			k.stop_at = at;
			k.stop_torn = torn;
			trail[depth + 1].at = at;
			trail[depth + 1].torn = (unsigned)torn;
			recover(&k, false, EITHER);
			stopped(&k, must, depth + 1);
			memfs_release(&k);
		}
}

static void run_all(const struct memfs *base)
{
	struct memfs m;
	unsigned calls;

	memfs_copy(&m, base);
	m.calls = 0;
	run_txn(&m);
	calls = m.calls;
	check_home(&m);
	memfs_release(&m);
	for (unsigned at = 1; at <= calls + 1; at++)
		for (int torn = 0; torn < 2; torn++) {
			memfs_copy(&m, base);
			m.calls = 0;
			m.stop_at = at;
			m.stop_torn = torn;
			trail[0].at = at;
			trail[0].torn = (unsigned)torn;
			stopped(&m, run_txn(&m), 0);
			memfs_release(&m);
		}
}

static void one_mix(struct mix *x, enum fs_sort sort, bool warm)
{
	struct memfs base, m;

	mix = x;
	course = COMMITS;
	fill(&base, sort);
	if (warm)
		warm_up(&base);
	memfs_record(&base);
	for (size_t i = 0; i < x->files; i++) {
		text_of[i][0] = text_at(&base, x->file[i].path);
		if (text_of[i][0])
			x->file[i].was_hash = hash_of(str_of(text_of[i][0]));
		if (text_of[i][0])
			tell_by_edits(&x->file[i], text_of[i][0], i % 2);
		text_of[i][1] = x->file[i].exists ? x->file[i].now.p : NULL;
	}
	buf_clear(&old);
	buf_clear(&new);
	memfs_dump(&base, &old);
	memfs_copy(&m, &base);
	run_txn(&m);
	memfs_dump(&m, &new);
	if (!strcmp(old.p, new.p))
		fail_msg("%s: is not carried out", x->name);
	memfs_release(&m);
	for (course = COMMITS; course < COURSES; course++) {
		run_all(&base);
		map_release(&seen);
	}
	memfs_release(&base);
}

/* Each mix in the usual way, and by turns in the others. With sanitizers, which take longer, each
 * in one way: they look for what every way has in common. */
static bool is_of_the_turn(size_t i, enum fs_sort sort, bool warm)
{
	if (warm != (sort == SWAPS))
		return false;
#ifdef __SANITIZE_ADDRESS__
	return (i + sort) % SORTS == 0;
#else
	return sort == SWAPS || (i + sort) % 2;
#endif
}

static void check(enum fs_sort sort)
{
	for (size_t i = 0; i < MIXES; i++)
		for (int warm = 0; warm < 2; warm++)
			if (more > 1 || is_of_the_turn(i, sort, warm))
				one_mix(&mixes[i], sort, warm);
	print_message("# %zu ends\n", states);
}

static void names_are_swapped(void **state)
{
	(void)state;
	check(SWAPS);
}

static void names_are_linked(void **state)
{
	(void)state;
	check(LINKS);
}

static void names_are_moved(void **state)
{
	(void)state;
	check(NEITHER);
}

static void journal_on_another_disk(void **state)
{
	(void)state;
	check(TWO_DISKS);
}

static void nothing_is_used_again(void **state)
{
	(void)state;
	check(NO_REUSE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_swapped),	 cmocka_unit_test(names_are_linked),
		cmocka_unit_test(names_are_moved),	 cmocka_unit_test(journal_on_another_disk),
		cmocka_unit_test(nothing_is_used_again),
	};
	const char *wish = getenv("OXIDE_CRASH_MORE");
	int failed;

	more = wish && atoi(wish) > 0 ? (unsigned)atoi(wish) : 1;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	buf_release(&old);
	buf_release(&new);
	return failed;
}
