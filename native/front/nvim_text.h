#ifndef OX_NVIM_TEXT_H
#define OX_NVIM_TEXT_H

#include "../text/doc.h"
#include "../wire/lines_event.h"

/*
 * Neovim's idea of a text and ours. Neovim holds lines; whether the last one has an end is the
 * option 'endofline'. Ours is one run of bytes, lines ended by LF. An empty buffer, which for
 * Neovim is one empty line, is no bytes at all.
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
/* Counts the lines anew after the document was changed by other means, and sees to its last end. */
void nvim_text_settle(struct nvim_text *t);

/*
 * An edit as nvim_buf_set_text() takes it: rows from 0, columns in bytes, `with` holding lines
 * joined by LF. An edit that reaches behind the last line's end, where Neovim has no place, is
 * moved in front of it.
 */
struct nvim_edit {
	size_t row, col, end_row, end_col;
	struct buf with;
};

/* Clears `with` first. */
void nvim_edit_of(const struct nvim_text *t, const struct edit *ed, struct nvim_edit *out);

#endif
