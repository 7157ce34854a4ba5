#ifndef OX_TOOL_H
#define OX_TOOL_H

#include "../core/apply.h"
#include "../core/oxide.h"
#include "../core/projects.h"
#include "change_result.h"
#include "print.h"

/*
 * Everything Oxide can be asked to do, in one table. Neovim's :Oxide, MCP's tools/list, the command
 * line and a model's tool schema are all printed from it; none of them names a tool.
 */
enum param_type {
	P_STR,
	P_INT,	 /* from 1 */
	P_INDEX, /* from 0 */
	P_BOOL,
	P_PATH,
	P_LIST,
	P_TEXT /* of a file: any bytes; the other strings have no NUL */
};

struct param {
	const char *name;
	enum param_type type;
	bool required;
	const char *values; /* P_STR: "ask|apply", or NULL for any */
	const char *doc;
};

/* Those that many tools have. */
#define DRY_RUN_PARAM                                                                              \
	{                                                                                          \
		"dry_run", P_BOOL, false, NULL, "only show what would change"                      \
	}
#define VERIFY_PARAM                                                                               \
	{                                                                                          \
		"verify", P_BOOL, false, NULL,                                                     \
			"check the change with the language servers first, and refuse it on new "  \
			"errors; default true"                                                     \
	}
#define PARAMS_END                                                                                 \
	{                                                                                          \
		NULL, P_STR, false, NULL, NULL                                                     \
	}

/* What a client may want to know before it lets a model call the tool, and where it is listed. */
enum tool_flag {
	TOOL_WRITES = 1 << 0,	/* may change files */
	TOOL_DESTROYS = 1 << 1, /* and may remove what is in them */
	TOOL_REPEATS = 1 << 2,	/* the same again changes nothing more */
	TOOL_OPEN = 1 << 3,	/* reaches beyond the project */
	TOOL_CORE = 1 << 4,	/* no other name for what another tool does: MCP clients see it */
	TOOL_RUST = 1 << 5,	/* of those that the Rust tools' guidance names */
	TOOL_JSON = 1 << 6,	/* MCP clients get its answer as JSON, too */
	TOOL_RUNS = 1 << 7,	/* runs programs that the project names: `task` of it */
	TOOL_TEXT = 1 << 8,	/* works on texts alone: on those that a turn has drafted, too */
	TOOL_DRAFTS = 1 << 9,	/* what it changes can be kept in a turn's draft */
	TOOL_USER = 1 << 10,	/* for the user alone: no client is told of it */
};

/* `less` of what answers with a diff. */
#define LESS_OF_A_CHANGE "read_file shows the files; a smaller change has a shorter diff"

struct tool {
	const char *name;
	const char *title;
	const char *doc;
	const char *less; /* how to ask for less, or for the rest, of a long answer; NULL: no way */
	const struct param *params; /* ends with a NULL name */
	unsigned flags;
	enum task_of task; /* of TOOL_RUNS */
	const char *opens; /* of TOOL_OPEN: the argument with which it does; NULL: always */
	void (*run)(struct call *c);
	void (*print)(const struct pen *p, const json *answer); /* for a person */
	/* What it found before it failed, above the reason; NULL: nothing is told. */
	void (*print_failed)(const struct pen *p, const json *answer);
};

/* Those that are named elsewhere than in the table. */
extern const struct tool tool_edit_file, tool_lsp_diagnostic, tool_lsp_rename,
	tool_list_code_actions, tool_manage_projects, tool_read_file, tool_refresh_code_actions,
	tool_turn, tool_write_file;
extern const struct tool *const tools[]; /* ends with NULL; tool_table.c */

const struct tool *tool_find(struct str name, struct err *e); /* the error names the nearest */
json *tool_schema(const struct tool *t);		      /* JSON Schema of the arguments */
/* Arguments as somebody sends them who is not part of Oxide, with the bytes that bytes.h shows; the
 * text is used up. NULL: not JSON, or no member of its name is the only one. */
