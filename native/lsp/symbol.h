#ifndef OX_SYMBOL_H
#define OX_SYMBOL_H

#include "proto.h"

/*
 * Symbols of a document or a workspace, flat, in the server's order. Both shapes of the answer to
 * textDocument/documentSymbol are read; a name path such as "Class/method" is made of the parents.
 */
struct symbol {
	struct str name, detail,
		container; /* container: the parents' path, or what the server says */
	int kind;	   /* LSP SymbolKind, from 1 */
	unsigned depth;
	struct str path;	 /* absolute */
	struct range range;	 /* all of it */
	struct range name_range; /* its name; = range in the flat shape */
};

struct symbols {
	struct symbol *v;
	size_t n, cap;
	struct arena texts;
};

/* `path`: the document that was asked about. */
bool symbols_of_document(struct str raw, const char *path, struct symbols *out, struct err *e);
bool symbols_of_workspace(struct str raw, struct symbols *out, struct err *e);
void symbols_release(struct symbols *s);
const char *symbol_kind_name(int kind); /* "function" */

/*
 * Finds a name, or a name path, among document symbols: "name", "Class/method", "name[1]" (from 0)
 * where there are several. ERR_NOT_FOUND names the nearest; ERR_AMBIGUOUS lists the candidates with
 * their lines.
 */
const struct symbol *symbols_find(const struct symbols *s, struct str name_path, struct err *e);

#endif
