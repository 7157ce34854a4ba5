#ifndef OX_OFFERED_H
#define OX_OFFERED_H

#include "../core/registry.h"
#include "tool.h"

/* What a server offered to do, as the registry has it. */
struct offered {
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
void offered_id(struct oxide *ox, const struct offered *o, struct buf *out);
struct registered *offered_new(struct oxide *ox, const struct offered *o); /* the caller's */
bool offered_alike(const struct action *a, const struct action *b);	   /* title and kind */

#endif
