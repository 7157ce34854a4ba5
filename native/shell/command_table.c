#include <stdio.h>
#include <string.h>

#include "../nvim/nvim.h"
#include "../servers/servers.h"
#include "../tool/tool.h"
#include "command.h"

static int print_value(json *v)
{
	front_print_json(v);
	return 0;
}

static json *tool_row(const struct tool *t)
{
	return json_of({ "name", json_strz(t->name) }, { "description", json_strz(t->doc) },
		       { "writes", json_bool(t->flags & TOOL_WRITES) },
		       { "inputSchema", tool_schema(t) });
}

static int command_tools(struct command_line *l)
{
	json *list = json_array();

	for (const struct tool *const *t = tools; *t; t++)
		if (l->json)
			json_push(list, tool_row(*t));
		else
			printf("%-16s %s\n", (*t)->name, (*t)->doc);
	if (l->json)
		return print_value(list);
	json_free(list);
	return 0;
}

static int command_show(struct command_line *l)
{
	return command_help(l->argv[1]);
}

static int command_options(struct command_line *l)
{
	(void)l;
	return print_value(config_table());
}

static int command_number(struct command_line *l)
{
	return cmd_number(l->argv[1]);
}

static int command_recover(struct command_line *l)
{
	return cmd_recover(l->json);
}

/* Until its peer goes away. */
static int command_serve(struct command_line *l)
{
	bool mcp = !strcmp(l->argv[0], "mcp");
	struct err e = ERR_INIT;
	struct oxide *ox;
	int status;

	l->call.oxide.origin = mcp ? "mcp" : "nvim";
	ox = oxide_with_servers(&l->call.oxide, &e);
	if (!ox) {
		front_say("oxide: %s\n", e.msg);
		return 1;
	}
	status = mcp ? front_mcp(ox, &l->call, l->argc - 1, l->argv + 1) : front_nvim(ox);
	oxide_free(ox);
	return status;
}

static int command_call(struct command_line *l)
{
	struct err e = ERR_INIT;

	if (l->argc > 1)
		return cmd_call(&l->call, l->argc - 1, l->argv + 1);
	err_set(&e, ERR_INVALID, "call needs the name of a tool, as `oxide tools` lists them");
	return front_refuse("call", &e);
}

static int command_ask(struct command_line *l)
{
	return cmd_ask(&l->call, l->json, l->argc - 1, l->argv + 1);
}

static int command_chat(struct command_line *l)
{
	return cmd_chat(&l->call, l->json, l->argc - 1, l->argv + 1);
}

static int command_records(struct command_line *l)
{
	return cmd_records(&l->call.oxide, l->json, l->argc - 1, l->argv + 1);
}

static int command_run(struct command_line *l)
{
	return cmd_run(&l->call, l->argv + 1);
}

static int command_models(struct command_line *l)
{
	return cmd_models(&l->call.oxide, l->json);
}

static int command_hook(struct command_line *l)
{
	return cmd_hook(&l->call, l->argc - 1, l->argv + 1);
}

static int command_agents(struct command_line *l)
{
	return cmd_agents(&l->call.oxide, l->json);
}

#define EDITOR_OPTIONS                                                                             \
	"  --here                  work on the disk alone, never in Neovim\n"                      \
	"  --editor                fail unless a Neovim has the project open\n"
#define PROJECT_OPTIONS                                                                            \
	"  --root DIR              the project; default: found above the working directory\n"      \
	"  --config FILE           a configuration other than the user's config.lua\n"             \
	"  --data DIR              presets and parsers other than Oxide's own\n"                   \
	"\n"

