#ifndef SERIES_H
#define SERIES_H

#include <stddef.h>

/* What one station measured. */
struct series {
    const char *name;
    const int *values;
    size_t count;
};

/* The sum of all values, each of them times factor. */
long process_data(const struct series *s, int factor);

/* The highest value; 0 where there is none. */
int series_highest(const struct series *s);

void report_print(const struct series *s);

#endif
