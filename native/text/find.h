#ifndef OX_FIND_H
#define OX_FIND_H

#include "../base/arena.h"
#include "match.h"

/*
 * Looking for a piece of text that a user or a model says is there. It is there exactly, or one
 * of a few proofs shows which single place is meant, and the answer names the proof; else nothing
 * is found, and the candidates (find_candidates.c) say why each is near. Nothing is ever chosen
 * among several.
 *
 *     f = find_text(text, old_string);
 *     if (f.how == MATCH_NONE)
 *             find_candidates(text, old_string, &nears);   // f.times says how often it is there
 *     ...
 *     candidates_release(&nears);
 *
 * Line ends of the needle match any of the text's; a byte order mark at its start is left off.
 */
struct found {
	enum match how;
	struct span span; /* bytes of the text; nothing where how is MATCH_NONE */
	size_t line;	  /* where it begins, from 0 */
	size_t times;	  /* how often it is there exactly; 2 where two overlap */
	/* The needle ends with a line end, the text's last line, which it matches, has none: the
	 * replacement is to lose its own. */
	bool open_end;
};

/* Exactly once, or by a proof for whole lines in exactly one place; else MATCH_NONE. */
struct found find_text(struct str text, struct str needle);
/* Every exact place, for replace_all, in order, not overlapping. Caller frees *spans. */
size_t find_all(struct str text, struct str needle, struct span **spans);
/* The n lines that `expect` has are said to begin at line `at` (from 0) of the text: they do, maybe
 * by a proof, or they are exactly in a single other place (MATCH_RELOCATED), or MATCH_NONE. The
 * span holds whole lines with their ends. */
struct found find_lines(struct str text, size_t at, struct str expect);

enum near_why { NEAR_SEEN, NEAR_SPACE, NEAR_INDENT, NEAR_QUOTES, NEAR_MOVED, NEAR_SIMILAR };

struct near {
	size_t line;	 /* from 1, where it begins */
	struct str text; /* its first line, in the list's arena, cut where it is long */
	enum near_why why;
	long moved;	/* NEAR_MOVED: lines from where it was expected */
	size_t differs; /* NEAR_SIMILAR that begins the same: the first line that differs, else 0 */
	bool ends;	/* which is not there: the text ends before it */
	struct str is, wanted; /* that line, and what was sought there; likewise in the arena */
};

#define FIND_CANDIDATES 5

struct candidates {
	struct near v[FIND_CANDIDATES]; /* the best kind first, then by line */
	size_t n;
	struct arena texts;
};

void candidates_release(struct candidates *n);
void candidates_add(struct candidates *n,
		    struct near one); /* copies its text; drops the least near */
/* Why it was not found: overwrites *out. Linear in the text. */
void find_candidates(struct str text, struct str needle, struct candidates *out);
/* The same for lines that were expected at line `at` (from 0). */
void find_lines_candidates(struct str text, size_t at, struct str expect, struct candidates *out);
/* Appends "line 12: differs in indentation: `foo()`", or which of its lines is another one. */
void candidate_describe(const struct near *n, struct buf *out);

#endif
