#ifndef OX_CHAT_H
#define OX_CHAT_H

#include "../base/arena.h"
#include "../base/json.h"

/*
 * A conversation with a model as it was said: what the person wrote and the texts of the editor
 * that went with it, what the model answered, thought and called, and what the tools returned.
 * It is never edited to fit a provider or a limit: prompt.h builds what is sent from it.
 *
 *     chat_init(&c);
 *     m = chat_add(&c, CHAT_PERSON);
 *     chat_put(m, &(struct chat_part){ .kind = CHAT_TEXT, .text = words });
 *     ...                                 the model's message, the tools' message, and so on
 *     chat_release(&c);
 */
enum chat_role {
	CHAT_PERSON,
	CHAT_MODEL,
	CHAT_TOOLS, /* the results of the calls in the message before */
};

enum chat_kind {
	CHAT_TEXT,    /* in the person's message `name` is empty in what they wrote; else it says
		       * what Oxide adds, "news" that they see as well, or "details" of it. `id`:
		       * the turns that this began, or is about (turn_news.c) */
	CHAT_SHOWN,   /* by the person: `name` is a heading ("src/a.c, lines 3 to 9, C"), `text` its
		       * numbered lines, `id` the path of the file, where it is one */
	CHAT_THOUGHT, /* of the model, as far as it is told */
	CHAT_CALL,    /* of a tool by the model: `text` is its arguments, JSON */
	CHAT_RESULT,  /* of the call `id` of the tool `name` */
};

struct chat_part {
	enum chat_kind kind;
	bool failed; /* a result that is an error */
	struct str id, name, text;
	/* JSON of the provider that has to go back to it unchanged: a signature, an encrypted
	 * thought. Only to a provider of the message's `format`. Empty: nothing. */
	struct str kept;
};

struct chat_message {
	enum chat_role role;
	struct str format; /* of the model's: provider.h's name of what wrote it; else empty */
	/* What the model had been shown of files by then, as chat/turn.h has it: JSON that is kept
	 * with the message, and not sent. Empty: nobody has written it down. */
	struct str seen;
	struct chat_part *v;
	size_t n, cap;
	struct arena texts; /* of its parts */
};

struct chat {
	struct chat_message **v; /* in the order in which it was said */
	size_t n, cap;
};

void chat_init(struct chat *c);
void chat_release(struct chat *c);
struct chat_message *chat_add(struct chat *c, enum chat_role role); /* the chat's, until it goes */
void chat_set_format(struct chat_message *m, struct str format);    /* copied */
void chat_set_seen(struct chat_message *m, const json *seen);
void chat_put(struct chat_message *m, const struct chat_part *part); /* copied */
void chat_cut(struct chat *c, size_t n); /* forgets all messages but the first n */

/* Whether the last message has calls that still lack a result. */
bool chat_is_waiting(const struct chat *c);
/* Gives each of them this as its failed result, so that the conversation can go on; nothing where
 * none is waiting. */
void chat_answer_rest(struct chat *c, struct str text);

/* One message as JSON that chat_read_message() reads again: for transcripts. */
json *chat_message_json(const struct chat_message *m);
/* Adds it at the end. False: ERR_INVALID, and nothing was added. */
bool chat_read_message(struct chat *c, const json *message, struct err *e);

#endif
