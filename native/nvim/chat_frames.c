#include "chat_frames.h"

#include <stdlib.h>

#include "../base/mem.h"

void chat_frames_add(struct chat_frames *f, struct str text, bool thought)
{
	if (!text.n)
		return;
	if (!f->n || f->v[f->n - 1].thought != thought) {
		mem_add(f->v, f->n, f->cap, (struct frame_piece){ .thought = thought });
	}
	buf_add(&f->v[f->n - 1].text, text);
}

uint64_t chat_frames_due(const struct chat_frames *f)
{
	return f->n ? f->next : UINT64_MAX;
}

void chat_frames_show(struct chat_frames *f, uint64_t now,
		      void (*show)(void *self, struct buf *text, bool thought), void *self)
{
	size_t n = f->n;

	if (!n)
		return;
	f->n = 0;
	f->next = now + FRAME_MS;
	for (size_t i = 0; i < n; i++)
		show(self, &f->v[i].text, f->v[i].thought);
}

void chat_frames_release(struct chat_frames *f)
{
	for (size_t i = 0; i < f->n; i++)
		buf_release(&f->v[i].text);
	free(f->v);
}
