#include "series.h"

#include <stdio.h>

static const char *unit = "mm";

static double mean(const struct series *s) {
    int digits = 2;

    if (s->count == 0)
        return 0;
    return (double)process_data(s, 1) / (double)s->count;
}

void report_print(const struct series *s) {
    printf("%s\n", s->name);
    printf("  highest %d %s\n", series_highest(s), unit);
    printf("  mean    %.2f %s\n", mean(s), unit);
    printf("  %s %ld %s\n", "Σ 合計 🌂", process_data(s, 1), unit);
    printf("  doubled %ld %s\n", process_data(s, 2), unit);
}
