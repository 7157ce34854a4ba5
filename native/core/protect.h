#ifndef OX_PROTECT_H
#define OX_PROTECT_H

#include "../base/fs.h"

/*
 * Where Oxide may write: inside the root, also by the path that links lead to, and not into files
 * that make other programs run something (.git/, .nvim.lua, .vscode/ and the like, in any case of
 * letters), also under another name that leads to them. `itself`: of a symbolic link, it is not
 * what it leads to that changes. ERR_DENIED names the path and the reason.
 */
bool protect_allows(const char *root, const char *path, bool itself, struct err *e);
/* Where a write to it really goes: all links followed, but for its own with `itself`. */
bool protect_real(const char *path, bool itself, struct buf *real, struct err *e);
/* Whether a file of this name is guarded, wherever it lies. */
bool protect_guards(const char *path);
/* Whether what is read at a path below the root is in there, where links lead too: a project may
 * bring a link to what is none of its business. The path need not be there. */
bool protect_shows(const char *root, const char *path, struct err *e);

/* Many paths at once, on several processors. */
struct protect_look {
	const char *root, *path; /* root NULL: it is not looked at */
	bool fine; /* it may be read (written); else whoever asks for it alone is told why not */
	struct fs_stat st; /* of what may be written: what it is */
};
/* Whether each of them may be read: protect_shows(). Few are not looked at: nothing is gained. */
void protect_look_read(struct protect_look *v, size_t n);
/* The same of writing: protect_allows(), and it is a file that this process may write to. */
void protect_look_write(struct protect_look *v, size_t n);

#endif
