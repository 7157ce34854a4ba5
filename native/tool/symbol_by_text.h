#ifndef OX_SYMBOL_BY_TEXT_H
#define OX_SYMBOL_BY_TEXT_H

#include "../lsp/proto.h"
#include "../lsp/symbol.h"
#include "target.h"

/*
 * What texts alone tell of symbols, for want of a language server: what is declared in a file
 * (outline.h), where in the project something is declared by a name, and where a name is in code as
 * a word. That is no knowledge of what a place means: it is to be looked at, and nothing may be
 * changed by it. Positions are in UTF-8.
 *
 *     b = symbol_by_text(target, feature, name, fn, arg)   // fn once, not from inside
 *     symbol_by_text_free(b)                               // behind fn
 *
 * LSP_DOCUMENT_SYMBOLS: of the target's file. LSP_WORKSPACE_SYMBOLS and LSP_DEFINITION: what the
 * name, or name path, may mean, in the files of that language; of a definition those in the
 * target's own file alone, where it has any, and no prototypes where bodies are known.
 * LSP_REFERENCES: the word. Cancelling the call brings fn with ERR_CANCELLED.
 */
struct symbol_by_text;

struct symbols_in_text {
	struct symbols symbols;	    /* of the first three */
	struct locations locations; /* of a definition and references; not sorted */
	const char *name;	    /* what was asked for */
	bool cut;		    /* not all files that have the name were read */
};

typedef void symbol_by_text_found(void *arg, struct symbols_in_text *found, const struct err *e);
struct symbol_by_text *symbol_by_text(struct target *t, enum lsp_feature f, struct str name,
				      symbol_by_text_found *fn, void *arg);
void symbol_by_text_free(struct symbol_by_text *b); /* NULL: nothing */

#endif
