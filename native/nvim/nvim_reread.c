#include <stdlib.h>

#include "../base/log.h"
#include "../base/mem.h"
#include "nvim_impl.h"

/* Files that are changed on the disk while Neovim has them open: it reads them without a question,
 * and merges what the core has worked out into those with changes. */
struct rereading {
	struct nvim *nvim;
	size_t n;
	editor_reread *fn;
	void *arg;
};

static json *reread_clash(const struct buffer_reread *r)
{
	json *list = json_array();

	for (size_t i = 0; i < r->clashes; i++)
		json_push(list, json_list(json_int((int64_t)r->clash[i].first),
					  json_int((int64_t)r->clash[i].last)));
	return list;
}

/* One that is gone has no edits: it is left. */
static json *reread_file(struct nvim *n, const struct buffer_reread *r)
{
	struct nvim_buffer *b = nvim_buffer_find(n, r->buf);

	return json_of({ "buf", json_int(r->buf) }, { "tick", json_int(b ? r->tick : -1) },
		       { "plain", json_bool(r->plain) }, { "stamp", json_strz(r->stamp) },
		       { "clash", r->clashes ? reread_clash(r) : NULL },
		       { "edits", b ? nvim_edits_json(&b->text, r->edits, r->now) : NULL });
}

static enum reread_fate reread_fate_of(const json *fate)
{
	if (str_eq(json_text(fate), STR("done")))
		return REREAD_DONE;
	return str_eq(json_text(fate), STR("stale")) ? REREAD_STALE : REREAD_LEFT;
}

static void nvim_reread_answered(void *arg, struct msg *m, const struct err *why)
{
	struct rereading *r = arg;
	enum reread_fate *fate SCOPED(mem_release) = mem_new((r->n + 1) * sizeof(*fate));
	struct err e = ERR_INIT;
	json *answer SCOPED(json_release) = nvim_lua_result(m, why, &e);
	const json *said = json_first(json_get(answer, "fates"));

	if (!said && r->n)
		log_line(LOG_WARN, "buffers were not read again: %s",
			 e.code ? e.msg : json_get_str(answer, "reason").p);
	for (size_t i = 0; i < r->n; i++) {
		fate[i] = said ? reread_fate_of(said) : REREAD_LEFT;
		said = said ? json_next(said) : NULL;
	}
	r->fn(r->arg, fate);
	free(r);
}

static void nvim_reread(void *self, const struct buffer_reread *v, size_t count, editor_reread *fn,
			void *arg)
{
	struct nvim *n = self;
	struct rereading *r = mem_new(sizeof(*r));
	json *files = json_array();

	*r = (struct rereading){ n, count, fn, arg };
	for (size_t i = 0; i < count; i++)
		json_push(files, reread_file(n, &v[i]));
	nvim_lua(n, "reread",
		 json_of({ "files", files }, { "who", count ? json_strz(v[0].who) : NULL }),
		 nvim_reread_answered, r);
}

static void nvim_follow(void *self, long buf, bool on, const char *why)
{
	nvim_event(self, "follow",
		   json_of({ "buf", json_int(buf) }, { "on", json_bool(on) },
			   { "why", why ? json_strz(why) : NULL }));
}

void nvim_reread_init(struct nvim *n)
{
	n->ox->editor.reread = nvim_reread;
	n->ox->editor.follow = nvim_follow;
}
