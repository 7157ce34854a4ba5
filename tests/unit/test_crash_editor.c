#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <base/arena.h>
#include <base/hash.h>
#include <edit/journal.h>
#include <edit/txn.h>

#include "memfs.c" /* a unit test is built from one file */

/*
 * The model check of test_crash.c with the editor as one more disk: its buffers change by
 * themselves, are gone when it dies, and it writes files of its own accord. The core is stopped
 * before every one of its calls, the editor before every one of its steps, both, or the machine;
 * what the core asked for may also come to the editor after somebody else has recovered the change.
 * Then comes recovery, stopped at each of its calls in turn, and again. In the end the closed file,
 * the files that are open, and the buffers if the editor lives, are all old or all new.
 *
 *     OXIDE_CRASH_MORE=n    every stop of recovery, and n times as many sets of lost things
 */
#define EDITOR 77
#define OPEN   2

static const char *const path[] = { "/r/closed", "/r/x", "/r/y" };
static const char *const texts[][2] = { { "closed, old\n", "closed, and new\n" },
					{ "text of x\n", "text of x, which is longer now\n" },
					{ "y y y\n", "y\n" } };
static unsigned more = 1, turn;
static size_t ends;

/* How the editor writes: a file of another name first goes out of the way, or it is written over.
 */
enum writes { BY_BACKUP, IN_PLACE, WRITES };

struct world {
	struct memfs m;
	struct txn_file file[1 + OPEN];
	struct txn_editor editor;
	char *claim;
	enum writes writes;
	bool alone;		    /* one more buffer has a part, and changes of a person's */
	bool has_late;		    /* what was asked has not come to the editor yet */
	bool dead, applied, sealed; /* the editor; the buffers; all of it, for good */
	bool told;		    /* somebody may have heard that it is done */
	bool kept;		    /* its record, by who recovered it */
	bool lossy;		    /* the machine stopped, and a record is no sync */
	size_t saved;		    /* open files */
	unsigned steps, die_at;	    /* of the editor */
	char name[80], then[60];    /* for messages */
};

static void world_copy(struct world *to, const struct world *from)
{
	*to = *from;
	memfs_copy(&to->m, &from->m);
	to->claim = from->claim ? mem_dup(from->claim, strlen(from->claim)) : NULL;
}

static void world_release(struct world *w)
{
	memfs_release(&w->m);
	free(w->claim);
}

static void world_init(struct world *w, enum writes writes, bool alone)
{
	*w = (struct world){ .writes = writes, .alone = alone };
	memfs_init(&w->m);
	memfs_put_dir(&w->m, "/r");
	memfs_put_dir(&w->m, MEMFS_HOME);
	for (int i = 0; i < 1 + OPEN; i++) {
		memfs_put(&w->m, path[i], texts[i][0], 0644);
		w->file[i] = (struct txn_file){ .path = path[i],
						.existed = true,
						.exists = true,
						.was_hash = hash_of(str_of(texts[i][0])),
						.now = str_of(texts[i][1]),
						.by_editor = i > 0 };
	}
	w->m.lives = EDITOR;
	w->editor = (struct txn_editor){ { EDITOR, 1 }, alone, 5 };
	memfs_record(&w->m);
}

static void editor_dies(struct world *w)
{
	w->dead = true;
	w->applied = w->has_late = false;
	w->m.lives = 0;
}

/* Its next step; false: it is dead. Its calls are none of the core's. */
static bool step(struct world *w)
{
	if (!w->dead && ++w->steps == w->die_at)
		editor_dies(w);
	return !w->dead;
}

struct core {
	unsigned calls, stop_at;
};

static struct core be_editor(struct world *w)
{
	struct core c = { w->m.calls, w->m.stop_at };

	w->m.stop_at = 0;
	return c;
}

static void be_core(struct world *w, struct core c)
{
	w->m.calls = c.calls;
	w->m.stop_at = c.stop_at;
}

static void must(bool ok, const struct world *w, const struct err *e)
{
	if (!ok)
		fail_msg("%s: the editor: %s", w->name, e->msg);
}

/* As lua/oxide/apply.lua does. False: it is dead, or has found that the change was taken back. */
static bool editor_applies(struct world *w)
{
	struct core core = be_editor(w);
	const struct fs *fs = &w->m.fs;
	struct err e = ERR_INIT;
	bool ok = step(w) && fs->create(fs->self, w->claim, STR(CLAIM_BEGUN), 0600, &e);

	w->has_late = false;
	if (ok && step(w))
		w->applied = true;
	if (ok && step(w))
		must(fs->overwrite(fs->self, w->claim, STR(CLAIM_DONE), &e), w, &e);
	be_core(w, core);
	return ok && !w->dead;
}

