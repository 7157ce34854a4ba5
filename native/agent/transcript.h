#ifndef OX_TRANSCRIPT_H
#define OX_TRANSCRIPT_H

#include "../core/oxide.h"
#include "../llm/chat.h"

/*
 * A conversation in a file of its own in the state directory (oxide/chats, mode 0600), a line of
 * JSON for each message as soon as it is complete, so that it can be taken up again, also after a
 * kill. The lines are those of lua/oxide/chat_store.lua:
 *
 *     {"chat": 1, "directory": "/home/me/project", "model": "fast"}
 *     {"message": "{...}", "sent": {"words": "..."}}       of the user
 *     {"message": "{...}"}                                 llm/chat.h has what is in it
 *
 *     transcript_begin(&t, directory, model)  or  transcript_resume(&t, directory, chat, &e)
 *     transcript_add(&t, message) ...
 *     transcript_end(&t)
 *
 * One that cannot be written is not: the conversation goes on.
 */
struct transcript {
	int fd; /* -1: it is not kept */
};

void transcript_begin(struct transcript *t, const char *directory, const char *model);
/* Adds the messages of the latest one of this directory to `chat`, and goes on with its file.
 * ERR_NOT_FOUND: there is none. */
bool transcript_resume(struct transcript *t, const char *directory, struct chat *chat,
		       struct err *e);
void transcript_add(struct transcript *t, const struct chat_message *m);
void transcript_end(struct transcript *t);

#endif
