#include "reply.h"

#include <stdlib.h>

#include "../base/mem.h"

void reply_init(struct reply *a)
{
	*a = (struct reply){ .usage = LLM_NO_USAGE };
}

static struct reply_part *reply_part(struct reply *a, size_t i, enum llm_event_kind kind)
{
	while (a->n <= i) {
		mem_add(a->v, a->n, a->cap, (struct reply_part){ .kind = kind });
	}
	return &a->v[i];
}

void reply_event(struct reply *a, const struct llm_event *event)
{
	struct reply_part *p;

	switch (event->kind) {
	case LLM_TEXT:
	case LLM_THOUGHT:
		buf_add(&reply_part(a, event->part, event->kind)->text, event->text);
		break;
	case LLM_KEPT:
		p = reply_part(a, event->part, LLM_THOUGHT);
		buf_clear(&p->kept);
		buf_add(&p->kept, event->text);
		if (event->name.n)
			buf_add(&p->name, event->name);
		break;
	case LLM_CALL:
		p = reply_part(a, event->part, LLM_CALL);
		buf_add(&p->id, event->id);
		buf_add(&p->name, event->name);
		break;
	case LLM_ARGUMENTS:
		buf_add(&reply_part(a, event->part, LLM_CALL)->text, event->text);
		break;
	case LLM_CALL_END:
		reply_part(a, event->part, LLM_CALL)->complete = true;
		break;
	case LLM_USAGE:
		a->usage = event->usage;
		break;
	case LLM_STOP:
		a->stopped = true;
		a->stop = event->stop;
	}
}

static bool can_keep(const struct reply *a, const struct reply_part *p)
{
	if (p->kind == LLM_CALL)
		return p->complete;
	if (p->kind == LLM_THOUGHT)
		return p->kept.n || a->stopped;
	return p->text.n;
}

static enum chat_kind reply_kind_of(const struct reply_part *p)
{
	return p->kind == LLM_CALL ? CHAT_CALL : p->kind == LLM_THOUGHT ? CHAT_THOUGHT : CHAT_TEXT;
}

struct chat_message *reply_keep(struct reply *a, struct chat *c, struct str format)
{
	struct chat_message *m = NULL;

	for (size_t i = 0; i < a->n; i++) {
		struct reply_part *p = &a->v[i];

		if (!can_keep(a, p))
			continue;
		if (!m) {
			m = chat_add(c, CHAT_MODEL);
			chat_set_format(m, format);
		}
		chat_put(m, &(struct chat_part){ .kind = reply_kind_of(p),
						 .id = buf_str(&p->id),
						 .name = buf_str(&p->name),
						 .text = buf_str(&p->text),
						 .kept = buf_str(&p->kept) });
	}
	reply_release(a);
	return m;
}

void reply_release(struct reply *a)
{
	for (size_t i = 0; i < a->n; i++) {
		buf_release(&a->v[i].text);
		buf_release(&a->v[i].id);
		buf_release(&a->v[i].name);
		buf_release(&a->v[i].kept);
	}
	free(a->v);
	reply_init(a);
}
