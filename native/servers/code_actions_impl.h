#ifndef OX_CODE_ACTIONS_IMPL_H
#define OX_CODE_ACTIONS_IMPL_H

#include "code_actions.h"
#include "diagnose_file.h"
#include "pool.h"

/* Shared by code_actions.c, which asks, and code_actions_place.c, which knows what to ask about a
 * place. */
struct asked_file {
	struct code_actions *of;
	const char *path;
	size_t first, end; /* of the questions about its diagnostics */
	size_t waiting;	   /* answers still to come, and the reading */
	bool glance;	   /* it was not open before */
	struct diagnose_file *reading;
	struct server *server; /* has read it; in use until the last answer */
};

struct action_question {
	struct asked_file *file;
	struct pick *pick;
	struct offer offer; /* its server is in use until the end */
	int64_t asked;
};

struct code_actions {
	struct oxide *ox;
	struct code_actions_spec spec;
	code_actions_done *fn;
	void *arg;
	struct asked_file *file;
	size_t files, begun, waiting;
	struct action_question **v;
	size_t n, cap;
	uint64_t moves;
	struct arena texts;
	struct err why, missing; /* that none, or not all, could be asked */
	bool cancelled;
	bool at_place;
	struct code_place lines;
	struct span place; /* in the text of */
	struct doc *doc;
};

struct action_question *code_actions_question(struct asked_file *f);
/* There is room for it in `about`. */
void code_actions_about(struct action_question *q, const struct diag *d);
/* The server for it, by name (empty: any), goes to code_place_ask() or is asked to fix. */
void code_actions_pick(struct action_question *q, const char *name);
void code_actions_ask(struct action_question *q, struct server *s, struct range place);

bool code_place_is_shown(const struct code_actions *c);
void code_place_ask(struct action_question *q, struct server *s);
void code_place_drop_repeated(struct code_actions *c);

#endif
