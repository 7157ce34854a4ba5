#ifndef OX_SAY_H
#define OX_SAY_H

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

#define SAY_RED	   "\033[31m"
#define SAY_YELLOW "\033[33m"
#define SAY_BLUE   "\033[34m"
#define SAY_GREEN  "\033[32m"
#define SAY_BOLD   "\033[1m"

void pen_put(const struct pen *p, const char *colour, struct str s);
void pen_addf(const struct pen *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void pen_text(const struct pen *p, struct str s); /* with a line end behind it, unless empty */
void pen_count(const struct pen *p, size_t n, const char *one, const char *many); /* "1 file" */
int pen_int(const json *row, const char *member);

/* say.c: what changes text. */
void say_change(const struct pen *p, const json *answer);
void say_undo(const struct pen *p, const json *answer);
void say_diff(const struct pen *p, struct str diff);
void say_found(const struct pen *p, const json *rows); /* "main.c:5:18 error: message" */
void say_severity(const struct pen *p, struct str severity);

/* Whether rows count from 1, as people do, or as LSP does: people are told theirs. */
enum say_from { SAY_FROM_1, SAY_FROM_0 };

/* say_checks.c: what is wrong, and what can be done about it. */
void say_diagnostics(const struct pen *p, const json *answer); /* or what was fixed of them */
void say_get_diagnostics(const struct pen *p, const json *answer);
void say_problems(const struct pen *p, const json *answer, enum say_from from);
void say_check(const struct pen *p, const json *answer);
void say_tests(const struct pen *p, const json *answer);
void say_actions(const struct pen *p, const json *answer);
void say_refreshed(const struct pen *p, const json *answer);

/* say_code.c: what there is. */
void say_file(const struct pen *p, const json *answer);
void say_symbol(const struct pen *p, const json *answer);
void say_usages(const struct pen *p, const json *answer);
void say_symbols(const struct pen *p, const json *answer); /* and places, and what is known */
void say_definitions(const struct pen *p, const json *answer);
void say_references(const struct pen *p, const json *answer);
void say_hover(const struct pen *p, const json *answer);
void say_analysis(const struct pen *p, const json *answer);
void say_projects(const struct pen *p, const json *answer);

/* `answer`: the error object, for what it has besides; NULL: nothing. */
void say_error(const struct pen *p, const struct err *e, const json *answer);

#endif
