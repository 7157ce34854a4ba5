#ifndef OX_GATE_IMPL_H
#define OX_GATE_IMPL_H

#include "../base/map.h"
#include "code_actions.h"
#include "diagnose_file.h"
#include "files_using.h"
#include "gate.h"
#include "trial.h"

/* Shared by gate.c, the life of a gate, gate_before.c and gate_try.c, which ask the servers, and
 * gate_find.c, which makes a finding of the answers. */
struct gate_file { /* at one of its servers; there is an entry for each */
	struct gate *gate;
	const struct plan_file *change; /* NULL: it only uses what changes */
	char *path;			/* as it is called after the change */
	struct doc *was, *now; /* the texts; NULL: it is not there; those of uses are one */
	struct server *server; /* NULL: it does not look at it */
	struct server *beside; /* the server, where it is not the first for the file */
	struct pick *pick;
	struct diagnose_file *reading; /* for those beside it too */
	struct diagnose *waiting;
	struct files_using *uses;
	bool unasked;	    /* the server has it for what it says of others */
	bool shown;	    /* on trial */
	bool answered;	    /* the server has spoken of that */
	bool opened;	    /* for that alone */
	bool complete;	    /* so far */
	bool uses_asked;    /* who uses what changes in it, of which its symbols tell */
	bool uses_complete; /* all of them are known */
	char *why;	    /* that no server looked at it */
};

/* Why something of the change is not looked at, whatever the servers do. */
enum gate_lack {
	LACK_MOVED = 1 << 0,  /* that a file is gone, or has another name, cannot be shown */
	LACK_MANY = 1 << 1,   /* more files use what changes than gate.files */
	LACK_NEW = 1 << 2,    /* what speaks of a file that comes with the change */
	LACK_CHECKS = 1 << 3, /* a server looks at less than it could in some file (unchecked.h) */
};

struct gate {
	struct oxide *ox;
	const struct plan *plan;
	uint64_t timeout_ms, patience_ms;
	gate_found *fn;
	void *arg;
	struct gate_file **file; /* those of the plan first */
	size_t files, cap;
	size_t paths;		/* of them, each once */
	struct map left;	/* paths that the change gives, and that are not looked at */
	struct server **server; /* of the files, each once */
	size_t servers, server_cap;
	size_t waiting; /* answers still to come */
	void (*next)(struct gate *g);
	struct timer *deadline, *turn; /* turn: looks whether the servers are free */
	struct timer *enough;	       /* servers that are not the first for a file go without */
	struct timer *telling;	       /* how far it is; NULL: nobody wants to know */
	size_t told, told_of;	       /* files of files; 0 of 0: nothing yet */
	bool alone;		       /* as gate_spec has it */
	bool queued;		       /* for servers that are in use */
	bool late, cancelled;
	struct err why;
	bool seeing;		    /* servers have to see it through what files include */
	unsigned lacks;		    /* bits of enum gate_lack */
	struct diag_store *was;	    /* the answers about the files as they are */
	struct diag_store *said;    /* of the texts on trial */
	struct gate_diag *fresh[2]; /* errors, warnings */
	size_t n_fresh[2], fresh_cap[2];
	struct arena texts;	    /* of those */
	struct code_actions *fixes; /* of the first errors */
	bool found;
	struct gate_skip *skip;
	size_t skips, skip_cap;
	char *reason[GATE_WHYS];
	size_t reasons;
	struct gate_finding finding;
};

void gate_answered(struct gate *g); /* one of those that are waited for */
void gate_skip(struct gate_file *f, const char *why);
void gate_skip_as(struct gate_file *f, const char *does); /* "NAME does ..." */
struct gate_file *gate_add_file(struct gate *g, const char *path);
/* The same file, or new file, at another server. */
struct gate_file *gate_add_beside(const struct gate_file *f, struct server *s);
bool gate_is_c(const struct gate *g, const char *path);
void gate_conclude(struct gate *g);
void gate_ask_before(struct gate_file *f);
/* The same of a file that does not change, by this server alone. */
void gate_ask_before_by(struct gate_file *f, struct server *s);
void gate_ask_uses(struct gate_file *f); /* who uses what changes in it is looked at as well */
void gate_await_still(struct gate *g);
/* Compares what was said; then the finding is whole but for fixes. */
void gate_find(struct gate *g);
void gate_take_back(struct gate *g, bool made);

#endif
