#include <stdlib.h>
#include <unistd.h>

#include "../agent/agent_preset.h"
#include "../base/mem.h"
#include "../base/plain.h"
#include "../io/loop.h"
#include "../servers/servers.h"
#include "command.h"

/* `oxide agents`: which agents can be started here, in which version, and how to get the others.
 * All are asked for their versions at once. */
struct agents_list {
	struct oxide *ox;
	json *rows;
	size_t waiting;
};

struct agent_asked {
	struct agents_list *list;
	json *row; /* in the list */
};

static void agents_end(struct agents_list *l)
{
	if (!l->waiting)
		oxide_stop(l->ox);
}

static void put_error(json *row, const struct err *e)
{
	if (e->code)
		json_put(row, "error", json_strz(e->msg));
}

static void on_agent_version(void *arg, const char *version, const struct err *e)
{
	struct agent_asked *a = arg;

	if (version)
		json_put(a->row, "version", json_strz(version));
	put_error(a->row, e);
	a->list->waiting--;
	agents_end(a->list);
	free(a);
}

static json *agent_ways(const struct agent_preset *p)
{
	json *ways = json_array();

	if (agent_has_way(p, AGENT_TERMINAL))
		json_push(ways, json_strz("terminal"));
	if (agent_has_way(p, AGENT_ACP))
		json_push(ways, json_strz("acp"));
	if (agent_has_way(p, AGENT_STREAM))
		json_push(ways, json_strz("stream"));
	return ways;
}

/* How the agent is had by ACP where that is another program, and whether it is there. */
static void put_acp(json *row, const struct agent_preset *p)
{
	struct agent_command c SCOPED(agent_command_release) = { 0 };
	struct err e = ERR_INIT;

	if (agent_has_way(p, AGENT_ACP) && agent_command(p, AGENT_ACP, &c, &e))
		json_put(row, "acp_path", json_strz(c.argv[0]));
	else if (e.code)
		json_put(row, "acp_error", json_strz(e.msg));
}

static bool is_set(const char *variable)
{
	const char *value = getenv(variable);

	return value && *value;
}

/* The key or the file by which it would be logged in, as far as its preset knows; whether that is
 * still good only the agent can tell. */
static void put_login(json *row, const struct agent_preset *p)
{
	const char *home = getenv("HOME");
	struct buf path SCOPED(buf_release) = BUF_INIT;

	json_each(variable, json_get(p->data, "login.env"))
		if (!json_get(row, "login") && is_set(json_text(variable).p))
			json_put(row, "login", json_strf("$%s", json_text(variable).p));
	json_each(file, json_get(p->data, "login.files")) {
		buf_clear(&path);
		buf_addf(&path, "%s/%.*s", home ? home : "", STR_ARG(json_text(file)));
		if (!json_get(row, "login") && !access(path.p, F_OK))
			json_put(row, "login", json_strf("~/%.*s", STR_ARG(json_text(file))));
	}
}

static void ask_agent(struct agents_list *l, struct str name)
{
	struct err e = ERR_INIT;
	struct buf path SCOPED(buf_release) = BUF_INIT;
	json *row = json_push(l->rows, json_of({ "name", json_str(name) }));
	struct agent_preset *p = agent_preset_find(l->ox, name, &e);
	struct agent_asked *a;

	if (p) {
		json_put(row, "title", json_strz(agent_preset_title(p)));
		json_put(row, "ways", agent_ways(p));
		put_acp(row, p);
		put_login(row, p);
		if (agent_program(p, &path, &e))
			json_put(row, "path", json_str(buf_str(&path)));
	}
	if (!e.code) {
		a = mem_new(sizeof(*a));
		*a = (struct agent_asked){ l, row };
		if (agent_version_ask(l->ox, p, on_agent_version, a, &e))
			l->waiting++;
		else
			free(a);
	}
	put_error(row, &e);
	agent_preset_free(p);
}

/* For people: without each path that was tried. */
static void print_agent(const json *row)
{
	struct buf line SCOPED(buf_release) = BUF_INIT, plain SCOPED(buf_release) = BUF_INIT;
	struct str version = json_get_str(row, "version"), why = json_get_str(row, "error");
	ptrdiff_t tried = str_find(why, STR("; tried "));

	why.n = tried < 0 ? why.n : (size_t)tried;
	buf_addf(&line, "%-10.*s ", STR_ARG(json_get_str(row, "name")));
	if (version.n)
		buf_addf(&line, "%.*s  %.*s%s", STR_ARG(version),
			 STR_ARG(json_get_str(row, "path")), why.n ? "  " : "");
	buf_add(&line, why);
	plain_add(&plain, buf_str(&line));
	buf_addc(&plain, '\n');
	front_put(buf_str(&plain));
}

int cmd_agents(const struct oxide_options *o, bool as_json)
{
	struct err e = ERR_INIT;
	struct agents_list l = { .ox = oxide_with_servers(o, &e) };
	json *names;

	if (!l.ox) {
		front_say("oxide: %s\n", e.msg);
		return 1;
	}
	l.rows = json_array();
	names = agent_preset_names(l.ox);
	json_each(name, names)
		ask_agent(&l, json_text(name));
	json_free(names);
	agents_end(&l);
	loop_run(l.ox->loop);
	if (as_json) {
		front_print_json(l.rows);
	} else {
		json_each(row, l.rows)
			print_agent(row);
		json_free(l.rows);
	}
	oxide_free(l.ox);
	return 0;
}
