#include <stdlib.h>

#include "../base/mem.h"
#include "acp_impl.h"

/*
 * What was said in a session of the agent's, as it tells it while it loads one that no conversation
 * of ours has: it becomes messages, as if it had been said here.
 *
 *     begin -> take, any number -> end
 */
struct acp_replay {
	struct buf words;	/* of the user */
	struct acp_pieces said; /* of the agent, behind them */
	size_t bytes;
	bool full; /* more was said than is kept */
};

void acp_replay_begin(struct acp_program *p)
{
	p->replay = mem_new(sizeof(*p->replay));
	*p->replay = (struct acp_replay){ 0 };
}

static void replay_put_user(struct acp_program *p)
{
	struct acp_replay *r = p->replay;
	struct chat_message *m;

	if (!r->words.n)
		return;
	m = chat_add(&p->talk->chat, CHAT_PERSON);
	chat_put(m, &(struct chat_part){ .kind = CHAT_TEXT, .text = buf_str(&r->words) });
	buf_clear(&r->words);
}

static void replay_put_agent(struct acp_program *p)
{
	struct acp_pieces *said = &p->replay->said;
	struct chat *chat = &p->talk->chat;

	if (!said->n)
		return;
	for (size_t i = 0; i < said->n; i++)
		if (said->v[i].doing)
			acp_doing_was(p, said->v[i].doing);
	acp_pieces_put(said, chat);
	acp_pieces_put_results(said, chat);
	for (size_t i = 0; i < said->n; i++)
		if (said->v[i].doing)
			acp_doing_free(said->v[i].doing);
	acp_pieces_clear(said);
}

/* One message comes in one piece, or in pieces as it was streamed, and not every agent says where
 * it ends: where a sentence does, and the next begins at once, it is another. */
static bool begins_another(struct str before, struct str next)
{
	return before.n && next.n && str_any(".!?:`)", before.p[before.n - 1]) &&
	       !str_any(" \t\r\n", *next.p);
}

static void replay_add(struct buf *to, struct str text)
{
	if (begins_another(buf_str(to), text))
		buf_adds(to, "\n\n");
	buf_add(to, text);
}

static void replay_text(struct acp_program *p, const struct acp_update *u)
{
	struct acp_replay *r = p->replay;
	size_t most = (size_t)config_get(&p->ox->config, CFG_ACP_HISTORY);

	r->bytes += u->text.n;
	r->full = r->full || r->bytes > most;
	if (r->full)
		return;
	if (u->kind == ACP_USER_TEXT) {
		replay_put_agent(p);
		buf_add(&r->words, u->text);
		return;
	}
	replay_put_user(p);
	if (acp_pieces_called(&r->said) && !acp_pieces_running(&r->said))
		replay_put_agent(p);
	replay_add(&acp_piece_of(&r->said, u->kind == ACP_TEXT ? CHAT_TEXT : CHAT_THOUGHT)->text,
		   u->text);
}

static void replay_call(struct acp_program *p, struct acp_call *c)
{
	struct acp_replay *r = p->replay;

	if (r->full)
		return;
	replay_put_user(p);
	if (!c->own)
		acp_piece_of(&r->said, CHAT_CALL)->doing = acp_doing_new(c);
}

bool acp_replay_take(struct acp_program *p, const struct acp_update *u)
{
	if (!p->talk)
		return true; /* closed meanwhile */
	switch (u->kind) {
	case ACP_USER_TEXT:
	case ACP_TEXT:
	case ACP_THOUGHT:
		replay_text(p, u);
		return true;
	case ACP_CALL:
		replay_call(p, u->call);
		return true;
	default:
		return u->kind == ACP_PLAN;
	}
}

/* `kept`: the session could be loaded. */
void acp_replay_end(struct acp_program *p, bool kept)
{
	struct acp_replay *r = p->replay;

	if (!r)
		return;
	if (kept && p->talk) {
		replay_put_user(p);
		replay_put_agent(p);
	}
	for (size_t i = 0; i < r->said.n; i++)
		if (r->said.v[i].doing)
			acp_doing_free(r->said.v[i].doing);
	acp_pieces_release(&r->said);
	buf_release(&r->words);
	p->history_cut = r->full;
	free(r);
	p->replay = NULL;
}
