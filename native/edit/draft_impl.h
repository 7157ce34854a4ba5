#ifndef OX_DRAFT_IMPL_H
#define OX_DRAFT_IMPL_H

#include "draft.h"

/* Shared by draft.c, what a draft changes, draft_names.c, what its files are called, and
 * draft_source.c, its texts for plans. */
struct draft_file {
	char *from, *to; /* real name, drafted name; NULL: it is new, or goes */
	/* The same without links on the way, of what is no link; by number, of the first. */
	char *real_from, *real_to;
	uint64_t dev, ino;
	unsigned from_mode, to_mode;
	struct buf base, text; /* of both; of links, where they lead */
	struct doc *doc;       /* of `text`; NULL: nobody asked for it yet */
};

struct draft {
	const struct plan_source *real;
	struct plan_source source;
	const char *(*name)(void *self, const char *path, const struct fs_stat *st); /* real's */
	struct draft_file **v;
	size_t n, cap;
	struct exemptions exempt; /* of its steps */
	char **gone;		  /* directories that go with what was in them */
	size_t n_gone, gone_cap;
};

/* By its drafted name, or another that leads to the same file; NULL: it is not drafted. */
struct draft_file *draft_at(const struct draft *d, const char *path);
/* By its real name, or another: it is not there any more. */
struct draft_file *draft_from(const struct draft *d, const char *path);
/* Fills in the real name and the numbers of one that is there; that of its drafted name. */
void draft_find_real(const struct draft *d, struct draft_file *f);
void draft_name_real(const struct draft *d, struct draft_file *f);
/* Where a drafted link leads; the caller's. */
char *draft_leads_to(const struct draft_file *f);

#endif
