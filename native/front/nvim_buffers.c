#include <stdlib.h>

#include "../base/log.h"
#include "../base/mem.h"
#include "../core/pool.h"
#include "../core/workspace.h"
#include "../io/loop.h"
#include "nvim_impl.h"

/*
 * Live buffers. A buffer is attached once; its text comes in one or several events, and from then
 * on every change. While a change of our own is on its way, events wait: when Neovim has applied
 * it, those up to its tick are the change itself, which is carried out here in one sweep instead
 * of ten thousand; when it refused, they are the person's, and count.
 */
struct waiting {
	struct waiting *next;
	int64_t tick;
	char *raw;
	size_t n;
};

struct nvim_buffer {
	struct nvim_buffer *next;
	long number;
	struct nvim_text text;
	bool attached, loading, applying;
	struct buf first; /* the text while it comes in */
	size_t first_lines;
	struct waiting *waiting, **last;
};

static struct nvim_buffer *find(struct nvim *n, long number)
{
	for (struct nvim_buffer *b = n->buffers; b; b = b->next)
		if (b->number == number)
			return b;
	return NULL;
}

static void loaded(struct nvim *n, struct nvim_buffer *b)
{
	if (!b->loading)
		return;
	b->loading = false;
	buf_release(&b->first);
	n->attaching--;
	nvim_run_held(n);
}

/* Calls waited for its text; where it cannot be had the disk's has to do. */
static void attach_replied(void *arg, struct msg *m, const struct err *e)
{
	struct nvim *n = arg;
	struct err bad = ERR_INIT;
	bool fine = !e->code && json_true(msg_body(m, &bad));

	if (fine)
		return;
	log_line(LOG_WARN, "a buffer cannot be attached: %s", e->code ? e->msg : bad.msg);
	for (struct nvim_buffer *b = n->buffers; b; b = b->next)
		loaded(n, b);
}

static void attach(struct nvim *n, struct nvim_buffer *b)
{
	json *params = json_array();

	b->attached = b->loading = true;
	n->attaching++;
	json_push(params, json_int(b->number));
	json_push(params, json_bool(true));
	json_push(params, json_object());
	peer_call(n->peer, "nvim_buf_attach", params, loop_now(n->ox->loop),
		  (uint64_t)config_get(&n->ox->config, CFG_NVIM_TIMEOUT), attach_replied, n);
	nvim_wake(n);
}

void nvim_buffer_open(struct nvim *n, const json *info)
{
	struct str path = json_get_str(info, "path");
	struct buffer_info bi = { (long)json_get_int(info, "buf", 0), path.p,
				  json_get_str(info, "filetype").p,
				  json_get_bool(info, "modified", false),
				  json_get_bool(info, "readonly", false) };
	struct nvim_buffer *b = find(n, bi.number);
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
		b->last = &b->waiting;
		b->next = n->buffers;
		n->buffers = b;
	}
	if (b->text.doc && b->text.doc != core->doc)
		doc_set(core->doc, doc_text(b->text.doc)); /* it has another name now */
	b->text.doc = core->doc;
	if (!b->attached) {
		b->text.eol = eol;
		attach(n, b);
	} else if (!b->loading && b->text.eol != eol) {
		nvim_text_eol(&b->text, eol);
	}
}

void nvim_buffer_saved(struct nvim *n, const json *info)
{
	struct nvim_buffer *b = find(n, (long)json_get_int(info, "buf", 0));
	struct buffer *core = b ? workspace_buffer(n->ox->workspace, b->number) : NULL;

	if (!core)
		return;
	core->modified = false;
	core->tick = json_get_int(info, "tick", core->tick);
	pool_saved(n->ox->pool, core->doc);
}

static void free_buffer(struct nvim_buffer *b)
{
	struct waiting *w;

	while ((w = b->waiting)) {
		b->waiting = w->next;
		free(w->raw);
		free(w);
	}
	buf_release(&b->first);
	free(b);
}

void nvim_buffer_close(struct nvim *n, long number)
{
	for (struct nvim_buffer **at = &n->buffers; *at; at = &(*at)->next) {
		struct nvim_buffer *b = *at;

		if (b->number != number)
			continue;
		loaded(n, b);
		*at = b->next;
		workspace_buffer_close(n->ox->workspace, number);
		free_buffer(b);
		return;
	}
}

