#ifndef OX_PATCH_BUILD_H
#define OX_PATCH_BUILD_H

#include "patch.h"

/*
 * Reading a patch line by line, and putting together what was read: between patch.c, patch_v4a.c,
 * patch_unified.c and patch_git.c. Files, hunks and lines are added in order; what is added belongs
 * to the last one of what is above it.
 */
struct patch_build {
	struct patch *p;
	struct err *e;
	struct str rest; /* not read yet */
	struct str line; /* the line last read, without LF and CR */
	bool cr;	 /* it had a CR */
	size_t number;	 /* its number in the patch, from 1 */
	bool bare;	 /* it begins with a hunk: of a file that is named elsewhere */
	size_t hunks, lines, anchors;
	size_t file_cap, hunk_cap, line_cap, anchor_cap;
};

bool patch_next(struct patch_build *b);				  /* false behind the last line */
struct str patch_peek(const struct patch_build *b, size_t ahead); /* 0: the next line */
bool patch_more(const struct patch_build *b);
/* An error with the number of the line last read before it; returns false. */
bool patch_bad(struct patch_build *b, enum err_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* What is returned may move when the next one is added. */
struct patch_file *patch_add_file(struct patch_build *b, enum patch_kind kind, struct str path);
struct patch_hunk *patch_add_hunk(struct patch_build *b);
struct patch_line *patch_add_line(struct patch_build *b, char mark, struct str text);
/* False: the hunk has PATCH_ANCHORS of them. */
bool patch_add_anchor(struct patch_build *b, struct str text);
/* A path that no file can have is an error. */
bool patch_path(struct patch_build *b, struct str path);

bool patch_read_v4a(struct patch_build *b);
bool patch_read_unified(struct patch_build *b);

/* What is read lies in tables, with room for the lines of so many bytes, and until all is read it
 * may move: files and hunks point to what is theirs from the second on. */
void patch_room(struct patch_build *b, size_t bytes);
void patch_point(struct patch *p);
/* patch_parts.c. False: it cannot be read so, and nothing is in `p`. */
bool patch_read_parts(struct patch *p, struct str text, const struct fs *fs);

/* patch_git.c: names and headers of unified patches. */
struct patch_name {
	struct str name;	 /* without quotes; of /dev/null empty */
	bool there, none, epoch; /* none: /dev/null; epoch: its time says that there is no file */
};

/* Of "--- a/x<TAB>time" what comes behind the blank. */
bool patch_read_name(struct patch_build *b, struct str s, struct patch_name *to);
/* Takes off what is before the paths of both sides: "a/" and "b/", or two directories. */
void patch_strip(struct patch_name *old_name, struct patch_name *new_name);
/* From "diff --git" up to the first hunk. A file that nothing is said about is not added. */
bool patch_read_git(struct patch_build *b);

#endif
