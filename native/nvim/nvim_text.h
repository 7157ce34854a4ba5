#ifndef OX_NVIM_TEXT_H
#define OX_NVIM_TEXT_H

#include "../text/doc.h"
#include "../wire/lines_event.h"

/*
 * Neovim's idea of a text and ours. Neovim holds lines; whether the last one has an end is the
 * option 'endofline'. Ours is one run of bytes, lines ended by LF. An empty buffer, which for
 * Neovim is one empty line, is zero bytes long.
 */
struct nvim_text {
	struct doc *doc; /* borrowed */
	size_t lines;	 /* as Neovim counts them; at least 1 */
	bool eol;	 /* the last line has its end */
};

/* Takes the whole text: as doc_set(). `lines` without ends, joined by LF. */
void nvim_text_set(struct nvim_text *t, struct str lines, size_t count);
void nvim_text_eol(struct nvim_text *t, bool eol); /* the option changed */
/* A lines event carried out; ERR_PROTOCOL when it names lines that are not there. */
bool nvim_text_event(struct nvim_text *t, struct lines_event *ev, struct err *e);
/* Counts the lines again after the document was changed by other means, and sees to its last end.
 */
void nvim_text_settle(struct nvim_text *t);

/*
 * An edit as nvim_buf_set_text() takes it: rows from 0, columns in bytes, `with` holding lines
 * joined by LF.
 */
struct nvim_edit {
	size_t row, col, end_row, end_col;
	struct buf with;
};

/*
 * A checked set, of edits that all change something, as the calls that carry it out:
 *
 *     struct nvim_edits it = { .text = t, .set = set, .now = what the set makes of the text };
 *     while (nvim_edits_next(&it, &edit))
 *
 * They go from the start to the end, and each addresses the text as those before it have left it:
 * Neovim is quicker this way round. What reaches behind the last line's end, where Neovim has no
 * place, is one call that is moved in front of it.
 */
struct nvim_edits {
	const struct nvim_text *text;
	const struct edits *set;
	struct str now;
	size_t next;	  /* edit */
	size_t line, end; /* where the one before ended, in the old text: line and byte */
	size_t row, col;  /* and where that is by now */
};

bool nvim_edits_next(struct nvim_edits *it, struct nvim_edit *out);

#endif
