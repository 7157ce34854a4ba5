#ifndef OX_FUZZ_H
#define OX_FUZZ_H

/*
 * What the fuzz targets share. A target, fuzz_NAME.c, does with any bytes what the program does
 * with such bytes, and says with must() what has to hold then: that nothing crashes is the least.
 * libFuzzer runs it (`make fuzz`), or replay.c on the files of corpus/NAME (`make test`).
 *
 * An input is one or more sections, parted by lines that say %%, so that a corpus can be read.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/err.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define must(what) ((what) ? (void)0 : fuzz_fail(__FILE__, __LINE__, #what))

static inline _Noreturn void fuzz_fail(const char *file, int line, const char *what)
{
	fprintf(stderr, "%s:%d: this does not hold: %s\n", file, line, what);
	abort();
}

#define must_be(got, want) fuzz_same(got, want, __FILE__, __LINE__)

static inline void fuzz_same(struct str got, struct str want, const char *file, int line)
{
	if (str_eq(got, want))
		return;
	fprintf(stderr, "got %zu bytes:\n%.*s\n--- wanted %zu:\n%.*s\n---\n", got.n, STR_ARG(got),
		want.n, STR_ARG(want));
	fuzz_fail(file, line, "both are the same");
}

/* Whoever refuses says why. */
#define must_say(e) must((e)->code > ERR_OK && (e)->code < ERR_COUNT && *(e)->msg)

static inline struct str fuzz_input(const uint8_t *data, size_t size)
{
	return (struct str){ size ? (const char *)data : "", size };
}

/* Takes a section and the line behind it off the front. */
static inline struct str fuzz_section(struct str *rest)
{
	struct str all = *rest, line;

	while (str_line(rest, &line))
		if (str_eq(line, STR("%%")))
			return str_sub(all, 0, (size_t)(line.p - all.p));
	return all;
}

/* A number at the front of *s, and the byte behind it; at most `most`. */
static inline size_t fuzz_number(struct str *s, size_t most)
{
	size_t v = 0, i = 0;

	for (; i < s->n && s->p[i] >= '0' && s->p[i] <= '9'; i++)
		v = v > most ? v : v * 10 + (size_t)(s->p[i] - '0');
	*s = str_sub(*s, i + (i < s->n), s->n);
	return v < most ? v : most;
}

#endif
