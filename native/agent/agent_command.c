#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/mem.h"
#include "../hook/hook_event.h"
#include "../io/spawn.h"
#include "agent_preset.h"

extern char **environ;

/* Of the editor that Oxide runs in. NVIM stays: by it `oxide call` finds that editor again. */
static const char *const never_passed[] = { "NVIM_LISTEN_ADDRESS", "NVIM_LOG_FILE", "VIM",
					    "VIMRUNTIME", "MYVIMRC" };

static const char *const way_names[] = { "terminal", "acp", "stream" };

static const json *way_row(const struct agent_preset *p, enum agent_way way)
{
	return json_get(p->data, way_names[way]);
}

bool agent_has_way(const struct agent_preset *p, enum agent_way way)
{
	return way_row(p, way);
}

/* The way's own, else that of all. */
static const json *way_member(const struct agent_preset *p, enum agent_way way, const char *member)
{
	const json *own = json_get(way_row(p, way), member);

	return own ? own : json_get(p->data, member);
}

static void list_add(char ***list, struct str s)
{
	size_t n = 0;

	while (*list && (*list)[n])
		n++;
	*list = realloc(*list, (n + 2) * sizeof(**list));
	if (!*list)
		BUG("out of memory (a list of words)");
	(*list)[n] = mem_dup(s.p, s.n);
	(*list)[n + 1] = NULL;
}

static void list_release(char ***list)
{
	for (char **v = *list; v && *v; v++)
		free(*v);
	free(*list);
	*list = NULL;
}

void agent_command_add(struct agent_command *c, struct str word)
{
	list_add(&c->argv, word);
}

void agent_command_release(struct agent_command *c)
{
	list_release(&c->argv);
	list_release(&c->set);
	list_release(&c->unset);
}

static bool add_words(char ***out, const json *words, const char *name, struct err *e)
{
	if (words && !json_is(words, JSON_ARRAY) && json_len(words))
		return err_set(e, ERR_INVALID, "%s must be a list of strings", name);
	json_each(word, words) {
		if (!json_is(word, JSON_STRING))
			return err_set(e, ERR_INVALID, "%s must be a list of strings", name);
		list_add(out, json_text(word));
	}
	return true;
}

static void add_tried(struct buf *tried, struct str path)
{
	char *file SCOPED(mem_release) = mem_dup(path.p, path.n);

	buf_addf(tried, "%s%s%s", tried->n ? ", " : "", file,
		 access(file, F_OK) ? "" : " (is not executable)");
}

/* Where it would be found: each directory of PATH, or itself. */
static void add_places(struct buf *tried, struct str program)
{
	struct str path = str_of(getenv("PATH"));
	struct buf file SCOPED(buf_release) = BUF_INIT;

	if (memchr(program.p, '/', program.n))
		add_tried(tried, program);
	while (path.n && !memchr(program.p, '/', program.n)) {
		const char *colon = memchr(path.p, ':', path.n);
		size_t n = colon ? (size_t)(colon - path.p) : path.n;

		buf_clear(&file);
		buf_addf(&file, "%.*s/%.*s", n ? (int)n : 1, n ? path.p : ".", STR_ARG(program));
		add_tried(tried, buf_str(&file));
		path = str_sub(path, n + (colon ? 1 : 0), path.n);
	}
}

static bool not_installed(const struct agent_preset *p, const json *programs, struct str install,
			  struct err *e)
{
	const json *first = json_is(programs, JSON_ARRAY) ? json_first(programs) : programs;
	struct str name = json_text(first);
	struct buf tried SCOPED(buf_release) = BUF_INIT;
	int room = (int)sizeof(e->msg) - 150; /* the command is more useful than the last paths */

	if (!json_text(first).n)
		return err_set(e, ERR_NOT_FOUND, "%s has no `executable` that could be looked for",
			       p->name);
	for (; first; first = json_is(programs, JSON_ARRAY) ? json_next(first) : NULL)
		if (json_text(first).n)
			add_places(&tried, json_text(first));
	return err_set(e, ERR_NOT_FOUND, "%.*s is not installed%s%.*s; tried %.*s%s", STR_ARG(name),
		       install.n ? "; to install: " : "", STR_ARG(install),
		       (int)tried.n > room ? room : (int)tried.n, tried.n ? tried.p : "",
		       (int)tried.n > room ? " ..." : "");
}

/* The first of `programs`, one or a list, that is there. */
static bool find_program(const struct agent_preset *p, const json *programs, struct str install,
			 struct buf *path, struct err *e)
{
	bool found = json_is(programs, JSON_STRING) && spawn_find(json_text(programs).p, path);

	if (json_is(programs, JSON_ARRAY))
		json_each(program, programs)
			found = found || (json_is(program, JSON_STRING) &&
					  spawn_find(json_text(program).p, path));
	return found || not_installed(p, programs, install, e);
}

bool agent_program(const struct agent_preset *p, struct buf *path, struct err *e)
{
	return find_program(p, json_get(p->data, "executable"), json_get_str(p->data, "install"),
			    path, e);
}

