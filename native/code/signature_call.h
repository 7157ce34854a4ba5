#ifndef OX_SIGNATURE_CALL_H
#define OX_SIGNATURE_CALL_H

#include "signature.h"

/* Shared by signature_args.c, which reads the arguments of a call, and signature_call.c, which
 * rewrites them. */
/* What one call passes: which argument goes to which old parameter. */
struct passed {
	const struct signature *s;
	const struct nested_edits *nest;
	enum dialect dialect;
	struct comma_list list;
	size_t first;	      /* 1: the object comes first */
	size_t *of;	      /* of each old parameter its argument, or COMMA_LIST_NEW */
	bool *taken;	      /* of each argument: it goes to one of those */
	struct span *keyword; /* of each argument its name; empty: it has none */
	size_t rest;	      /* the first argument that is spread, or more than one parameter's */
	size_t rest_of;	      /* the parameter that it would go to */
	bool spread;	      /* it is spread */
	bool any_keywords;    /* Python's **names: they may be any that is not given */
};

/* Of the two ways to read `<` the one by which alone the number of arguments is right. */
bool passed_list(const struct signature *s, const struct nested_edits *nest,
		 const struct signature_call *c, struct comma_list *out, struct err *e);
/* Which argument goes where; refuses what cannot be known. `of`, `taken` and `keyword` have room.
 */
bool passed_read(struct passed *p, struct err *e);
bool passed_starts(const struct passed *p, size_t i, const char *what); /* an argument's code */
bool passed_spread(const struct passed *p, size_t i);

#endif
