#ifndef OX_LOCATION_ROWS_H
#define OX_LOCATION_ROWS_H

#include "places.h"

/* Places that a server names, as answers list them. */
void locations_sort(struct locations *l); /* by file, line and column, for all of these */
size_t locations_files(const struct locations *l);
/* [{file, line, column, end_line, end_column, snippet}] */
json *location_rows(struct call *c, const struct locations *l, enum pos_enc enc);
/* The same as flat arrays (places.h), with `text`. */
json *location_flat(struct oxide *ox, const struct locations *l, enum pos_enc enc);

#endif
