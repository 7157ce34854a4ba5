#ifndef OX_SYNC_H
#define OX_SYNC_H

#include "../base/map.h"
#include "../text/doc.h"
#include "../wire/peer.h"
#include "caps.h"

/*
 * The documents that are shown to one language server, and what it has not heard of them yet. Part
 * of a session, which says when something may be sent; sends by the rules that the server stated in
 * `caps`, in its encoding.
 *
 * A change is turned into LSP's terms when it happens, while the old text still is, and waits
 * for sync_flush(). Changes that cannot be told in positions (half of a character or of a CRLF, the
 * byte order mark, which is never sent), and those that take more room than the text, make the
 * whole text go out instead.
 *
 * Headers go out before what may include them: a server that begins to read a file before it has
 * been told of its header takes the header of before, and does not read the file again (clangd).
 */
#define SYNC_TRIAL "$/oxide/trial"

enum sync_work { WORK_UNKNOWN, WORK_BUSY, WORK_DONE };

struct sync {
	struct peer *peer; /* borrowed, as is caps */
	const struct caps *caps;
	struct sync_doc **v; /* headers first, else in the order of opening */
	size_t n, cap;
	struct map counted; /* path -> the version it had when it was closed */
	json *watched;	    /* FileEvents to be sent; NULL: none */
	uint64_t news;	    /* counts whatever a server's answer may hang on: all that is told here,
			     * and what whoever owns this knows of and adds */
	bool names_trials; /* the other side keeps documents in step itself: it is told of a text on
			    * trial by SYNC_TRIAL, a whole didChange by another name; one without
			    * changes says that the document itself has become that text */
};

void sync_init(struct sync *y, struct peer *peer, const struct caps *caps);
void sync_release(struct sync *y); /* stops listening; sends nothing */
/* Listens to the document; it is shown by the next sync_flush(). A second time does nothing. */
void sync_open(struct sync *y, struct doc *d, struct str language);
bool sync_has(const struct sync *y, const struct doc *d);
/* The number of the text as it is: the last one sent, or the one that changes not sent yet will
 * get. -1: not open there. Counting goes on when a path is opened again. */
int64_t sync_version(const struct sync *y, const char *path);
bool sync_reopened(const struct sync *y, const char *path);
/* What the server says of its own work on a document, where it does (clangd's fileStatus). It waits
 * for its turn to read what that includes, and calls itself idle meanwhile: a text for which it has
 * to is not done before it was heard of. */
void sync_working(struct sync *y, const char *path, struct str state);
enum sync_work sync_work_on(const struct sync *y, const char *path);
/* Whether the work that it has done last ended with the text, and not with what that includes: of
 * what it has read of those again it has spoken by then, or is about to be asked behind. */
bool sync_ended_with_text(const struct sync *y, const char *path);
/* Another number once it was told of another text, or has begun to read that or what it includes.
 * That something waits for its turn does not count: it may be a question. */
uint64_t sync_readings(const struct sync *y, const char *path);
void sync_watched(struct sync *y, const char *path, int type);
void sync_flush(struct sync *y);		/* didOpen, didChange, didChangeWatchedFiles */
void sync_saved(struct sync *y, struct doc *d); /* after a flush */
/*
 * A change on trial: until sync_untry() the server sees `text` in place of the document, and hears
 * nothing of what becomes of the document meanwhile. A text that is the document's own is shown
 * with an empty line behind it, so that the server looks at it again. So is one of its length that
 * others may include, a header or any that is `among` others on trial: clangd knows the versions of
 * what a text includes by their length and the second that they came in. Else the server sees the
 * text as it will be, and has nothing to read again once the change is made. `edits` make it of the
 * document's own, where they are known (NULL: what differs is sought); `text` is borrowed then as
 * long as it is on trial. False: it cannot be told.
 */
bool sync_try(struct sync *y, struct doc *d, struct str text, const struct edits *edits,
	      bool among);
/* The server sees the document again. False: that is what it saw last, there was nothing to tell.
 */
bool sync_untry(struct sync *y, struct doc *d);
/* Whether this was the number of a text on trial that has been taken back. */
bool sync_tried(const struct sync *y, const char *path, int64_t version);
/* `tell`: send didClose; else only stop listening. */
void sync_close(struct sync *y, struct doc *d, bool tell);

#endif
