#include "watch_impl.h"

#include <stdio.h>
#include <stdlib.h>

#include "../base/mem.h"
#include "../io/disk.h"

/*
 * watch_turn_begin, watch_turn_end -> watch_next -> watch_look_start -> on_looked
 *     -> (end) watch_buffers_update -> on_updated -> watch_look_start -> on_looked_after ->
 * on_heard
 *     -> watch_next
 */
static void watch_next(void *arg);

static struct watched *watched_find(struct oxide *ox, const char *root)
{
	struct watched *p;

	LIST_FOREACH(p, &ox->watched, all)
		if (!strcmp(p->root, root))
			return p;
	return NULL;
}

static char *own_below(const struct watched *p)
{
	const struct fs *fs = disk_fs();
	char *state SCOPED(mem_release) = oxide_state_dir();
	struct buf real SCOPED(buf_release) = BUF_INIT;
	const char *below = state && fs->resolve(fs->self, state, &real, ERR_IGNORED)
				    ? watch_below(p, real.p)
				    : NULL;

	return below ? mem_dup(below, strlen(below)) : NULL;
}

static struct watched *watched_new(struct oxide *ox, const char *root, struct err *e)
{
	struct watched *p = mem_new(sizeof(*p));

	p->ox = ox;
	if (!watch_store_open(&p->store, &ox->config, e)) {
		free(p);
		return NULL;
	}
	p->root = mem_dup(root, strlen(root));
	p->own = own_below(p);
	LIST_INIT(&p->agents);
	STAILQ_INIT(&p->wishes);
	STAILQ_INIT(&p->steps);
	watch_steps_listen(p);
	LIST_INSERT_HEAD(&ox->watched, p, all);
	return p;
}

static void watched_free(struct watched *p)
{
	LIST_REMOVE(p, all);
	LIST_REMOVE(&p->listener, all);
	watch_buffers_end(p);
	watch_steps_mark(p); /* all of them */
	watch_steps_clear(p);
	watch_tree_free(p->tree);
	watch_store_close(&p->store);
	free(p->own);
	free(p->root);
	free(p);
}

struct watch *watch_start(struct oxide *ox, const char *root, const char *who, struct err *e)
{
	struct watched *p = watched_find(ox, root);
	struct watch *w;

	if (!p && !(p = watched_new(ox, root, e)))
		return NULL;
	w = mem_new(sizeof(*w));
	w->of = p;
	w->who = mem_dup(who, strlen(who));
	LIST_INSERT_HEAD(&p->agents, w, all);
	return w;
}

static bool watch_has_turn(const struct watched *p)
{
	const struct watch *w;

	LIST_FOREACH(w, &p->agents, all)
		if (w->open)
			return true;
	return false;
}

/* Nothing is being done. */
static void watch_rest(struct watched *p)
{
	if (!watch_has_turn(p))
		watch_buffers_end(p);
	if (LIST_EMPTY(&p->agents))
		watched_free(p);
}

void watch_stop(struct watch *w)
{
	struct watched *p = w ? w->of : NULL;
	struct watch_wish *wish;

	if (!w)
		return;
	STAILQ_FOREACH(wish, &p->wishes, all)
		if (wish->watch == w)
			wish->watch = NULL;
	LIST_REMOVE(w, all);
	free(w->who);
	free(w->title);
	buf_release(&w->with);
	free(w);
	if (STAILQ_EMPTY(&p->wishes))
		watch_rest(p);
}

bool watch_is_on(const struct watched *p)
{
	return watch_has_turn(p) || !STAILQ_EMPTY(&p->wishes);
}

const char *watch_root(const struct watch *w)
{
	return w->of->root;
}

static void watch_add(struct watched *p, struct watch_wish wish)
{
	struct watch_wish *own = mem_new(sizeof(*own));
	bool first = STAILQ_EMPTY(&p->wishes);

	*own = wish;
	STAILQ_INSERT_TAIL(&p->wishes, own, all);
	if (first)
		loop_soon(p->ox->loop, watch_next, p);
}

