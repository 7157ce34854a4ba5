#ifndef OX_COMPILES_H
#define OX_COMPILES_H

#include "../core/run.h"

/*
 * What the last compile of each source said. A build compiles what has changed and is silent about
 * the rest, whose warnings are there all the same; so they are kept, in the state directory, until
 * the source is compiled again or is gone. Errors need no keeping: what failed is compiled each
 * time.
 *
 * A source that has changed since, and was not compiled in this run either, was compiled by
 * somebody else: what was said of it is not known.
 */
struct compiles {
	json *rows;   /* of sources that were not compiled again, as a parser tells them */
	json *unseen; /* absolute paths of files of whose last compile nothing is known */
	bool blank;   /* there was nothing to build, and nothing is kept: nothing is known at all */
};

/* After a run, also one that failed or was given up. `kind`: of the project, "make". */
struct compiles compiles_take(struct oxide *ox, const char *root, const char *kind,
			      const struct run_result *r);
void compiles_release(struct compiles *c);

#endif
