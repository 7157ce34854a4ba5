#ifndef OX_PROJECT_DIAGS_IMPL_H
#define OX_PROJECT_DIAGS_IMPL_H

#include "diagnose.h"
#include "project_diags.h"
#include "project_sources.h"

/*
 * Shared by project_diags.c (batches, and the end), project_diags_file.c (one file) and
 * project_diags_survey.c (servers that are asked about all files at once).
 */
struct project_diags_server {
	struct project_diags *of;
	struct server *server;
	int64_t asked; /* the survey; 0: none goes on */
	struct timer *patience;
	size_t answered;	  /* files */
	unsigned surveys, silent; /* surveys begun; files without a word, since the last with one */
	bool surveyed;		  /* the last survey is for all its files */
	bool told;		  /* it has answered for all its files */
	bool told_before;	  /* earlier ones told of something */
	bool late, no_survey;	  /* no_survey: it is shown the files instead */
};

enum project_diags_state { SWEEP_TODO, SWEEP_BUSY, SWEEP_DONE };

struct project_diags_file { /* at one of its servers; there is an entry for each */
	struct project_diags *of;
	struct server *beside; /* the server, where it is not the first for the file */
	bool spread;	       /* it has been added for those */
	char *path;
	uint64_t texts; /* of its language, diag_cache.h */
	enum project_diags_state state;
	bool buffer;	/* the editor has it open */
	bool glance;	/* it was opened for this */
	bool known;	/* from an earlier sweep */
	unsigned ended; /* servers that died while they had it */
	struct pick *pick;
	struct diagnose *waiting;
	struct project_diags_server *server;
	size_t answered; /* what the server had, when it was asked about this one */
	char *missing;	 /* why nothing is known of it; NULL: it is not missing */
};

struct project_diags {
	struct oxide *ox;
	struct project_diags_spec spec;
	project_diags_done *fn;
	void *arg;
	struct project_diags *next; /* in line */
	struct source_walk *walk;
	struct project_diags_file **v;
	size_t n, cap, at; /* at: before it nothing is to be done */
	size_t files;	   /* each once */
	size_t busy, done; /* done: of the files, by their first servers */
	struct project_diags_server **server;
	size_t servers, server_cap;
	size_t beyond; /* files that are more than diagnostics.files */
	int percent;   /* shown last; -1: none */
	bool started, complete, cancelled, over;
	struct err why;
};

struct project_diags_file *project_diags_add(struct project_diags *w, const char *path,
					     uint64_t texts, struct server *beside);
/* Looks at a file; project_diags_file_done() comes, not from inside. */
void project_diags_file_start(struct project_diags_file *f);
void project_diags_file_cancel(struct project_diags_file *f);
void project_diags_file_done(struct project_diags_file *f);
void project_diags_file_missing(struct project_diags_file *f, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

struct project_diags_server *project_diags_server(struct project_diags *w, struct server *s);
/* Asks about all files, once; project_diags_go_on() comes at the end. */
void project_diags_survey(struct project_diags_server *s);
void project_diags_survey_cancel(struct project_diags_server *s);
void project_diags_server_free(struct project_diags_server *s);

void project_diags_go_on(struct project_diags *w); /* something has come to its end */

#endif
