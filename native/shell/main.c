#include <stdio.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "../base/mem.h"
#include "command.h"

static int main_version(const struct command_line *l)
{
	if (l->json) {
		front_print_json(
			json_of({ "version", json_strz(OXIDE_VERSION) },
				{ "protocol", json_int(OXIDE_PROTOCOL) },
				{ "features", json_list(json_strz("lsp"), json_strz("relay")) }));
		return 0;
	}
	printf("oxide %s (protocol %d)\n", OXIDE_VERSION, OXIDE_PROTOCOL);
	return 0;
}

/* Where the value of the option goes; NULL: it is not one of those that have one. */
static const char **main_value_of(struct command_line *l, const char *option)
{
	struct oxide_options *o = &l->call.oxide;

	return !strcmp(option, "--root")     ? &o->root
	       : !strcmp(option, "--config") ? &o->config_path
	       : !strcmp(option, "--data")   ? &o->data
					     : NULL;
}

/* Options that every command knows, anywhere among its words. Returns how many it used, 0: not one
 * of them, or *e says what is wrong with it. */
static int main_take_option(struct command_line *l, char **argv, struct err *e)
{
	const char **value = main_value_of(l, argv[0]);

	if (!strcmp(argv[0], "--json")) {
		l->json = true;
	} else if (!strcmp(argv[0], "--allow-run")) {
		l->call.oxide.allow_run = true;
	} else if (!strcmp(argv[0], "--here") || !strcmp(argv[0], "--editor")) {
		l->call.where = !strcmp(argv[0], "--here") ? CALL_HERE : CALL_EDITOR;
	} else if (!value) {
		return 0;
	} else if (!argv[1]) {
		return err_set(e, ERR_INVALID, "%s needs a value", argv[0]);
	} else {
		*value = argv[1];
		return 2;
	}
	return 1;
}

static bool main_read(struct command_line *l, int argc, char **argv, struct err *e)
{
	bool ok = true;

	for (int i = 1; i < argc && ok; i++) {
		bool own = l->argc && !strcmp(*l->argv, "run"); /* the words of its program */
		int used = own ? 0 : main_take_option(l, argv + i, e);

		ok = !e->code;
		if (used)
			i += used - 1;
		else
			l->argv[l->argc++] = argv[i];
	}
	l->argv[l->argc] = NULL;
	return ok;
}

static bool main_asks_help(const char *word)
{
	return word && (!strcmp(word, "--help") || !strcmp(word, "-h"));
}

/* `oxide ask --help`, `oxide call read_file --help`: behind them, for a value may be that, too. */
static bool main_wants_help(const struct command_line *l, const struct command *c, int *status)
{
	bool call = !strcmp(c->name, "call") && l->argc > 2;

	if (!main_asks_help(l->argv[1]) && !(call && main_asks_help(l->argv[2])))
		return false;
	*status = main_asks_help(l->argv[1]) ? command_usage(c) : command_help(l->argv[1]);
	return true;
}

/* Of a command that reads none of its words itself. */
static bool main_check_words(const struct command_line *l, const struct command *c, struct err *e)
{
	if (c->most == WORDS_ANY)
		return true;
	for (int i = 1; i < l->argc; i++)
		if (l->argv[i][0] == '-' && l->argv[i][1])
			return err_set(e, ERR_INVALID, "unknown option %s", l->argv[i]);
	if (l->argc - 1 <= c->most)
		return true;
	return err_set(e, ERR_INVALID, "%s takes %s, and \"%s\" is one too many", c->name,
		       c->most ? "one argument" : "no arguments", l->argv[c->most + 1]);
}

static int main_run(struct command_line *l)
{
	const struct command *c = command_find(str_of(l->argv[0]));
	struct err e = ERR_INIT;
	int status;

	if (main_asks_help(l->argv[0]))
		return command_list(stdout);
	if (!strcmp(l->argv[0], "--version"))
		return main_version(l);
	if (!c)
		return command_unknown(l->argv[0]);
	if (main_wants_help(l, c, &status))
		return status;
	return main_check_words(l, c, &e) ? c->run(l) : front_refuse(c->name, &e);
}

int main(int argc, char **argv)
{
	struct command_line l = { .call.oxide.origin = "cli", .argv = argv };
	struct err e = ERR_INIT;

#ifdef __GLIBC__
	/* Else the first large text that is released makes the next ones lie where they leave
	 * holes. */
	mallopt(M_MMAP_THRESHOLD, 128 << 10);
#endif
	if (!main_read(&l, argc, argv, &e))
		return front_refuse(l.argc && command_find(str_of(*l.argv)) ? *l.argv : NULL, &e);
	return l.argc ? main_run(&l) : command_list(stderr);
}