static bool add_program(struct agent_command *c, const struct agent_preset *p, enum agent_way way,
			struct err *e)
{
	struct buf path SCOPED(buf_release) = BUF_INIT;
	bool found = find_program(p, way_member(p, way, "executable"),
				  json_text(way_member(p, way, "install")), &path, e);

	if (found)
		list_add(&c->argv, buf_str(&path));
	return found;
}

static bool has_program(const struct agent_preset *p, enum agent_way way)
{
	struct agent_command ignored SCOPED(agent_command_release) = { 0 };
	struct err why = ERR_INIT;

	return add_program(&ignored, p, way, &why);
}

static bool name_matches(struct str name, struct str pattern)
{
	if (pattern.n && pattern.p[pattern.n - 1] == '*')
		return str_starts(name, str_sub(pattern, 0, pattern.n - 1));
	return str_eq(name, pattern);
}

/* The variables that are there and match. */
static void add_unset(char ***out, struct str pattern)
{
	for (char **v = environ; *v; v++) {
		const char *eq = strchr(*v, '=');
		struct str name = { *v, eq ? (size_t)(eq - *v) : strlen(*v) };

		if (name_matches(name, pattern))
			list_add(out, name);
	}
}

static void add_environment(struct agent_command *c, const json *env)
{
	struct buf pair SCOPED(buf_release) = BUF_INIT;

	for (size_t i = 0; i < sizeof(never_passed) / sizeof(*never_passed); i++)
		add_unset(&c->unset, str_of(never_passed[i]));
	json_each(pattern, json_get(env, "unset"))
		add_unset(&c->unset, json_text(pattern));
	json_each(value, json_get(env, "set")) {
		buf_clear(&pair);
		buf_addf(&pair, "%s=%.*s", json_key(value), STR_ARG(json_text(value)));
		list_add(&c->set, buf_str(&pair));
	}
}

/* `command` of a row: the program is looked up, and named where it is not there. */
static bool add_own_command(struct agent_command *c, const struct agent_preset *p,
			    const json *command, struct err *e)
{
	struct buf path SCOPED(buf_release) = BUF_INIT;
	char *program;

	if (!add_words(&c->argv, command, "command", e) || !c->argv)
		return err_in(e, "agents.%s", p->name);
	program = c->argv[0];
	if (!spawn_find(program, &path))
		return err_set(e, ERR_NOT_FOUND, "%s cannot be started: %s is not installed",
			       agent_preset_title(p), program);
	c->argv[0] = buf_detach(&path);
	free(program);
	return true;
}

int64_t agent_hook_seconds(int64_t review_ms)
{
	return review_ms / 1000 + 60;
}

static void add_route_word(void *command, struct str word)
{
	list_add(&((struct agent_command *)command)->argv, word);
}

static void add_route_words(struct agent_command *c, const struct agent_preset *p,
			    const struct hook_agent *agent, struct str word, const char *program)
{
	if (str_eq(word, STR("{hooks}")))
		agent->hooks(program, agent_hook_seconds(p->review_ms), add_route_word, c);
	else if (str_eq(word, STR("{mcp}")))
		agent->servers(program, add_route_word, c);
	else
		list_add(&c->argv, word);
}

static bool add_route(struct agent_command *c, const struct agent_preset *p, struct err *e)
{
	const json *route = json_get(p->data, "route");
	struct str hooks = json_get_str(p->data, "hooks");
	const struct hook_agent *agent;
	char *program SCOPED(mem_release) = NULL;

	if (!json_len(route))
		return true;
	if (!json_is(route, JSON_ARRAY))
		return err_set(e, ERR_INVALID, "agents.%s.route must be a list of strings",
			       p->name);
	agent = hook_agent_find(hooks.n ? hooks : str_of(p->name), e);
	if (!agent)
		return err_in(e, "agents.%s.route", p->name);
	program = oxide_program();
	json_each(word, program ? route : NULL)
		add_route_words(c, p, agent, json_text(word), program);
	return true;
}

/* The agent's own program, which speaks something else; false: there is none. */
static bool add_app_server(struct agent_command *c, const struct agent_preset *p)
{
	const json *row = json_get(p->data, "acp.app_server");
	struct buf path SCOPED(buf_release) = BUF_INIT;
	bool found = row && agent_program(p, &path, ERR_IGNORED);

	if (found)
		list_add(&c->argv, buf_str(&path));
	found = found && add_words(&c->argv, json_get(row, "args"), "args", ERR_IGNORED);
	c->app_server = found;
	return found;
}

bool agent_command(const struct agent_preset *p, enum agent_way way, struct agent_command *c,
		   struct err *e)
{
	const json *row = way_row(p, way), *command = json_get(row, "command");

	if (!row)
		return err_set(e, ERR_UNSUPPORTED, "%s cannot be started as \"%s\"",
			       agent_preset_title(p), way_names[way]);
	add_environment(c, way_member(p, way, "env"));
	if (json_len(command))
		return add_own_command(c, p, command, e);
	if (way == AGENT_ACP && !has_program(p, way) && add_app_server(c, p))
		return true;
	return add_program(c, p, way, e) && (way != AGENT_TERMINAL || add_route(c, p, e)) &&
	       (add_words(&c->argv, json_get(row, "args"), "args", e) ||
		err_in(e, "agents.%s.%s", p->name, way_names[way]));
}
