#ifndef OX_VT_H
#define OX_VT_H

#include "../base/buf.h"

/*
 * What a program tells and asks its terminal: the modes that it has set, and answers to its
 * queries where there is no terminal to give them. The bytes may be cut anywhere. It draws nothing.
 *
 *     struct vt vt = { 0 };
 *     vt_feed(&vt, output, NULL)          a terminal answers; modes alone are followed
 *     vt_feed(&vt, output, &answers)      what has to be written into the program's input
 *
 * vt.c reads what the program prints, vt_keys.c makes what is typed.
 */
#define VT_HELD 128 /* bytes of one sequence that are looked at */

struct vt {
	bool paste;		/* mode 2004: a text that is pasted is put in brackets */
	bool cursor_keys;	/* mode 1 */
	bool alternate;		/* mode 1049: the whole screen */
	bool hidden;		/* mode 25: the cursor */
	bool focus;		/* mode 1004 */
	unsigned mouse;		/* bits of modes 1000, 1002, 1003, 1006 */
	unsigned rows, columns; /* for who asks; 0: not known */
	/* of a sequence that is not complete */
	enum { VT_TEXT, VT_ESCAPE, VT_CSI, VT_STRING, VT_STRING_ESCAPE } state;
	char kind; /* of a string: ']' OSC, 'P' DCS, or another */
	char held[VT_HELD];
	size_t n; /* may be more than are held */
};

void vt_feed(struct vt *vt, struct str output, struct buf *answers);
/* What sets a terminal back that a program has left in its modes; nothing where it left none. */
void vt_reset(struct buf *out, const struct vt *vt);

/* The bytes of a key as Neovim writes it: "<C-c>", "<Esc>", "<CR>", "<Up>", "<F5>", "<M-x>", or one
 * character. False: there is no such key. */
bool vt_key(struct buf *out, const struct vt *vt, struct str name);
/* A text as a terminal pastes it: in brackets where the program has asked for them, line ends as
 * the Return key, and without control characters. */
void vt_paste(struct buf *out, const struct vt *vt, struct str text);

#endif