json *tool_args(const struct tool *t, struct buf *text, struct err *e);

/* How the caller wants it, apart from the arguments. */
enum call_confirm { CONFIRM_AUTO, CONFIRM_ALWAYS, CONFIRM_NEVER };

/* What becomes of a change that would bring new errors, or that is refused for what else a person
 * may decide (call_decides()). ASK: the person is asked in any case. */
enum call_errors { ERRORS_REFUSE, ERRORS_ASK, ERRORS_ACCEPT };

typedef void call_permitted(void *arg, bool yes);

struct call_context {
	enum call_confirm confirm;
	enum call_errors errors;
	const char *overrule; /* ends the message of a refusal; NULL: what an argument does */
	bool flat; /* long lists whole and as flat arrays, for a caller that fills one of its own */
	bool no_diff; /* the caller does not look at the `diff` of a change that is made */
	bool known;   /* of a project what is known, without asking about files that are closed */
	bool by_text; /* of symbols what texts alone tell, without waiting for a server */
	bool names;   /* with by_text: of all symbols the names alone that begin so (name_list.h) */
	bool background; /* nobody waits for it: it gives way to all others */
	bool now;	 /* it is run by call_run(), not at the end of the turn */
	bool may_run;	 /* the user has allowed it to run the project's own commands */
	bool may_read;	 /* the user has allowed it to read outside of the projects */
	/* What it may write outside of the projects and of protected files, for the user has
	 * allowed it; what is refused says so here (edit/exemptions.h). Borrowed until the call
	 * has ended. NULL: nothing, and nobody is asked. */
	struct exemptions *exempt;
	uint64_t timeout_ms;		  /* 0: the configured ones */
	const struct format_style *style; /* what the editor has set; NULL: nothing */
	/* The project that this caller last worked in (an id; 0: none yet), which a call that names
	 * none takes; kept by the front-end while its calls go on. NULL: always the first. */
	unsigned *last_project;
	const struct project *project; /* of a call for another one: that one's */
	const char *shown_root;	       /* of paths in answers; NULL: the project's */
	/* What its line numbers mean (shown_texts.h), and notes what answers show; stays until its
	 * calls have ended or are cancelled. NULL: lines of the present text, as for a user who
	 * looks at it. */
	struct shown_texts *shown;
	void *of;   /* the front-end's own; passed on in questions */
	void *step; /* of a call inside of another: what that shares with it */
	/* What the change at its end came to: filled in where it succeeds. NULL: the answer says
	 * enough. */
	struct change_result *came_to;
	const char *origin; /* for the history; NULL: the core's */
	const char *turn;   /* of a model, that it is a part of; for the history. NULL: none */
	/* Where the change is kept instead of being made (core/turn_drafts.h); NULL: it is made. */
	struct turn_draft *draft;
	const char *who; /* asks for it; NULL: the person at the front-end */
	/* Asked before a change of the project at `root` is written: calls fn once, not from
	 * inside. NULL: it may be. */
	void (*permit)(void *of, const char *title, const char *root, call_permitted *fn,
		       void *arg);
};

/* The project that a call would be of, as call_project() has it. */
const struct project *tool_project(struct oxide *ox, const struct tool *t, const json *args,
				   const struct call_context *ctx, struct err *e);

/*
 * One invocation. A tool answers exactly once, now or later, with call_done() or call_fail(); the
 * call is gone when either returns. The answer function is never called from call_start().
 */
/* `result` is taken. On failure it is NULL, or the error object when it says more than *e. */
typedef void call_answer(void *arg, json *result, const struct err *e);

/* `args`: json_parse_outer() of what the caller sent; taken. */
struct call *call_start(struct oxide *ox, const struct tool *t, json *args,
			const struct call_context *ctx, call_answer *fn, void *arg);
void call_run(void *call); /* one that is to be run now: what has ended then is gone */
/* The answer comes all the same: ERR_CANCELLED. As all functions that cancel, it takes what
 * call_on_cancel() passes. */
