
#include "../chat/call_line.h"
#include "../io/loop.h"
#include "nvim_chat_impl.h"

#define PIECE_BYTES  262144 /* of a message that are told at once: Neovim takes keys in between */
#define DETAIL_BYTES 8192   /* of a tool's result that are told at once; the message has it whole */

void nvim_chat_tell(struct nvim_chat *c, const char *kind, json *v)
{
	json_put(v, "chat", json_int(c->number));
	json_put(v, "kind", json_strz(kind));
	nvim_event(c->nvim, "chat", v);
}

static void tell_text(void *self, struct buf *text, bool thought)
{
	nvim_chat_tell(self, thought ? "thought" : "text", json_of({ "text", json_take(text) }));
}

void nvim_chat_flush(void *chat)
{
	struct nvim_chat *c = chat;

	timer_set(c->timer, UINT64_MAX);
	chat_frames_show(&c->frames, loop_now(c->nvim->ox->loop), tell_text, c);
}

static void chat_on_text(void *self, struct str more, bool thought)
{
	struct nvim_chat *c = self;
	bool first = chat_frames_due(&c->frames) == UINT64_MAX;

	chat_frames_add(&c->frames, more, thought);
	if (first)
		timer_set(c->timer, chat_frames_due(&c->frames));
}

static json *nvim_chat_usage(const struct nvim_chat *c)
{
	const struct llm_usage *u = &c->talk.usage;
	double cost = c->talk.engine->cost(&c->talk);

	return json_of({ "input", json_int(u->input) }, { "output", json_int(u->output) },
		       { "cached", json_int(u->cached) },
		       { "cost", cost < 0 ? NULL : json_num(cost) });
}

/* All but the end of a long message. */
static struct str tell_pieces(struct nvim_chat *c, struct str text)
{
	while (text.n > PIECE_BYTES) {
		struct str piece = str_cut(text, PIECE_BYTES);

		nvim_chat_tell(c, "message_piece", json_of({ "text", json_str(piece) }));
		text = str_sub(text, piece.n, text.n);
	}
	return text;
}

void nvim_chat_tell_messages(struct nvim_chat *c)
{
	const struct chat *chat = &c->talk.chat;

	for (; c->told < chat->n; c->told++) {
		json *v SCOPED(json_release) = chat_message_json(chat->v[c->told]);
		json *role = json_copy(json_get(v, "role"));
		struct buf text SCOPED(buf_release) = BUF_INIT;
		struct str end;

		json_print(&text, v);
		end = tell_pieces(c, buf_str(&text));
		nvim_chat_tell(c, "message",
			       json_of({ "role", role }, { "message", json_str(end) },
				       { "usage", nvim_chat_usage(c) }));
	}
}

static void chat_on_message(void *self)
{
	nvim_chat_flush(self);
	nvim_chat_tell_messages(self);
}

static void chat_on_call(void *self, const struct chat_part *call)
{
	struct nvim_chat *c = self;
	struct buf line = BUF_INIT;

	nvim_chat_flush(c); /* what was said before it is shown before it */
	c->question = 0;
	call_line(&line, call);
	nvim_chat_tell(c, "call",
		       json_of({ "id", json_str(call->id) }, { "name", json_str(call->name) },
			       { "line", json_take(&line) }));
}

static void chat_on_result(void *self, const struct chat_part *call, struct str text,
			   const json *answer, bool failed)
{
	struct nvim_chat *c = self;
	struct buf line = BUF_INIT;

	call_line_ended(&line, call, answer, text, failed);
	nvim_chat_tell(c, "result",
		       json_of({ "id", json_str(call->id) }, { "line", json_take(&line) },
			       { "text",
				 json_str(str_sub(text, 0,
						  text.n < DETAIL_BYTES ? text.n : DETAIL_BYTES)) },
			       { "failed", json_bool(failed) },
			       { "question", json_int(c->question) }));
}

static void chat_on_waits(void *self, uint64_t ms, const struct err *why)
{
	nvim_chat_tell(self, "waits",
		       json_of({ "ms", json_int((int64_t)ms) }, { "why", json_strz(why->msg) }));
}

static void chat_on_review(void *self)
{
	nvim_chat_tell(self, "review", json_object());
}

void nvim_chat_on_changes(void *chat, const struct turn_changes *what)
{
	static const char *const fates[] = { [TURN_ACCEPTED] = "accepted",
					     [TURN_ACCEPTED_IN_PART] = "accepted in part",
					     [TURN_REJECTED] = "rejected",
					     [TURN_UNDECIDED] = "undecided" };
	struct nvim_chat *c = chat;
	const json *files = json_get(what->report, "files");

	nvim_chat_tell(c, "changes",
		       json_of({ "turn", json_strz(what->turn) },
			       { "fate", json_strz(fates[what->fate]) },
			       { "files", files ? json_copy(files) : NULL },
			       { "why", what->why ? json_strz(what->why->msg) : NULL },
			       { "question", json_int(c->question) }));
}

static void chat_on_done(void *self, const struct err *e)
{
	struct nvim_chat *c = self;

	nvim_chat_flush(c);
	nvim_chat_tell_messages(c);
	c->turn = NULL;
	nvim_chat_answer(c, c->request,
			 e->code ? NULL
				 : json_of({ "usage", nvim_chat_usage(c) },
					   { "question", json_int(c->question) }),
			 e);
	nvim_chat_turn_over(c);
}

const struct turn_events nvim_chat_events = {
	.text = chat_on_text,
	.call = chat_on_call,
	.result = chat_on_result,
	.waits = chat_on_waits,
	.message = chat_on_message,
	.review = chat_on_review,
	.done = chat_on_done,
};
