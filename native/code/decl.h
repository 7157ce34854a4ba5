#ifndef OX_DECL_H
#define OX_DECL_H

#include "../text/doc.h"
#include "lex.h"

/*
 * What a declaration in source code is made of, found in the range that a language server names:
 *
 *     /// What is said about it.        lead: comments and attributes that belong to it
 *     #[must_use]
 *     pub fn area(w: u32) -> u32 {      head, with what opens the body
 *             w * w                     body
 *     }
 *
 * Servers disagree on how much of this their ranges hold: some begin with the lead, some leave
 * `export const` or `template <...>` out, some name no more than the name. Here all come out the
 * same. The text is borrowed.
 */
struct decl {
	const struct language *lang;
	struct str text;
	size_t lead, lead_comment, lead_attribute; /* where it, the first comment and the first
						    * attribute of it begin; `whole.at`: none */
	struct span whole;			   /* head and body */
	size_t end;	       /* behind the semicolon or the comma after it, where one is */
	size_t head_end;       /* behind what opens the body, or behind the `=` of a value */
	bool opens;	       /* a body or a value follows head_end */
	bool has_body, closed; /* closed: by a brace or `end`, not by indentation */
	bool told;	       /* the body is where the server says */
	struct span body;      /* what is between those; of Python from the line's end on */
	bool alone_before, alone_behind; /* no other code is on its first and last line */
};

/* `block`: the braces of the body with what is in them, where the server told those too; else
 * empty, and they are sought. */
struct decl decl_at(const struct language *lang, struct str text, struct span range,
		    struct span block);
/* The same. The text before it is read from its start once; the document keeps places from which it
 * can be read on, for who asks again while it is as it is. */
struct decl decl_in(struct doc *d, const struct language *lang, struct span range,
		    struct span block);
/* Of code on its own: the lead and where the rest begins, no more. */
struct decl decl_of_text(const struct language *lang, struct str text);
/* Whether the code at `at` begins with the head of `d`, whatever blanks and comments are in it. Of
 * a head that nothing follows, it has to be all of the code. */
bool decl_begins(const struct decl *d, struct str text, size_t at);
/* Whether the attributes of `d` from `from` on are those of `other`. */
bool decl_same_attributes(const struct decl *d, size_t from, const struct decl *other);

#endif
