#include "own_changes.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "../edit/text_ancestry.h"
#include "../edit/wal.h"
#include "../io/disk.h"
#include "../io/loop.h"

/* A change that began before we did may end later. */
#define LONGEST_MS 60000
#define SETTLE_MS  10000 /* then whoever holds the files is not waited for any more */

struct own_changes {
	struct oxide *ox;
	struct text_ancestry made;
	LIST_HEAD(, own_follower) followers;
	LIST_HEAD(, settling) settling;
	uint64_t read;	  /* of the history: up to this entry */
	int64_t since_ms; /* what is older was there when the first file was read */
};

/* Waits without a thread of its own: a change that this core is in the middle of holds its files,
 * too, and needs a thread to go on. */
struct settling {
	LIST_ENTRY(settling) all;
	struct own_changes *o;
	struct buf *real; /* of each file */
	size_t n;
	bool held;
	struct timer *again;
	uint64_t until, nap_ms;
	void (*fn)(void *arg);
	void *arg;
};

static void settling_free(struct settling *s)
{
	LIST_REMOVE(s, all);
	timer_free(s->again);
	for (size_t i = 0; i < s->n; i++)
		buf_release(&s->real[i]);
	free(s->real);
	free(s);
}

struct own_changes *own_changes_new(struct oxide *ox)
{
	struct own_changes *o = mem_new(sizeof(*o));

	o->ox = ox;
	o->since_ms = loop_wall_ms() - LONGEST_MS;
	return o;
}

void own_changes_free(struct own_changes *o)
{
	if (!o)
		return;
	while (!LIST_EMPTY(&o->settling))
		settling_free(LIST_FIRST(&o->settling));
	text_ancestry_release(&o->made);
	free(o);
}

/* A file that gets another name goes from the one and comes to the other. */
static void own_changes_put(void *arg, struct str path, struct str new_path, uint64_t from,
			    uint64_t to)
{
	struct own_changes *o = arg;

	o->made.room = (size_t)config_get(&o->ox->config, CFG_EDIT_OWN);
	text_ancestry_add(&o->made, path, from, new_path.n ? TEXT_ANCESTRY_NONE : to);
	if (new_path.n)
		text_ancestry_add(&o->made, new_path, TEXT_ANCESTRY_NONE, to);
}

void own_changes_follow(struct own_changes *o, struct own_follower *f)
{
	own_changes_unfollow(f);
	LIST_INSERT_HEAD(&o->followers, f, all);
	f->follows = true;
}

void own_changes_unfollow(struct own_follower *f)
{
	if (f->follows)
		LIST_REMOVE(f, all);
	f->follows = false;
}

static void own_changes_tell(struct own_changes *o, const struct plan_file *changed)
{
	struct own_follower *f;

	LIST_FOREACH(f, &o->followers, all)
		if (!strcmp(f->path, changed->path))
			f->fn(f->arg, changed);
}

void own_changes_add(struct own_changes *o, const struct plan *p)
{
	for (size_t i = 0; i < plan_files(p); i++) {
		const struct plan_file *f = plan_file(p, i);

		own_changes_put(o, str_of(f->path), f->new_path ? str_of(f->new_path) : STR(""),
				f->existed ? f->was_hash : TEXT_ANCESTRY_NONE,
				f->exists ? f->now_hash : TEXT_ANCESTRY_NONE);
		own_changes_tell(o, f);
	}
}

bool own_changes_lead(struct own_changes *o, const char *path, uint64_t from, uint64_t to)
{
	if (text_ancestry_leads(&o->made, str_of(path), from, to))
		return true;
	if (!o->ox->history)
		return false;
	history_since(o->ox->history, &o->read, o->since_ms, own_changes_put, o);
	return text_ancestry_leads(&o->made, str_of(path), from, to);
}

/* On a worker. A change holds its files until it is closed, and is in the history before. */
static void look_for_others(void *arg)
{
	struct settling *s = arg;
	const struct fs *fs = disk_fs();
	const char **path = mem_new((s->n + 1) * sizeof(*path));
	struct err e = ERR_INIT;
	int lock;

	for (size_t i = 0; i < s->n; i++)
		path[i] = s->real[i].p;
	if (s->n && wal_lock_files(fs, s->o->ox->journals, NULL, path, s->n, false, &lock, &e))
		fs->unlock(fs->self, lock);
	s->held = e.code == ERR_CONFLICT;
	free(path);
}

static void looked_for_others(void *arg)
{
	struct settling *s = arg;
	struct loop *loop = s->o->ox->loop;
	void (*fn)(void *arg) = s->fn;

	if (s->held && loop_now(loop) < s->until) {
		timer_set(s->again, loop_now(loop) + s->nap_ms);
		s->nap_ms = s->nap_ms < 16 ? s->nap_ms * 2 : s->nap_ms;
		return;
	}
	arg = s->arg;
	settling_free(s);
	fn(arg);
}

static void settle(void *arg)
{
	struct settling *s = arg;

	if (s->o->ox->journals)
		loop_work(s->o->ox->loop, look_for_others, looked_for_others, s);
	else
		looked_for_others(s);
}

void own_changes_settle(struct own_changes *o, const char *const *path, size_t n,
			void (*fn)(void *arg), void *arg)
{
	struct settling *s = mem_new(sizeof(*s));
	struct loop *loop = o->ox->loop;
	const struct fs *fs = disk_fs();

	*s = (struct settling){ .o = o,
				.real = mem_new((n + 1) * sizeof(*s->real)),
				.again = timer_new(loop, settle, s),
				.until = loop_now(loop) + SETTLE_MS,
				.nap_ms = 1,
				.fn = fn,
				.arg = arg };
	LIST_INSERT_HEAD(&o->settling, s, all);
	for (size_t i = 0; i < n; i++)
		if (fs->resolve(fs->self, path[i], &s->real[s->n], ERR_IGNORED))
			s->n++;
	timer_set(s->again, 0);
}
