#ifndef OX_TAKEN_IMPL_H
#define OX_TAKEN_IMPL_H

#include "../code/macro.h"
#include "../lsp/proto.h"
#include "../servers/word_search.h"
#include "taken.h"

/* Shared by taken.c, which knows the places, taken_ask.c, which asks servers what they mean,
 * taken_macro.c, which looks into macros, and taken_say.c, which compares the answers. */
struct taken_file {
	const struct plan_file *change; /* NULL: it does not change */
	char *path;			/* as it is called after the change */
	struct doc *was, *now;		/* of one that changes, once they are needed */
	size_t *renamed;		/* bytes in its text after, in order */
	size_t n_renamed, renamed_cap;
};

struct meaning {
	char *path;
	struct pos from;	     /* as the server says it */
	const struct taken_file *in; /* NULL: a file that does not change */
	size_t byte;		     /* in its text after */
};

struct meanings {
	struct meaning *v;
	size_t n;
};

struct taken_place {
	struct taken *of;
	struct taken_file *file;
	size_t now, was; /* bytes in the texts after and before */
	bool renamed;	 /* else it has the name already */
	bool outside;	 /* of all brackets */
	struct meanings after, before;
	bool failed, suspicious, captured;
	char *macro; /* by the use of this one, near it; NULL: by none */
	struct server *server;
	struct pick *pick;
	int64_t asked;
};

struct taken {
	struct call *call;
	struct plan *plan;
	char *name;
	size_t most;
	char *home; /* NULL where there is no bound */
	enum taken_part part;
	struct word_search *mentions; /* NULL: `searched` has looked for it too */
	struct word_search *searched;
	struct taken_file **file; /* those of the plan first */
	size_t files, file_cap;
	const char **also; /* the paths of the others */
	size_t n_also;
	struct taken_place *place;
	size_t places, place_cap;
	struct gate **gate;
	size_t next;	      /* the place that is asked about next */
	size_t waiting;	      /* answers still to come */
	bool cancelled, done; /* done: the last has been asked */
	struct server *asker; /* for the uses of what is renamed */
	int64_t asked;
	bool asked_uses, unused; /* unused: it did not say */
	size_t uses;		 /* in files that were not looked at */
	size_t unseen;		 /* files that were not looked at */
	size_t unasked;		 /* places */
	char *macro;		 /* has the name in its body */
	struct map bodies;	 /* macros that have what is renamed in theirs */
	void (*fn)(void *arg);
	void *arg;
};

struct taken_file *taken_file_at(const struct taken *c, struct str path);
/* A byte of its text after, from a place in that, or in the one before. */
size_t taken_byte(struct taken_file *f, struct pos at, enum pos_enc enc, bool after);
struct taken_file *taken_add_file(struct taken *c, const char *path);
/* A place of what is renamed, by which its server knows it; NULL: none is known. */
const struct meaning *taken_declaration(const struct taken *c);
/* The byte of the new name at a place in the text after; false: another word is there. */
bool taken_reads_name(struct taken_file *f, struct taken *c, const struct location *l,
		      enum pos_enc enc, size_t *byte);
/* A place of what is renamed, in a directive. */
void taken_note_body(struct taken *c, struct macros *in, size_t at);
/* Once all places are known: those at which a macro would mean them. */
void taken_mark_bodies(struct taken *c);
void taken_suspect(struct taken_place *p); /* by what it means after the change */
void taken_judge(struct taken_place *p);   /* ... and before */

#endif
