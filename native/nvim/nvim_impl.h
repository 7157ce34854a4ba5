#ifndef OX_NVIM_IMPL_H
#define OX_NVIM_IMPL_H

#include <sys/queue.h>

#include "../agent/terminals.h"
#include "../core/oxide.h"
#include "../io/peer_io.h"
#include "../relay/pending_call.h"
#include "nvim_text.h"

/*
 * The Neovim front-end in files that share this: nvim.c (the channel), nvim_call.c (calls of
 * tools), nvim_status.c (what it tells of itself), nvim_buffers.c (live text), nvim_apply.c
 * (changes to it), nvim_ask.c (questions and news for the person), nvim_lsp.c (Neovim's own
 * language clients), nvim_chat.c (conversations with models), nvim_agent.c (agents in terminals),
 * listen.c (others' calls), ide.c (those of agents that take it for an IDE).
 */
struct ask { /* a question that a person has before them */
	LIST_ENTRY(ask) all;
	int64_t id;
	editor_verdict *fn;
	void *arg;
	struct plan *plan; /* borrowed */
	size_t files;	   /* of its plan, */
	size_t offered;	   /* and of what is offered with it */
	bool (*revise)(void *arg, size_t i, struct str text, struct err *e); /* NULL: never */
	bool renewing;	/* a revision is being looked at */
	bool elsewhere; /* a remote client asks the person itself */
};

struct waiting {
	STAILQ_ENTRY(waiting) all;
	int64_t tick;
	char *raw; /* NULL: the buffer was written */
	size_t n;
};

struct nvim_buffer {
	LIST_ENTRY(nvim_buffer) all;
	long number;
	struct nvim_text text;
	bool attached, loading, applying;
	unsigned attach; /* which of all attach requests was its last */
	int detaching;	 /* detach events to come that we asked for */
	bool blind; /* attached again without its text: the next tick tells whether it is in step */
	struct buf first; /* the text while it comes in */
	size_t first_lines;
	STAILQ_HEAD(, waiting) waiting;
};

#define IDE_KINDS 2 /* agents that take Neovim for an IDE (ide.h) */

struct nvim {
	struct oxide *ox;
	struct config config; /* before Neovim's options */
	struct peer *peer;
	struct peer_io *link;
	struct pending_calls calls; /* they start once all buffers are known */
	LIST_HEAD(, nvim_buffer) buffers;
	int attaching; /* buffers whose text has not come yet */
	unsigned last_attach;
	LIST_HEAD(, ask) asks;
	int64_t last_ask;
	unsigned last_project; /* of the person; each remote client has its own */
	int64_t last_other; /* numbers of other callers of tools: negative, unlike Neovim's own */
	LIST_HEAD(, nvim_chat) chats;
	struct http *http;	    /* of those; NULL: none yet */
	struct nvim_look *look;	    /* for models on this machine; NULL: none goes on */
	json *configuration;	    /* of config.lua, before Neovim's settings; may be NULL */
	struct terminals terminals; /* agents that run there */
	LIST_HEAD(, watched_agent) watched; /* those that work in a project */
	struct listen *listen;		    /* NULL: not yet, or no more */
	struct ide *ide[IDE_KINDS];	    /* NULL: it is off */
	struct err unheard;		    /* why it does not listen */
	int64_t used_ms;		    /* when Neovim last said something, since 1970 */
};

void nvim_wake(struct nvim *n); /* sends what was put into the peer */
/* An event for Lua: oxide.core.on(NAME, JSON). `v` is taken. */
void nvim_event(struct nvim *n, const char *name, json *v);
/* A question to Lua: oxide.core.ask(NAME, JSON), answered with JSON; `v` is taken. Neovim may
 * take its time, as in a `:!make`: whoever gave up on it could not tell whether it is still going
 * to do what it was asked. The end of the channel ends it. */
void nvim_lua(struct nvim *n, const char *name, json *v, peer_reply *fn, void *arg);
/* The JSON that Lua answered, parsed: new, or NULL and *e. */
json *nvim_lua_result(struct msg *m, const struct err *why, struct err *e);
void nvim_log_error(void *arg, struct msg *m,
		    const struct err *e); /* a reply that matters to nobody */
void nvim_say(struct nvim *n, const char *level, const char *text);

/* params: [id, tool, arguments, context], the last two JSON texts; the event `answer` follows. */
void nvim_call_start(struct nvim *n, const json *params);
int64_t nvim_call_id(const struct pending_call *c);	   /* as Neovim has it; 0: it is not its */
void nvim_call_cancel(struct nvim *n, const json *params); /* [id] */
void nvim_run_held(struct nvim *n);			   /* once no buffer is on its way */

