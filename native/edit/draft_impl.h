#ifndef OX_DRAFT_IMPL_H
#define OX_DRAFT_IMPL_H

#include "draft.h"

/* Shared by draft.c, what a draft changes, and draft_source.c, its texts for plans. */
struct draft_file {
	char *from, *to; /* real name, drafted name; NULL: it is new, or goes */
	unsigned from_mode, to_mode;
	struct buf base, text; /* of both; of links, where they lead */
	struct doc *doc;       /* of `text`; NULL: nobody asked for it yet */
};

struct draft {
	const struct plan_source *real;
	struct plan_source source;
	struct draft_file **v;
	size_t n, cap;
	char **gone; /* directories that go with what was in them */
	size_t n_gone, gone_cap;
};

struct draft_file *draft_at(const struct draft *d, const char *path);	/* by its drafted name */
struct draft_file *draft_from(const struct draft *d, const char *path); /* by its real name */
/* Where a drafted link leads; the caller's. */
char *draft_leads_to(const struct draft_file *f);

#endif
