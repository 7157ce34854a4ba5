#ifndef OX_PROJECTS_H
#define OX_PROJECTS_H

#include "project_types.h"

/*
 * The projects that are loaded: directories that Oxide works in, none inside another. The first is
 * the one that the core started in; it stays. A struct project lives as long as the set, also when
 * it has been removed.
 */
struct projects;

struct project {
	unsigned id;	  /* never given twice; from 1 */
	const char *name; /* of its directory; unique among those that are loaded */
	const char *root; /* absolute, resolved */
};

struct projects *projects_new(const struct project_types *types);
void projects_free(struct projects *p);

/*
 * Takes a directory in; one that is loaded already is returned as it is. `dir` is absolute.
 * ERR_NOT_FOUND: no directory. ERR_CONFLICT: inside a project that is loaded, or holds one.
 * ERR_DENIED: nothing marks it as a project, and it is none for that reason: what is loaded may be
 * written to.
 */
const struct project *projects_add(struct projects *p, const char *dir, struct err *e);
bool projects_may_add(const struct projects *p, const char *dir, struct err *e); /* or is loaded */
bool projects_loaded(const struct projects *p, const char *dir);
/* Returns what it was. ERR_NOT_FOUND names those that are loaded; the first is ERR_DENIED. */
const struct project *projects_remove(struct projects *p, struct str name, struct err *e);
/* The directory of the first, resolved; another one takes the place of that before. */
const struct project *projects_start(struct projects *p, const char *root);

size_t projects_count(const struct projects *p);
const struct project *projects_at(const struct projects *p, size_t i);
const struct project *projects_first(const struct projects *p);
const struct project *projects_id(const struct projects *p, unsigned id); /* NULL: removed */
/* The one that a path lies in, by its text; NULL: none. */
const struct project *projects_of(const struct projects *p, const char *path);
/* The same; what lies in none counts to the first. */
const struct project *projects_home(const struct projects *p, const char *path);
struct str projects_shown(const struct projects *p, const char *path); /* relative to that one */
/* The one of this name; without a name that of *last, or the first. *last (an id; 0: none yet)
 * becomes what was found. ERR_NOT_FOUND names those that are loaded. */
const struct project *projects_pick(const struct projects *p, struct str name, unsigned *last,
				    struct err *e);

#endif
