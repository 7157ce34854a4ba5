#ifndef OX_TRANSCRIPT_H
#define OX_TRANSCRIPT_H

#include "../core/oxide.h"
#include "../llm/chat.h"

/*
 * A conversation in a file of its own in the state directory (oxide/chats, mode 0600), a line of
 * JSON for each message as soon as it is complete, so that it can be resumed, also after a
 * kill. The lines are those of lua/oxide/chat/store.lua:
 *
 *     {"chat": 1, "directory": "/home/me/project", "model": "fast"}
 *     {"message": "{...}", "sent": {"words": "..."}}       of the user
 *     {"message": "{...}"}                                 llm/chat.h has what is in it
 *
 *     transcript_begin(&t, directory, model)  or  transcript_resume(&t, directory, model, chat, &e)
 *     transcript_add(&t, message) ...
 *     transcript_end(&t)
 *
 * Whoever writes to one holds its lock (flock), as long as the conversation lives; so does Neovim.
 * One that cannot be written is not, from there on: the conversation goes on, and `problem` says
 * why.
 */
struct transcript {
	int fd; /* -1: it is not kept */
	char *path;
	struct err problem; /* to be told, and cleared */
	bool is_copy;	    /* of one that another process writes to */
};

void transcript_begin(struct transcript *t, const char *directory, const char *model);
/* Adds the messages of the latest one of this directory, or of one inside of it, to `chat`, and
 * goes on with its file; in a copy where that has another writer. ERR_NOT_FOUND: there is none. */
bool transcript_resume(struct transcript *t, const char *directory, const char *model,
		       struct chat *chat, struct err *e);
void transcript_add(struct transcript *t, const struct chat_message *m);
void transcript_end(struct transcript *t);

#endif
