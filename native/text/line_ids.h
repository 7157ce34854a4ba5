#ifndef OX_LINE_IDS_H
#define OX_LINE_IDS_H

#include <stdint.h>

#include "../base/str.h"

/*
 * The same number for the same bytes, so that the lines of two texts are compared as numbers. The
 * texts are borrowed.
 *
 *     line_ids_init(&ids, lines);      // at most so many are asked for
 *     id = line_id(&ids, line, 0);     // of the first text; 1: of the second
 *     ids.v[id].times[1]               // how often the second has it
 *     line_ids_release(&ids);
 */
struct line_ids {
	struct line_word {
		uint64_t hash;
		struct str text;
		uint32_t times[2];
	} * v; /* by number */
	size_t n, cap;
	uint32_t *slot; /* open addressing; index into v plus 1, 0 is free */
	size_t mask;
};

void line_ids_init(struct line_ids *ids, size_t lines);
uint32_t line_id(struct line_ids *ids, struct str line, int which);
void line_ids_release(struct line_ids *ids);

#endif
