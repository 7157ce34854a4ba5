#include "agent_preset.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/map.h"
#include "../base/mem.h"
#include "../base/path.h"
#include "../core/lua_data_impl.h"
#include "../core/lua_sandbox.h"

#define PRESET_STEPS 10000000 /* instructions of Lua that a file may take to return its table */

/* agents/NAME.lua of a directory: its table without the reader, and whether it has one. NULL and
 * ERR_NOT_FOUND: there is no such file. */
static json *preset_table(const struct oxide *ox, const char *path, bool *reads, struct err *e)
{
	lua_State *lua = lua_sandbox_new(ox->data, PRESET_STEPS);
	json *table = NULL;

	if (access(path, F_OK)) {
		err_set(e, ERR_NOT_FOUND, "%s does not exist", path);
	} else if (!lua_sandbox_load(lua, path, PRESET_STEPS, e)) {
		e->code = ERR_INVALID;
	} else if (!lua_istable(lua, 1)) {
		err_set(e, ERR_INVALID, "%s does not return a table", path);
	} else {
		lua_getfield(lua, 1, "reader");
		*reads = lua_isfunction(lua, -1);
		if (*reads) {
			lua_pushnil(lua);
			lua_setfield(lua, 1, "reader");
		}
		table = lua_data_value(lua, 1, LUA_DATA_DEPTH, e);
		if (!table)
			err_in(e, "%s", path);
	}
	lua_close(lua);
	return table;
}

static char *preset_path(const char *dir, struct str name)
{
	struct buf path = BUF_INIT;

	buf_addf(&path, "%s/agents/%.*s.lua", dir, STR_ARG(name));
	return buf_detach(&path);
}

static bool is_preset_name(struct str name)
{
	return name.n && name.p[0] != '.' && !memchr(name.p, '/', name.n);
}

/* What a file says replaces, member by member, what was known. False: it is wrong. */
static bool preset_add_file(const struct oxide *ox, struct agent_preset *p, const char *dir,
			    struct err *e)
{
	char *path = preset_path(dir, str_of(p->name));
	struct err why = ERR_INIT;
	bool reads = false;
	json *own SCOPED(json_release) = preset_table(ox, path, &reads, &why), *merged;

	if (!own) {
		free(path);
		if (why.code != ERR_NOT_FOUND)
			*e = why;
		return why.code == ERR_NOT_FOUND;
	}
	merged = lua_data_merge(own, p->data);
	json_free(p->data);
	p->data = merged;
	if (!reads) {
		free(path);
		return true;
	}
	json_drop(merged, "reader");
	free(p->reader);
	p->reader = path;
	return true;
}

static const json *preset_row(const struct oxide *ox, struct str name)
{
	json_each(row, json_get(ox->configuration, "agents"))
		if (str_eq(str_of(json_key(row)), name))
			return row;
	return NULL;
}

static bool add_row(const struct oxide *ox, struct agent_preset *p, struct err *e)
{
	const json *row = preset_row(ox, str_of(p->name));
	json *merged;

	if (!row)
		return true;
	if (!json_is(row, JSON_OBJECT))
		return err_set(e, ERR_INVALID, "agents.%s must be a table", p->name);
	merged = lua_data_merge(row, p->data);
	json_free(p->data);
	p->data = merged;
	return true;
}

/* `reader` as a string: that of another agent, or of a file. */
static void name_reader(const struct oxide *ox, struct agent_preset *p)
{
	struct str reader = json_get_str(p->data, "reader");
	char *own;

	if (!reader.n)
		return;
	free(p->reader);
	if (*reader.p == '/') {
		p->reader = mem_dup(reader.p, reader.n);
		return;
	}
	own = ox->config_dir ? preset_path(ox->config_dir, reader) : NULL;
	if (own && !access(own, F_OK)) {
		p->reader = own;
		return;
	}
	free(own);
	p->reader = preset_path(ox->data, reader);
}

static bool no_preset(const struct oxide *ox, struct str name, struct err *e)
{
	json *names SCOPED(json_release) = agent_preset_names(ox);
	struct buf all SCOPED(buf_release) = BUF_INIT;

	json_each(one, names)
		buf_addf(&all, "%s%.*s", all.n ? ", " : "", STR_ARG(json_text(one)));
	return err_set(e, ERR_NOT_FOUND, "unknown agent \"%.*s\"; agents: %s", STR_ARG(name),
		       all.p);
}

/* Another program in a way's row, or in that of all; what starts it otherwise goes. */
static void put_program(json *row, const char *program)
{
	if (!row)
		return;
	json_drop(row, "command");
	if (program)
		json_put(row, "executable", json_strz(program));
	else
		json_drop(row, "executable");
}

static const char *preset_variable(const struct agent_preset *p, const char *more)
{
	struct buf name SCOPED(buf_release) = BUF_INIT;
	const char *value;

	buf_adds(&name, "OXIDE_AGENT_");
	for (const char *c = p->name; *c; c++)
		buf_addc(&name,
			 isalnum((unsigned char)*c) ? (char)toupper((unsigned char)*c) : '_');
	buf_adds(&name, more);
	value = getenv(name.p);
	return value && *value ? value : NULL;
}

