#include <stdlib.h>

#include "../base/mem.h"
#include "../io/tree.h"
#include "watch_impl.h"

/* What others than the agent have written to the files meanwhile, in order. */
#define STEP_BYTES                                                                                 \
	((size_t)64 << 20) /* of all of them; of what comes then, the last text counts             \
			    */

static void step_free(struct watch_step *s)
{
	free(s->path);
	buf_release(&s->was.text);
	buf_release(&s->now.text);
	free(s);
}

void watch_steps_add(struct watched *p, const char *path, struct watch_text *was, bool was_known,
		     struct watch_text *now)
{
	struct watch_step *s = mem_new(sizeof(*s));

	s->path = mem_dup(path, strlen(path));
	s->was_known = was_known;
	s->was = *was;
	s->now = *now;
	*was = *now = (struct watch_text){ 0 };
	p->step_bytes += s->was.text.n + s->now.text.n;
	p->n_steps++;
	STAILQ_INSERT_TAIL(&p->steps, s, all);
}

void watch_steps_mark(struct watched *p)
{
	p->old_steps = p->n_steps;
}

void watch_steps_clear(struct watched *p)
{
	struct watch_step *s;

	for (; p->old_steps && (s = STAILQ_FIRST(&p->steps)); p->old_steps--, p->n_steps--) {
		STAILQ_REMOVE_HEAD(&p->steps, all);
		p->step_bytes -= s->was.text.n + s->now.text.n;
		step_free(s);
	}
	p->early_steps = p->n_steps;
}

bool watch_text_read(struct watched *p, const char *path, struct watch_text *out, struct err *e)
{
	size_t most = (size_t)config_get(&p->ox->config, CFG_AGENT_WATCH_FILE);
	struct tree_stat st;

	*out = (struct watch_text){ 0 };
	if (p->step_bytes > STEP_BYTES)
		return err_set(e, ERR_LIMIT, "too much was written in this turn");
	if (!tree_read(p->root, path, most, &out->text, &st, e)) {
		if (e->code != ERR_NOT_FOUND)
			return false;
		*e = (struct err)ERR_INIT;
		return true;
	}
	out->there = true;
	out->mode = st.mode == MODE_LINK ? MODE_LINK : 0100000 | (st.mode & MODE_BITS);
	return true;
}

static void on_buffer(void *arg, const struct buffer *b, enum disk_event what)
{
	struct watched *p = arg;

	watch_buffers_event(p, b, what);
}

/* An agent may have been there since: then it is what Oxide wrote, by the plan. */
static bool own_text(struct watched *p, const char *path, const struct plan_file *f, bool there,
		     struct watch_text *out)
{
	bool read = watch_text_read(p, path, out, ERR_IGNORED);

	if (f->rested || plan_file_links(f) ||
	    (read && out->there == there && str_eq(buf_str(&out->text), there ? f->now : STR(""))))
		return read;
	buf_clear(&out->text);
	out->there = there;
	out->mode = there ? f->now_mode : 0;
	if (there)
		buf_add(&out->text, f->now);
	return true;
}

/* Before and after, of one name. */
static void own_step(struct watched *p, const char *whole, const struct plan_file *f, bool was)
{
	const char *path = watch_below(p, whole);
	struct watch_text a = { 0 }, b = { 0 };
	bool known = !was || (!f->rested && !plan_file_links(f));

	if (!path || !watch_is_on(p))
		return;
	if (was && known && f->existed) {
		a.there = true;
		a.mode = f->was_mode;
		buf_add(&a.text, f->was);
	}
	if (own_text(p, path, f, f->exists && (!was || !f->new_path), &b))
		watch_steps_add(p, path, &a, known, &b);
	buf_release(&a.text);
	buf_release(&b.text);
}

static void on_own(void *arg, const struct plan_file *f)
{
	struct watched *p = arg;

	own_step(p, f->path, f, true);
	if (f->new_path)
		own_step(p, f->new_path, f, false);
}

void watch_steps_listen(struct watched *p)
{
	p->listener = (struct disk_listener){ .buffer = on_buffer, .own = on_own, .arg = p };
	LIST_INSERT_HEAD(&p->ox->listeners, &p->listener, all);
}
