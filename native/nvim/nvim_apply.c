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

	ed->progress(ed->self, NULL, "oxide.apply", STR("Oxide"),
		     STR("Neovim is busy; waiting for it to change its buffers"), -1, done);
}

static void nvim_apply_is_slow(void *arg)
{
	struct applying *a = arg;

	log_line(LOG_WARN, "Neovim is busy; a change is waiting for it to change its buffers");
	a->told = true;
	nvim_apply_tell_slow(a, false);
}

static void nvim_apply_watch(struct applying *a)
{
	struct oxide *ox = a->nvim->ox;

	a->slow = timer_new(ox->loop, nvim_apply_is_slow, a);
	timer_set(a->slow, loop_now(ox->loop) + (uint64_t)config_get(&ox->config, CFG_NVIM_SLOW));
}

/* {at: [row, column, end row, end column of each], text: [of each]}, by hand: there may be many. */
json *nvim_edits_json(const struct nvim_text *t, const struct edits *set, struct str now)
{
	struct nvim_edits it = { .text = t, .set = set, .now = now };
	struct nvim_edit ne = { .with = BUF_INIT };
	struct buf out = BUF_INIT, texts SCOPED(buf_release) = BUF_INIT;

	buf_adds(&out, "{\"at\":[");
	while (nvim_edits_next(&it, &ne)) {
		const size_t at[] = { ne.row, ne.col, ne.end_row, ne.end_col };

		for (int i = 0; i < 4; i++) {
			if (i || texts.n)
				buf_addc(&out, ',');
			buf_addn(&out, at[i]);
		}
		if (texts.n)
			buf_addc(&texts, ',');
		json_quote(&texts, buf_str(&ne.with));
	}
	buf_addf(&out, "],\"text\":[%s]}", buf_str(&texts).p);
	buf_release(&ne.with);
	return json_raw(&out);
}

/* A buffer that was closed meanwhile has no edits: Neovim will say so. */
static json *nvim_apply_file(struct nvim *n, const struct buffer_change *c)
{
	struct nvim_buffer *b = nvim_buffer_find(n, c->buf);
	const char *new_path = c->file->new_path;

	return json_of({ "buf", json_int(c->buf) }, { "tick", json_int(c->tick) },
		       { "path", json_strz(c->file->path) },
		       { "new_path", new_path ? json_strz(new_path) : NULL },
		       { "edits",
			 b ? nvim_edits_json(&b->text, &c->file->edits, c->file->now) : NULL });
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
	int64_t *tick SCOPED(mem_release) = mem_new((a->n + 1) * sizeof(*tick));
	struct err e = ERR_INIT;
	json *answer SCOPED(json_release) = nvim_lua_result(m, why, &e);
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
	json *files = json_array(), *gone = json_array();

	*a = (struct applying){ .nvim = n, .v = v, .n = count, .fn = fn, .arg = arg };
	nvim_apply_look_away(n, v, count);
	for (size_t i = 0; i < count; i++) {
		struct nvim_buffer *b = nvim_buffer_find(n, v[i].buf);

		if (b)
			b->applying = true;
		if (v[i].removed)
			json_push(gone, json_of({ "buf", json_int(v[i].buf) }));
		else
			json_push(files, nvim_apply_file(n, &v[i]));
	}
	nvim_lua(n, "apply",
		 json_of({ "title", json_strz(title) },
			 { "claim", claim ? json_strz(claim) : NULL }, { "files", files },
			 { "deleted", gone }),
		 nvim_applied, a);
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
	json *answer SCOPED(json_release) = nvim_lua_result(m, why, &e);

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
	free(s);
}

static void nvim_save(void *self, const struct buffer_change *v, size_t count, editor_saved *fn,
		      void *arg)
{
	struct saving *s = mem_new(sizeof(*s));
	json *files = json_array();

	*s = (struct saving){ self, fn, arg, 0 };
	for (size_t i = 0; i < count; i++)
		if (!v[i].removed) {
			s->n++;
			json_push(files, json_of({ "buf", json_int(v[i].buf) },
						 { "was_modified", json_bool(v[i].was_modified) }));
		}
	nvim_lua(self, "save", json_of({ "files", files }), nvim_saved, s);
}

void nvim_apply_init(struct nvim *n)
{
	n->ox->editor.apply = nvim_apply;
	n->ox->editor.save = nvim_save;
}