static void add_variables(struct agent_preset *p)
{
	const char *program = preset_variable(p, ""), *acp = preset_variable(p, "_ACP");

	if (program) {
		put_program(p->data, program);
		put_program((json *)json_get(p->data, "terminal"), NULL);
		put_program((json *)json_get(p->data, "stream"), NULL);
	}
	if (acp)
		put_program((json *)json_get(p->data, "acp"), acp);
}

struct agent_preset *agent_preset_find(const struct oxide *ox, struct str name, struct err *e)
{
	struct agent_preset *p = mem_new(sizeof(*p));
	bool ok = is_preset_name(name);

	p->name = mem_dup(name.p, name.n);
	p->data = json_object();
	p->review_ms = config_get(&ox->config, CFG_AGENT_REVIEW);
	ok = ok && preset_add_file(ox, p, ox->data, e) &&
	     (!ox->config_dir || preset_add_file(ox, p, ox->config_dir, e)) && add_row(ox, p, e);
	if (ok && json_len(p->data)) {
		name_reader(ox, p);
		add_variables(p);
		return p;
	}
	if (!e->code)
		no_preset(ox, name, e);
	agent_preset_free(p);
	return NULL;
}

void agent_preset_free(struct agent_preset *p)
{
	if (!p)
		return;
	free(p->name);
	free(p->reader);
	json_free(p->data);
	free(p);
}

const char *agent_preset_title(const struct agent_preset *p)
{
	struct str title = json_get_str(p->data, "title");

	return title.n ? title.p : p->name;
}

static void add_names(const char *dir, struct map *known, json *out)
{
	char *agents SCOPED(mem_release) = path_join(dir, "agents");
	DIR *d = opendir(agents);
	struct dirent *entry;

	while (d && (entry = readdir(d))) {
		struct str name = str_of(entry->d_name);

		if (!str_ends(name, STR(".lua")) || name.p[0] == '.')
			continue;
		name.n -= 4;
		if (!map_get(known, name))
			json_push(out, json_str(name));
		map_put(known, name, known);
	}
	if (d)
		closedir(d);
}

static int preset_by_name(const void *a, const void *b)
{
	return str_cmp(json_text(*(json *const *)a), json_text(*(json *const *)b));
}

static json *sorted(json *names)
{
	size_t n = 0, cap = json_len(names);
	const json **v = mem_new((cap + 1) * sizeof(*v));
	json *out = json_array();

	json_each(name, names)
		v[n++] = name;
	qsort(v, n, sizeof(*v), preset_by_name);
	for (size_t i = 0; i < n; i++)
		json_push(out, json_copy(v[i]));
	free(v);
	json_free(names);
	return out;
}

json *agent_preset_names(const struct oxide *ox)
{
	json *names = json_array();
	struct map known SCOPED(map_release) = { 0 };

	add_names(ox->data, &known, names);
	if (ox->config_dir)
		add_names(ox->config_dir, &known, names);
	json_each(row, json_get(ox->configuration, "agents"))
		if (!map_get(&known, str_of(json_key(row))))
			json_push(names, json_strz(json_key(row)));
	return sorted(names);
}

static char *named_reader(const struct oxide *ox, struct str name)
{
	struct buf path SCOPED(buf_release) = BUF_INIT;

	buf_addf(&path, "%s/readers/%.*s.lua", ox->data, STR_ARG(name));
	if (is_preset_name(name) && !access(path.p, F_OK))
		return buf_detach(&path);
	return NULL;
}

static bool is_acp_program(const struct agent_preset *p, struct str name)
{
	const json *programs = json_get(p->data, "acp.executable");

	if (json_is(programs, JSON_STRING))
		return str_eq(json_text(programs), name);
	json_each(program, programs)
		if (str_eq(json_text(program), name))
			return true;
	return false;
}

/* The agent that has an ACP program of this name. */
static struct agent_preset *find_by_program(const struct oxide *ox, struct str name)
{
	json *names SCOPED(json_release) = agent_preset_names(ox);
	struct agent_preset *found = NULL;

	json_each(one, names) {
		if (found)
			break;
		found = agent_preset_find(ox, json_text(one), ERR_IGNORED);
		if (found && !is_acp_program(found, name)) {
			agent_preset_free(found);
			found = NULL;
		}
	}
	return found;
}

char *agent_reader_path(const struct oxide *ox, struct str name, struct err *e)
{
	struct agent_preset *p = agent_preset_find(ox, name, e);
	char *path;

	if (!p && e->code == ERR_NOT_FOUND)
		p = find_by_program(ox, name);
	if (p) {
		*e = (struct err)ERR_INIT;
		path = p->reader ? mem_dup(p->reader, strlen(p->reader))
				 : named_reader(ox, STR("plain"));
		agent_preset_free(p);
		return path;
	}
	path = e->code == ERR_NOT_FOUND ? named_reader(ox, name) : NULL;
	if (path)
		*e = (struct err)ERR_INIT;
	return path;
}
