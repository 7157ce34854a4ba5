#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "../base/mem.h"
#include "../servers/servers.h"
#include "../tool/tool.h"
#include "front.h"

/* Options may be anywhere on the command line; they are taken out of argv as they are read. */
struct options {
	struct call_options call;
	bool json;
	int argc; /* the command, and what follows */
	char **argv;
};

static int main_usage(FILE *to)
{
	fputs("oxide: edits code with the help of language servers; a change is made completely or\n"
	      "not at all\n\n"
	      "  oxide call TOOL [--root DIR] [--config FILE] [--here | --editor] [--yes] [--text]\n"
	      "             ARGUMENTS\n"
	      "             ARGUMENTS: '{\"json\": ...}', - for JSON on standard input, or flags:\n"
	      "             --file-path a.c --line 3 --symbol f --new-name g. --patch-from FILE\n"
	      "             reads the text of --patch from a file (-: standard input); every other\n"
	      "             text argument has such a flag, too.\n"
	      "             The call runs in the Neovim that has the project open, if there is one,\n"
	      "             and sees its unsaved changes. Changes are reviewed there, unless they are\n"
	      "             confirmed here or by --yes. --here: never use Neovim. --editor: require\n"
	      "             it. check_project and test_project run the project's own commands; the\n"
	      "             first time, and whenever its build files have changed, this needs\n"
	      "             confirmation, --yes or --allow-run.\n"
	      "  oxide ask [--model NAME] [--file FILE[:FIRST[-LAST]]]... [--yes] [--json]\n"
	      "            [--here | --editor] PROMPT\n"
	      "             ask a model, which can read and change the project with the tools; a\n"
	      "             change is shown, and applied once it is confirmed here, in the Neovim\n"
	      "             that has the project open, or by --yes.\n"
	      "             The project's own commands are run once they are allowed here, or\n"
	      "             with --allow-run. - adds standard input to the prompt. --json prints\n"
	      "             the record of what the model did, instead of its answer\n"
	      "  oxide chat [--model NAME] [--file FILE]... [--yes] [--here | --editor] [--resume]\n"
	      "             the same as a conversation, a message a line; /help lists its\n"
	      "             commands. --resume goes on with the last one of this project\n"
	      "  oxide records [--json] [SESSION]\n"
	      "             list what models did, or print the record of a session as JSON\n"
	      "  oxide models [--json]     list the models that can be asked, those of servers on\n"
	      "                            this machine too\n"
	      "  oxide tools [--json]      list the tools\n"
	      "  oxide help [TOOL]         show a tool's arguments\n"
	      "  oxide number [FILE]       print a file with line numbers, as models see it\n"
	      "  oxide options             list the options with their defaults and bounds\n"
	      "  oxide recover [--json]    finish changes that a crash interrupted\n"
	      "  oxide mcp [--root DIR] [--tools core|rust|all] [--here | --editor]\n"
	      "            [--allow-run]   serve MCP clients: JSON lines on standard input and\n"
	      "                            output; its tools run in Neovim as with `oxide call`\n"
	      "  oxide serve               serve Neovim: msgpack-RPC on standard input and output\n"
	      "  oxide --version [--json]\n",
	      to);
	return to == stdout ? 0 : 2;
}

static int main_print_json(json *v)
{
	front_print_json(v);
	return 0;
}

static int main_version(struct options *o)
{
	if (o->json)
		return main_print_json(
			json_of({ "version", json_strz(OXIDE_VERSION) },
				{ "protocol", json_int(OXIDE_PROTOCOL) },
				{ "features", json_list(json_strz("lsp"), json_strz("relay")) }));
	printf("oxide %s (protocol %d)\n", OXIDE_VERSION, OXIDE_PROTOCOL);
	return 0;
}

static json *tool_row(const struct tool *t)
{
	return json_of({ "name", json_strz(t->name) }, { "description", json_strz(t->doc) },
		       { "writes", json_bool(t->flags & TOOL_WRITES) },
		       { "inputSchema", tool_schema(t) });
}

static int main_list_tools(struct options *o)
{
	json *list = json_array();

	for (const struct tool *const *t = tools; *t; t++)
		if (o->json)
			json_push(list, tool_row(*t));
		else
			printf("%-16s %s\n", (*t)->name, (*t)->doc);
	if (o->json)
		return main_print_json(list);
	json_free(list);
	return 0;
}

