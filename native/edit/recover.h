#ifndef OX_RECOVER_H
#define OX_RECOVER_H

#include "../base/map.h"
#include "wal.h"

/*
 * What a crash left half done is carried out, or taken back if that had begun: from any state, also
 * from that of a recovery which was itself cut short, all files are as one transaction left them.
 * A journal that somebody holds is his and is not touched.
 *
 * Nothing that is read back is trusted: the journal must be this user's own, whole, and name what
 * lies inside its root, also through links. A file whose text is neither the old nor the new one
 * stays as it is. (After a restart of the machine, a text that is a new one with parts missing is
 * taken for what became of it.)
 */
enum recover_what {
	RECOVER_COMPLETED,  /* `what` is the root */
	RECOVER_TAKEN_BACK, /* the same */
	RECOVER_DROPPED,    /* a journal, cut short before anything was done */
	RECOVER_LEFT,	    /* a journal or a file that was left alone; `why` says the reason */
};

struct recover_note {
	enum recover_what is;
	const char *what;
	size_t files;
	const char *why;
	struct str record; /* for history_add(), of a change that was completed; empty: nothing */
	int64_t time_ms;   /* with it */
};

struct recover_report {
	/* To be set by who asks. */
	bool forget; /* changes in projects that are gone are dropped */
	/* NULL, or called with each change that is completed and has a record, while its journal
	 * still is in force: whoever waits for that finds what was kept. Called again for the same
	 * change where the recovery itself is cut short. */
	void (*keep)(void *arg, const struct recover_note *note);
	void *keep_arg;

	struct recover_note *note;
	size_t notes, cap;
	uint64_t hot;	     /* slots whose journals are still in force */
	const char *blocked; /* one of `mine` that such a journal names; NULL: none */
	struct arena arena;
};

/* Journals in force that nobody holds, as bits of slots; `but` those. Or those that somebody holds:
 * changes under way, or of a process that is ending: its threads may outlive what is seen of it for
 * a moment. */
bool recover_look(const struct fs *fs, const char *home, uint64_t but, bool held, uint64_t *found,
		  struct err *e);
/* The same of these slots. */
bool recover_look_in(const struct fs *fs, const char *home, uint64_t bits, bool held,
		     uint64_t *found, struct err *e);
/* Recovers them all. `wait`: for files that others are changing. `mine`: paths to look out for in
 * journals that must stay, or NULL. Start with a zeroed report; it is added to. */
void recover_all(const struct fs *fs, const char *home, bool wait, const struct map *mine,
		 struct recover_report *r);
/* One more note; strings are copied. */
void recover_say(struct recover_report *r, enum recover_what is, struct str what, size_t files,
		 const char *why);
void recover_report_release(struct recover_report *r);

#endif