static bool editor_writes(struct world *w, const char *to, const char *text)
{
	const struct fs *fs = &w->m.fs;
	struct err e = ERR_INIT;
	struct str half = { text, strlen(text) / 2 };
	char aside[64];

	snprintf(aside, sizeof(aside), "%s~", to);
	if (w->writes == BY_BACKUP) {
		if (!step(w))
			return false;
		must(fs->rename(fs->self, to, aside, &e), w, &e);
	}
	if (!step(w))
		return false;
	must(w->writes == BY_BACKUP ? fs->create(fs->self, to, half, 0644, &e)
				    : fs->overwrite(fs->self, to, half, &e),
	     w, &e);
	if (!step(w))
		return false;
	must(fs->overwrite(fs->self, to, str_of(text), &e) && fs->sync_dir(fs->self, "/r", &e), w,
	     &e);
	if (w->writes == BY_BACKUP && step(w))
		must(fs->remove(fs->self, aside, &e), w, &e);
	return !w->dead;
}

static bool editor_saves(struct world *w)
{
	struct core core = be_editor(w);

	while (w->saved < OPEN && !w->dead)
		w->saved += editor_writes(w, path[1 + w->saved], texts[1 + w->saved][1]);
	be_core(w, core);
	return !w->dead;
}

/* Who waits for the change looks into the history as soon as its journal is gone. */
static void keep(void *arg, const struct recover_note *note)
{
	struct world *w = arg;
	struct node *v = node_at(&w->m, MEMFS_HOME "/0.journal");
	struct arena arena = { 0 };
	enum journal_mark mark;
	struct journal j;
	struct err e;

	assert_true(w->lossy || str_eq(note->record, STR("record")));
	assert_non_null(v);
	assert_int_equal(journal_decode(&j, buf_str(&v->text), &arena, &mark, &e), JOURNAL_LIVE);
	arena_release(&arena);
	w->kept = true;
}

static void recover(struct world *w, struct recover_report *r)
{
	r->keep = keep;
	r->keep_arg = w;
	recover_all(&w->m.fs, MEMFS_HOME, true, NULL, r);
}

/* What a core does, from the start to the end; `late`: it is killed once it has asked the editor.
 */
static void run_core(struct world *w, bool late)
{
	struct recover_report r = { 0 };
	struct err e;
	struct txn *t = txn_new(&w->m.fs, MEMFS_HOME, "/r", w->file, 1 + OPEN, NULL, 0);
	const char *claim;
	bool ok;

	txn_ask(t, &w->editor);
	ok = txn_prepare(t, &e) && txn_commit(t, &e) && txn_accept(t, STR("record"), &e);
	claim = txn_claim(t);
	w->claim = claim ? mem_dup(claim, strlen(claim)) : NULL;
	if (!ok) {
		txn_abort(t, &e);
	} else if (late) {
		w->has_late = true;
		w->m.stop_at = w->m.calls + 1;
		txn_leave(t);
	} else if (editor_applies(w) && editor_saves(w)) {
		w->told = true;
		w->sealed = txn_seal(t, &e);
	} else {
		txn_leave(t);
		recover(w, &r);
	}
	txn_free(t);
	recover_report_release(&r);
}

static int state_of(const char *is, int i)
{
	return !is ? -1 : !strcmp(is, texts[i][0]) ? 0 : !strcmp(is, texts[i][1]) ? 1 : -1;
}

static void bad(struct world *w, const char *what)
{
	struct buf is = BUF_INIT;

	memfs_dump(&w->m, &is);
	fail_msg("%s, then %s: %s; the editor %s, its buffers %s, %zu saved\n%s", w->name, w->then,
		 what, w->dead ? "is dead" : "lives", w->applied ? "are new" : "are old", w->saved,
		 is.p);
}

static void check(struct world *w, const struct recover_report *r)
{
	int is[1 + OPEN];

	ends++;
	for (size_t i = 0; i < r->notes; i++)
		if (r->note[i].is == RECOVER_LEFT)
			bad(w, r->note[i].why);
	for (int i = 0; i < 1 + OPEN; i++) {
		struct node *v = node_at(&w->m, path[i]);

		is[i] = state_of(v ? v->text.n ? v->text.p : "" : NULL, i);
		if (is[i] < 0 || is[i] != is[0])
			bad(w, "half changed");
	}
	for (size_t i = 0; i < w->m.n; i++) {
		const char *name = w->m.name[i].path;

		if (strstr(name, ".oxide-") || strstr(name, "/record-") ||
		    (strstr(name, "/claim-") && (w->dead || w->applied)))
			bad(w, name);
	}
	if (!w->dead && w->applied != is[0])
		bad(w, "the buffers are something else than the disk");
	if (w->sealed && !is[0])
		bad(w, "taken back after it was said to be done");
	if (is[0] && !w->told && !w->kept && !w->lossy)
		bad(w, "done, and nobody kept its record");
	if (w->dead && w->alone && is[0] && !w->told)
		bad(w, "done without the part that was in a buffer alone");
}

