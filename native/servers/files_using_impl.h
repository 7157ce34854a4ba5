#ifndef OX_FILES_USING_IMPL_H
#define OX_FILES_USING_IMPL_H

#include "../base/arena.h"
#include "../base/map.h"
#include "files_using.h"
#include "pick.h"
#include "server.h"
#include "word_search.h"

/* Shared by files_using.c and files_using_ahead.c, which asks about the symbols that the text shows
 * while the server lists them. */
struct files_using {
	struct oxide *ox;
	const struct plan_file *file;
	files_using_found *fn;
	void *arg;
	struct pick *pick; /* until it is picked */
	struct server *server;
	uint64_t readings; /* pool_readings(), before it was asked */
	int64_t *asked;
	size_t n_asked, left; /* left: answers to come */
	struct ahead **ahead;
	size_t n_ahead, ahead_cap;
	struct map seen; /* paths found */
	const char **found;
	size_t n, cap;
	struct word_search **mentions; /* of each symbol that is asked about, and of each macro */
	size_t names, names_cap;
	struct map macros; /* those that change, and those that have one of them in their body */
	size_t widened;	   /* of the names: around these macros were sought */
	struct arena texts;
	bool complete, cancelled;
	bool due, over; /* what is asked ahead is still to come; and all else has ended */
	bool listed;	/* the symbols are */
};

/* Once what is asked now is out. */
void files_using_ask_ahead(struct files_using *u);
/* Whether the references to the symbol at byte `at` were asked for; *asked is the question then,
 * and files_using_take() comes of it. */
bool files_using_asked_ahead(struct files_using *u, size_t at, int64_t *asked);
/* Of what was asked in vain. */
void files_using_forget_ahead(struct files_using *u);
/* The search for the name, which may have begun ahead; the caller's. */
struct word_search *files_using_search(struct files_using *u, struct str name);
void files_using_take(struct files_using *u, struct str answer, const struct err *why);
void files_using_end(struct files_using *u);

#endif
