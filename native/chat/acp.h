#ifndef OX_ACP_H
#define OX_ACP_H

#include "../agent/agent_preset.h"
#include "turn.h"

/*
 * The engine of a conversation whose other side is an agent program that speaks ACP (acp_client.h)
 * on its standard streams: Claude Code, Gemini CLI, opencode and others.
 *
 *     p = acp_program_new(conversation, &spec)      the conversation's from here on
 *     acp_program_open(p, fn, arg)     -> fn(arg, error), once: it is started, and has a session
 *     turn_start(conversation, ...)    a turn, as with a model; opens it where it is not open
 *     acp_program_close(p)             it is ended; before conversation_release()
 *
 * It runs in a process group of its own, with Oxide's tools as an MCP server. Where it dies, the
 * turn fails and says why, and the next one starts it again, in the same session if it can load it.
 *
 * What it asks for while a turn goes on:
 *
 *   fs/read_text_file    the text as the editor has it, saved or not, with what this turn has
 *                        drafted; `line` and `limit` choose lines, and nothing is numbered
 *   fs/write_text_file   becomes a change by write_file: checked, kept in the turn's draft
 *                        (core/turn_drafts.h) and reviewed as chat.apply says. What is there
 * already, since the agent has written it itself, is not changed again permission           the
 * table of permissions.h decides, and asks where it says so. An edit of an agent that reads through
 * us is let through, for the write is reviewed; of another one the change itself is shown. A yes is
 * given once terminal/...         a process, once it may run
 */
struct acp_program;

/* News beside the turn's, at any time: */
struct acp_events {
	/* "plan" [{content, status, priority}], "commands" [{name, description, input}], "options"
	 * as acp_options() has them, "title" a string, "disk" a path that the agent wrote itself,
	 * "changed" the report of watch.h, of files that it has changed in its turn past us,
	 * "answered" the number of a question about a change that is the agent's to make. */
	void (*told)(void *self, const char *kind, const json *value);
};

struct acp_spec {
	const char *name;		   /* "claude" */
	const struct agent_preset *preset; /* how it is started; borrowed until it returns */
	const char *cwd;		   /* absolute */
	const char *session;		   /* to go on with, if it can; NULL: a new one */
	bool lists; /* opened at first, it tells its sessions (acp_program_about()), and has none */
	const struct acp_events *events;
	void *self;
};

/* NULL: it cannot be had; *e names each path that was tried, and how to install it. */
struct acp_program *acp_program_new(struct conversation *c, const struct acp_spec *spec,
				    struct err *e);
void acp_program_close(struct acp_program *p);

/* ERR_DENIED: it wants to be authenticated first, by one of acp_program_methods(). fn is never
 * called from inside. One at a time; a turn opens it by itself. */
typedef void acp_opened(void *arg, const struct err *e);
void acp_program_open(struct acp_program *p, acp_opened *fn, void *arg);
const json *acp_program_methods(const struct acp_program *p); /* [{id, name, description}]; NULL */
void acp_program_authenticate(struct acp_program *p, struct str method, acp_opened *fn, void *arg);

/* Goes on with one of its own sessions, that it has told of or not. What was said in it becomes
 * messages of the conversation, as far as it can tell; ERR_PEER: it cannot be loaded. */
void acp_program_take(struct acp_program *p, struct str session, acp_opened *fn, void *arg);

/* A mode, a model, or another option of the session; open only. */
void acp_program_set(struct acp_program *p, struct str option, struct str value, acp_opened *fn,
		     void *arg);

/* What is known of it: {session, title, version, options, commands, sessions: [{session, title?,
 * updated?}]}, as far as it is; history_cut: more was said before than acp.history_bytes. */
json *acp_program_about(const struct acp_program *p);

extern const struct engine engine_acp;

#endif
