#ifndef OX_REACH_H
#define OX_REACH_H

#include "mentions.h"
#include "server.h"

/*
 * Whether what a server answered about a name rests on the whole project. It does when each file
 * that has the name in its code has been shown to the server in its present text, unless the answer
 * has all of the name's places there already, and when the answer grows no more after that.
 *
 *     r = reach_new(ox, m, path, byte)       // once the search of `m` is over
 *     (ask) ... reach_look(r, server, found, has, fn, arg)
 *     fn(arg, true)                          // something was shown: ask again, and look again
 *     fn(arg, false)                         // that is all: reach_refuses(), reach_report()
 *     reach_free(r)
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
 * Both callbacks come once for each reach_look(), not from inside. `has` tells whether the answer
 * has that place; `found` is how many it has; both are asked of no more when fn has been called.
 * reach_cancel() brings fn soon.
 */
struct reach;
typedef bool reach_has(void *arg, const struct mention *m);
typedef void reach_said(void *arg, bool again);

/* `m` is borrowed; `path` and `byte`: the place that the server is asked about. */
struct reach *reach_new(struct oxide *ox, struct mentions *m, const char *path, size_t byte);
/* It is about a change: of Python, where servers do not count them as one, members of classes above
 * and below are missed too. `too`, which may be NULL: whether the caller changes such a member as
 * well, a place that the answer does not have; it asks about that together with the rest, the next
 * time. */
void reach_overrides(struct reach *r, reach_has *too);
/* Of a place that the answer has: whether it keeps the name beside the new one, as `{ name: new }`
 * of TypeScript does. What is defined there may mean what keeps it. */
void reach_keeps(struct reach *r, reach_has *keeps);
void reach_look(struct reach *r, struct server *s, size_t found, reach_has *has, reach_said *fn,
		void *arg);
/* Before a look: the server spoke of this file as it was before. */
void reach_reread(struct reach *r, const char *path);
void reach_cancel(struct reach *r);
void reach_free(struct reach *r); /* NULL: nothing */

/* By which server_has_read() knows a text: by its hash, and what the headers are like. */
uint64_t reach_mark(const struct mentions *m, uint64_t text);

/* One more reason why the answer may not be whole; `must`: a change is refused for it. Said twice,
 * it counts once. */
void reach_doubt(struct reach *r, bool must, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The caller itself refuses, or tells of, this place (a byte of the text as it was searched), which
 * the server left out: that is a reason no more. */
void reach_excuse(struct reach *r, const char *path, size_t at);
/* True: something could not be looked at, and a change has to be refused; fills *e (ERR_INCOMPLETE)
 * and returns the error object, with `files` [{file, reason}] and `reasons`. NULL: nothing. */
json *reach_refusal(const struct reach *r, struct err *e);
/* The same for a person who may make it all the same: false, or "it is not complete: ..." is added.
 */
bool reach_refuses(const struct reach *r, struct buf *why);
bool reach_whole(const struct reach *r);
/* Puts `complete` into an answer, and `reasons` where that is false; a `complete: false` that is
 * there stays, and reasons are added to those that are there. */
void reach_report(const struct reach *r, json *report);
/* The same for anything else that makes an answer incomplete. */
void reasons_add(json *report, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Those of another answer, where that is not complete. */
void reasons_copy(json *to, const json *from);

#endif
