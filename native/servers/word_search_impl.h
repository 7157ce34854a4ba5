#ifndef OX_WORD_SEARCH_IMPL_H
#define OX_WORD_SEARCH_IMPL_H

#include <stdatomic.h>

#include "../base/arena.h"
#include "../core/text_cache.h"
#include "word_search.h"

/* Shared by word_search.c, the search of a text, word_walk.c, that of the files,
 * word_search_macro.c, the search for macros that have the name in them, word_search_twins.c, which
 * knows files by their other names, and word_search_list.c, what is told of it. */
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

/* One of the names that are looked for in a text together. */
struct name_sought {
	struct str name; /* empty: it is nowhere */
	struct hits *out;
	size_t at;  /* of the next one */
	bool found; /* that */
};

/* One walk over the files, for all names that were asked for in one turn of the loop: each file is
 * read once, and once made out what is code there. It lives as long as one of its searches. */
struct word_walk {
	struct oxide *ox;
	char *root;
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
	struct map twins;  /* path, of a file with several -> struct file_names */
	struct arena names_of_files;
	bool complete;
	struct buf text; /* of the file in hand */
	struct text_cache texts;
	struct word_search **v; /* whose names it looks for */
	size_t n, cap, users;	/* users: those that are not freed */
	size_t given_up;	/* ... that nobody wants any more */
	bool begun;
	atomic_bool stop; /* none is wanted: at the next place, or file, it ends */
	int waited;	  /* turns of the loop, for more of them */
	struct name_sought *names;
	size_t n_names;
};

struct word_search {
	struct oxide *ox;
	struct word_walk *walk;
	char *name;
	char *beside;	 /* another name, whose files are noted; NULL: none */
	struct map bare; /* path -> the hash of the text, where all hits in it are bare */
	bool over, abandoned, given_up;
	struct hits disk, disk_beside;
	size_t before;		   /* how many of `disk` are in files before the one in hand */
	struct word_macros around; /* macros that have the name in them */
	void (*fn)(void *arg);
	void *arg;
};

/* A file that the walk has found by several names. */
struct file_names {
	const char **v;
	size_t n, cap;
};

/* For the walk, on its worker: the file at `path` was found as `first` before. */
void word_twins_note(void *word_walk, const char *path, const char *first);
void word_twins_forget(struct word_walk *w);
/* The other names of the file, as `also` of a use has them; they live as long as the search. Not
 * those by which the editor has it open, but for `buffer`, if that is given. */
const char *const *word_twins_names(const struct word_search *m, const char *path,
				    const char *buffer);

/* Other names of what was found on the disk: those of the walk, and those by which buffers have it
 * in the same text. They live as long as the workspace and `m` stay as they are. */
struct word_twins {
	const char *const **also; /* of each of the hits, as that of a use */
	bool *is;		  /* of each buffer, whether it has such a name */
};

void word_twins_init(struct word_twins *t, const struct word_search *m, const struct hits *h);
void word_twins_release(struct word_twins *t);

/* Adds those of one text, in the file at `path`. */
void word_search_search(const struct word_search *m, struct hits *h, const char *path,
			struct str text);
/* The same of another name. */
void word_search_search_for(const struct word_search *m, struct str name, struct hits *h,
			    const char *path, struct str text);
/* Notes macros of one text, whose body has the name. */
void word_macros_add(struct word_search *m, struct str text);
/* Looks for where those of all searches are expanded, and for macros around them; on the worker, at
 * its end. */
void word_macros_search(struct word_walk *w);
/* The walk that begins at the end of this turn; the search is part of it. */
struct word_walk *word_walk_join(struct word_search *m, const char *root, const char *filetype);
/* One of its searches is not wanted any more; it may go on for others. */
void word_walk_give_up(struct word_walk *w);
/* Asked on the worker as well. */
static inline bool word_walk_stops(const struct word_walk *w)
{
	return atomic_load_explicit(&w->stop, memory_order_relaxed);
}
/* A search is freed. */
void word_walk_leave(struct word_walk *w);
bool word_search_is_header(const char *path);
/* A number that what is mixed into it changes. */
uint64_t word_walk_mix(uint64_t into, const char *path, uint64_t a, uint64_t b);
/* The walk has ended; calls who waits. */
void word_search_over(struct word_search *m);
void word_macros_release(struct word_macros *a);
/* The same of several at once, which costs no more than the last of them. */
void word_search_find(const struct word_walk *w, struct name_sought *v, size_t n, const char *path,
		      struct str text);
/* Whether the file belongs to what is searched, under whatever name. */
bool word_search_searched(const struct word_search *m, const char *path);
/* `text`: its line. */
void hits_add(struct hits *h, const char *path, const struct word_use *at, struct str text);
void hits_release(struct hits *h);

#endif
