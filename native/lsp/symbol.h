#ifndef OX_SYMBOL_H
#define OX_SYMBOL_H

#include "../code/lex.h"
#include "proto.h"

/*
 * Symbols of a document or a workspace, flat, in the server's order. Both shapes of the answer to
 * textDocument/documentSymbol are read; a name path such as "Class/method" is made of the parents.
 * symbol_find.c finds one by its path, symbol_text.c makes them of a text that no server serves.
 */
/* Kinds that LSP does not have. */
#define SYMBOL_MACRO   27
#define SYMBOL_HEADING 28
#define SYMBOL_TARGET  29

#define SYMBOL_DEPTH_MOST 200 /* of symbols in symbols */

struct symbol {
	struct str name, detail,
		container; /* container: the parents' path, or what the server says */
	int kind;	   /* LSP SymbolKind, from 1 */
	unsigned depth;
	struct str path;	 /* absolute */
	struct range range;	 /* all of it */
	struct range name_range; /* its name; = range in the flat shape */
	bool doubtful;		 /* as outline.h has it; of symbols_of_text() alone */
};

struct symbols {
	struct symbol *v;
	size_t n, cap;
	struct arena texts;
};

/* `path`: the document that was asked about. */
bool symbols_of_document(struct str raw, const char *path, struct symbols *out, struct err *e);
bool symbols_of_workspace(struct str raw, struct symbols *out, struct err *e);
/* What the text alone tells, for want of a server; positions are in UTF-8. ERR_UNSUPPORTED says why
 * it tells nothing. */
bool symbols_of_text(const struct language *lang, struct doc *d, struct symbols *out,
		     struct err *e);
/* The macro of C that is called so, where the text has one: servers do not list them. */
void symbols_add_macro(struct doc *d, struct str name, enum pos_enc enc, struct symbols *out);
/* Servers may list one of several definitions with the same name path: of a property's functions
 * the setter, of an #if the branch that is compiled. Adds the others that the text shows of what
 * `want`, a name path, may mean, each beside its namesakes, in the order of the text; what the text
 * does not tell for certain, and what the server lists by another path, is left out. */
void symbols_add_doubles(struct symbols *list, struct str want, const struct language *lang,
			 struct doc *d, enum pos_enc enc);
void symbols_release(struct symbols *s);
const char *symbol_kind_name(int kind); /* "function" */

/* The byte where its name is, also where name_range is all of it, as a server may say of
 * overloads too. */
size_t symbol_name_at(const struct symbol *sym, struct doc *d, enum pos_enc enc);
void symbol_path(const struct symbol *sym,
		 struct buf *out); /* "Class/method", into an emptied buf */
/* The same with what a server puts into one name as the path that another makes of it by nesting;
 * and a name path as somebody gives it: "Class::method" and "Class.method" are "Class/method". */
void symbol_plain_path(const struct symbol *sym, struct buf *out);
void symbol_plain(struct str name_path, struct buf *out);
struct str symbol_last(struct str plain_path); /* "method": the name as it is in a text */
/* The same of a name path, without an index; may be empty, and is the caller's. */
char *symbol_word(struct str name_path);

/*
 * Finds a name, or a name path, among document symbols: "name", "Class/method", "name[1]" (from 0)
 * where there are several. What servers put into one name is a path too: "Class::method",
 * "(*Class).method", "impl Trait for Class". ERR_NOT_FOUND names the nearest; ERR_AMBIGUOUS lists
 * the candidates with their lines.
 */
const struct symbol *symbols_find(const struct symbols *s, struct str name_path, struct err *e);

/* What it may have meant that symbols_find() did not find: all that are named so, in order, or else
 * the nearest first. */
struct symbol_choice {
	const struct symbol *symbol;
	struct str name; /* finds it with [index] behind it; empty: its name is similar only */
	size_t index, away;
};

size_t symbols_choices(const struct symbols *s, struct str name_path, struct symbol_choice *out,
		       size_t most);

#endif
