#ifndef OX_EXEMPTIONS_H
#define OX_EXEMPTIONS_H

#include "../base/buf.h"
#include "../base/map.h"

/*
 * Paths that the user has allowed to be written although they lie outside of the projects or are
 * protected: exactly these, with no link on the way. A call has some in its context; what refuses
 * a path says here which one it was, so that the user can be asked about it.
 *
 *     exempt_add(&x, "/etc/x")
 *     plan_source.exempt = &x ... plan_finish()      or, for what is taken back, plan_allow()
 *     exempt_refused(&x)                             "/etc/y": ask, add it, do it again
 */
struct exemptions {
	struct map paths;
	struct buf refused;
};

#define EXEMPTIONS_INIT                                                                            \
	{                                                                                          \
		MAP_INIT, BUF_INIT                                                                 \
	}

void exempt_release(struct exemptions *x);
void exempt_add(struct exemptions *x, const char *path); /* once */
void exempt_add_all(struct exemptions *x, const struct exemptions *more);
bool exempt_has(const struct exemptions *x, const char *path);
/* The first of them where *at is 0, then the next; NULL: there are no more. */
const char *exempt_each(const struct exemptions *x, size_t *at);
/* The first path that was refused for where it lies; the next one that is added forgets it. */
void exempt_refuse(struct exemptions *x, const char *path);
const char *exempt_refused(const struct exemptions *x); /* NULL: none was */

#endif
