#include <stdlib.h>

#include "../base/log.h"
#include "../base/mem.h"
#include "../core/workspace.h"
#include "../io/loop.h"
#include "nvim_impl.h"

/* Changes to buffers: one request that Neovim carries out whole or not at all, then the writing of
 * those that had no changes of their own. */
struct applying {
	struct nvim *nvim;
	const struct buffer_change *v;
	size_t n;
	editor_applied *fn;
	void *arg;
	struct timer *slow;
	bool told;
};

/* Who waits for the answer learns why there is none; the person in Neovim does once it hears. */
static void nvim_apply_tell_slow(struct applying *a, bool done)
{
	struct editor *ed = &a->nvim->ox->editor;

	ed->progress(ed->self, "oxide.apply", STR("Oxide"),
		     STR("waiting for Neovim, which is busy, to change its buffers"), -1, done);
}

static void nvim_apply_is_slow(void *arg)
{
	struct applying *a = arg;

	log_line(LOG_WARN, "Neovim is busy: a change waits until it has changed its buffers");
	a->told = true;
	nvim_apply_tell_slow(a, false);
}

static void nvim_apply_watch(struct applying *a)
{
	struct oxide *ox = a->nvim->ox;

	a->slow = timer_new(ox->loop, nvim_apply_is_slow, a);
	timer_set(a->slow, loop_now(ox->loop) + (uint64_t)config_get(&ox->config, CFG_NVIM_SLOW));
}

static void nvim_apply_add_edits(struct buf *out, const struct nvim_text *t,
				 const struct plan_file *f)
{
	struct nvim_edits it = { .text = t, .set = &f->edits, .now = f->now };
	struct nvim_edit ne = { .with = BUF_INIT };
	struct buf texts = BUF_INIT;

	buf_adds(out, ",\"edits\":{\"at\":[");
	while (nvim_edits_next(&it, &ne)) {
		const size_t at[] = { ne.row, ne.col, ne.end_row, ne.end_col };

		for (int i = 0; i < 4; i++) {
			if (i || texts.n)
				buf_addc(out, ',');
			buf_addn(out, at[i]);
		}
		if (texts.n)
			buf_addc(&texts, ',');
		json_quote(&texts, buf_str(&ne.with));
	}
	buf_addf(out, "],\"text\":[%s]}", buf_str(&texts).p);
	buf_release(&texts);
	buf_release(&ne.with);
}

static void nvim_apply_add_change(struct nvim *n, struct buf *out, const struct buffer_change *c)
{
	struct nvim_buffer *b = nvim_buffer_find(n, c->buf);

	buf_addf(out, "{\"buf\":%ld,\"tick\":%lld,\"path\":", c->buf, (long long)c->tick);
	json_quote(out, str_of(c->file->path));
	if (c->file->new_path) {
		buf_adds(out, ",\"new_path\":");
		json_quote(out, str_of(c->file->new_path));
	}
	if (b) /* else it was closed meanwhile, and Neovim will say so */
		nvim_apply_add_edits(out, &b->text, c->file);
	buf_addc(out, '}');
}

/* The document's side of a change that Neovim has carried out. */
static void nvim_apply_here(struct nvim *n, const struct buffer_change *c, int64_t tick)
{
	struct nvim_buffer *b = nvim_buffer_find(n, c->buf);

	if (!b)
		return;
	if (!c->removed) {
		workspace_ours(n->ox->workspace, true);
		doc_edit(b->text.doc, &c->file->edits);
		workspace_ours(n->ox->workspace, false);
		nvim_text_settle(&b->text);
	}
	nvim_buffer_tick(n, b, tick);
	nvim_buffer_replay(n, b, tick);
}

static bool nvim_apply_read_ticks(const json *answer, const struct applying *a, int64_t *tick,
				  struct err *e)
{
	const json *files = json_get(answer, "files");
	size_t i = 0;

	if (!json_get_bool(answer, "ok", false))
		return err_set(e, ERR_STALE, "%s: %s", json_get_str(answer, "path").p,
			       json_get_str(answer, "reason").p);
	json_each(f, files) {
		if (i < a->n && !a->v[i].removed)
			tick[i] = json_get_int(f, "tick", a->v[i].tick);
		i++;
	}
	return true;
}

