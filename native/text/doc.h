#ifndef OX_DOC_H
#define OX_DOC_H

#include "../base/buf.h"
#include "../base/err.h"
#include "edit.h"
#include "pos.h"

/*
 * One text at one version. Bytes are contiguous; tables of line starts are kept beside them and
 * made when first asked for.
 *
 * Each call that changes the text raises the version by one, tells the listeners, and then moves
 * the text; a call that would change nothing does none of this. Listeners are how language servers
 * stay in step:
 * - While they run, doc_text(), doc_pos() and the line tables are still those of the old text, and
 *   doc_version() is already the version that the change leads to.
 * - The changes of one doc_edit() come from the last in the text to the first. What is behind a
 *   change moves nothing before it, so each one's place in the old text is also its place when they
 *   are carried out one after the other, as LSP's contentChanges are. All of them can be told
 *   against the old text, which is then rebuilt once.
 * - They must not change the document, nor listen or unlisten.
 */
struct doc;

struct doc_change {
	struct span was; /* replaced bytes of the text as it still is */
	struct str with; /* never the bytes that are there */
};

typedef void doc_listener(void *arg, struct doc *d, const struct doc_change *c);

struct doc *doc_new(const char *path, struct str text); /* version 1 */
/* The same without the copy: `text` stays the caller's, and must last until doc_free(), doc_own()
 * or the first change, which leaves it as it is. */
struct doc *doc_lent(const char *path, struct str text);
/* The same of another document's text, with what is known of its lines. */
struct doc *doc_lent_of(const struct doc *d);
void doc_own(struct doc *d); /* from here on it has a copy, if it did not */
void doc_free(struct doc *d);
const char *doc_path(const struct doc *d);
struct str doc_text(const struct doc *d); /* until the next change */
int64_t doc_version(const struct doc *d);
uint64_t doc_hash(struct doc *d);
/* One thing, taken, that somebody has worked out of the text as it is and will want again. It is
 * released when the text changes, when another is kept, and with the document. */
typedef void doc_release_kept(void *thing);
void doc_keep(struct doc *d, void *thing, doc_release_kept *release);
/* That, if it was kept with this function; else NULL. */
void *doc_kept(const struct doc *d, doc_release_kept *release);
const struct line_table *doc_lines(struct doc *d, enum line_rule rule);
size_t doc_line_count(struct doc *d); /* as an editor counts: none behind the last line end */
size_t doc_byte(struct doc *d, struct pos pos, enum pos_enc enc); /* by LINES_LSP */
struct pos doc_pos(struct doc *d, size_t byte, enum pos_enc enc); /* by LINES_LSP */
/* A user's line from 1 and column in bytes from 1, clamped; and back. */
size_t doc_at(struct doc *d, size_t line, size_t column);
void doc_where(struct doc *d, size_t byte, size_t *line, size_t *column);
struct str doc_line(struct doc *d, size_t line); /* from 1, without its end; empty past the end */
/* `arg` is borrowed until doc_unlisten() with the same two, or doc_free(). */
void doc_listen(struct doc *d, doc_listener *fn, void *arg);
void doc_unlisten(struct doc *d, doc_listener *fn, void *arg);
size_t doc_listeners(const struct doc *d); /* how many there are */
/* `with` is not part of the document's own text. A span outside the text is a BUG. */
void doc_splice(struct doc *d, struct span was, struct str with);
void doc_edit(struct doc *d, const struct edits *set); /* checked against this very text */
/* The same where the text that they make is there already: it is lent, as by doc_lent(). Its lines
 * are sought when they are asked for. */
void doc_edit_to(struct doc *d, const struct edits *set, struct str text);
/* The whole text; what differs is told as diff_edits() finds it. */
void doc_set(struct doc *d, struct str text);
/* The same of a text that is on the disk by now, where other files may have changed with it; and
 * how often that was. */
void doc_reread(struct doc *d, struct str text);
uint64_t doc_rereads(const struct doc *d);

#endif