// clang-format off
const struct command commands[] = {
	{ "call",
	  "run a tool, and print its answer",
	  WORDS_ANY, command_call,
	  "  oxide call TOOL [OPTIONS] ARGUMENTS\n"
	  "\n"
	  "`oxide tools` lists the tools, `oxide help TOOL` or `oxide call TOOL --help` shows\n"
	  "the arguments of one. They are flags, one JSON object, or - for JSON on standard\n"
	  "input, with flags behind it:\n"
	  "\n"
	  "  --line 3 --symbol f     as `oxide help TOOL` has them; --file is --file-path\n"
	  "  --patch-from FILE       reads the text of --patch from a file (-: standard\n"
	  "                          input); every text argument has such a flag\n"
	  "  '{\"line\": 3}'           the same as JSON\n"
	  "  --yes                   make the change without a question\n"
	  "  --text                  print the answer for reading, not as JSON\n"
	  "  --allow-run             let check_project and test_project run the project's own\n"
	  "                          commands; else this needs confirmation, the first time\n"
	  "                          and whenever its build files have changed\n"
	  EDITOR_OPTIONS PROJECT_OPTIONS
	  "The call runs in the Neovim that has the project open, if there is one, and sees\n"
	  "its unsaved changes. A change is confirmed at the terminal, reviewed in that\n"
	  "Neovim, or made by --yes; without all three a rename or a change that was not\n"
	  "verified is only shown (`needs_confirmation`).\n"
	  "\n"
	  "Exit status: 0 done, or shown; 1 the tool failed: the answer is its `error`;\n"
	  "2 wrong usage\n"
	  "\n"
	  "Example:\n"
	  "  oxide call lsp_rename --text --file src/series.h --line 14 \\\n"
	  "      --symbol process_data --new-name handle_data\n" },
	{ "ask",
	  "ask a model or an agent about the project, which it can change",
	  WORDS_ANY, command_ask,
	  "  oxide ask [OPTIONS] PROMPT...\n"
	  "\n"
	  "  PROMPT                  the question; - adds standard input to it\n"
	  "  --model NAME            the model; default: `model` in config.lua, else the one\n"
	  "                          that is there (`oxide models`)\n"
	  "  --agent NAME            ask an agent instead, by ACP (`oxide agents`); --model is\n"
	  "                          one of its own then\n"
	  "  --file FILE[:FIRST[-LAST]]\n"
	  "                          show the model a file, or lines of it, from 1; may be\n"
	  "                          repeated\n"
	  "  --yes                   make its changes without a question\n"
	  "  --allow-run             let it run the project's own commands without a question\n"
	  "  --json                  print the record of what it did, instead of its answer\n"
	  EDITOR_OPTIONS PROJECT_OPTIONS
	  "The answer goes to standard output; what the model does, and questions, to\n"
	  "standard error. Its changes are shown as one at the end of the turn, and made once\n"
	  "they are confirmed: here, in the Neovim that has the project open, or by --yes.\n"
	  "\n"
	  "Exit status: 0 answered, and what it changed was accepted; 1 not answered, or\n"
	  "nothing was changed; 2 wrong usage\n"
	  "\n"
	  "Example:\n"
	  "  oxide ask --file src/report.c:3-9 why is this slow?\n" },
	{ "chat",
	  "talk to a model, as with ask, a message a line",
	  WORDS_ANY, command_chat,
	  "  oxide chat [OPTIONS]\n"
	  "\n"
	  "  --model NAME            as with `oxide ask`\n"
	  "  --file FILE[:FIRST[-LAST]]\n"
	  "                          shown with the first message, lines from 1\n"
	  "  --resume                go on with the last conversation of this project\n"
	  "  --yes                   make the model's changes without a question\n"
	  "  --allow-run             let it run the project's own commands without a question\n"
	  "  --json                  print the record of what it did, instead of its answers\n"
	  EDITOR_OPTIONS PROJECT_OPTIONS
	  "/help lists what can be typed besides messages. Ctrl-C cancels an answer, Ctrl-D\n"
	  "or /quit ends.\n"
	  "\n"
	  "Exit status: 0 the last message was answered; 1 it was not; 2 wrong usage\n"
	  "\n"
	  "Example:\n"
	  "  oxide chat --model anthropic/claude-sonnet-4-5 --file src/report.c\n" },
	{ "run",
	  "run an agent or any program in a terminal, and record it",
	  WORDS_ANY, command_run,
	  "  oxide run [OPTIONS] [--] COMMAND [ARGUMENT]...\n"
	  "  oxide run [OPTIONS] --name AGENT\n"
	  "\n"
	  "It runs as if it ran alone; the Neovim that has the project open can send it text\n"
	  "and stop it.\n"
	  "\n"
	  "  --name AGENT            what it is called, in records and in Neovim; without a\n"
	  "                          COMMAND the agent of that name (`oxide agents`)\n"
	  "  --json FILE             write its record to FILE at the end\n"
	  "  --timeout SECONDS       stop it after that time; default: never\n"
	  "  --session ID            the name of its record; default: a new one\n"
	  "  --env NAME=VALUE        set a variable in its environment; may be repeated\n"
	  "  --config FILE           a configuration other than the user's config.lua\n"
	  "\n"
	  "Exit status: that of COMMAND, or death by the same signal; 124 it took longer than\n"
	  "--timeout; 125 no pseudo-terminal, or the record could not be written; 126 it is\n"
	  "not executable; 127 it was not found; 2 wrong usage\n"
	  "\n"
	  "Example:\n"
	  "  oxide run --name claude -- claude -c\n" },
	{ "hook",
	  "review in Neovim what an agent is about to do itself",
	  WORDS_ANY, command_hook,
	  "  oxide hook AGENT\n"
	  "  oxide hook --print AGENT\n"
	  "\n"
	  "The agent, claude, codex or gemini, runs it before it edits a file or runs a\n"
	  "command, at the beginning of a turn and at its end, with what it is about to do as\n"
	  "JSON on standard input. The Neovim that has the project open asks the user, and the\n"
	  "answer is printed. Without one the agent goes on as its own settings say.\n"
	  "\n"
	  "  --print                 print what makes the agent run it: settings in JSON, of\n"
	  "                          codex words of a command line, for a shell\n"
	  "\n"
	  PROJECT_OPTIONS
	  "Exit status: 0 done, also where the answer is no; 1 standard input is not the event\n"
	  "of a hook; 2 wrong usage\n"
	  "\n"
	  "Examples:\n"
	  "  claude --settings \"$(oxide hook --print claude)\"\n"
	  "  eval \"codex $(oxide hook --print codex)\"\n" },
	{ "records",
	  "list what models and agents did; print or export a record",
	  WORDS_ANY, command_records,
	  "  oxide records [--json] [SESSION]\n"
	  "  oxide records --export [--raw] [SESSION]\n"
	  "  oxide records --reader AGENT [--kind KIND] FILE\n"
	  "\n"
	  "  SESSION                 the beginning of its name; default: the list, and with\n"
	  "                          --json or --export the latest\n"
	  "  --json                  print the record of the latest session, as JSON\n"
	  "  --export                write the record as one JSON file into the directory of\n"
	  "                          `records` in config.lua, or here, and print its path\n"
	  "  --raw                   add all that was printed to that, in base64\n"
	  "  --reader AGENT          print the record of what an agent printed, logged or told\n"
	  "                          its hooks elsewhere, as JSON; `plain`: of a shell\n"
	  "  --kind KIND             what FILE is: stream, log, hooks, dialogue or terminal;\n"
	  "                          default: found out by reading it\n"
	  "  FILE                    that file; - for standard input\n"
	  "  --config FILE           a configuration other than the user's config.lua\n"
	  "\n"
	  "Exit status: 0 done; 1 the record was not found, or cannot be read or written;\n"
	  "2 wrong usage\n"
	  "\n"
	  "Example:\n"
	  "  oxide records --reader claude --kind stream session.jsonl\n" },
	{ "agents",
	  "list the agents that can be started, and how to get others",
	  0, command_agents,
	  "  oxide agents [--json]\n"
	  "\n"
	  "  --json                  as JSON: name, title, version, path, ways to start it, and\n"
	  "                          `error` for what cannot be started\n"
	  "\n"
	  PROJECT_OPTIONS
	  "Exit status: 0 done; 1 the configuration cannot be read\n"
	  "\n"
	  "Example:\n"
	  "  oxide agents --json\n" },
	{ "models",
	  "list the models that can be asked, on this machine too",
	  0, command_models,
	  "  oxide models [--json]\n"
	  "\n"
	  "  --json                  as JSON\n"
	  "\n"
	  "The names are what --model of `oxide ask` takes.\n"
	  "\n"
	  PROJECT_OPTIONS
	  "Exit status: 0 there is one; 1 there is none\n"
	  "\n"
	  "Example:\n"
	  "  oxide models\n" },
	{ "tools",
	  "list the tools",
	  0, command_tools,
	  "  oxide tools [--json]\n"
	  "\n"
	  "  --json                  as JSON, with the JSON Schema of their arguments\n"
	  "\n"
	  "Exit status: 0\n"
	  "\n"
	  "Example:\n"
	  "  oxide tools --json\n" },
	{ "help",
	  "show the arguments of a command or a tool",
	  1, command_show,
	  "  oxide help [COMMAND | TOOL]\n"
	  "\n"
	  "Exit status: 0 shown; 2 the command or tool was not found\n"
	  "\n"
	  "Example:\n"
	  "  oxide help lsp_rename\n" },
	{ "number",
	  "print a file with line numbers, as models see it",
	  1, command_number,
	  "  oxide number [FILE]\n"
	  "\n"
	  "  FILE                    default: standard input\n"
	  "\n"
	  "Exit status: 0 done; 1 the file cannot be read or printed\n"
	  "\n"
	  "Example:\n"
	  "  oxide number src/report.c\n" },
	{ "options",
	  "list the options of config.lua, with defaults and bounds",
	  0, command_options,
	  "  oxide options\n"
	  "\n"
	  "Exit status: 0\n"
	  "\n"
	  "Example:\n"
	  "  oxide options\n" },
	{ "recover",
	  "finish or roll back the changes that a crash interrupted",
	  0, command_recover,
	  "  oxide recover [--json]\n"
	  "\n"
	  "  --json                  say what was done as JSON\n"
	  "\n"
	  "Exit status: 0 done, or there was nothing to do; 1 something could not be\n"
	  "recovered: the message says what, and what to do\n"
	  "\n"
	  "Example:\n"
	  "  oxide recover\n" },
	{ "mcp",
	  "serve an MCP client: JSON lines on standard input and output",
	  WORDS_ANY, command_serve,
	  "  oxide mcp [OPTIONS]\n"
	  "\n"
	  "  --tools core|rust|all   the tools that are listed: without synonyms, those that\n"
	  "                          the guidance for Rust names, or all; default core\n"
	  "  --allow-run             run the project's own commands without a question\n"
	  EDITOR_OPTIONS PROJECT_OPTIONS
	  "Its tools run in the Neovim that has the project open, as with `oxide call`;\n"
	  "`:Oxide mcp config CLIENT` there shows what to paste into a client's configuration.\n"
	  "\n"
	  "Exit status: 0 the client has gone; 1 it could not start; 2 wrong usage\n"
	  "\n"
	  "Example:\n"
	  "  claude mcp add oxide -- oxide mcp\n" },
	{ "serve",
	  "serve Neovim: msgpack-RPC on standard input and output",
	  0, command_serve,
	  "  oxide serve\n"
	  "\n"
	  "The plugin starts it; there is no need to do so by hand.\n"
	  "\n"
	  PROJECT_OPTIONS
	  "Exit status: 0 Neovim has gone; 1 it could not start\n"
	  "\n"
	  "Example:\n"
	  "  oxide serve\n" },
	{ 0 },
};
// clang-format on
