#ifndef OX_HOOK_EVENT_H
#define OX_HOOK_EVENT_H

#include "../base/json.h"

/*
 * What agents tell their hooks, one JSON object each, what their tools make of files, and the forms
 * in which they take an answer. Bytes in, bytes out: nothing here reads a file.
 *
 *     hook_event_read(&ev, object, &e)
 *     hook_event_files(&ev, &files, &e)      the files that it would change
 *     ev.tool->edit(&ev, &files, &e)         what it would make of them: each `asked` of its `disk`
 *     ev.tool->instead(&ev, &files)          the arguments that lead to each `written` in its place
 *     agent->allow(...), agent->deny(...)    the answer
 *     hook_files_release(&files)
 *
 * claude_hook.c, codex_hook.c and gemini_hook.c have the tools and the answers of these.
 */
enum hook_kind {
	HOOK_OTHER,  /* nothing that we answer */
	HOOK_BEFORE, /* a tool is to run */
	HOOK_PERMIT, /* the agent is about to ask the user itself whether it may */
	HOOK_AFTER,  /* it has run */
	HOOK_PROMPT, /* the user has said something: a turn begins */
	HOOK_STOP,   /* the turn is over */
	HOOK_END,    /* so is the session */
};

/* HOOK_ACT_SEALED: it edits a file whose changes cannot be shown. */
enum hook_act { HOOK_ACT_OTHER, HOOK_ACT_EDIT, HOOK_ACT_SEALED, HOOK_ACT_COMMAND };

struct hook_event { /* borrows the object */
	enum hook_kind kind;
	enum hook_act act;
	const struct hook_tool *tool; /* NULL: none that we know */
	struct str session, cwd, prompt, tool_name;
	struct str command; /* of a command */
	const json *input;  /* of the tool */
};

/* A file that a tool is about to change. Texts have LF alone at their line ends, as agents see
 * them. */
struct hook_file {
	struct str said; /* the path, as the agent says it; borrowed from the event */
	char *path;	 /* absolute */
	struct str moved_said;
	char *moved; /* where it is moved to; NULL: it stays */
	bool there;  /* on the disk; `disk` is empty where it is not */
	bool gone;   /* it is to be deleted */
	bool left;   /* the user has left it out: nothing is done to it */
	struct buf disk, asked, written;
	/* hook_edit.c: */
	bool known; /* there, or a buffer has it */
	bool crlf;
	bool planned;	 /* the user was shown it */
	struct buf seen; /* what the user sees: the buffer's text, or the disk's */
};

struct hook_files {
	bool inexact; /* the tool may find another place than edit() did: instead() names it */
	struct hook_file *v;
	size_t n, cap;
};

struct hook_tool {
	struct str name;
	enum hook_act act;
	const char *verb; /* "edit" */
	/* Adds the files, by hook_files_add(). */
	bool (*files)(const struct hook_event *ev, struct hook_files *out, struct err *e);
	/* ERR_NOT_FOUND and ERR_AMBIGUOUS: what it looks for is not there, or more than once. */
	bool (*edit)(const struct hook_event *ev, struct hook_files *files, struct err *e);
	json *(*instead)(const struct hook_event *ev, const struct hook_files *files); /* new */
};

/* ERR_INVALID: it is no event of a hook. */
bool hook_event_read(struct hook_event *ev, const json *v, struct err *e);
bool hook_event_files(const struct hook_event *ev, struct hook_files *out, struct err *e);
struct hook_file *hook_files_add(struct hook_files *files, const struct hook_event *ev,
				 struct str said);
void hook_files_release(struct hook_files *files);

/* What tells an event from others of its session: the tool and what it is to do, with `input` in
 * the place of its arguments. Appended. */
void hook_event_key(const struct hook_event *ev, const json *input, struct buf *out);

/* Puts `with` in the place of `old`, in all places or the only one. ERR_NOT_FOUND, ERR_AMBIGUOUS.
 */
bool hook_replace(struct buf *text, struct str old, struct str with, bool all, struct err *e);

/* The lines that differ, and so many around them that they are in one place of the text; *with has
 * what is there in `now`. */
struct str hook_lines_that_differ(struct str text, struct str now, struct str *with);

/* How one agent is answered, and made to ask. */
struct hook_agent {
	const char *name;
	bool words; /* its settings are words of a command line, not one text */
	/* Answers to HOOK_BEFORE, new. `input`: other arguments than those it came with; taken,
	 * NULL: those. `context`: what the model is told besides; NULL: nothing. */
	json *(*allow)(const char *reason, json *input, const char *context);
	json *(*deny)(const char *reason);
	/* To HOOK_PERMIT, a yes; NULL: it never asks so. */
	json *(*permit)(void);
	/* To HOOK_AFTER, what the model is told, where allow() has no place for that; NULL: it has.
	 */
	json *(*after)(const char *context);
	/* Calls add() for each word of the command line by which it calls us: `program` is the path
	 * of oxide. The commands wait `seconds` for an answer. */
	void (*hooks)(const char *program, int64_t seconds, void (*add)(void *, struct str),
		      void *arg);
	/* Likewise for Oxide's tools, as an MCP server. */
	void (*servers)(const char *program, void (*add)(void *, struct str), void *arg);
};

extern const struct hook_agent hook_claude, hook_codex, hook_gemini;
extern const struct hook_tool claude_tools[], codex_tools[],
	gemini_tools[]; /* up to one without a name */

/* ERR_INVALID lists those that there are. */
const struct hook_agent *hook_agent_find(struct str name, struct err *e);

/* [{matcher?, hooks: [{type, command, timeout}]}], as they have it: what `program` does as `hook
 * AGENT`. `timeout` in the agent's unit. */
json *hook_entry(const char *agent, const char *tools, const char *program, int64_t timeout);
/* Gives it as one word, JSON; taken. */
void hook_add_json(json *v, void (*add)(void *, struct str), void *arg);

#endif
