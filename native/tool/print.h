#ifndef OX_PRINT_H
#define OX_PRINT_H

#include "../base/err.h"
#include "../base/json.h"

/*
 * An answer as a person wants to read it: one function for each kind of answer, named in the tool's
 * row (tool.h). What files, servers and programs have put into an answer is shown and never acted
 * on: control characters, which a terminal would obey, become "<1b>".
 */
struct pen {
	struct buf *out;
	bool colour; /* it goes to a terminal */
};

#define PEN_RED	   "\033[31m"
#define PEN_YELLOW "\033[33m"
#define PEN_BLUE   "\033[34m"
#define PEN_GREEN  "\033[32m"
#define PEN_BOLD   "\033[1m"

void pen_put(const struct pen *p, const char *colour, struct str s);
void pen_addf(const struct pen *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void pen_text(const struct pen *p, struct str s); /* with a line end behind it, unless empty */
void pen_count(const struct pen *p, size_t n, const char *one, const char *many); /* "1 file" */
int pen_int(const json *row, const char *member);

/* print.c: what changes text. */
void print_change(const struct pen *p, const json *answer);
void print_undo(const struct pen *p, const json *answer);
void print_turn(const struct pen *p, const json *answer);
void print_diff(const struct pen *p, struct str diff);
void print_found(const struct pen *p, const json *rows); /* "main.c:5:18 error: message" */
void print_severity(const struct pen *p, struct str severity);

/* Whether rows count from 1, as people do, or as LSP does: people are told theirs. */
enum print_from { PRINT_FROM_1, PRINT_FROM_0 };

/* print_checks.c: what is wrong, and what can be done about it. */
void print_diagnostics(const struct pen *p, const json *answer); /* and what was fixed of them */
void print_get_diagnostics(const struct pen *p, const json *answer);
void print_problems(const struct pen *p, const json *answer, enum print_from from);
void print_check(const struct pen *p, const json *answer);
void print_unfinished(const struct pen *p, const json *answer); /* of programs that failed */
void print_tests(const struct pen *p, const json *answer);
void print_actions(const struct pen *p, const json *answer);
void print_refreshed(const struct pen *p, const json *answer);

/* print_code.c: what there is. */
void print_file(const struct pen *p, const json *answer);
void print_symbol(const struct pen *p, const json *answer);
void print_usages(const struct pen *p, const json *answer);
void print_symbols(const struct pen *p, const json *answer); /* and places, and what is known */
void print_definitions(const struct pen *p, const json *answer);
void print_references(const struct pen *p, const json *answer);
void print_hover(const struct pen *p, const json *answer);
void print_analysis(const struct pen *p, const json *answer);
void print_projects(const struct pen *p, const json *answer);

/* `answer`: the error object, for what it has besides; NULL: nothing. */
void print_refusal(const struct pen *p, const struct err *e, const json *answer);

#endif
