#ifndef OX_WORD_SEARCH_H
#define OX_WORD_SEARCH_H

#include "../base/map.h"
#include "../core/oxide.h"

/*
 * Where a name still is as a whole word in the project's files of one language, after a rename
 * that was worked out by a server: comments, strings, files that the server does not know. Nothing
 * is changed there; the answer lists them, so that nobody has to guess.
 *
 * The search of the disk runs on a worker while the server thinks. It begins at the end of the turn
 * of the loop: all names that are asked for until then are looked for together. The texts with the
 * name in them are kept, up to mentions.bytes, so that the plan need not read them again.
 */
struct word_search;

/* `root`: of the project; copied. `filetype`: files of other types are passed over; NULL: files
 * that no installed server takes. */
struct word_search *word_search_start(struct oxide *ox, const char *root, struct str name,
				      const char *filetype);
/* The same, and notes which files have another name too: what word_search_files_beside() has of it
 * is what word_search_all_files() would have of a search for that. Empty: none. */
struct word_search *word_search_start_with(struct oxide *ox, const char *root, struct str name,
					   struct str beside, const char *filetype);
/* File name extensions of the files that such a search reads, as keys of *out; without those of
 * what no server reads (unserved_sources.h). */
void word_search_extensions(const struct oxide *ox, const char *filetype, struct map *out);
/* Whether it was started with that name, for files of that type. */
bool word_search_has_beside(const struct word_search *m, struct str name, const char *filetype);
size_t word_search_files_beside(const struct word_search *m, const char ***paths);
struct str word_search_name(const struct word_search *m); /* what is searched for */
/* What the search has read; NULL before it is over. It belongs to `m`. */
struct text_cache *word_search_texts(struct word_search *m);
/* Calls fn once, when the search is over; never from inside. */
void word_search_wait(struct word_search *m, void (*fn)(void *arg), void *arg);
/* Those that the plan leaves: [{file, line, column, text}], at most mentions.list; *total counts
 * all. */
json *word_search_left(struct word_search *m, const struct plan *plan, size_t *total);
/* Those of them, of a plan that renames no file, that are no code to any server: comments, strings,
 * what no server reads. At most mentions.list, file by file, with their places in the texts that
 * the plan was made from; the array is the caller's, the paths live as long as `m` and the
 * workspace. */
struct word_use *word_search_texts_left(const struct word_search *m, const struct plan *plan,
					size_t *n);
/* The same before a change that keeps the name: those at which the servers know of no use. */
typedef bool word_known(void *arg, const char *path, size_t line);
json *word_search_unknown(struct word_search *m, word_known *known, void *arg, size_t *total);
/* All of them, of the disk and of buffers, in order of names but buffers last; as above. */
size_t word_search_all_files(const struct word_search *m, const char ***paths);
/* Files, of the disk or of a buffer, in which the body of a macro of C has the name; as above. Not
 * before the search is over. */
size_t word_search_macros(const struct word_search *m, const char ***paths);
/* One place where the name is. A file with several names is told of once, by the first of them:
 * also one that the editor has open by another (a link leads to it, or it has two) and as it is on
 * the disk. */
struct word_use {
	const char *path;
	const char *const *also; /* the others, ending with NULL; or NULL: there is none */
	size_t line;		 /* from 1 */
	size_t at, n;		 /* its first byte in the text, and how many it has */
	uint32_t column, units;	 /* from 0, on its line: bytes, and code units of UTF-16 */
	uint64_t text;		 /* the hash of all the text it is in */
	int64_t changed;	 /* when that was, as the disk has it; a buffer is the newest */
	bool code;		 /* neither comment nor string nor directive, nor under `#if 0` */
	bool directive;		 /* in one of the preprocessor */
	bool in_macro;		 /* in the body of one of C */
	bool bare;		 /* of C: read, and not in brackets with a name before them */
	bool unread;   /* no server of the language reads it (unserved_sources.h): the file, */
	bool included; /* which others include, or the string */
	size_t macro;  /* which one is expanded there */
};
bool word_is_in(const struct word_use *m, struct str path); /* by whichever name of its file */
/* Of C: macros whose bodies have the name, by themselves or in another of these. They are numbered
 * from 0; not before the search is over. */
size_t word_search_n_macros(const struct word_search *m);
/* The number of the macro of this name; -1: its body does not have the name. */
int word_search_macro(const struct word_search *m, struct str macro);
/* Marks those that are in the body of a marked one, and so on; `marked` has one for each. */
void word_search_mark_inside(const struct word_search *m, bool *marked);
/* Where they are expanded, and where the name is in the bodies; both as word_search_code().
 * `macro` is set of the first. */
struct word_use *word_search_expansions(const struct word_search *m, size_t *n);
struct word_use *word_search_bodies(const struct word_search *m, size_t *n);
/* Whether no macro can have the name for an argument anywhere in the text with this hash, as far as
 * the search has read the file on the disk. */
bool word_search_bare(const struct word_search *m, const char *path, uint64_t text);
/* False: there are more of them than rename.macros, and the rest was not looked for. */
bool word_search_macros_whole(const struct word_search *m);
/* Whether the plan changes the name there. */
bool word_in_plan(const struct word_use *m, const struct plan *plan);
/* ... and `name`, which is there now, is there afterwards as well: `name` became `name: new`.
 */
bool word_kept(const struct word_use *m, const struct plan *plan, struct str name);
/* All that are code, file by file. Not before the search is over; the array is the caller's, the
 * paths live as long as `m` and the workspace. */
struct word_use *word_search_code(const struct word_search *m, size_t *n);
/* The same of those that no server reads: no other function but word_search_left() and
 * word_search_unknown() has them. */
struct word_use *word_search_unread(const struct word_search *m, size_t *n);
/* Another number when any header of C and its kin has changed: the texts that include it may mean
 * something else then. */
uint64_t word_search_headers(const struct word_search *m);
bool word_search_only_c(const struct word_search *m); /* no source of C++ or Objective-C is there */
/* Files that could not be searched: path -> why, a string. */
const struct map *word_search_passed(const struct word_search *m);
bool word_search_whole(const struct word_search *m); /* all files of the type were searched */
/* Why not; or NULL. */
const char *word_search_gap(const struct word_search *m);
/* Nobody wants to know any more: it is over soon, unless other searches go on in the same walk, and
 * what it has found is a part. NULL: nothing. */
void word_search_cancel(struct word_search *m);
void word_search_free(struct word_search *m); /* also before the search is over */

#endif
