#ifndef OX_JOURNAL_H
#define OX_JOURNAL_H

#include "../base/arena.h"
#include "../base/fs.h"

/*
 * A transaction's record of itself: everything that is needed to carry it out from any point, and
 * to take it back. Bytes in, bytes out; wal.h puts them on the disk, recover.h acts on them.
 *
 *     head   magic, mark, lengths and hashes; written last, or in one write with all the rest. All
 *            zero: the file is free.
 *     copy   a second head, in another block of the disk
 *     meta   who, since which start of the machine, root, directories, files
 *     images the new text of each file; of one that is written in place, by us or the editor, the
 *            old one before it
 *
 * The head's hash covers the meta's, the meta's the images'. Only the mark is outside, for it
 * changes while the journal is in force. Paths are relative to the root, and nothing but names:
 * what else is there is refused as a whole.
 *
 * By a second head a journal that has lost its own is told from one that was never finished. There
 * are two, with every mark that the first has:
 *
 *     head   as in the journal, with its mark
 *     boot   the start of the machine that it was written in
 *     hash   of all that
 *
 * The copy goes to the disk with the journal and is zero again with its head. Unmarked it counts
 * only once the machine was restarted: before that, it is of a journal that was not finished. Its
 * place is fixed, and nothing else is ever written there, so that no text can pass for it. A change
 * whose process was killed between copy and head is therefore carried out, whole, where no Oxide
 * looked before the machine was restarted: that is told, and nobody had been answered anything.
 *
 * The other lies in a file of its own (wal.h), from when the change begins until before the journal
 * is free, and is never synced. It counts until the machine stops. An older one may be left from a
 * change that is over; it counts if it is of the change that the journal is about, and that does
 * not say that it has begun, or if the journal is gone, which a free one never is.
 *
 * What is not covered: somebody removes a journal in force, or cuts it below its head, after the
 * machine stopped and before Oxide looks, and the head outside never reached the disk. Then nothing
 * is told. Every other trace is one that free journals leave, too: a pool beside an empty journal
 * is a first use that was cut short, a journal that grew too large is removed once it is over, and
 * the temporaries lie in directories that only the journal names. To tell one in force from these,
 * something outside of it has to be on the disk before the first file changes: one more sync in the
 * time that the caller waits, for each change, against a loss that no crash causes by itself.
 */
#define JOURNAL_HEAD   48
#define JOURNAL_SECOND (JOURNAL_HEAD + 16)
#define JOURNAL_COPY   4096
#define JOURNAL_BODY   (JOURNAL_COPY + JOURNAL_SECOND)
#define JOURNAL_LOOK   (JOURNAL_BODY + 24) /* by so many bytes one in force is known */

enum journal_verdict {
	JOURNAL_FREE,
	JOURNAL_LIVE,	 /* complete: it counts */
	JOURNAL_TORN,	 /* incomplete, and nothing was done yet: as if it had never been */
	JOURNAL_DAMAGED, /* it was complete once */
};

enum journal_mark {
	MARK_WRITTEN,
	MARK_ASKING,   /* written, but another part of the change may be refused */
	MARK_BEGUN,    /* something may be visible */
	MARK_BACK,     /* it is being taken back */
	MARK_DISTRUST, /* a sync failed: what looks right may not be on the disk */
	MARK_EDITOR,   /* the editor was asked to do its part: what it did decides (recover.h) */
};

enum journal_way {
	WAY_SWAP,   /* the temporary changes places with the file */
	WAY_INSIDE, /* written in place, for it has several names */
	WAY_NEW,
	WAY_REMOVE,
	WAY_MODE,   /* the permission bits alone */
	WAY_EDITOR, /* the editor writes it, from a buffer */
};

struct journal_file {
	enum journal_way way;
	bool was_link, now_link; /* a symbolic link, its text where it leads */
	unsigned mode;		 /* if nothing can be found whose mode it takes, or ... */
	bool sets_mode;		 /* ... in any case */
	unsigned was_mode;
	uint64_t was_hash; /* but of WAY_NEW */
	uint64_t now_hash; /* but of WAY_REMOVE */
	struct str was;	   /* of WAY_INSIDE and WAY_EDITOR alone */
	struct str now;	   /* its bytes are asked for when it is written (wal.h), and p is NULL */
	struct str path;
	size_t like_file;     /* index plus 1 of the file whose mode and owner it takes; 0: none */
	struct str like_path; /* the same, of a file that has no part in this; empty: none */
};

/* Of `gone` the mode counts where a file comes in the directory's place. */
struct journal_dir {
	struct str path;
	unsigned mode;
};

/* The editor that has a part in the change; pid 0: none. */
struct journal_editor {
	struct fs_process process;
	bool alone;	 /* a part of it is in its buffers alone: nobody else can finish it */
	int64_t time_ms; /* of the change, since 1970, for the history */
};

struct journal {
	struct fs_here here; /* `unique` begins the names of temporaries */
	struct str root;
	struct journal_editor editor;
	struct journal_file *file;
	size_t files;
	struct journal_dir *made; /* directories to make, those above first */
	size_t n_made;
	struct journal_dir *gone; /* directories to remove once empty, those below first */
	size_t n_gone;
};

/* Beside the file that it is for; number `here.unique` + 2 i is for the new text of file i, the
 * next one for the old. */
#define JOURNAL_TEMP ".oxide-"
char *journal_temp(const char *path, uint64_t number); /* caller frees */
/* The meta alone; the images follow in order of the files. */
void journal_meta(struct buf *meta, const struct journal *j);
/* The head for this meta and images of so many bytes, marked WRITTEN or ASKING. */
void journal_head(char head[JOURNAL_HEAD], enum journal_mark mark, struct str meta,
		  uint64_t images);
/* The bytes of a mark and where in the file they go. */
uint64_t journal_mark(char bytes[8], enum journal_mark mark);
void journal_second(char second[JOURNAL_SECOND], const char head[JOURNAL_HEAD], uint64_t boot);
/* Whether one of the other two heads counts in the place of its own: it is in force, or was. Its
 * first JOURNAL_LOOK bytes will do; it may be shorter, or empty. */
bool journal_has_other(struct str bytes, struct str second, uint64_t boot);
/* Whether a copy lies there at all. One that does not count yet must go anyway, before the
 * machine is restarted. */
bool journal_has_copy(struct str bytes);
/* Gives a journal that head, or its mark alone. Shorter bytes grow to a head. Returns whether that
 * is another one than it had. */
bool journal_mend(struct buf *bytes, struct str second, uint64_t boot);
/* Whether a head says that the file is free; `bytes` may be shorter. */
bool journal_is_free(struct str bytes);
/* Strings stay in `bytes`, arrays come to lie in `a`. *e is set for all but FREE and LIVE. Of a
 * damaged one whose meta is whole, root and number of files are told anyway. */
enum journal_verdict journal_decode(struct journal *j, struct str bytes, struct arena *a,
				    enum journal_mark *mark, struct err *e);

#endif