/* Whoever comes last finds all that there was to come. */
static void finish(struct world *w)
{
	struct recover_report r = { 0 };

	w->m.stop_at = 0;
	memfs_kill(&w->m);
	recover(w, &r);
	recover_report_release(&r);
	if (w->has_late && editor_applies(w))
		editor_saves(w);
	else if (w->applied && !w->dead)
		editor_saves(w);
	memfs_kill(&w->m);
	recover(w, &r);
	check(w, &r);
	recover_report_release(&r);
}

/* The next one to recover is itself stopped, at each of its calls. */
static void recovered_in_part(const struct world *from)
{
	struct recover_report r = { 0 };
	struct world w;
	unsigned calls;

	world_copy(&w, from);
	w.m.calls = 0;
	recover(&w, &r);
	recover_report_release(&r);
	calls = w.m.calls;
	world_release(&w);
	for (unsigned at = 1; at <= calls; at++)
		for (int torn = 0; torn < 2; torn++)
			for (int dies = 0; dies < 2 - from->dead; dies++) {
				if (turn++ % (more > 1 ? 1 : 61))
					continue;
				world_copy(&w, from);
				w.m.calls = 0;
				w.m.stop_at = at;
				w.m.stop_torn = torn;
				recover(&w, &r);
				recover_report_release(&r);
				w.m.stop_torn = false;
				snprintf(w.then, sizeof(w.then), "recovery at %u%s%s", at,
					 torn ? " torn" : "", dies ? ", dies" : "");
				w.told = w.told || (dies && w.applied);
				if (dies)
					editor_dies(&w);
				finish(&w);
				world_release(&w);
			}
}

static int lose(void *arg, size_t i)
{
	const uint64_t *set = arg;

	return i < 32 ? (int)(*set >> (2 * i) & 3) % 3 : 0;
}

/* The machine stops, and everything that was not synced may be lost. */
static void machine_stops(const struct world *from)
{
	uint64_t seed = turn;

	for (unsigned i = 0; i < 3 * more; i++) {
		struct world w;

		seed = hash_of((struct str){ (const char *)&seed, sizeof(seed) });
		world_copy(&w, from);
		w.m.stop_at = 0;
		memfs_kill(&w.m);
		memfs_crash(&w.m, lose, i ? &seed : &(uint64_t){ i });
		editor_dies(&w);
		w.lossy = true;
		/* Who was told so has been told before the disk had it: an answer is no sync. */
		snprintf(w.then, sizeof(w.then), "the machine, %u", i);
		finish(&w);
		world_release(&w);
	}
}

static void from_here(struct world *w)
{
	struct world k;

	w->m.stop_at = 0;
	memfs_kill(&w->m);
	recovered_in_part(w);
	machine_stops(w);
	if (!w->dead) { /* dies right now, with what it had not saved */
		world_copy(&k, w);
		editor_dies(&k);
		snprintf(k.then, sizeof(k.then), "the editor");
		finish(&k);
		world_release(&k);
	}
	finish(w);
}

static void one(enum writes writes, bool alone, unsigned stop, unsigned die, bool late,
		unsigned *calls, unsigned *steps)
{
	struct world w;

	world_init(&w, writes, alone);
	snprintf(w.name, sizeof(w.name), "%s%s: core at %u, editor at %u%s",
		 writes == IN_PLACE ? "in place" : "backup", alone ? ", alone" : "", stop, die,
		 late ? ", late" : "");
	w.m.stop_at = stop;
	w.die_at = die;
	run_core(&w, late);
	*calls = w.m.calls;
	*steps = w.steps;
	from_here(&w);
	world_release(&w);
}

static void whole_in_any_case(void **state)
{
	(void)state;
	for (unsigned how = 0; how < 2 * WRITES; how++) {
		enum writes writes = how / 2;
		unsigned calls, steps, ignored, all;
		bool alone = how % 2;

		one(writes, alone, 0, 0, false, &calls, &steps);
		assert_int_equal(steps, 3 + OPEN * (writes == IN_PLACE ? 2 : 4));
		one(writes, alone, 0, 0, true, &ignored, &ignored);
		for (unsigned stop = 1; stop <= calls; stop++)
			one(writes, alone, stop, 0, false, &ignored, &ignored);
		for (unsigned die = 1; die <= steps; die++) {
			one(writes, alone, 0, die, false, &all, &ignored);
			/* And the core while it deals with that. */
			for (unsigned stop = 1; stop <= all; stop++)
				if (more > 1 || turn++ % 13 == 0)
					one(writes, alone, stop, die, false, &ignored, &ignored);
		}
	}
	print_message("# %zu ends\n", ends);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(whole_in_any_case) };
	const char *wish = getenv("OXIDE_CRASH_MORE");

	more = wish && atoi(wish) > 0 ? (unsigned)atoi(wish) : 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
