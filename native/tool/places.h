#ifndef OX_PLACES_H
#define OX_PLACES_H

#include "../lsp/proto.h"
#include "tool.h"

/*
 * Places in many files, as a person reads them. Go through them file by file: one text at a time
 * is kept, the document's where Oxide has it, else read for the purpose and forgotten.
 */
struct places {
	struct oxide *ox;
	struct doc *doc, *own;
	char *path;
};

/* What rows of places count by: as people do, lines and columns from 1, columns in bytes; or as LSP
 * does, lines and characters from 0, characters in UTF-16 code units. FLAT: as people do, too. */
enum row_form { ROWS, ROWS_FLAT, ROWS_LSP };

struct place { /* lines and columns from 1, columns in bytes, the end exclusive */
	size_t line, column, end_line, end_column;
	struct str text; /* the line, without blanks around it; until the next file */
};

void places_init(struct places *p, struct oxide *ox);
void places_release(struct places *p);
/* Its text; NULL if the file cannot be read. Until the next file. */
struct doc *places_doc(struct places *p, const char *path);
/* Where the file cannot be read, columns are the server's own and the text is empty. */
void places_look(struct places *p, const char *path, const struct range *r, enum pos_enc enc,
		 struct place *out);
/* The same in a text that is at hand. */
void place_in(struct doc *d, const struct range *r, enum pos_enc enc, struct place *out);
/* Of one byte: its line, column and text; `d` NULL, as of a file that cannot be read: 1, 1 and "".
 */
void place_of_byte(struct doc *d, size_t byte, struct place *out);
void place_put_line(json *row, struct str file, const struct place *at); /* and column, and text */
void place_put(json *row, const struct place *at); /* line, column, end_line, end_column */
/* The same, or `line`, `character`, `end_line`, `end_character` in LSP's form. */
void places_put(struct places *p, const char *path, const struct range *r, enum pos_enc enc,
		enum row_form form, json *row);
/* A diagnostic: its file, its place where it and `at` have one; severity, code, source, message. */
struct diag;
json *place_diag(const struct call *c, const struct diag *d, const struct place *at);
enum row_form call_form(const struct call *c); /* flat, where the context says so */

/* A list of rows {file, line, ...} as flat arrays: "files", "file" (index from 0), and one array
 * for each member, in JSON text, so that thousands cross to Lua cheaply. */
struct flat {
	struct buf files, file, line, column, end_line, end_column;
	size_t n, n_files;
	char *last;
};

void flat_add(struct flat *f, const char *path, const struct place *at);
/* Opens the object with what flat_add() collected; add members with ,"NAME":[...] and close it. */
void flat_begin(struct flat *f, struct buf *out);
void flat_release(struct flat *f);

#endif