void watch_turn_begin(struct watch *w, const char *turn, const char *title, watch_ready *fn,
		      void *arg)
{
	if (turn)
		snprintf(w->id, sizeof(w->id), "%s", turn);
	else
		turn_new_id(w->of->ox, w->id);
	free(w->title);
	w->title = mem_dup(title, strlen(title));
	watch_add(w->of,
		  (struct watch_wish){ .want = WATCH_BEGIN, .watch = w, .ready = fn, .arg = arg });
}

void watch_turn_end(struct watch *w, watch_ended *fn, void *arg)
{
	watch_add(w->of,
		  (struct watch_wish){ .want = WATCH_END, .watch = w, .ended = fn, .arg = arg });
}

/* The next one. */
static void watch_over(struct watched *p)
{
	struct watch_wish *done = STAILQ_FIRST(&p->wishes);

	STAILQ_REMOVE_HEAD(&p->wishes, all);
	free(done);
	if (!STAILQ_EMPTY(&p->wishes)) {
		loop_soon(p->ox->loop, watch_next, p);
		return;
	}
	p->fresh = false;
	watch_rest(p);
}

static void add_name(struct buf *names, const char *who)
{
	if (str_find(buf_str(names), str_of(who)) < 0)
		buf_addf(names, "%s%s", names->n ? ", " : "", who);
}

/* Two turns at once: neither can be told from the other. */
static void watch_meet(struct watch *w)
{
	struct watch *other;

	buf_clear(&w->with);
	LIST_FOREACH(other, &w->of->agents, all)
		if (other != w && other->open) {
			add_name(&w->with, other->who);
			add_name(&other->with, w->who);
		}
}

static void watch_begun(struct watched *p)
{
	struct watch_wish *wish = STAILQ_FIRST(&p->wishes);
	struct watch *w = wish->watch;

	if (w) {
		watch_meet(w);
		if (!watch_has_turn(p))
			watch_buffers_begin(p);
		w->open = true;
		wish->ready(wish->arg);
	}
	watch_over(p);
}

static void on_looked_before(struct watch_look *l)
{
	struct watched *p = l->of;

	watch_steps_clear(p);
	watch_look_free(l);
	watch_begun(p);
}

/* Whatever the look has seen is told of by now. */
static void on_heard(void *arg, const enum reread_fate *fate)
{
	struct watch_look *l = arg;
	struct watched *p = l->of;
	struct watch_wish *wish = STAILQ_FIRST(&p->wishes);
	struct watch *w = wish->watch;
	json *report = w ? watch_report(w, l) : NULL;
	struct watch_outcome o = { report ? w->id : NULL, report };

	watch_look_free(l);
	watch_steps_clear(p);
	p->fresh = true;
	if (w) {
		w->open = false;
		wish->ended(wish->arg, &o);
	}
	(void)fate;
	json_free(report);
	watch_over(p);
}

/* The editor may be in the middle of writing a file: what it says of that comes after the text. */
static void on_looked_after(struct watch_look *l)
{
	struct watched *p = l->of;

	if (l->n && p->dirs)
		p->ox->editor.reread(p->ox->editor.self, NULL, 0, on_heard, l);
	else
		on_heard(l, NULL);
}

static void on_updated(struct watched *p)
{
	watch_look_start(p, true, on_looked_after);
}

static void watch_next(void *arg)
{
	struct watched *p = arg;

	if (STAILQ_FIRST(&p->wishes)->want == WATCH_END)
		watch_buffers_update(p, on_updated);
	else if (watch_has_turn(p) || p->fresh)
		/* What the other one has changed until now is still to be told; and what an agent
		 * changes between two turns that follow at once is of the second one. */
		watch_begun(p);
	else
		watch_look_start(p, false, on_looked_before);
}
