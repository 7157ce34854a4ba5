#ifndef OX_SESSION_IMPL_H
#define OX_SESSION_IMPL_H

#include "progress.h"
#include "request.h"
#include "session.h"
#include "sync.h"

/* Shared by initialize.c, the conversation as we lead it, and session_incoming.c, what the server
 * asks and tells by itself. */
struct session {
	const struct server_spec *spec;
	char *root;
	struct peer *peer;
	struct session_events ev;
	void *self;
	enum session_state state;
	bool left;
	struct err why; /* DEAD */
	struct caps caps;
	struct sync sync;
	struct requests *requests;
	struct progress progress;
	size_t odd_most;	   /* session_tolerate() */
	bool settled;		   /* its own word */
	bool checking;		   /* session_checking() */
	struct buf health_error;   /* session_health_error(); empty: nothing */
	struct buf health_warning; /* session_health_warning() */
};

/* Why requests cannot be sent any more; false while they can, or will be. */
bool session_over(const struct session *s, struct err *e);
/* Whether the work that it begins says nothing of what it knows: pyright, where it is asked for
 * diagnostics, begins with files that nobody asks about, and does not end it. */
bool session_works_for_nobody(const struct session *s);
json *session_folders(const struct session *s); /* [{ uri, name }]: the root */

void served_request(void *self, struct msg *m);
void served_notify(void *self, struct msg *m);
bool served_stray(void *self, struct msg *m);
bool served_odd(void *self, const struct err *why);

#endif