void call_cancel(void *call);

struct oxide *call_oxide(struct call *c);
/* What the user had to allow (exempt), the user alone takes back: else ERR_DENIED. */
bool call_may_take_back(const struct call *c, const struct plan *p, struct err *e);
const struct call_context *call_context(const struct call *c);
const struct tool *call_tool(const struct call *c);
/*
 * The project of a call: that of the argument `project_name` where the tool has it; else the one in
 * which the file lies that it names by an absolute path; else the one that the caller worked in
 * last; else the first. It is what the caller worked in last, then. Relative paths start at its
 * root, and answers show paths without it, if the context says nothing else. It stays while the
 * call does.
 */
const struct project *call_project(const struct call *c);
void call_work_in(struct call *c, const struct project *p); /* from here on, its caller too */
const char *call_root(const struct call *c);
char *call_path(const struct call *c, struct str path); /* absolute; the caller's */
struct str call_shown(const struct call *c, const char *path);
const char *call_shown_root(const struct call *c); /* where relative paths of answers start */
/* Of the workspace, or of the call's draft, where the tool works on texts alone. */
const struct plan_source *call_source(const struct call *c);
/* The text of a file, from the same; until the call returns. */
struct doc *call_doc(struct call *c, const char *path, struct err *e);
/* False and ERR_NOT_FOUND: no history is kept. */
bool call_has_history(const struct call *c, struct err *e);
const json *call_args(const struct call *c); /* checked against the table */
/* What to do, once, when the caller loses interest: it must lead to call_fail(). */
void call_on_cancel(struct call *c, void (*fn)(void *state), void *state);
bool call_cancelled(const struct call *c);
void call_done(struct call *c, json *result); /* taken */
void call_fail(struct call *c, const struct err *e);
void call_fail_with(struct call *c, const struct err *e, json *object); /* taken */
/* Either of them: `result`, which is taken, is the answer, or the error object, or NULL for the
 * plain one. */
void call_end(struct call *c, json *result, const struct err *e);
/* One more text in the member `warning` of an answer: what went wrong, or may be lost, though it is
 * done. */
void answer_warn(json *result, struct str text);
json *error_object(const struct err *e);		     /* {"error": {"code", "message"}} */
void error_put(json *object, const char *name, json *value); /* into the inner one; taken */

/*
 * Made again by itself, `edit.tries` times, where it is refused as stale, or has found nothing of
 * use while texts changed, and that was Oxide itself; a question, whoever it was. A tool that asks
 * servers again each time it runs calls call_may_again() when it starts. Its own state has to be
 * gone when it fails. Never with what a person has chosen a part of.
 */
void call_may_again(struct call *c);
void call_not_again(struct call *c);
bool call_is_again(const struct call *c);
void call_permit(struct call *c); /* by the context's permit(): that is asked once */
bool call_is_permitted(const struct call *c);
void call_saw(struct call *c, const struct plan *p); /* what it was worked out for */
/* The file that the arguments speak of. In another text than before, the lines among them are moved
 * to where they are now; ERR_STALE where that cannot be told. */
struct doc;
bool call_placed(struct call *c, const char *path, struct doc *d, struct err *e);
bool call_lost_place(const struct call *c); /* so it was refused: who knows more may ask anew */
/* What the call is to change, as it is now: to be told in each try, once that is known for sure.
 * ERR_STALE, and not made again, where it was another text the first time. */
bool call_about(struct call *c, struct str text, struct err *e);

/*
 * The end that all changes have in common: has it verified (verify.h), asks where the context or
 * `must` want it, leaves out what the person switched off, applies, and puts the members of
 * "Answers that change text" into `report`. The call is answered in every case. `plan` (finished)
 * and `report` are taken.
 */
