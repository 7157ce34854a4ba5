#ifndef OX_IDE_LOCK_H
#define OX_IDE_LOCK_H

#include "../base/json.h"

/*
 * The file by which an agent finds an editor, readable by its user alone, with the token in it. It
 * is there in whole or not at all. We hold a lock on ours as long as we live, so that those of
 * cores that died are known, and removed.
 */
struct ide_lock;

/* `what` is what it says; the name ends as all such files in the directory do, as in "4711.lock".
 * The directory, and the one that it is in, are made with mode 0700 where they are not there;
 * ERR_DENIED: it belongs to another user, or others may write to it. */
struct ide_lock *ide_lock_new(const char *directory, const char *name, const json *what,
			      struct err *e);
const char *ide_lock_path(const struct ide_lock *l);
void ide_lock_free(struct ide_lock *l); /* removes it */

/* The mark of our own in such a file: a member of `what`. */
#define IDE_LOCK_MARK "oxide"

#endif
