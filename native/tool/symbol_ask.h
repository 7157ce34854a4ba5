#ifndef OX_SYMBOL_ASK_H
#define OX_SYMBOL_ASK_H

#include "../lsp/symbol.h"
#include "../servers/completeness.h"
#include "location_rows.h"
#include "target.h"

/*
 * A question about a symbol, or for symbols, with which a call names its `file_path`: where one is
 * defined, used, what it is, and what there are. Where no server can be had for the file, texts
 * alone are read instead (symbol_by_text.h) and `unserved` says so: what they tell is to be looked
 * at, and nothing may be changed by it.
 *
 *     symbol_ask(call, question, place, fn, arg)
 *     fn(arg, a, e)     // once, not from inside; *a lives until it returns. On failure it is NULL
 *
 * Cancelling the call brings ERR_CANCELLED.
 */
struct symbol_question {
	const char *name; /* "definition" */
	enum lsp_feature feature;
	enum pool_need need; /* what looks into all files waits for the index */
	enum target_place place;
};

const struct symbol_question *symbol_question(struct str name);

struct symbol_answer {
	const struct symbol_question *question;
	struct target *target; /* with the server that answered; of texts alone without one */
	struct err unserved;   /* why texts alone were read; no code: a server answered */
	bool cut;	       /* ... and not all of those that have the name */
	/* What was asked for; the others are NULL. */
	struct locations *locations; /* by file, line and column; the names of a file are one */
	size_t foreign;		     /* places that are in no local file */
	struct symbols *symbols;
	struct str hover, type;
	bool typed;		    /* type: of type_definition, where the server tells it */
	struct completeness *reach; /* of references: whether they are all */
};

typedef void symbol_answered(void *arg, const struct symbol_answer *a, const struct err *e);
/* `place`: instead of the call's own line and column; NULL: those. */
void symbol_ask(struct call *c, const struct symbol_question *question,
		const struct target_line *place, symbol_answered *fn, void *arg);

/* Who says so: `server`, or for want of one `fallback`. */
void symbol_put_source(const struct symbol_answer *a, json *result);
/* As an answer has it; the places are called `list`. */
void symbol_report(struct call *c, const struct symbol_answer *a, enum row_form form,
		   const char *list, json *result);
json *symbol_rows(struct call *c, const struct symbol_answer *a, enum row_form form);

#endif