struct registered;
struct gate_diag;
struct change {
	struct plan *plan;
	json *report;
	const char *title, *server, *labels; /* borrowed until call_change() returns */
	/* For the action that it becomes; NULL: made of the title. Borrowed too. */
	const char *name;
	const char *notes; /* for a person who is asked, one a line; NULL: none. Borrowed too */
	size_t places;	   /* that it changes, each perhaps by several edits; 0: as many as edits */
	bool annotated;
	bool must; /* a person is asked unless they said not to */
	bool dry_run;
	bool nameless; /* with dry_run: nobody will ask for it by an action_id */
	/* Why only a person's consent makes it, as "it is not complete: ..."; where call_decides()
	 * has let it come so far. NULL: nothing. Borrowed too. */
	const char *refused;
	bool verify;		/* shown to the language servers first: new errors refuse it */
	const char *unverified; /* why it is not; NULL: nobody asked for it. Borrowed too */
	bool alone; /* of that: all that uses the symbols touched is part of the change */
	/* Files that `by` looks at with it, which live until more() is called. */
	const char *const *also;
	size_t n_also;
	struct server *by;
	uint64_t patience_ms; /* of that; 0: the caller's */
	/* What something is called from here on: what the name would capture refuses it
	 * (taken.h), where it is verified. Borrowed; empty: nothing. */
	struct str new_name;
	/* A search that may have looked for that name already, and lives until more() is called;
	 * NULL: none. */
	struct word_search *searched;
	/* Of that: where it changes more files than `most`, those alone are looked at that the new
	 * name matters to, and `home`, which has what is renamed. 0: all of any number. */
	size_t most;
	const char *home;  /* borrowed until call_change() returns */
	bool must_verify;  /* with verify: refused where time runs out before it is done */
	const char *turn;  /* of a model, that it is a part of; NULL: the context's. Borrowed too */
	struct str undoes; /* the transactions it takes back, one a line; empty: none */
	bool redoes;	   /* those: it makes them again */
	/* The action that this carries out; taken, and in the registry again where it is not made.
	 * NULL: none, and what is only shown, or not confirmed yet, becomes one. */
	struct registered *action;
	/* Adds to the report what takes its time, while the disk is busy. Called once, with
	 * `report` NULL where nobody will see it. NULL: nothing to add. */
	void (*more)(void *arg, const struct plan *p, json *report);
	/* What a person who is asked may add to it: a finished plan, from the same texts, that
	 * changes texts alone and touches nothing of `p`; the caller's. Not called after more().
	 * NULL, or from it: nothing. */
	struct plan *(*offer)(void *arg, const struct plan *p);
	/* Called where new errors refuse it, with the first of them. NULL: nobody wants to know. */
	void (*wrong)(void *arg, struct call *call, const struct gate_diag *first);
	void *arg;
	/* What of the request is not part of the change: once the rest is made, the call has failed
	 * with this all the same, and `report` says what was done. ERR_OK: all is part of it. */
	struct err partly;
	/* Called in the place of making it, once all is decided: who asked for it makes it. What is
	 * added to the report is answered; or *e says why it cannot be. NULL: it is made here. */
	void (*instead)(void *arg, struct plan *p, json *report, struct err *e);
	/* Called at the end. `stale`: why it was not made, for its texts changed meanwhile, and
	 * nobody has chosen a part of it; the call is not answered: work it out again, or answer
	 * with that. A person who was asked is asked again. NULL: release what was kept for that.
	 */
	void (*over)(void *over_arg, struct call *c, const struct err *stale);
	/* Called before the call is answered, unless over() takes it up once more; `report` NULL:
	 * the error is all that is answered. NULL: nobody wants to know. */
	void (*ended)(void *over_arg, const json *report, const struct err *e);
	void *over_arg;
	bool retry;   /* over() takes it up once more; false: what is stale is refused */
	bool carries; /* so it does where a person has changed other lines */
	bool again;   /* worked out again: it goes before others that wait */
};

void call_change(struct call *c, const struct change *ch);
/* Whether a person decides about what else would be refused: it is told them then, not an error. */
bool call_decides(const struct call *c, bool dry_run);

#endif
