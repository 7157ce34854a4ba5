#ifndef OX_MERGE_IMPL_H
#define OX_MERGE_IMPL_H

#include "diff.h"
#include "merge.h"

/* Shared by merge.c and merge_marked.c: whether two changes of one text cannot both be made. */
bool merge_hunks_clash(const struct diff_hunk *a, const struct diff_hunk *b);

#endif
