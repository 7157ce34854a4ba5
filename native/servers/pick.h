#ifndef OX_PICK_H
#define OX_PICK_H

#include "server.h"

/* Waiting for the server that is of use for a file. */
struct pool;

/* What has to be true of a server before it is of use. */
enum pool_need {
	POOL_RUNS,    /* it runs, and can do what is asked; the file need not be there */
	POOL_OPEN,    /* ... and has been shown the file */
	POOL_READ,    /* ... and has read it with what it includes, where its diagnostics tell */
	POOL_SETTLED, /* ... and has no index in the making, or index_wait_ms are over */
};

/*
 * Finds the server for a file and a feature: the first that is installed, serves the filetype, and
 * can do it. Calls fn once, not from inside; `settled` false: the index was still in the making.
 * Errors: ERR_NO_SERVER says which would serve the file and how to get it; ERR_UNSUPPORTED names
 * those that run and cannot. Returns a handle for pool_unpick(), which brings ERR_CANCELLED.
 */
typedef void pool_picked(void *arg, struct server *s, bool settled, const struct err *e);
/* f LSP_FEATURES: any feature will do, of a client of the editor one that knows the language. */
struct pick *pool_pick(struct pool *p, const char *path, enum lsp_feature f, enum pool_need need,
		       pool_picked *fn, void *arg);
/* The same among the servers of this name, whatever they know; empty: of any. ERR_NOT_FOUND names
 * those that serve the file, where none of that name does. */
struct pick *pool_pick_named(struct pool *p, const char *path, struct str name, enum lsp_feature f,
			     enum pool_need need, pool_picked *fn, void *arg);
/* By this server alone. */
struct pick *pool_pick_server(struct pool *p, const char *path, struct server *s,
			      enum pool_need need, pool_picked *fn, void *arg);
/* Called at once after the pick: only one that sees texts that are not saved, also through what a
 * file includes. Where the editor's client does not, that is a server of Oxide's own beside it. */
void pick_seeing(struct pick *k);
void pool_unpick(void *pick);
/* All that run, can do it, and have this file. The list is the caller's to free. */
size_t pool_serving(struct pool *p, const char *path, enum lsp_feature f, struct server ***out);
/* Who gives diagnostics for a file beside the server that was picked for it, `first`: the other
 * clients of the editor that have it; where `first` is Oxide's own, the other servers of its type,
 * started or not, but those of last resort; and all that have it open. Not those that are known to
 * give none (server_mute()). The list is the caller's to free. */
size_t pool_beside(struct pool *p, const char *path, const struct server *first,
		   struct server ***out);

#endif
