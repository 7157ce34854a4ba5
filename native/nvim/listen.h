#ifndef OX_LISTEN_H
#define OX_LISTEN_H

#include "nvim_impl.h"

/*
 * The editor's core for others: it listens on its socket, and what `oxide call` and the like ask
 * for runs here (relay.h has the protocol). Their questions come up in Neovim's review, unless the
 * remote client has a person before it.
 */
void listen_start(struct nvim *n); /* or notes why not */
/* Remote clients are sent away; one whose change is being written is answered first. */
void listen_end(struct nvim *n);
void listen_run_held(struct nvim *n);			/* calls that came before all buffers */
void listen_progress(struct nvim *n, const json *what); /* for those who wait */
void listen_actions(struct nvim *n);			/* their list has changed */
/* {path, why, clients: [{who, calls: under way, since_ms, folder, called: {TOOL: times}, failed}],
 * changes: [{time_ms, who, tool, title, outcome, transaction}]}, the latest change first */
json *listen_status(const struct nvim *n);

struct remote_call *remote_call_of(struct pending_call *c); /* NULL: it is Neovim's own */
/* Whether the remote client asks its person itself: then nvim_ask_verdict() comes. */
bool remote_confirm(struct remote_call *c, int64_t question, const struct question *q);
/* Adds who asks to a question for Neovim: {call, who, unattended}. */
void remote_put_caller(const struct remote_call *c, json *question);

#endif