static void set_tick(struct nvim *n, struct nvim_buffer *b, int64_t tick)
{
	struct buffer *core = workspace_buffer(n->ox->workspace, b->number);

	if (core)
		core->tick = tick;
}

/* The first text, or a part of it. */
static void take_first(struct nvim *n, struct nvim_buffer *b, struct lines_event *ev)
{
	struct str line;

	while (lines_event_next(ev, &line)) {
		if (b->first_lines++)
			buf_addc(&b->first, '\n');
		buf_add(&b->first, line);
	}
	if (ev->more)
		return;
	nvim_text_set(&b->text, buf_str(&b->first), b->first_lines);
	loaded(n, b);
}

static void carry_out(struct nvim *n, struct nvim_buffer *b, struct lines_event *ev)
{
	struct err e = ERR_INIT;

	if (b->loading) {
		take_first(n, b, ev);
	} else if (!nvim_text_event(&b->text, ev, &e)) {
		/* Out of step: begin anew rather than edit a text that is not there. */
		log_line(LOG_ERROR, "buffer %ld: %s", b->number, e.msg);
		b->first_lines = 0;
		attach(n, b);
	}
	set_tick(n, b, ev->tick);
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
	b = find(n, (long)ev.buf);
	if (!b || ev.tick == -1)
		return; /* a preview is no change */
	if (b->applying) {
		struct waiting *w = mem_new(sizeof(*w));

		w->tick = ev.tick;
		w->raw = mem_copy(raw.p, raw.n);
		w->n = raw.n;
		*b->last = w;
		b->last = &w->next;
		return;
	}
	carry_out(n, b, &ev);
}

void nvim_tick_event(struct nvim *n, const json *params)
{
	const json *buf = json_first(params), *tick = buf ? json_next(buf) : NULL;
	struct nvim_buffer *b = find(n, (long)json_number(buf));

	if (b && !b->applying && json_is_int(tick))
		set_tick(n, b, json_number(tick));
}

/* Carries out what waited and is newer than `tick`; what is not newer was our own change. */
static void replay(struct nvim *n, struct nvim_buffer *b, int64_t tick)
{
	struct waiting *w;
	struct lines_event ev;
	struct err e = ERR_INIT;

	b->applying = false;
	while ((w = b->waiting)) {
		b->waiting = w->next;
		if (w->tick > tick && lines_event_read(&ev, (struct str){ w->raw, w->n }, &e))
			carry_out(n, b, &ev);
		free(w->raw);
		free(w);
	}
	b->last = &b->waiting;
}

struct applying {
	struct nvim *nvim;
	const struct buffer_change *v;
	size_t n;
	editor_applied *fn;
	void *arg;
};

static void add_edits(struct buf *out, const struct nvim_text *t, const struct edits *set)
{
	struct nvim_edit ne = { .with = BUF_INIT };
	struct buf texts = BUF_INIT;

	buf_adds(out, ",\"edits\":{\"at\":[");
	for (size_t i = 0; i < set->n; i++) {
		nvim_edit_of(t, &set->v[i], &ne);
		buf_addf(out, "%s%zu,%zu,%zu,%zu", i ? "," : "", ne.row, ne.col, ne.end_row,
			 ne.end_col);
		if (i)
			buf_addc(&texts, ',');
		json_quote(&texts, buf_str(&ne.with));
	}
	buf_addf(out, "],\"text\":[%s]}", buf_str(&texts).p);
	buf_release(&texts);
	buf_release(&ne.with);
}

static void add_change(struct nvim *n, struct buf *out, const struct buffer_change *c)
{
	struct nvim_buffer *b = find(n, c->buf);

	buf_addf(out, "{\"buf\":%ld,\"tick\":%lld,\"path\":", c->buf, (long long)c->tick);
	json_quote(out, str_of(c->file->path));
	if (c->file->new_path) {
		buf_adds(out, ",\"new_path\":");
		json_quote(out, str_of(c->file->new_path));
	}
	if (b) /* else it was closed meanwhile, and Neovim will say so */
		add_edits(out, &b->text, &c->file->edits);
	buf_addc(out, '}');
}

/* The document's side of a change that Neovim has carried out. */
static void change_here(struct nvim *n, const struct buffer_change *c, int64_t tick)
{
	struct nvim_buffer *b = find(n, c->buf);

	if (!b)
		return;
	if (!c->removed) {
		doc_edit(b->text.doc, &c->file->edits);
		nvim_text_settle(&b->text);
	}
	set_tick(n, b, tick);
	replay(n, b, tick);
}

