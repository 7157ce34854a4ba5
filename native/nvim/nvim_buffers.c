#include <stdlib.h>

#include "../base/log.h"
#include "../base/mem.h"
#include "../core/disk_listener.h"
#include "../core/workspace.h"
#include "../io/loop.h"
#include "../servers/pool.h"
#include "nvim_impl.h"

/*
 * Live buffers. A buffer is attached once; its text comes in one or several events, and from then
 * on every change. While a change of our own is on its way, events wait: when Neovim has applied
 * it, those up to its tick are the change itself, which is carried out here in one sweep instead
 * of ten thousand; when it refused, they are the person's, and count.
 */
struct nvim_buffer *nvim_buffer_find(struct nvim *n, long number)
{
	struct nvim_buffer *b;

	LIST_FOREACH(b, &n->buffers, all)
		if (b->number == number)
			return b;
	return NULL;
}

static void nvim_buffer_loaded(struct nvim *n, struct nvim_buffer *b)
{
	struct buffer *core = workspace_buffer(n->ox->workspace, b->number);

	if (!b->loading)
		return;
	b->loading = false;
	if (core)
		core->loading = false;
	buf_release(&b->first);
	n->attaching--;
	nvim_run_held(n);
}

struct attaching {
	struct nvim *nvim;
	long number;
	unsigned attach;
};

/* Calls waited for its text. Where that cannot be had, the buffer is gone, or has no text: it is
 * forgotten, and the disk's text counts. The other buffers go on loading. */
static void nvim_attach_replied(void *arg, struct msg *m, const struct err *e)
{
	struct attaching *a = arg;
	struct nvim_buffer *b = nvim_buffer_find(a->nvim, a->number);
	struct err bad = ERR_INIT;
	bool fine = !e->code && json_true(msg_body(m, &bad));

	if (!fine) {
		log_line(LOG_WARN, "buffer %ld cannot be attached: %s", a->number,
			 e->code    ? e->msg
			 : bad.code ? bad.msg
				    : "it is not loaded");
		/* It may have been closed, and attached again, since. */
		if (b && b->attach == a->attach)
			nvim_buffer_close(a->nvim, a->number);
	}
	free(a);
}

/* Without a time-out: Neovim answers once it is no longer busy, and the end of the channel ends it.
 */
static void nvim_buffer_ask(struct nvim *n, const char *method, json *params, peer_reply *fn,
			    void *arg)
{
	peer_call(n->peer, method, params, loop_now(n->ox->loop), 0, fn, arg);
	nvim_wake(n);
}

void nvim_buffer_detach(struct nvim *n, struct nvim_buffer *b)
{
	b->detaching++;
	nvim_buffer_ask(n, "nvim_buf_detach", json_list(json_int(b->number)), nvim_log_error, n);
}

void nvim_buffer_attach(struct nvim *n, struct nvim_buffer *b, bool with_text)
{
	struct attaching *a = mem_new(sizeof(*a));

	*a = (struct attaching){ n, b->number, ++n->last_attach };
	b->attach = n->last_attach;
	b->attached = true;
	b->blind = !with_text;
	if (with_text && !b->loading) {
		struct buffer *core = workspace_buffer(n->ox->workspace, b->number);

		b->loading = true;
		if (core)
			core->loading = true;
		b->first_lines = 0;
		n->attaching++;
	}
	nvim_buffer_ask(n, "nvim_buf_attach",
			json_list(json_int(b->number), json_bool(with_text), json_object()),
			nvim_attach_replied, a);
}

/* Out of step: read the whole text again rather than edit one that is not there. */
static void nvim_buffer_begin_again(struct nvim *n, struct nvim_buffer *b)
{
	nvim_buffer_detach(n, b);
	nvim_buffer_attach(n, b, true);
}

void nvim_detach_event(struct nvim *n, long number)
{
	struct nvim_buffer *b = nvim_buffer_find(n, number);

	if (b && b->detaching)
		b->detaching--;
	else
		nvim_buffer_close(n, number);
}

void nvim_buffer_open(struct nvim *n, const json *info)
{
	struct str path = json_get_str(info, "path");
	struct buffer_info bi = {
		(long)json_get_int(info, "buf", 0),	path.p,
		json_get_str(info, "filetype").p,	json_get_bool(info, "modified", false),
		json_get_bool(info, "readonly", false), json_get_str(info, "stamp").p
	};
	struct nvim_buffer *b = nvim_buffer_find(n, bi.number);
	struct err e = ERR_INIT;
	struct buffer *core =
		bi.number && path.n ? workspace_buffer_info(n->ox->workspace, &bi, &e) : NULL;
	bool eol = json_get_bool(info, "eol", true);

	if (!core) {
		log_line(LOG_WARN, "buffer %ld: %s", bi.number, e.code ? e.msg : "no path");
		return;
	}
	if (!b) {
		b = mem_new(sizeof(*b));
		b->number = bi.number;
		STAILQ_INIT(&b->waiting);
		LIST_INSERT_HEAD(&n->buffers, b, all);
	}
	if (b->text.doc && b->text.doc != core->doc)
		doc_set(core->doc, doc_text(b->text.doc)); /* it has another name now */
	b->text.doc = core->doc;
	if (!b->attached) {
		b->text.eol = eol;
		nvim_buffer_attach(n, b, true);
	} else if (!b->loading && b->text.eol != eol) {
		nvim_text_eol(&b->text, eol);
	}
}

static void nvim_buffer_written(struct nvim *n, const struct nvim_buffer *b, int64_t tick)
{
	struct buffer *core = workspace_buffer(n->ox->workspace, b->number);

	if (!core)
		return;
	core->modified = false;
	core->tick = tick;
	disk_listeners_buffer(n->ox, core, DISK_WRITTEN);
	pool_disk_changed(n->ox->pool, doc_path(core->doc), core->doc, FILE_CHANGED);
}

