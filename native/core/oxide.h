#ifndef OX_OXIDE_H
#define OX_OXIDE_H

#include <sys/queue.h>

#include "../edit/history.h"
#include "../edit/recover.h"
#include "config.h"
#include "editor.h"

/* The search for fixes in the background (tool/auto_update.h). */
struct auto_update {
	size_t calls;	  /* under way, to which it gives way */
	bool wanted;	  /* once more */
	struct call *run; /* NULL: none */
};

/* The running program: it owns one of everything, and is passed, not global. */
struct oxide {
	struct loop *loop;
	struct config config;
	struct lua_data *script;
	struct filetypes *filetypes;
	struct project_types *project_types; /* how a project is checked and tested */
	struct projects *projects;	     /* where we work */
	struct workspace *workspace;	     /* documents, and the way to change files */
	struct project_diags *sweeps;	     /* the one that is going on, and those in line */
	TAILQ_HEAD(, run) runs;		     /* checks and tests that go on, and those in line */
	struct history *history;
	struct timer *pruning; /* of it (pruning.h); NULL: not yet */
	bool prune_due;
	struct registry *registry;	/* changes that can be made, by name */
	size_t turns;			/* of models, so far */
	LIST_HEAD(, turn_draft) drafts; /* what models' turns would change; the newest first */
	struct own_changes *own;	/* what it has changed itself */
	LIST_HEAD(, watched) watched;	/* projects in which agents work (watch/watch.h) */
	LIST_HEAD(, disk_listener) listeners; /* who wants to know what changes files */
	struct permissions *permissions; /* what agents may do (agent/permissions.h); or NULL */
	STAILQ_HEAD(, apply) applying;	 /* the change being carried out, and those in line */
	struct editor editor;		 /* all NULL until a front-end fills it */

	const struct servers_ops *servers; /* NULL until the floor of the servers fills these */
	struct presets *presets;	   /* which server for which file */
	struct pool *pool;		   /* the servers that run */
	struct diag_store *diags;
	struct diag_cache *findings; /* of files that are closed again */
	struct word_walk *walk;	     /* begins at the end of this turn (word_search.h); or NULL */

	struct auto_update auto_update;
	bool logs;			 /* has opened the log, which others may share */
	bool brief;			 /* it ends soon: nothing is prepared for later */
	char *journals;			 /* the directory of journals; NULL: there is none */
	struct wal_desk desk;		 /* what the change before left open of it */
	struct recover_report recovered; /* at the start, for a front-end to tell the user */
	/* What the disk has not taken of changes that were made; "" when it has. */
	struct buf unsettled;
	bool unsettled_told;
	size_t calls; /* of tools that are not answered yet, those in the background too */
	struct buf swap_places; /* where swap files are, as Vim's 'directory' (swap_scan.h) */
	json *configuration;	/* the table of config.lua; NULL: there is none */
	char *config_path;	/* of that */
	char *config_dir;	/* where it is, or would be, with the user's own files; or NULL */
	char *data;		/* the directory of presets and parsers */
	const char *origin;	/* "nvim", "mcp", "cli" */
	const char *root;	/* of the first project: the directory that we started in */
};

struct oxide_options {
	const char *root;	 /* NULL: the nearest root marker above the working directory */
	const char *config_path; /* NULL: OXIDE_CONFIG, else the user's own, if there is one */
	const char *data;	 /* where servers/ and filetypes.lua are; NULL: found by itself */
	const char *origin;
	bool allow_run; /* --allow-run: run.allow, whatever the configuration says */
};

#define OXIDE_PROTOCOL 2 /* between core and Lua; both refuse another */

struct oxide *oxide_new(const struct oxide_options *o, struct err *e);
/* Another directory for the first project; false and *e when it is none. Before the first server
 * starts. */
bool oxide_set_root(struct oxide *ox, const char *root, struct err *e);
/* log.level and log.wire as they are now configured, for the whole process. */
void oxide_apply_log(struct oxide *ox);
void oxide_free(struct oxide *ox); /* after the loop has run out */
/* Ends the servers; the loop runs out when they are gone. */
void oxide_stop(struct oxide *ox);
/* Calls fn at the end of this turn of the loop, for those who know no loop. */
void oxide_soon(struct oxide *ox, void (*fn)(void *arg), void *arg);

/* The directory and those above it, where they are not there, with mode 0700; false and errno. */
bool oxide_make_dirs(const char *path);
/* $XDG_STATE_HOME/oxide or its default, made with mode 0700; NULL where it cannot be had. */
char *oxide_state_dir(void);
/* The path of this very program; NULL where it cannot be had. The caller frees. */
char *oxide_program(void);

#endif