static void nvim_applied(void *arg, struct msg *m, const struct err *why)
{
	struct applying *a = arg;
	int64_t *tick = mem_new((a->n + 1) * sizeof(*tick));
	struct err e = ERR_INIT;
	json *answer = nvim_lua_result(m, why, &e);
	bool ok = answer && nvim_apply_read_ticks(answer, a, tick, &e);

	for (size_t i = 0; i < a->n; i++) {
		struct nvim_buffer *b = nvim_buffer_find(a->nvim, a->v[i].buf);

		if (ok)
			nvim_apply_here(a->nvim, &a->v[i], tick[i]);
		else if (b)
			nvim_buffer_replay(a->nvim, b, INT64_MIN);
	}
	timer_free(a->slow);
	if (a->told)
		nvim_apply_tell_slow(a, true);
	a->fn(a->arg, &e, tick, why->code && peer_closed(a->nvim->peer));
	json_free(answer);
	free(tick);
	free(a);
}

/* Neovim would tell of every single edit. For many, nobody listens meanwhile: what they make is
 * known, and the tick says whether anything else happened. */
#define EDITS_HEARD 50

static bool nvim_apply_is_big(const struct buffer_change *c)
{
	return !c->removed && c->file->edits.n > EDITS_HEARD;
}

static void nvim_apply_look_away(struct nvim *n, const struct buffer_change *v, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct nvim_buffer *b = nvim_buffer_find(n, v[i].buf);

		if (b && nvim_apply_is_big(&v[i]))
			nvim_buffer_detach(n, b);
	}
}

static void nvim_apply_look_again(struct nvim *n, const struct buffer_change *v, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct nvim_buffer *b = nvim_buffer_find(n, v[i].buf);

		if (b && nvim_apply_is_big(&v[i]))
			nvim_buffer_attach(n, b, false);
	}
}

static void nvim_apply(void *self, const char *title, const char *claim,
		       const struct buffer_change *v, size_t count, editor_applied *fn, void *arg)
{
	struct nvim *n = self;
	struct applying *a = mem_new(sizeof(*a));
	struct buf body = BUF_INIT, gone = BUF_INIT;
	bool some = false;

	*a = (struct applying){ .nvim = n, .v = v, .n = count, .fn = fn, .arg = arg };
	nvim_apply_look_away(n, v, count);
	buf_adds(&body, "{\"title\":");
	json_quote(&body, str_of(title));
	if (claim) {
		buf_adds(&body, ",\"claim\":");
		json_quote(&body, str_of(claim));
	}
	buf_adds(&body, ",\"files\":[");
	for (size_t i = 0; i < count; i++) {
		struct nvim_buffer *b = nvim_buffer_find(n, v[i].buf);

		if (b)
			b->applying = true;
		if (v[i].removed) {
			buf_addf(&gone, "%s{\"buf\":%ld}", gone.n ? "," : "", v[i].buf);
			continue;
		}
		if (some)
			buf_addc(&body, ',');
		nvim_apply_add_change(n, &body, &v[i]);
		some = true;
	}
	buf_addf(&body, "],\"deleted\":[%s]}", buf_str(&gone).p);
	buf_release(&gone);
	nvim_lua(n, "apply", &body, nvim_applied, a);
	nvim_apply_watch(a);
	nvim_apply_look_again(n, v, count);
}

struct saving {
	struct nvim *nvim;
	editor_saved *fn;
	void *arg;
	size_t n;
};

static void nvim_saved(void *arg, struct msg *m, const struct err *why)
{
	struct saving *s = arg;
	struct editor_saves saves = { 0 };
	struct err e = ERR_INIT;
	json *answer = nvim_lua_result(m, why, &e);

	saves.gone = why->code && peer_closed(s->nvim->peer);
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

static void nvim_save(void *self, const struct buffer_change *v, size_t count, editor_saved *fn,
		      void *arg)
{
	struct nvim *n = self;
	struct saving *s = mem_new(sizeof(*s));
	struct buf body = BUF_INIT;

	*s = (struct saving){ n, fn, arg, 0 };
	buf_adds(&body, "{\"files\":[");
	for (size_t i = 0; i < count; i++)
		if (!v[i].removed)
			buf_addf(&body, "%s{\"buf\":%ld,\"was_modified\":%s}", s->n++ ? "," : "",
				 v[i].buf, v[i].was_modified ? "true" : "false");
	buf_adds(&body, "]}");
	nvim_lua(n, "save", &body, nvim_saved, s);
}

void nvim_apply_init(struct nvim *n)
{
	n->ox->editor.apply = nvim_apply;
	n->ox->editor.save = nvim_save;
}
