#include "series.h"

#include <stdio.h>

static int failed;

#define EXPECT(got, want)                                                                  \
    do {                                                                                   \
        long value = (got);                                                                \
        if (value != (want)) {                                                             \
            printf("%s is %ld, expected %ld\n", #got, value, (long)(want));                \
            failed++;                                                                      \
        }                                                                                  \
    } while (0)

static void check_sum(int rounds) {
    static const int values[] = {1, -2, 40};
    struct series s = {"check", values, 3};
    struct series empty = {"empty", values, 0};

    EXPECT(process_data(&s, 1), 39);
    EXPECT(process_data(&s, -1), -39);
    EXPECT(process_data(&empty, 7), 0);
    EXPECT(series_highest(&s), 40);
}

int main(void) {
    check_sum(1);
    puts(failed ? "failed" : "passed");
    return failed != 0;
}
