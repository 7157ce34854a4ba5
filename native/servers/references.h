#ifndef OX_REFERENCES_H
#define OX_REFERENCES_H

#include "../lsp/proto.h"
#include "completeness.h"

/*
 * All places where a symbol is used: asks its server again until what it says rests on the whole
 * project (completeness.h).
 *
 * fn is called once, not from inside; the locations, by file, line and column, and `reach`, which
 * says whether they are all, live until it returns. `server` is who named them last. On failure the
 * first three are NULL; ERR_STALE: a file changed since the server was asked about it.
 * references_cancel() brings ERR_CANCELLED.
 */
struct references;
struct references_spec {
	struct server *server;	 /* that has the file open */
	const char *path, *root; /* copied; root: of the project */
	size_t byte;
	bool declaration;    /* with what declares it */
	bool settled;	     /* no index was in the making */
	uint64_t timeout_ms; /* of each question; 0: the usual one */
};

typedef void references_found(void *arg, struct server *server, struct locations *l,
			      struct completeness *reach, const struct err *e);
struct references *references_find(struct oxide *ox, const struct references_spec *spec,
				   references_found *fn, void *arg);
void references_cancel(void *references);

#endif