static int main_help(struct options *o)
{
	struct err e = ERR_INIT;
	const struct tool *t;

	if (!o->argv[1])
		return main_usage(stdout);
	t = tool_find(str_of(o->argv[1]), &e);
	if (!t) {
		front_say("oxide: %s\n", e.msg);
		return 2;
	}
	printf("%s: %s\n\n", t->name, t->doc);
	for (const struct param *p = t->params; p->name; p++)
		printf("  %-14s %s%s%s%s%s\n", p->name, p->doc, p->required ? " (required)" : "",
		       p->values ? "\n                 one of " : "", p->values ? p->values : "",
		       "");
	return 0;
}

/* Options that every command knows. Returns how many words it used, 0: not one of them. */
static int main_take_option(struct options *o, int left, char **argv)
{
	if (!strcmp(argv[0], "--json")) {
		o->json = true;
		return 1;
	}
	if (!strcmp(argv[0], "--allow-run")) {
		o->call.oxide.allow_run = true;
		return 1;
	}
	if (!strcmp(argv[0], "--here") || !strcmp(argv[0], "--editor")) {
		o->call.where = !strcmp(argv[0], "--here") ? CALL_HERE : CALL_EDITOR;
		return 1;
	}
	if (left > 1 && !strcmp(argv[0], "--root"))
		o->call.oxide.root = argv[1];
	else if (left > 1 && !strcmp(argv[0], "--config"))
		o->call.oxide.config_path = argv[1];
	else if (left > 1 && !strcmp(argv[0], "--data"))
		o->call.oxide.data = argv[1];
	else
		return 0;
	return 2;
}

static int main_show_usage(struct options *o)
{
	(void)o;
	return main_usage(stdout);
}

static int main_list_options(struct options *o)
{
	(void)o;
	return main_print_json(config_table());
}

static int main_number(struct options *o)
{
	return front_number(o->argv[1]);
}

static int main_recover(struct options *o)
{
	return front_recover(o->json);
}

/* Until its peer goes away. */
static int main_serve(struct options *o)
{
	bool mcp = !strcmp(o->argv[0], "mcp");
	struct err e = ERR_INIT;
	struct oxide *ox;
	int status;

	o->call.oxide.origin = mcp ? "mcp" : "nvim";
	ox = oxide_with_servers(&o->call.oxide, &e);
	if (!ox) {
		front_say("oxide: %s\n", e.msg);
		return 1;
	}
	status = mcp ? front_mcp(ox, &o->call, o->argc - 1, o->argv + 1) : front_nvim(ox);
	oxide_free(ox);
	return status;
}

static int main_call(struct options *o)
{
	o->call.oxide.origin = "cli";
	if (o->argc > 1)
		return front_call(&o->call, o->argc - 1, o->argv + 1);
	front_say("oxide: call needs the name of a tool; see `oxide tools`\n\n");
	return main_usage(stderr);
}

static int main_ask(struct options *o)
{
	o->call.oxide.origin = "cli";
	return front_ask(&o->call, o->json, o->argc - 1, o->argv + 1);
}

static int main_chat(struct options *o)
{
	o->call.oxide.origin = "cli";
	return front_chat(&o->call, o->json, o->argc - 1, o->argv + 1);
}

static int main_records(struct options *o)
{
	return front_records(o->json, o->argv[1]);
}

static int main_models(struct options *o)
{
	return front_models(&o->call.oxide, o->json);
}

static const struct command {
	const char *name;
	int (*run)(struct options *o); /* its exit status */
} commands[] = {
	{ "call", main_call },
	{ "tools", main_list_tools },
	{ "help", main_help },
	{ "number", main_number },
	{ "options", main_list_options },
	{ "recover", main_recover },
	{ "mcp", main_serve },
	{ "serve", main_serve },
	{ "ask", main_ask },
	{ "chat", main_chat },
	{ "records", main_records },
	{ "models", main_models },
	{ "--version", main_version },
	{ "--help", main_show_usage },
};

int main(int argc, char **argv)
{
	struct options o = { .argv = argv };

#ifdef __GLIBC__
	/* Else the first large text that is released makes the next ones lie where they leave
	 * holes. */
	mallopt(M_MMAP_THRESHOLD, 128 << 10);
#endif
	for (int i = 1; i < argc; i++) {
		int used = main_take_option(&o, argc - i, argv + i);

		if (used)
			i += used - 1;
		else
			argv[o.argc++] = argv[i];
	}
	argv[o.argc] = NULL;
	if (!o.argc)
		return main_usage(stderr);
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		if (!strcmp(argv[0], commands[i].name))
			return commands[i].run(&o);
	front_say("oxide: unknown command %s\n\n", argv[0]);
	return main_usage(stderr);
}