static bool read_ticks(const json *answer, const struct applying *a, int64_t *tick, struct err *e)
{
	const json *files = json_get(answer, "files");
	size_t i = 0;

	if (!json_get_bool(answer, "ok", false))
		return err_set(e, ERR_STALE, "%s: %s", json_get_str(answer, "path").p,
			       json_get_str(answer, "reason").p);
	json_each(f, files)
	{
		if (i < a->n && !a->v[i].removed)
			tick[i] = json_get_int(f, "tick", a->v[i].tick);
		i++;
	}
	return true;
}

static void applied(void *arg, struct msg *m, const struct err *why)
{
	struct applying *a = arg;
	int64_t *tick = mem_new((a->n + 1) * sizeof(*tick));
	struct err e = ERR_INIT;
	json *answer = nvim_lua_result(m, why, &e);
	bool ok = answer && read_ticks(answer, a, tick, &e);

	for (size_t i = 0; i < a->n; i++) {
		struct nvim_buffer *b = find(a->nvim, a->v[i].buf);

		if (ok)
			change_here(a->nvim, &a->v[i], tick[i]);
		else if (b)
			replay(a->nvim, b, INT64_MIN);
	}
	a->fn(a->arg, &e, tick);
	json_free(answer);
	free(tick);
	free(a);
}

static void apply(void *self, const char *title, const struct buffer_change *v, size_t count,
		  editor_applied *fn, void *arg)
{
	struct nvim *n = self;
	struct applying *a = mem_new(sizeof(*a));
	struct buf body = BUF_INIT, gone = BUF_INIT;
	bool some = false;

	*a = (struct applying){ n, v, count, fn, arg };
	buf_adds(&body, "{\"title\":");
	json_quote(&body, str_of(title));
	buf_adds(&body, ",\"files\":[");
	for (size_t i = 0; i < count; i++) {
		struct nvim_buffer *b = find(n, v[i].buf);

		if (b)
			b->applying = true;
		if (v[i].removed) {
			buf_addf(&gone, "%s{\"buf\":%ld}", gone.n ? "," : "", v[i].buf);
			continue;
		}
		if (some)
			buf_addc(&body, ',');
		add_change(n, &body, &v[i]);
		some = true;
	}
	buf_addf(&body, "],\"deleted\":[%s]}", buf_str(&gone).p);
	buf_release(&gone);
	nvim_lua(n, "apply", &body, applied, a);
}

struct saving {
	editor_saved *fn;
	void *arg;
	size_t n;
};

static void saved(void *arg, struct msg *m, const struct err *why)
{
	struct saving *s = arg;
	struct editor_saves saves = { 0 };
	struct err e = ERR_INIT;
	json *answer = nvim_lua_result(m, why, &e);

	saves.saved = json_len(json_get(answer, "saved"));
	json_each(f, json_get(answer, "failed"))
		buf_addf(&saves.failed, "%s%s: %s", saves.failed.n ? "; " : "",
			 json_get_str(f, "path").p, json_get_str(f, "reason").p);
	if (!answer)
		buf_adds(&saves.failed, e.msg);
	saves.left = s->n - saves.saved;
	s->fn(s->arg, &saves);
	buf_release(&saves.failed);
	json_free(answer);
	free(s);
}

static void save(void *self, const struct buffer_change *v, size_t count, editor_saved *fn,
		 void *arg)
{
	struct nvim *n = self;
	struct saving *s = mem_new(sizeof(*s));
	struct buf body = BUF_INIT;

	*s = (struct saving){ fn, arg, 0 };
	buf_adds(&body, "{\"files\":[");
	for (size_t i = 0; i < count; i++)
		if (!v[i].removed)
			buf_addf(&body, "%s{\"buf\":%ld,\"was_modified\":%s}", s->n++ ? "," : "",
				 v[i].buf, v[i].was_modified ? "true" : "false");
	buf_adds(&body, "]}");
	nvim_lua(n, "save", &body, saved, s);
}

void nvim_buffers_init(struct nvim *n)
{
	n->ox->editor.apply = apply;
	n->ox->editor.save = save;
}

void nvim_buffers_release(struct nvim *n)
{
	struct nvim_buffer *b;

	while ((b = n->buffers)) {
		n->buffers = b->next;
		free_buffer(b);
	}
}
