#ifndef OX_MENTIONS_IMPL_H
#define OX_MENTIONS_IMPL_H

#include "../core/text_cache.h"
#include "mentions.h"

/* Shared by mentions.c, the search, and mentions_list.c, what is told of it. */
struct hit {
	char *path;
	struct mention at; /* without the path */
	char *text;
};

struct hits {
	struct hit *v;
	size_t n, cap;
};

struct mentions {
	struct oxide *ox;
	char *name, *root;
	struct map extensions;	     /* of the language's files */
	struct map walked;	     /* those, and of what no server reads (unread.h) */
	struct map included;	     /* paths of more, which those include */
	const struct language *lang; /* NULL: of several */
	bool macros;		     /* it has those of C */
	size_t most_files;
	uint64_t biggest;  /* larger ones are passed over */
	bool other_c;	   /* there is a source of C++, or another language with its headers */
	uint64_t headers;  /* what those on the disk are like */
	struct map passed; /* path -> why it was passed over */
	bool complete, over, abandoned;
	struct buf text; /* of the file in hand */
	struct text_cache texts;
	struct hits disk;
	void (*fn)(void *arg);
	void *arg;
};

/* Adds those of one text, in the file at `path`. */
void mentions_search(const struct mentions *m, struct hits *h, const char *path, struct str text);
/* Whether the file belongs to what is searched, under whatever name. */
bool mentions_searched(const struct mentions *m, const char *path);
/* `text`: its line. */
void hits_add(struct hits *h, const char *path, const struct mention *at, struct str text);
void hits_release(struct hits *h);

#endif
