#ifndef OX_MENU_H
#define OX_MENU_H

#include "../lsp/action.h"
#include "server.h"

/*
 * What language servers offer to do at a place of a file: all that have the file are asked, once
 * its diagnostics are there, and only what can be carried out is kept. A server that fails offers
 * nothing; that is no error. About a whole line they are asked for all of it, for what is wrong on
 * it, and where words and signs begin: some offer no more than what fits a cursor. What comes again
 * is left out then.
 *
 *     m = menu_start(ox, path, spec, fn, arg)
 *     fn(arg, e)                 // once, not from inside; ERR_CANCELLED after menu_cancel(),
 *                                // ERR_NO_SERVER or ERR_UNSUPPORTED where none can be asked
 *     menu_part(m, i) ...
 *     menu_free(m)
 *
 * No change is tried on the servers meanwhile (trial.h), so that all speak of the same text.
 */
struct menu_spec {
	/* From 1; columns in bytes; column 0: the whole lines; line 0: the whole file. */
	int64_t line, column, end_line, end_column;
	struct str kind; /* of actions; empty: all. Borrowed until the end */
	uint64_t timeout_ms;
};

struct menu_part { /* of one server; of a line it may have several */
	struct server *server;
	struct actions actions;
	const struct diag **about; /* what it finds wrong on these lines; copies */
	size_t abouts;
};

struct menu;
typedef void menu_made(void *arg, const struct err *e);
struct menu *menu_start(struct oxide *ox, const char *path, const struct menu_spec *spec,
			menu_made *fn, void *arg);
void menu_cancel(struct menu *m);
size_t menu_parts(const struct menu *m);
const struct menu_part *menu_part(const struct menu *m, size_t i);
struct doc *menu_doc(const struct menu *m);   /* the file's text, which they speak of */
uint64_t menu_moves(const struct menu *m);    /* of the workspace when they were asked */
struct span menu_place(const struct menu *m); /* in that text */
void menu_free(struct menu *m);		      /* NULL: nothing; only after fn was called */

#endif
