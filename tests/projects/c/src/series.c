#include "series.h"

long process_data(const struct series *s, int factor) {
    long sum = 0;

    for (int i = 0; i < s->count; i++) {
        sum += (long)s->values[i] * factor;
    }
    return sum;
}

/* Unlike process_data(), this looks at the values as they are. */
int series_highest(const struct series *s) {
    int highest = 0;

    for (size_t i = 0; i < s->count; i++) {
        if (i == 0 || s->values[i] > highest)
            highest = s->values[i];
    }
    return highest;
}
