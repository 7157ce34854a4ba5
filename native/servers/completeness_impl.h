#ifndef OX_COMPLETENESS_IMPL_H
#define OX_COMPLETENESS_IMPL_H

#include "completeness.h"

/* Shared by completeness.c, the course of it, completeness_show.c, which shows files,
 * completeness_check.c, which asks about places, completeness_text.c, what the text tells of them,
 * completeness_macro.c, about macros of C that have the name in their bodies,
 * completeness_unserved.c, which looks at files that cannot be shown, completeness_local.c, at
 * names of one file, completeness_override.c, at classes, and completeness_say.c, which says what
 * became of it. */
struct diagnose;

struct completeness_file {
	struct completeness *of;
	char *path;
	char *lack;    /* what it includes was not found, as the server says; NULL: all was */
	uint64_t mark; /* of the text that it is shown in */
	int64_t changed;
	unsigned tries;
	bool listed, glanced;
	struct diagnose *waiting;
	int64_t asked;
};

/* A place that the answer does not have. */
struct completeness_place {
	struct completeness *of;
	const struct word_use *at;
	bool expands; /* a macro */
	int64_t asked;
};

struct completeness_reason {
	char *path; /* a file that could not be looked at; NULL: none alone */
	char *why;
	const char *in; /* the file of the place that it is about, of the mentions; NULL: none */
	size_t at;
	bool must;
};

struct completeness {
	struct oxide *ox;
	struct word_search *mentions;
	char *path;
	size_t byte;
	struct server *server;
	completeness_has *has, *keeps; /* keeps: NULL: never */
	completeness_said *fn;
	void *arg;
	size_t found, looks; /* of the answer before; how often it was looked at */
	struct word_use *mention;
	size_t n_mentions;
	struct word_use *expansion; /* of macros that have the name in them */
	size_t n_expansions;
	struct map files; /* path -> struct completeness_file: all that were to be shown */
	struct map stale; /* paths: completeness_reread() */
	struct completeness_file **show; /* those of this turn */
	size_t n_show, show_cap, next;
	size_t opened;	/* to stay open */
	size_t waiting; /* answers still to come */
	struct completeness_place *place;
	size_t places;
	void (*then)(struct completeness *r);
	struct pick *pick;
	uint64_t text;	   /* the hash of what the place is in */
	uint64_t readings; /* pool_readings(), before the server was asked */
	completeness_picked *picked;
	void *picked_arg;
	struct timer *deadline;
	uint64_t until;
	struct completeness_kin *kin; /* while classes are looked at */
	bool overrides, leaves_bodies;
	completeness_has *too;
	bool grown;	/* since the answer before */
	bool overtaken; /* by what others had the server read meanwhile */
	bool using, filling, checking, local, late, cancelled;
	int64_t asked;
	struct range inside; /* where it is declared */
	struct completeness_reason *reason;
	size_t reasons, reason_cap;
};

/* The server of the name, free and with the file at hand; then `then`. */
void completeness_pick(struct completeness *r, void (*then)(struct completeness *r));
void completeness_done(struct completeness *r, bool again); /* calls fn */
void completeness_is_all(void *r);			    /* the same without `again` */
uint64_t completeness_left(const struct completeness *r);   /* milliseconds; never 0 */
bool completeness_stops(const struct completeness *r);

/* Shows r->show, and goes on with completeness_done(). */
void completeness_show(struct completeness *r);
/* Whether the name is known in one function alone goes to r->local; then `then`. */
void completeness_look_local(struct completeness *r, void (*then)(struct completeness *r));
/* Asks about what is missing in the answer, and goes on with completeness_done(). */
void completeness_check(struct completeness *r);
/* The same without completeness_look_macros(). */
void completeness_check_places(struct completeness *r);
/* Whether the body of a macro has the name. */
bool completeness_has_macros(const struct completeness *r);
/* Asks where they are expanded for what was asked about, and goes on with
 * completeness_check_places(). */
void completeness_look_macros(struct completeness *r);
/* Of C, whether a place is outside of all braces but those of `extern "C"`, in what is not static:
 * there a name is one for the whole program. */
bool completeness_global(struct str text, size_t at);
bool completeness_called(struct str text, size_t end); /* `(` follows what ends there */
/* The code before a place, blanks left out: its last word, or its last character. */
struct str completeness_before(struct str text, size_t at);
/* Of JavaScript, whether a place is in the braces of `import {` or `export {`. */
bool completeness_imported(struct str text, size_t at);
/* ... or in those of `const { name } = require(`. */
bool completeness_required(struct str text, size_t at);
/* Whether a place is in the braces of `module.exports = {`, and not in others inside of them. */
bool completeness_exported(struct str text, size_t at);
/* Whether the name from `at` to `end` is a declaration that C makes of a use, where nothing else
 * declares what is used: `struct a *p;` or `a();` in a function. */
bool completeness_implied(struct str text, size_t at, size_t end);
/* Whether the name is in a file that no server reads (unserved_sources.h), and the answer has no
 * such place. */
bool completeness_has_unread(const struct completeness *r);
/* Notes those files that mean what was asked about. */
void completeness_note_unread(struct completeness *r);
/* Notes members of classes above and below, and goes on with completeness_done(); whether the
 * language has such. */
void completeness_look_override(struct completeness *r);
bool completeness_may_override(const struct completeness *r);
void completeness_cancel_override(struct completeness *r);
/* Whether the place is one that the server is asked about, since the answer does not have it. */
bool completeness_asks(const struct completeness *r, const struct word_use *m);
/* What is doubtful about a place that the answer does not have; as completeness_doubt(). */
void completeness_doubt_at(struct completeness *r, const struct word_use *at, bool must,
			   const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* A file that could not be looked at. */
void completeness_missed(struct completeness *r, const char *path, const char *why);
void completeness_forgive(struct completeness *r, const char *path); /* after all it could */

#endif