static void nvim_buffer_wait(struct nvim_buffer *b, int64_t tick, struct str raw)
{
	struct waiting *w = mem_new(sizeof(*w));

	w->tick = tick;
	w->raw = raw.n ? mem_copy(raw.p, raw.n) : NULL;
	w->n = raw.n;
	STAILQ_INSERT_TAIL(&b->waiting, w, all);
}

/* What was written is the text that the events before it lead to. What else there is to know of the
 * buffer by then comes with it. */
void nvim_buffer_saved(struct nvim *n, const json *info)
{
	struct nvim_buffer *b = nvim_buffer_find(n, (long)json_get_int(info, "buf", 0));
	int64_t tick = json_get_int(info, "tick", 0);

	if (b && b->applying)
		nvim_buffer_wait(b, tick, STR(""));
	else if (b)
		nvim_buffer_written(n, b, tick);
	if (json_get(info, "path"))
		nvim_buffer_open(n, info);
}

void nvim_buffer_behind(struct nvim *n, const json *info)
{
	struct buffer *core =
		workspace_buffer(n->ox->workspace, (long)json_get_int(info, "buf", 0));

	if (core)
		disk_listeners_buffer(n->ox, core, DISK_BEHIND);
}

static void nvim_buffer_free(struct nvim_buffer *b)
{
	struct waiting *w;

	LIST_REMOVE(b, all);
	while ((w = STAILQ_FIRST(&b->waiting))) {
		STAILQ_REMOVE_HEAD(&b->waiting, all);
		free(w->raw);
		free(w);
	}
	buf_release(&b->first);
	free(b);
}

void nvim_buffer_close(struct nvim *n, long number)
{
	struct nvim_buffer *b = nvim_buffer_find(n, number);

	if (!b)
		return;
	nvim_buffer_loaded(n, b);
	workspace_buffer_close(n->ox->workspace, number);
	nvim_buffer_free(b);
}

void nvim_buffer_tick(struct nvim *n, struct nvim_buffer *b, int64_t tick)
{
	struct buffer *core = workspace_buffer(n->ox->workspace, b->number);

	if (core)
		core->tick = tick;
}

/* The first text, or a part of it. */
static void nvim_buffer_take_first(struct nvim *n, struct nvim_buffer *b, struct lines_event *ev)
{
	struct buffer *core;
	struct str line;

	while (lines_event_next(ev, &line)) {
		if (b->first_lines++)
			buf_addc(&b->first, '\n');
		buf_add(&b->first, line);
	}
	if (ev->more)
		return;
	nvim_text_set(&b->text, buf_str(&b->first), b->first_lines);
	nvim_buffer_tick(n, b, ev->tick);
	core = workspace_buffer(n->ox->workspace, b->number);
	if (core) {
		core->loading = false;
		disk_listeners_buffer(n->ox, core, DISK_READ);
	}
	nvim_buffer_loaded(n, b);
}

static void nvim_buffer_carry_out(struct nvim *n, struct nvim_buffer *b, struct lines_event *ev)
{
	struct err e = ERR_INIT;

	if (b->loading) {
		nvim_buffer_take_first(n, b, ev);
	} else if (!nvim_text_event(&b->text, ev, &e)) {
		log_line(LOG_ERROR, "buffer %ld: %s", b->number, e.msg);
		nvim_buffer_begin_again(n, b);
	}
	nvim_buffer_tick(n, b, ev->tick);
}

void nvim_lines_event(struct nvim *n, struct str raw)
{
	struct lines_event ev;
	struct err e = ERR_INIT;
	struct nvim_buffer *b;

	if (!lines_event_read(&ev, raw, &e)) {
		log_line(LOG_ERROR, "Neovim: %s", e.msg);
		return;
	}
	b = nvim_buffer_find(n, (long)ev.buf);
	if (!b || ev.tick == -1)
		return; /* a preview is not a change */
	if (b->applying) {
		nvim_buffer_wait(b, ev.tick, raw);
		return;
	}
	nvim_buffer_carry_out(n, b, &ev);
}

void nvim_tick_event(struct nvim *n, const json *params)
{
	const json *buf = json_first(params), *tick = buf ? json_next(buf) : NULL;
	struct nvim_buffer *b = nvim_buffer_find(n, (long)json_number(buf));
	struct buffer *core = b ? workspace_buffer(n->ox->workspace, b->number) : NULL;

	if (!core || b->applying || !json_is_int(tick))
		return;
	if (b->blind && json_number(tick) != core->tick)
		nvim_buffer_begin_again(n, b); /* it was changed while nobody looked */
	b->blind = false;
	core->tick = json_number(tick);
}

void nvim_buffer_replay(struct nvim *n, struct nvim_buffer *b, int64_t tick)
{
	struct waiting *w;
	struct lines_event ev;
	struct err e = ERR_INIT;

	b->applying = false;
	while ((w = STAILQ_FIRST(&b->waiting))) {
		STAILQ_REMOVE_HEAD(&b->waiting, all);
		if (!w->raw)
			nvim_buffer_written(n, b, w->tick);
		else if (w->tick > tick && lines_event_read(&ev, (struct str){ w->raw, w->n }, &e))
			nvim_buffer_carry_out(n, b, &ev);
		free(w->raw);
		free(w);
	}
}

void nvim_buffers_release(struct nvim *n)
{
	struct nvim_buffer *b;

	while ((b = LIST_FIRST(&n->buffers)))
		nvim_buffer_free(b);
}
