#ifndef OX_REACH_IMPL_H
#define OX_REACH_IMPL_H

#include "reach.h"

/* Shared by reach.c, the course of it, reach_show.c, which shows files, reach_check.c, which asks
 * about places, reach_unread.c, which looks at files that cannot be shown, reach_local.c,
 * at names of one file, reach_override.c, at classes, and reach_say.c, which says what became of
 * it. */
struct diagnose;

struct reach_file {
	struct reach *of;
	char *path;
	uint64_t mark; /* of the text that it is shown in */
	int64_t changed;
	unsigned tries;
	bool listed, glanced;
	struct diagnose *waiting;
	int64_t asked;
};

/* A place that the answer does not have. */
struct reach_place {
	struct reach *of;
	const struct mention *at;
	int64_t asked;
};

struct reach_reason {
	char *path; /* a file that could not be looked at; NULL: none alone */
	char *why;
	const char *in; /* the file of the place that it is about, of the mentions; NULL: none */
	size_t at;
	bool must;
};

struct reach {
	struct oxide *ox;
	struct mentions *mentions;
	char *path;
	size_t byte;
	struct server *server;
	reach_has *has, *keeps; /* keeps: NULL: never */
	reach_said *fn;
	void *arg;
	size_t found, looks; /* of the answer before; how often it was looked at */
	struct mention *mention;
	size_t n_mentions;
	struct map files;	  /* path -> struct reach_file: all that were to be shown */
	struct map stale;	  /* paths: reach_reread() */
	struct reach_file **show; /* those of this turn */
	size_t n_show, show_cap, next;
	size_t opened;	/* to stay open */
	size_t waiting; /* answers still to come */
	struct reach_place *place;
	size_t places;
	void (*then)(struct reach *r);
	struct pick *pick;
	struct timer *deadline;
	uint64_t until;
	struct reach_kin *kin; /* while classes are looked at */
	bool overrides;
	reach_has *too;
	bool using, filling, checking, local, late, cancelled;
	int64_t asked;
	struct range inside; /* where it is declared */
	struct reach_reason *reason;
	size_t reasons, reason_cap;
};

/* The server of the name, free and with the file at hand; then `then`. */
void reach_pick(struct reach *r, void (*then)(struct reach *r));
void reach_done(struct reach *r, bool again); /* calls fn */
uint64_t reach_left(const struct reach *r);   /* milliseconds; never 0 */
bool reach_stops(const struct reach *r);

/* Shows r->show, and goes on with reach_done(). */
void reach_show(struct reach *r);
/* Whether the name is known in one function alone goes to r->local; then `then`. */
void reach_look_local(struct reach *r, void (*then)(struct reach *r));
/* Asks about what is missing in the answer, and goes on with reach_done(). */
void reach_check(struct reach *r);
/* Of C, whether a place is outside of all braces but those of `extern "C"`, in what is not static:
 * there a name is one for the whole program. */
bool reach_global(struct str text, size_t at);
/* Whether the name is in a file that no server reads (unread.h), and the answer has no such place.
 */
bool reach_has_unread(const struct reach *r);
/* Notes those files that mean what was asked about. */
void reach_note_unread(struct reach *r);
bool reach_may_override(const struct reach *r); /* whether there are such, in its language */
/* Notes members of classes above and below, and goes on with reach_done(). */
void reach_look_override(struct reach *r);
void reach_cancel_override(struct reach *r);
bool reach_asks(const struct reach *r, const struct mention *m); /* whether it is such a place */
/* What is doubtful about a place that the answer does not have; as reach_doubt(). */
void reach_doubt_at(struct reach *r, const struct mention *at, bool must, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* A file that could not be looked at. */
void reach_missed(struct reach *r, const char *path, const char *why);
void reach_forgive(struct reach *r, const char *path); /* after all it could */

#endif
