#include <stdio.h>
#include <string.h>

#include "../tool/tool.h"
#include "command.h"

/* `oxide help`: what the rows of commands[] and of the tools say of themselves. */
const struct command *command_find(struct str name)
{
	for (const struct command *c = commands; c->name; c++)
		if (str_eq(name, str_of(c->name)))
			return c;
	return NULL;
}

int command_usage(const struct command *c)
{
	printf("oxide %s: %s\n\n%s", c->name, c->does, c->usage);
	return 0;
}

int command_list(FILE *to)
{
	fputs("oxide: edits code with the help of language servers; a change is made completely or\n"
	      "not at all\n\n",
	      to);
	for (const struct command *c = commands; c->name; c++)
		fprintf(to, "  oxide %-10s %s\n", c->name, c->does);
	fputs("\n`oxide COMMAND --help` has the arguments of each; `oxide help TOOL` those of a tool.\n"
	      "`oxide --version [--json]` prints the version, `oxide --help` this list.\n",
	      to);
	return to == stdout ? 0 : 2;
}

static const char *near_command(struct str name)
{
	const char *best = NULL;
	size_t least = name.n / 2 + 1;

	for (const struct command *c = commands; c->name; c++) {
		size_t d = str_distance(name, str_of(c->name), least);

		if (d < least) {
			least = d;
			best = c->name;
		}
	}
	return best;
}

/* The first that has the word in its name, as who knows `:Oxide rename` would have it; NULL: none.
 */
static const char *tool_with(const char *word)
{
	struct buf name SCOPED(buf_release) = BUF_INIT, part SCOPED(buf_release) = BUF_INIT;

	buf_addf(&part, "_%s_", word);
	for (const struct tool *const *t = tools; *t; t++) {
		buf_clear(&name);
		buf_addf(&name, "_%s_", (*t)->name);
		if (str_find(buf_str(&name), buf_str(&part)) >= 0)
			return (*t)->name;
	}
	return NULL;
}

int command_unknown(const char *name)
{
	struct err e = ERR_INIT;
	const char *near = near_command(str_of(name)), *like = tool_with(name);

	if (tool_find(str_of(name), &e))
		front_say("oxide: %s is a tool: use `oxide call %s`; see `oxide help %s`\n", name,
			  name, name);
	else if (like)
		front_say("oxide: unknown command %s (did you mean `oxide call %s`?); see `oxide "
			  "--help` and `oxide tools`\n",
			  name, like);
	else
		front_say("oxide: unknown command %s%s%s%s; see `oxide --help`\n", name,
			  near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
	return 2;
}

/* "--file-path FILE": an argument as a flag. */
static void put_flag(struct buf *out, const struct param *p)
{
	static const char *const what[] = {
		[P_STR] = " TEXT",  [P_INT] = " NUMBER", [P_INDEX] = " NUMBER", [P_BOOL] = "",
		[P_PATH] = " FILE", [P_LIST] = " LIST",	 [P_TEXT] = " TEXT"
	};

	buf_adds(out, "--");
	for (const char *at = p->name; *at; at++)
		buf_addc(out, *at == '_' ? '-' : *at);
	buf_adds(out, what[p->type]);
}

#define USAGE_WIDE 80

/* In lines of words that do not reach beyond USAGE_WIDE. */
static void put_wrapped(struct buf *out, struct str text, const char *indent)
{
	size_t wide = 0;

	while (text.n) {
		size_t n = 0;

		while (n < text.n && text.p[n] != ' ')
			n++;
		if (wide && wide + 1 + n > USAGE_WIDE) {
			buf_addc(out, '\n');
			wide = 0;
		}
		buf_addf(out, "%s%.*s", wide ? " " : indent, (int)n, text.p);
		wide += n + (wide ? 1 : strlen(indent));
		text = str_sub(text, n + (n < text.n), text.n);
	}
	buf_addc(out, '\n');
}

static void put_param(struct buf *out, const struct param *p)
{
	struct buf about SCOPED(buf_release) = BUF_INIT;

	buf_adds(out, "  ");
	put_flag(out, p);
	buf_adds(out, p->required ? "  (required)\n" : "\n");
	buf_adds(&about, p->doc);
	for (const char *at = p->values ? p->values : ""; *at; at++)
		if (at == p->values)
			buf_addf(&about, ": one of %c", *at);
		else if (*at == '|')
			buf_adds(&about, ", ");
		else
			buf_addc(&about, *at);
	put_wrapped(out, buf_str(&about), "      ");
}

static int tool_usage(const struct tool *t)
{
	struct buf out SCOPED(buf_release) = BUF_INIT;

	buf_addf(&out, "oxide call %s: %s\n\n", t->name, t->title);
	put_wrapped(&out, str_of(t->doc), "");
	buf_addf(&out, "\n  oxide call %s", t->name);
	for (const struct param *p = t->params; p->name; p++)
		if (p->required) {
			buf_addc(&out, ' ');
			put_flag(&out, p);
		}
	buf_adds(&out, " [ARGUMENTS]\n\n");
	for (const struct param *p = t->params; p->name; p++)
		put_param(&out, p);
	buf_adds(
		&out,
		"\nIn JSON the names have _ for -, and no --. `oxide call --help` has the options\n"
		"of all tools, and the exit status.\n");
	fputs(out.p, stdout);
	return 0;
}

int command_help(const char *name)
{
	const struct command *c = name ? command_find(str_of(name)) : NULL;
	struct err e = ERR_INIT;
	const struct tool *t;

	if (!name)
		return command_list(stdout);
	if (c)
		return command_usage(c);
	t = tool_find(str_of(name), &e);
	if (t)
		return tool_usage(t);
	front_say("oxide: no command is called %s; %s; see `oxide --help` and `oxide tools`\n",
		  name, e.msg);
	return 2;
}
