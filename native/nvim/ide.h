#ifndef OX_IDE_H
#define OX_IDE_H

#include "nvim_impl.h"

/*
 * What Claude Code calls an IDE: a server on loopback to which it connects by WebSocket, with a
 * token that it finds in a lock file (ide_lock.h), and with which it speaks MCP. It shows there
 * what it is about to write (openDiff), which comes up in Neovim's review, asks for diagnostics and
 * hears what is selected.
 *
 *     ide_start -> (ide_tell ...) -> ide_end
 *
 * Nothing listens before it is started.
 */

/* ERR_IO, ERR_DENIED: there is no port or no lock file to be had. `directory` is where Claude Code
 * has its settings. One that runs stays as it is. */
bool ide_start(struct nvim *n, const char *directory, struct err *e);
void ide_end(struct nvim *n);		/* connections are told */
json *ide_status(const struct nvim *n); /* {port, lock, clients: [{who, calls}]}; NULL: it is off */
/* Tells each that is connected; `params` is taken. How many those were. */
size_t ide_tell(struct nvim *n, const char *method, json *params);
void ide_run_held(struct nvim *n); /* calls that came before all buffers */
/* Whether it asks; then {call, who} are added to a question for Neovim. */
bool ide_put_caller(struct pending_call *c, int64_t question, json *v);

#endif
