#ifndef OX_SWEEP_IMPL_H
#define OX_SWEEP_IMPL_H

#include "diagnose.h"
#include "sweep.h"
#include "tree.h"

/*
 * Shared by sweep.c (batches, and the end), sweep_file.c (one file) and sweep_survey.c (servers
 * that are asked about all files at once).
 */
struct sweep_server {
	struct sweep *of;
	struct server *server;
	int64_t asked; /* the survey; 0: none goes on */
	struct timer *patience;
	unsigned surveys, silent; /* surveys begun; files without a word, since the last with one */
	bool surveyed;		  /* the last survey is for all its files */
	bool told;		  /* it has answered for all its files */
	bool told_before;	  /* earlier ones told of something */
	bool late, no_survey;	  /* no_survey: it is shown the files instead */
};

enum sweep_state { SWEEP_TODO, SWEEP_BUSY, SWEEP_DONE };

struct sweep_file {
	struct sweep *of;
	char *path;
	uint64_t texts; /* of its language, findings.h */
	enum sweep_state state;
	bool buffer;	/* the editor has it open */
	bool glance;	/* it was opened for this */
	bool known;	/* from an earlier sweep */
	unsigned ended; /* servers that died while they had it */
	struct pick *pick;
	struct diagnose *waiting;
	struct sweep_server *server;
	char *missing; /* why nothing is known of it; NULL: it is not missing */
};

struct sweep {
	struct oxide *ox;
	struct sweep_spec spec;
	sweep_done *fn;
	void *arg;
	struct sweep *next; /* in line */
	struct treewalk *walk;
	struct sweep_file **v;
	size_t n, cap, at; /* at: before it nothing is to be done */
	size_t busy, done;
	struct sweep_server **server;
	size_t servers, server_cap;
	size_t beyond; /* files that are more than diagnostics.files */
	int percent;   /* shown last; -1: none */
	bool started, complete, cancelled, over;
	struct err why;
};

/* Looks at a file; sweep_file_done() comes, not from inside. */
void sweep_file_start(struct sweep_file *f);
void sweep_file_cancel(struct sweep_file *f);
void sweep_file_done(struct sweep_file *f);
/* Later, and alone, if it is not the second time. */
void sweep_file_ended(struct sweep_file *f);
void sweep_file_missing(struct sweep_file *f, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

struct sweep_server *sweep_server(struct sweep *w, struct server *s);
/* Asks about all files, once; sweep_go_on() comes at the end. */
void sweep_survey(struct sweep_server *s);
void sweep_survey_cancel(struct sweep_server *s);
void sweep_server_free(struct sweep_server *s);

void sweep_go_on(struct sweep *w); /* something has come to its end */

#endif
