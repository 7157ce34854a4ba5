#ifndef OX_DOC_H
#define OX_DOC_H

#include "../base/buf.h"
#include "../base/err.h"
#include "edit.h"
#include "pos.h"

/*
 * One text at one version. Bytes are contiguous; tables of line starts are kept beside them and
 * made anew when asked for after a change. Every change raises the version and is reported once to
 * the listeners, before the text moves (so they may convert positions), which is how language
 * servers stay in step.
 */
struct doc;

struct doc_change {
	struct span was; /* replaced bytes of the text as it still stands */
	struct str with;
};

typedef void doc_listener(void *arg, struct doc *d, const struct doc_change *c);

struct doc *doc_new(const char *path, struct str text); /* version 1 */
void doc_free(struct doc *d);
const char *doc_path(const struct doc *d);
struct str doc_text(const struct doc *d); /* until the next change */
int64_t doc_version(const struct doc *d);
uint64_t doc_hash(struct doc *d);
const struct line_table *doc_lines(struct doc *d, enum line_rule rule);
size_t doc_byte(struct doc *d, struct pos pos, enum pos_enc enc); /* by LINES_LSP */
struct pos doc_pos(struct doc *d, size_t byte, enum pos_enc enc); /* by LINES_LSP */
/* A person's line from 1 and column in bytes from 1, clamped; and back. */
size_t doc_at(struct doc *d, size_t line, size_t column);
void doc_where(struct doc *d, size_t byte, size_t *line, size_t *column);
struct str doc_line(struct doc *d, size_t line); /* from 1, without its end; empty past the end */
void doc_listen(struct doc *d, doc_listener *fn, void *arg);
void doc_unlisten(struct doc *d, doc_listener *fn, void *arg);
void doc_splice(struct doc *d, struct span was, struct str with);
void doc_edit(struct doc *d, const struct edits *set); /* checked; applied from the last on */
void doc_set(struct doc *d, struct str text); /* the whole; nothing happens when it is equal */

#endif
