#ifndef OX_IDE_H
#define OX_IDE_H

#include "nvim_impl.h"

/*
 * What agents call an IDE: a server on loopback that they find by a file with its port and a token
 * (ide_lock.h), and with which they speak MCP. They show there what they are about to write
 * (openDiff), which comes up in Neovim's review, and hear what is selected. Claude Code connects by
 * WebSocket, and asks for diagnostics too; Gemini CLI by HTTP, MCP's "Streamable HTTP". Each has a
 * server of its own.
 *
 *     ide_start -> (ide_tell ...) -> ide_end
 *
 * Nothing listens before it is started.
 */

/* ERR_INVALID: there is none for that agent. ERR_IO, ERR_DENIED: there is no port or no file to be
 * had. `directory` is where the agent looks for the file. One that runs stays as it is. */
bool ide_start(struct nvim *n, struct str agent, const char *directory, struct err *e);
void ide_end(struct nvim *n); /* all of them; connections are told */
/* {servers: {claude: {port, lock}, gemini: {port, lock}}, clients: [{agent, who, calls}]}; one that
 * is off is not there. */
json *ide_status(const struct nvim *n);
/* Tells each of an agent that is connected; `params` is taken. How many those were. */
size_t ide_tell(struct nvim *n, struct str agent, const char *method, json *params);
void ide_run_held(struct nvim *n); /* calls that came before all buffers */
/* Whether it asks; then {call, who} are added to a question for Neovim. */
bool ide_put_caller(struct pending_call *c, int64_t question, json *v);

#endif
