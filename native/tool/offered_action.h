#ifndef OX_OFFERED_ACTION_H
#define OX_OFFERED_ACTION_H

#include "../core/registry.h"
#include "tool.h"

/* What a server offered to do, as the registry has it. */
struct offered_action {
	const char *path;
	const struct diag *diag; /* that it is for; NULL: of the place */
	struct range place;
	const struct actions *all; /* of the server, */
	size_t at;		   /* this one */
	uint64_t moves;		   /* of the workspace when it was offered */
	struct server *server;
};

/* "fix-main.c:3-0123456789ab": the same for the same action at the same place of the same text, and
 * no other's. Fixes of a diagnostic are called that; others by their kind. */
void offered_action_id(struct oxide *ox, const struct offered_action *o, struct buf *out);
struct registered *offered_action_new(struct oxide *ox,
				      const struct offered_action *o);	   /* the caller's */
bool offered_action_alike(const struct action *a, const struct action *b); /* title and kind */

#endif
