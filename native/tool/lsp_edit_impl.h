#ifndef OX_LSP_EDIT_IMPL_H
#define OX_LSP_EDIT_IMPL_H

#include "../code/decl_edit.h"
#include "../lsp/symbol.h"
#include "target.h"

/* Shared by lsp_edit.c, which finds the symbol, and lsp_edit_change.c, which changes it. */

struct edit_action {
	const char *name;
	enum decl_action action;
	bool content, body; /* it needs the content; it asks where the body is */
};

struct editing {
	struct call *call;
	const struct edit_action *action;
	struct target *target;
	enum pos_enc enc;    /* of the symbols */
	struct err unserved; /* why there is no server: the text alone is read */
	struct symbols symbols;
	const struct symbol *symbol;
	struct range block; /* the braces of its body, where the server told them */
	bool blocked;
	uint64_t moves;	 /* of the workspace when the symbols were asked for */
	int64_t version; /* ... and of the document */
};

void lsp_edit_free(struct editing *ed);
void lsp_edit_fail(struct editing *ed, const struct err *e);
struct span lsp_edit_bytes(struct editing *ed, struct range r);
struct decl lsp_edit_declaration(struct editing *ed); /* of `symbol`, and what belongs to it */
void lsp_edit_finish(struct editing *ed); /* all is known: makes the change, and answers */

#endif
