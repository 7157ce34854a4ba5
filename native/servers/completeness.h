#ifndef OX_COMPLETENESS_H
#define OX_COMPLETENESS_H

#include "pick.h"
#include "server.h"
#include "word_search.h"

/*
 * Whether what a server answered about a name rests on the whole project. It does when each file
 * that has the name in its code has been shown to the server in its present text, unless the answer
 * has all of the name's places there already, and when the answer grows no more after that.
 *
 *     r = completeness_new(ox, m, path, byte)
 *     (ask) ... completeness_look(r, server, found, has, fn, arg)
 *     fn(arg, true)    // something was shown: completeness_server(), ask again, look again
 *     fn(arg, false)   // that is all: completeness_refuses(), completeness_report()
 *     completeness_free(r)
 *
 * The first look waits for the search of `m`.
 *
 * Files are shown headers first, then the newest changes, reach.at_once at a time, for no longer
 * than reach.wait_ms in all; the person is told how far it is. What a server has read of a file
 * counts until that, or any header, changes. clangd keeps what it has read of a file that is closed
 * again as it was then, for good: that is why a file that was changed since has to be shown.
 *
 * In the end the server is asked what the name means at places that are not in the answer, up to
 * reach.places of them: one that means what was asked about shows that the answer is not whole.
 * What a function declares inside of itself is nowhere else, and no other file is shown for it.
 *
 * Both callbacks come once for each completeness_look(), not from inside. `has` tells whether the
 * answer has that place; `found` is how many it has; both are asked of no more when fn has been
 * called. completeness_cancel() brings fn soon, completeness_server()'s too.
 */
struct completeness;
typedef bool completeness_has(void *arg, const struct word_use *m);
typedef void completeness_said(void *arg, bool again);

/* `m` is borrowed; `path` and `byte`: the place that the server is asked about. */
struct completeness *completeness_new(struct oxide *ox, struct word_search *m, const char *path,
				      size_t byte);
/* It is about a change: of Python, where servers do not count them as one, members of classes above
 * and below are missed too. `too`, which may be NULL: whether the caller changes such a member as
 * well, a place that the answer does not have; it asks about that together with the rest, the next
 * time. */
void completeness_overrides(struct completeness *r, completeness_has *too);
/* Of a place that the answer has: whether it keeps the name beside the new one, as `{ name: new }`
 * of TypeScript does. What is defined there may mean what keeps it. */
void completeness_keeps(struct completeness *r, completeness_has *keeps);
/* The caller itself judges what the name is in macros that nothing expands. */
void completeness_leaves_bodies(struct completeness *r);
void completeness_look(struct completeness *r, struct server *s, size_t found,
		       completeness_has *has, completeness_said *fn, void *arg);
/* The server to ask again, of the same name as `s`, which may have died meanwhile, or be shown a
 * change on trial. fn comes once, not from inside; s NULL: *e says why, ERR_STALE where the place
 * is in another text than when completeness_new() was called. */
typedef void completeness_picked(void *arg, struct server *s, const struct err *e);
void completeness_server(struct completeness *r, struct server *s, enum lsp_feature f,
			 enum pool_need need, completeness_picked *fn, void *arg);
/* Before a look: the server spoke of this file as it was before. */
void completeness_reread(struct completeness *r, const char *path);
void completeness_cancel(void *completeness);
void completeness_free(struct completeness *r); /* NULL: nothing */

/* By which server_read() knows a text: by its hash, and what the headers are like. */
uint64_t completeness_mark(const struct word_search *m, uint64_t text);

/* One more reason why the answer may not be whole; `must`: a change is refused for it. Said twice,
 * it counts once. */
void completeness_doubt(struct completeness *r, bool must, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The caller itself refuses, or tells of, this place (a byte of the text as it was searched), which
 * the server left out: that is a reason no more. */
void completeness_excuse(struct completeness *r, const char *path, size_t at);
/* True: something could not be looked at, and a change has to be refused; fills *e (ERR_INCOMPLETE)
 * and returns the error object, with `files` [{file, reason}] and `reasons`. NULL: nothing. */
json *completeness_refusal(const struct completeness *r, struct err *e);
/* The same for a person who may make it all the same: false, or "it is not complete: ..." is added.
 */
bool completeness_refuses(const struct completeness *r, struct buf *why);
/* Puts `complete` into an answer, and `reasons` where that is false; a `complete: false` that is
 * there stays, and reasons are added to those that are there. */
void completeness_report(const struct completeness *r, json *report);
/* The same for anything else that makes an answer incomplete. */
void reasons_add(json *report, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
