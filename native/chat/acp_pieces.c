#include <stdlib.h>

#include "../base/mem.h"
#include "acp_impl.h"

/* What an agent says, thinks and does, piece by piece, until it is a message of the conversation.
 */
struct acp_piece *acp_piece_of(struct acp_pieces *p, enum chat_kind kind)
{
	struct acp_piece *last = p->n ? &p->v[p->n - 1] : NULL;

	if (last && last->kind == kind && kind != CHAT_CALL)
		return last;
	p->v = mem_grow(p->v, &p->cap, p->n + 1, sizeof(*p->v));
	p->v[p->n] = (struct acp_piece){ .kind = kind };
	return &p->v[p->n++];
}

bool acp_pieces_running(const struct acp_pieces *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->v[i].doing && !p->v[i].doing->ended && !p->v[i].doing->call->ended)
			return true;
	return false;
}

bool acp_pieces_called(const struct acp_pieces *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->v[i].doing)
			return true;
	return false;
}

void acp_pieces_put(const struct acp_pieces *p, struct chat *c)
{
	struct chat_message *m = chat_add(c, CHAT_MODEL);

	chat_set_format(m, STR("acp"));
	for (size_t i = 0; i < p->n; i++) {
		const struct acp_piece *piece = &p->v[i];

		if (piece->doing)
			chat_put(m, &piece->doing->part);
		else
			chat_put(m, &(struct chat_part){ .kind = piece->kind,
							 .text = buf_str(&piece->text) });
	}
}

bool acp_pieces_put_results(const struct acp_pieces *p, struct chat *c)
{
	struct chat_message *m;

	if (!acp_pieces_called(p))
		return false;
	m = chat_add(c, CHAT_TOOLS);
	for (size_t i = 0; i < p->n; i++) {
		const struct acp_doing *d = p->v[i].doing;
		struct buf text SCOPED(buf_release) = BUF_INIT;

		if (!d)
			continue;
		buf_add(&text, buf_str(&d->text));
		if (d->diff.n)
			buf_addf(&text, "\ndiff:\n%s", d->diff.p);
		chat_put(m, &(struct chat_part){ .kind = CHAT_RESULT,
						 .failed = d->failed,
						 .id = d->part.id,
						 .name = d->part.name,
						 .text = buf_str(&text) });
	}
	return true;
}

void acp_pieces_clear(struct acp_pieces *p)
{
	for (size_t i = 0; i < p->n; i++)
		buf_release(&p->v[i].text);
	p->n = 0;
}

void acp_pieces_release(struct acp_pieces *p)
{
	acp_pieces_clear(p);
	free(p->v);
}
