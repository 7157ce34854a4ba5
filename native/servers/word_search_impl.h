#ifndef OX_WORD_SEARCH_IMPL_H
#define OX_WORD_SEARCH_IMPL_H

#include "../core/text_cache.h"
#include "word_search.h"

/* Shared by word_search.c, the search, word_search_macro.c, the search for macros that have the
 * name in them, and word_search_list.c, what is told of it. */
struct hit {
	char *path;
	struct word_use at; /* without the path */
	char *text;
};

struct hits {
	struct hit *v;
	size_t n, cap;
};

/* The body of `outer` has `inner`; both are numbers of macros. */
struct macro_nesting {
	size_t outer, inner;
};

struct word_macros {
	char **name;
	size_t n, cap, most;
	struct map number; /* name -> its number + 1 */
	struct macro_nesting *nesting;
	size_t nestings, nesting_cap;
	struct hits uses;
	size_t from, to; /* those that are searched for */
	bool more;	 /* than `most` */
};

struct word_search {
	struct oxide *ox;
	char *name, *root;
	char *beside;		     /* another name, whose files are noted; NULL: none */
	char *filetype;		     /* NULL: of several */
	struct map extensions;	     /* of the language's files */
	struct map walked;	     /* those, and of what no server reads (unserved_sources.h) */
	struct map included;	     /* paths of more, which those include */
	const struct language *lang; /* NULL: of several */
	bool macros;		     /* it has those of C */
	size_t most_files;
	uint64_t biggest;  /* larger ones are passed over */
	bool other_c;	   /* there is a source of C++, or another language with its headers */
	uint64_t headers;  /* what those on the disk are like */
	struct map passed; /* path -> why it was passed over */
	struct map bare;   /* path -> the hash of the text, where all hits in it are bare */
	bool complete, over, abandoned;
	struct buf text; /* of the file in hand */
	struct text_cache texts;
	struct hits disk, disk_beside;
	struct word_macros around; /* macros that have the name in them */
	void (*fn)(void *arg);
	void *arg;
};

/* Adds those of one text, in the file at `path`. */
void word_search_search(const struct word_search *m, struct hits *h, const char *path,
			struct str text);
/* The same of another name. */
void word_search_search_for(const struct word_search *m, struct str name, struct hits *h,
			    const char *path, struct str text);
/* Notes macros of one text, whose body has the name. */
void word_macros_add(struct word_search *m, struct str text);
/* Looks for where they are expanded, and for macros around them; on the worker, at its end. */
void word_macros_search(struct word_search *m);
void word_macros_release(struct word_macros *a);
/* Whether the file belongs to what is searched, under whatever name. */
bool word_search_searched(const struct word_search *m, const char *path);
/* `text`: its line. */
void hits_add(struct hits *h, const char *path, const struct word_use *at, struct str text);
void hits_release(struct hits *h);

#endif
