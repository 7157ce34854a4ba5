#ifndef OX_PROJECT_TYPES_H
#define OX_PROJECT_TYPES_H

#include "lua_data.h"

/*
 * What kinds of projects there are, and how one of a kind is checked and tested: the presets in
 * lua/oxide/projects/, replaced or added to by the user's own configuration, never by a
 * workspace. A directory is a project of every kind whose marker is in it, less those that another
 * of its kinds replaces (CMake for the Makefile that it wrote).
 */
struct project_types;

/* A program run for a project. Argument vectors, none of them for a shell. */
struct task {
	const char *const *const *steps; /* in turn, as long as they succeed; ends with NULL */
	/* The same for a single test: in every argument "{test}" is its name. NULL: it knows none.
	 */
	const char *const *const *one;
	/* For tests by their exact names, one or several, and for all of a file, whose name is
	 * "{file}". `between` stands between what each of several names makes of an argument; NULL:
	 * the argument is repeated, with an option before it. `quote` goes before signs that mean
	 * something in a pattern, in which "…" in a name is any text; NULL: names are none.
	 * `within` is for exact names and the file they are in. `exact` NULL: as `one`; `within`
	 * NULL: as `exact`; `file` NULL: it knows no files. */
	const char *const *const *exact;
	const char *const *const *within;
	const char *const *const *file;
	const char *between, *quote;
	const char *const *env;	      /* "NAME=value" for the environment */
	const char *const *backtrace; /* the same, to see where it failed */
	const char *output; /* who reads what the last step prints: the name of a parser */
	const char *errors; /* of what the steps before it print; NULL: nobody */
};

struct project_type {
	const char *name;	    /* of its preset: "rust" */
	const char *const *markers; /* names in the project's directory, any of them */
	const char *const *instead; /* names of the kinds that it replaces */
};

enum task_of { TASK_CHECK, TASK_TEST };

struct project_types *project_types_new(struct lua_data *s, const char *data_dir, struct err *e);
void project_types_free(struct project_types *k);
/* The `projects` of a configuration: a kind of a preset's name replaces its members. */
bool project_types_add_all(struct project_types *k, const json *projects, struct err *e);
/* The next kind of a directory after `after` (NULL: the first), by name. NULL: no more. */
const struct project_type *project_types_next(const struct project_types *k, const char *root,
					      const struct project_type *after);
/* How it is done in this directory: the first way whose markers are in it (any of them; none asked
 * for: always; "NAME: TEXT" is a file that has the text) and whose programs are installed. NULL
 * without an error: the kind has no such task here; ERR_NOT_FOUND names what would have to be
 * installed. */
const struct task *project_type_task(const struct project_type *k, enum task_of what,
				     const char *root, struct err *e);
/* The programs that are not installed of the ways before that one, as "pytest, or nose". */
void project_type_lacks(const struct project_type *k, enum task_of what, const char *root,
			struct buf *missing);

bool folder_has(const char *dir, const char *const *markers); /* any of these names is in it */

/* Everybody may write into it, as into /tmp: what is there makes it nobody's project. */
bool folder_shared(const char *dir);

#endif
