#ifndef OX_MEMBER_SEARCH_H
#define OX_MEMBER_SEARCH_H

#include "../core/oxide.h"
#include "word_search.h"

/*
 * Whether what a plan renames is a member of a type, and where else members of that name are
 * declared (member.h). Files are read on a worker, some at a time, for there may be thousands that
 * have the name.
 *
 *     s = member_search_start(ox, mentions, plan, fn, arg)
 *     fn(arg)                      // once, not from inside; member_search_cancel() brings it soon
 *     member_search_found(s, &n)   // then
 *     member_search_free(s)
 *
 * NULL, and no fn: the plan changes no place of that name, or leaves none. `mentions` is over; it
 * and the plan, as it is before the change, are borrowed until fn.
 */
struct member_search;

struct member_found { /* in a place that the plan leaves */
	const char *path;
	char *type; /* whose it is; empty: nobody knows */
};

struct member_search *member_search_start(struct oxide *ox, const struct word_search *mentions,
					  const struct plan *plan, void (*fn)(void *arg),
					  void *arg);
void member_search_cancel(struct member_search *s);
/* File by file; none where what is renamed is no member. They live as long as `s`. */
const struct member_found *member_search_found(const struct member_search *s, size_t *n);
void member_search_free(struct member_search *s); /* NULL: nothing; not before fn */

#endif
