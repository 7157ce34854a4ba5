#ifndef OX_EDIT_GROUPS_H
#define OX_EDIT_GROUPS_H

#include "../base/map.h"
#include "../edit/plan.h"
#include "../text/pos.h"

/*
 * The text edits of a workspace edit, gathered by document, since all that come without a file
 * operation between address the document as it was before the first:
 *
 *     struct edit_groups gs = { .plan = p };
 *     edit_group_of(&gs, path, e)    // its edits are for the caller to add to
 *     edit_groups_flush(&gs, e)      // before a file operation, and at the end
 *     edit_groups_release(&gs)
 *
 * What a server says twice counts once: an edit that is listed again, and one that is also listed
 * under another name of the same file.
 */
struct edit_group {
	char *path;
	struct str text; /* the plan's, until something is added to it */
	struct line_table lines;
	struct edits edits;
	bool link; /* the path is one */
};

struct edit_groups {
	struct plan *plan;
	struct edit_group **group; /* in the order of their first edits */
	size_t n, cap;
	struct map by_path;
};

/* NULL and *e: the plan cannot read the document. Good until edit_groups_flush(). */
struct edit_group *edit_group_of(struct edit_groups *gs, const char *path, struct err *e);
/* Adds what was gathered to the plan; nothing is gathered then. */
bool edit_groups_flush(struct edit_groups *gs, struct err *e);
void edit_groups_release(struct edit_groups *gs);

#endif
