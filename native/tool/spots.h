#ifndef OX_SPOTS_H
#define OX_SPOTS_H

#include "../code/nested_edits.h"
#include "../code/site.h"
#include "../core/oxide.h"
#include "../lsp/proto.h"

/*
 * The places at which servers say that a function is named, file by file, with the texts as they
 * were at that moment. Zero it and set `ox` to start.
 */
struct spot_file {
	char *path;
	const struct language *lang;
	struct buf text;
	struct line_table lines; /* LSP's */
	struct site *v;		 /* by position; each once */
	size_t n, cap;
	struct nested_edits nest; /* what is to become of it */
};

struct spots {
	struct oxide *ox;
	struct spot_file **v;
	size_t n, cap;
	struct map known; /* by path */
	uint64_t moves;	  /* of the workspace when the servers were asked */
};

/* `name`: what is sought where a range holds more than a name. The kinds of sites come with
 * spots_read(). */
bool spots_add(struct spots *s, const struct location *l, enum pos_enc enc, struct str name,
	       struct err *e);
void spots_read(struct spots *s);
struct spot_file *spots_file(const struct spots *s, const char *path); /* NULL: there is none */
/* One more, without a place in it, where there is none. */
struct spot_file *spots_open(struct spots *s, struct str path, struct err *e);
struct str spot_name(const struct spot_file *f, const struct site *s);
/* No word stands there, whole: the server spoke of another text. */
bool spot_is_gone(const struct spot_file *f, const struct site *s);
size_t spot_line(const struct spot_file *f, const struct site *s); /* as a person counts, from 1 */
void spots_release(struct spots *s);

#endif
