#ifndef OX_BYTES_H
#define OX_BYTES_H

#include "buf.h"

/*
 * Texts and names of files are bytes, and JSON is UTF-8. Inside of Oxide, and to Neovim, JSON text
 * carries such bytes as they are; this is what becomes of them where it goes out or comes in.
 *
 * To who shall be able to give them back (the command line, MCP clients) a byte that is not part of
 * a well-formed character is shown as a character of its own: byte E9 as U+10FEE9, byte 80 as
 * U+10FE80. These are private characters that no text uses; a text that does have one of those
 * U+10FE80 to U+10FEFF is shown with each of its four bytes so, and nothing is lost. It is not a
 * lone surrogate because many a reader of JSON refuses, or mends, what has one.
 *
 * From them, the same is read back as the byte, whether the character is there, or escaped as
 * \udbff\udee9; the lone surrogate \udce9, by which Python carries such bytes, is read too.
 */
#define BYTES_FIRST 0x10fe00u /* plus the byte */

/* Appends the text with its bytes shown; any UTF-8 text, JSON or not. */
void bytes_show(struct buf *out, struct str text);
/* The same of what is at the end of `out`, from this byte on. */
void bytes_show_from(struct buf *out, size_t from);
/* Puts bytes in the place of what shows them. */
void bytes_read(struct buf *text);
void bytes_read_json(struct buf *text); /* its escapes too */

/* To who cannot know of this, a language server, each such byte goes as U+FFFD. */
void bytes_mend_from(struct buf *out, size_t from);

#endif
