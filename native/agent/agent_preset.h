#ifndef OX_AGENT_PRESET_H
#define OX_AGENT_PRESET_H

#include "../core/oxide.h"

/*
 * The agents that Oxide knows: one file lua/oxide/agents/NAME.lua each, which returns a table. A
 * user adds one as agents/NAME.lua beside config.lua, or changes members of one by a row of
 * `agents` in config.lua or in Neovim's settings: what a row leaves out stays as it is.
 *
 *     return {
 *       title = 'Claude Code',
 *       executable = 'claude',                a program, or a list: the first that is found
 *       install = 'npm install -g ...',       said where none is
 *       version = { args = { '--version' }, minimum = '2.0' },
 *       env = { set = { NAME = 'value' }, unset = { 'CLAUDECODE', 'CLAUDE_CODE_*' } },
 *       terminal = { args = {} },             the ways to start it; without a row it has none
 *       acp = { executable, install, args, mode, empty_if_missing, writes_itself },
 *       stream = { args },                    the prompt goes behind these
 *       route = { '--settings', '{hooks}' },  see below
 *       ide = { NAME = '{port}' },            see below
 *       login = { env = { 'NAME_API_KEY' }, files = { '.name/auth.json' } },      see below
 *       log = { env, home, files, owner = { file, text } },      its session log, see below
 *       reader = function(report, kind) ... end,      see reader.h
 *     }
 *
 * A way to start it may have an `executable`, `install` and `env` of its own, and `command`, a list
 * with the program and its arguments, instead of all of them. `acp.mode` is the session mode that
 * is asked for; `acp.empty_if_missing`: a file that is not there has to be read as an empty one,
 * for else the agent cannot make it; `acp.app_server = { args }`: without the program of `acp` the
 * agent's own is started with these, and spoken to as Codex' app server is; `acp.writes_itself`:
 * what it asks to have written it writes to the disk as well, before or after.
 *
 * `login` are variables and files, below the home directory, of which one is there where the agent
 * can be used without logging in first; `oxide agents` looks for them, and never into them.
 *
 * `log.files` are patterns of file names below the directory that the variable `log.env` names, or
 * below `log.home` in the home directory. A log is the agent's own where the first 16 KB of the
 * file `log.owner.file`, in the same directory, have the text `log.owner.text`. In all of these
 * {pid} is the process, {cwd} its working directory, {dashed} that with dashes for what is no
 * letter and no digit; in `owner` {log} is the path of the log, {name} its name without the ending
 * and {directory} where it is (session_log.h).
 *
 * `route` are arguments by which one that is started in a terminal tells Oxide what it is about to
 * do, and finds its tools, this process alone: the word {hooks} becomes what `oxide hook --print`
 * prints, {mcp} the server of `oxide mcp`, both in the form that `oxide hook` has for `hooks`
 * ("claude", "codex", ...; default: the preset's name). They come before `args`. A row of the user
 * with `route =
 * {}` leaves the agent to itself, and none goes with a `command`.
 *
 * `ide` are variables by which one that Neovim starts finds the server of nvim/ide.h, {port} being
 * the port of that for Claude Code, {companion} of that for Gemini CLI, {root} the project's root
 * and {pid} Neovim's process; they are for that process alone.
 *
 * The variables OXIDE_AGENT_NAME and OXIDE_AGENT_NAME_ACP (capitals, and "_" for what is no letter
 * and no digit) name another program, for its own ways and for `acp`, whatever the settings say.
 *
 * agent_preset.c reads the files, agent_command.c finds the program, agent_version.c asks it for
 * its version. Nothing of this is ever read from a workspace.
 */
struct agent_preset {
	char *name;
	json *data;	   /* the table, without its functions */
	char *reader;	   /* the file that has its reader; NULL: none */
	int64_t review_ms; /* how long its hooks may wait for the user */
};

/* New; NULL and *e. ERR_NOT_FOUND lists the names. */
struct agent_preset *agent_preset_find(const struct oxide *ox, struct str name, struct err *e);
void agent_preset_free(struct agent_preset *p);
json *agent_preset_names(const struct oxide *ox); /* a list of strings, sorted */
const char *agent_preset_title(const struct agent_preset *p);

/* The file with the reader (reader.h) of this name: an agent's, or the one that its ACP program
 * (`acp.executable`) is named by, or one of lua/oxide/readers/. "plain" reads any program, and is
 * the reader of an agent that has none. The caller frees it; NULL: as agent_preset_find(). */
char *agent_reader_path(const struct oxide *ox, struct str name, struct err *e);

/* How long an agent has to let its hook wait, in seconds: longer than the hook itself does. */
int64_t agent_hook_seconds(int64_t review_ms);

enum agent_way { AGENT_TERMINAL, AGENT_ACP, AGENT_STREAM };

bool agent_has_way(const struct agent_preset *p, enum agent_way way);

/* What is started, in lists that end with NULL. */
struct agent_command {
	char **argv;	 /* argv[0] is the path of the program */
	char **set;	 /* "NAME=value", over the environment */
	char **unset;	 /* names of variables that are there and must not be passed on */
	bool app_server; /* of AGENT_ACP: it speaks another protocol (acp/app_server.h) */
};

/* ERR_NOT_FOUND: each path that was tried, and how to install it; ERR_UNSUPPORTED: it cannot be
 * started this way. Fill in from zero; agent_command_release() also after a failure. */
bool agent_command(const struct agent_preset *p, enum agent_way way, struct agent_command *c,
		   struct err *e);
void agent_command_add(struct agent_command *c, struct str word); /* one more argument */
void agent_command_release(struct agent_command *c);

/* Where its program (`executable`) is, appended; ERR_NOT_FOUND as above. */
bool agent_program(const struct agent_preset *p, struct buf *path, struct err *e);

/* Asks that for its version, which may take seconds: fn once, later. `version` NULL: *e says why.
 * Both: it is older than `minimum` (ERR_UNSUPPORTED), and *e says how to get a newer one. */
struct agent_version;
typedef void agent_version_done(void *arg, const char *version, const struct err *e);
struct agent_version *agent_version_ask(struct oxide *ox, const struct agent_preset *p,
					agent_version_done *fn, void *arg, struct err *e);

#endif