/* Answers to `status`, `runs` and `history`; params: [id]. */
void nvim_status(struct nvim *n, const json *params);
void nvim_runs(struct nvim *n, const json *params);
void nvim_history(struct nvim *n, const json *params);
void nvim_history_diff(struct nvim *n, const json *params);

json *nvim_edits_json(const struct nvim_text *t, const struct edits *set, struct str now);
void nvim_reread_init(struct nvim *n); /* nvim_reread.c: the editor's reread and follow */
void nvim_apply_init(struct nvim *n);  /* fills the editor's apply and save */
void nvim_buffers_release(struct nvim *n);
void nvim_buffer_open(struct nvim *n, const json *info); /* also news of one */
void nvim_buffer_saved(struct nvim *n, const json *info);
void nvim_buffer_behind(struct nvim *n, const json *info); /* its file has changed */
void nvim_buffer_close(struct nvim *n, long number);
void nvim_lines_event(struct nvim *n, struct str raw);
void nvim_tick_event(struct nvim *n, const json *params);
void nvim_detach_event(struct nvim *n, long number);
struct nvim_buffer *nvim_buffer_find(struct nvim *n, long number);
void nvim_buffer_detach(struct nvim *n, struct nvim_buffer *b);
/* With its text; or without, where the text is known: then its tick comes alone. */
void nvim_buffer_attach(struct nvim *n, struct nvim_buffer *b, bool with_text);
void nvim_buffer_tick(struct nvim *n, struct nvim_buffer *b, int64_t tick);
/* Carries out what waited and is newer than `tick`; what is not newer was our own change. */
void nvim_buffer_replay(struct nvim *n, struct nvim_buffer *b, int64_t tick);

void nvim_agent_answer(struct nvim *n, int64_t id, json *result, const struct err *e);
/* nvim_agent_watch.c: an agent in a terminal has started, or ended. */
void nvim_agent_watch_changed(struct nvim *n, const json *info);
/* Turns of all agents end now, and others begin; the request is answered then: {turns: ids}. */
void nvim_agent_watch_cut(struct nvim *n, int64_t id);
/* An agent's hook tells of a turn, as relay.h has it; fn once, when it has begun, or is over. */
void nvim_agent_watch_turn(struct nvim *n, const json *what, void (*fn)(void *arg), void *arg);
/* One that is connected as to an IDE begins a turn, or is about to write; fn as above. Where
 * another way tells of agents in the project, or, unless `again`, it works already, nothing else is
 * done. */
struct nvim_ide_agent {
	long pid;		  /* 0: unknown, nothing is done; negative: a number of ours */
	const char *name, *title; /* "claude", "Claude Code" */
};
void nvim_agent_watch_prompt(struct nvim *n, const struct nvim_ide_agent *agent, bool again,
			     void (*fn)(void *arg), void *arg);
void nvim_agent_watch_leave(struct nvim *n, const struct nvim_ide_agent *agent); /* it has gone */
void nvim_agent_watch_end(struct nvim *n);
void nvim_agent_init(struct nvim *n);
/* params: [id, JSON text]; the event `answer` follows, the event `agent` tells of each:
 *     {what: "open", name, args} = {name, title, argv, ide}
 *     {what: "order", agent, order}, of relay.h = {}
 *     {what: "ide", action: "start" (agent, directory), "stop", "status" or "tell" (agent, method,
 *     params)}
 *         = {told, ide: as ide_status() has it} */
void nvim_agent_request(struct nvim *n, const json *params);

void nvim_lsp_init(struct nvim *n);			/* fills the editor's client */
void nvim_lsp_said(struct nvim *n, const json *params); /* [client, lines] */

void nvim_ask_init(struct nvim *n); /* fills the rest of the editor */
void nvim_ask_verdict(struct nvim *n, int64_t question, const struct verdict *v);
void nvim_ask_reply(struct nvim *n, const json *reply);
/* About a file of a question that is open; params: [id, JSON text], the event `answer` follows:
 *     {question, file: from 0, keep: [of its hunks] or null} = {text}, as it would be
 *     {question, file, text} = {}: so it is to be instead; `confirm` comes once more, `renewed` */
void nvim_ask_text(struct nvim *n, const json *params);
void nvim_ask_release(struct nvim *n);

#endif
