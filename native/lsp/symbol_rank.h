#ifndef OX_SYMBOL_RANK_H
#define OX_SYMBOL_RANK_H

#include "symbol.h"

/*
 * Which of several symbols of a project is meant by a name, as far as the names tell: the better
 * match first, then what is where the hint says, what is of the project itself, and what
 * defines something (a function, a type) before its constructors, which may be called the same, and
 * those before what only holds a value (a variable, a field).
 */
enum symbol_match {
	SYMBOL_OTHER,
	SYMBOL_PART,   /* the name is a part of it, whatever the case */
	SYMBOL_PREFIX, /* it begins with the name, whatever the case */
	SYMBOL_CASE,   /* but for the case it is the name, or the end of the name path */
	SYMBOL_EXACT,  /* symbols_choices() says that */
};

/* The match of a symbol that symbols_choices() has not found by the name. */
enum symbol_match symbol_alike(const struct symbol *sym, struct str name_path);

/* How well a hint, which may be a part of a path, speaks of a path; the better, the more. */
enum path_hint {
	HINT_OTHER,
	HINT_PART,   /* any part of it */
	HINT_FOLDER, /* whole parts in the middle of it */
	HINT_STEM,   /* its end by whole parts, but for what follows a dot in the file's name */
	HINT_END,    /* its end by whole parts */
	HINT_WHOLE,
};
enum path_hint path_hinted(struct str path, struct str hint);

struct symbol_rank {
	enum symbol_match match;
	enum path_hint hint;
	bool own; /* of the project */
	int kind; /* LSP SymbolKind */
};

/* As for qsort: below 0 where `a` is the better one; 0: equally good. */
int symbol_rank_cmp(const struct symbol_rank *a, const struct symbol_rank *b);

#endif
