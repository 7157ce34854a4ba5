#ifndef OX_DRAFT_H
#define OX_DRAFT_H

#include "../base/json.h"
#include "../text/doc.h"
#include "plan.h"

/*
 * A change that grows step by step before any of it is made: what a model does in one turn, until
 * the user has reviewed it. Each step is a plan that saw the texts as the steps before left them.
 *
 *     struct draft *d = draft_new(&source);         // the real texts
 *     p = plan_new(draft_source(d, root)) ...       // a step; the drafted texts come first
 *     next = draft_with(d, p, &e);                  // with it
 *     p = draft_plan(next, root, clashes, &e);      // all of it, against the real texts
 *     draft_take(d, next);                          // the step is kept
 *     draft_free(d);
 *
 * Real texts may change meanwhile: what was changed in other lines is taken over (draft_refresh()),
 * else draft_plan() fails with ERR_STALE and names the lines, and all stays as it is.
 */
struct draft;

struct draft *draft_new(const struct plan_source *real); /* kept, not owned */
void draft_free(struct draft *d);			 /* NULL: nothing */
size_t draft_files(const struct draft *d);		 /* that it changes */
/* For plans that go on from it; valid as long as the draft. */
const struct plan_source *draft_source(struct draft *d, const char *root);
/* The text of a file that is drafted; NULL: it is none of its files. *gone: it removes that. Until
 * the draft changes. */
struct doc *draft_doc(struct draft *d, const char *path, bool *gone);
/* A new one. NULL: a text of the step cannot be had (ERR_STALE), or it changes a file under two
 * names (ERR_CONFLICT). */
struct draft *draft_with(const struct draft *d, struct plan *step, struct err *e);
/* `next` takes its place. */
void draft_take(struct draft *d, struct draft *next);
/* A finished plan with whole texts; what a step may write by an exemption, it may. `root`: that of
 * the project. On ERR_STALE `clashes`, a list,
 * has a row for each file, as in history_turn. */
struct plan *draft_plan(const struct draft *d, const char *root, json *clashes, struct err *e);
/* Appends the unified diff between the texts that its steps began with and its own, whatever the
 * real ones are now. */
bool draft_diff(const struct draft *d, const char *root, struct buf *diff, struct err *e);
/* Takes over what has changed in the real texts, where that is clear. */
void draft_refresh(struct draft *d);

#endif
