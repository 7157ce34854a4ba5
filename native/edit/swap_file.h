#ifndef OX_SWAP_FILE_H
#define OX_SWAP_FILE_H

#include <stdint.h>

#include "../base/buf.h"
#include "../base/str.h"

/*
 * The swap files of Vim and Neovim: where one of a file would be, and what its first block says.
 * Pure; who looks on the disk is core/swap_scan.h.
 *
 *     for each entry of 'directory': swap_name(entry, path, &name), then the last letter from
 *     SWAP_FIRST down to SWAP_LAST, and swap_read() of the first SWAP_HEAD bytes of each
 *
 * The editor takes the next letter where a name is taken already.
 */
#define SWAP_FIRST 'p'
#define SWAP_LAST  'i'
#define SWAP_HEAD  1024

struct swap_head {
	int64_t pid;
	bool modified;	/* the buffer has changes that are not in the file */
	char host[41];	/* where the process runs */
	char file[901]; /* "" where it is not known; may begin with "~user/" */
};

/* Appends the name up to ".swp", for an entry of the option 'directory'; `path` is absolute, links
 * followed. False, and nothing, where the entry leads to no certain directory. */
bool swap_name(struct str entry, const char *path, struct buf *out);
/* Whether a name by swap_name() tells of which file it is: else many share one. */
bool swap_name_is_exact(struct str entry);
/* False: these bytes are not the first block of a swap file. */
bool swap_read(struct str bytes, struct swap_head *out);
/* Whether the head is that of `path`, as far as it tells. */
bool swap_is_of(const struct swap_head *head, const char *path);
/* Takes the next entry off a value of 'directory'; false where there is none. `out` is cleared. */
bool swap_entry(struct str *directory, struct buf *out);

#endif
