#ifndef OX_TEST_CHOICE_H
#define OX_TEST_CHOICE_H

#include "../base/arena.h"
#include "../core/project_types.h"

/* Which of a project's tests are run, and what that makes of the arguments of its programs. */
struct test_choice {
	struct str test;   /* one, or what the runner selects by that */
	const json *names; /* else these, by their exact names; NULL: none are given. Borrowed */
	struct str file;   /* that they are in, or else all of it; from the root. None: all tests */
};

/* The steps that are to be run, with marks in them; NULL: the task knows no such. */
const char *const *const *test_choice_steps(const struct test_choice *c, const struct task *t);
/* The same with names in the place of the marks, in `texts`. */
const char *const *const *test_choice_fill(const struct test_choice *c, const struct task *t,
					   struct arena *texts);

#endif
