#ifndef OX_DECL_EDIT_H
#define OX_DECL_EDIT_H

#include "../base/buf.h"
#include "../base/err.h"
#include "decl.h"

/*
 * What becomes of a text when a declaration in it is changed: always one splice.
 *
 * REPLACE       head and body. Comments and attributes above stay, unless the new code brings its
 *               own. The signature (head, and attributes that would go) has to stay the same,
 *               unless `any_signature`.
 * REPLACE_BODY  what is between the braces, or behind the colon; with or without the braces.
 * INSERT_*      before what belongs to it, or behind its last line, as many empty lines apart as
 *               its neighbours are.
 * DELETE        with what belongs to it, its lines, and the empty lines that were its own.
 *
 * New code takes the indentation of the place (block_indent.h). Line ends are LF: the plan makes
 * them the file's.
 *
 * ERR_CONFLICT     the signature changes; other code is on the same line
 * ERR_UNSUPPORTED  it has no body, or a value
 * ERR_INVALID      no content; the body begins with the head
 */
enum decl_action {
	DECL_REPLACE,
	DECL_REPLACE_BODY,
	DECL_INSERT_BEFORE,
	DECL_INSERT_AFTER,
	DECL_DELETE,
};

struct decl_edit {
	enum decl_action action;
	struct str content;
	struct str step; /* one level of indentation, where no line of the body tells it */
	bool any_signature;
};

struct decl_splice {
	struct span span;
	struct buf with;
	/* What the content's lines began with, and begin with now; equal where nothing has moved.
	 * `from` is borrowed from the content, or from `to`. */
	struct str from;
	struct buf to;
};

/* Zero *out; what is in it afterwards is the caller's to release, also after a failure. */
bool decl_splice(const struct decl *d, const struct decl_edit *edit, struct decl_splice *out,
		 struct err *e);
void decl_splice_release(struct decl_splice *s);

#endif
