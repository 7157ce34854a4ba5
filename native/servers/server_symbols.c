#include <stdlib.h>

#include "../base/mem.h"
#include "../io/loop.h"
#include "server_impl.h"

/* Whoever edits a file edits it again, most likely, and a change is verified once it is known which
 * symbols it touches: most of what it takes before the server is shown the text. What they are is
 * kept with the other answers (lsp/answers.h), for as long as nothing happens that they hang on. */

/* Who reads the answer, and the server, may be on the same processor, and have done so by then. */
#define LIST_AFTER_MS 20

static void on_symbols_listed(void *arg, struct msg *m, const struct err *why)
{
	(void)arg, (void)m, (void)why; /* that it is kept is all */
}

static void list_symbols(void *arg)
{
	struct server *s = arg;

	timer_set(s->listing, UINT64_MAX);
	if (server_ready(s) && !server_in_use(s) && !s->hung_since &&
	    server_can(s, LSP_DOCUMENT_SYMBOLS) && server_version(s, s->to_list) >= 0)
		server_ask(s, LSP_DOCUMENT_SYMBOLS, proto_doc(s->to_list), 0, on_symbols_listed,
			   NULL);
}

void server_list_symbols_soon(struct server *s, const char *path)
{
	if (s->ox->brief) /* there is no next change */
		return;
	if (!s->listing)
		s->listing = timer_new(s->ox->loop, list_symbols, s);
	free(s->to_list);
	s->to_list = mem_dup(path, strlen(path));
	timer_set(s->listing, loop_now(s->ox->loop) + LIST_AFTER_MS);
}
