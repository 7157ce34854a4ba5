#ifndef OX_LOCATION_ROWS_H
#define OX_LOCATION_ROWS_H

#include "places.h"

/* Places that a server names, as answers list them. */
void locations_sort(struct locations *l); /* by file, line and column, for all of these */
size_t locations_files(const struct locations *l);
/* [{file, line, column, end_line, end_column, snippet}]. `whole`: with `definition`, all of what is
 * declared there, with its comments, from `definition_line` to `definition_end_line` (not in LSP's
 * form); cut at a line where it is longer than symbol.code_bytes, which `cut` says. */
json *location_rows(struct call *c, const struct locations *l, enum pos_enc enc, enum row_form form,
		    bool whole);
/* The same as flat arrays (places.h), with `text`. */
json *location_flat(struct oxide *ox, const struct locations *l, enum pos_enc enc);
/* Code up to the line `last`, cut where location_rows() does. */
void put_code(struct call *c, json *row, const char *member, struct str code, size_t last);
/* Whether they are declarations of functions of C or C++, without a body, in files that the caller
 * may see: what defines these is elsewhere. */
bool location_only_declares(struct call *c, struct locations *l, enum pos_enc enc);
/* [{file, total, lines}] */
json *location_files(struct call *c, const struct locations *l, enum pos_enc enc,
		     enum row_form form);
/* The names of one file become one, and what then comes twice goes. Before locations_sort(). */
void locations_join_names(struct oxide *ox, struct locations *l);

#endif
