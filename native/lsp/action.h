#ifndef OX_ACTION_H
#define OX_ACTION_H

#include "diag.h"

/* What a server offers to do about a diagnostic: the quick fixes of textDocument/codeAction. */
struct action {
	struct str title, kind; /* kind: "quickfix"; empty where the server gives none */
	bool preferred;
};

struct actions {
	struct action *v;
	size_t n, cap;
	struct arena texts;
};

json *actions_ask(const struct diag *d); /* the request's params */
/* (Command | CodeAction)[] | null, in the server's order; those that are disabled are left out. */
bool actions_read(struct str raw, struct actions *out, struct err *e);
void actions_release(struct actions *a);

#endif
