#include "lua_data.h"

#include <dirent.h>
#include <errno.h>
#include <lauxlib.h>
#include <lualib.h>
#include <stdlib.h>
#include <unistd.h>

#include "../base/mem.h"
#include "../base/path.h"
#include "lua_data_impl.h"

struct lua_data {
	lua_State *lua;
};

struct lua_data *lua_data_new(void)
{
	struct lua_data *s = mem_new(sizeof(*s));

	s->lua = luaL_newstate();
	if (!s->lua)
		BUG("out of memory (a Lua state)");
	luaL_openlibs(s->lua);
	return s;
}

void lua_data_free(struct lua_data *s)
{
	if (!s)
		return;
	lua_close(s->lua);
	free(s);
}

static json *from_lua(lua_State *lua, int at, int depth, struct err *e);

static bool from_list(lua_State *lua, int at, size_t n, int depth, json *out, struct err *e)
{
	for (size_t i = 1; i <= n; i++) {
		json *v;

		lua_rawgeti(lua, at, (int)i);
		v = from_lua(lua, lua_gettop(lua), depth, e);
		lua_pop(lua, 1);
		if (!v)
			return false;
		json_push(out, v);
	}
	return true;
}

static int by_key(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The keys of a table, sorted; NULL where one is not a string. They are the table's own. */
static const char **table_keys(lua_State *lua, int at, size_t *n)
{
	const char **v = mem_new(sizeof(*v));
	size_t cap = 1;
	bool strings = true;

	*n = 0;
	for (lua_pushnil(lua); lua_next(lua, at); lua_pop(lua, 1)) {
		strings = strings && lua_type(lua, -2) == LUA_TSTRING;
		mem_add(v, *n, cap, strings ? lua_tostring(lua, -2) : "");
	}
	if (strings) {
		qsort(v, *n, sizeof(*v), by_key);
		return v;
	}
	free(v);
	return NULL;
}

/* In the order of their names, as Lua has none. */
static bool from_members(lua_State *lua, int at, int depth, json *out, struct err *e)
{
	size_t n;
	const char **keys = table_keys(lua, at, &n);
	bool ok = true;

	if (!keys)
		return err_set(e, ERR_INVALID, "a table has a key that is not a string");
	for (size_t i = 0; ok && i < n; i++) {
		json *v;

		lua_getfield(lua, at, keys[i]);
		v = from_lua(lua, lua_gettop(lua), depth, e);
		lua_pop(lua, 1);
		ok = v || err_in(e, "%s", keys[i]);
		if (v)
			json_add(out, keys[i], v);
	}
	free(keys);
	return ok;
}

/* Of a table that was JSON (lua_sandbox.h); -1: it was no array. */
static int array_length(lua_State *lua, int at)
{
	int n = -1;

	if (luaL_getmetafield(lua, at, LUA_DATA_LENGTH)) {
		n = (int)lua_tointeger(lua, -1);
		lua_pop(lua, 1);
	}
	return n;
}

static void add_nulls(lua_State *lua, int at, json *out)
{
	if (!luaL_getmetafield(lua, at, LUA_DATA_NULLS))
		return;
	for (lua_pushnil(lua); lua_next(lua, -2); lua_pop(lua, 1)) {
		const char *name = lua_tostring(lua, -2);

		lua_getfield(lua, at, name);
		if (lua_isnil(lua, -1))
			json_add(out, name, json_null());
		lua_pop(lua, 1);
	}
	lua_pop(lua, 1);
}

static json *from_table(lua_State *lua, int at, int depth, struct err *e)
{
	int length = array_length(lua, at);
	size_t n = length < 0 ? lua_objlen(lua, at) : (size_t)length;
	bool list = n || length == 0;
	json *out = list ? json_array() : json_object();

	if (list ? from_list(lua, at, n, depth - 1, out, e)
		 : from_members(lua, at, depth - 1, out, e)) {
		add_nulls(lua, at, out);
		return out;
	}
	json_free(out);
	return NULL;
}

static json *from_lua(lua_State *lua, int at, int depth, struct err *e)
{
	struct str s;

	if (depth < 0) {
		err_set(e, ERR_LIMIT, "tables are nested deeper than is allowed");
		return NULL;
	}
	luaL_checkstack(lua, 4, "tables are nested deeper than is allowed");
	switch (lua_type(lua, at)) {
	case LUA_TNIL:
		return json_null();
	case LUA_TBOOLEAN:
		return json_bool(lua_toboolean(lua, at));
	case LUA_TNUMBER:
		return json_num(lua_tonumber(lua, at));
	case LUA_TSTRING:
		s.p = lua_tolstring(lua, at, &s.n);
		return json_str(s);
	case LUA_TTABLE:
		return from_table(lua, at, depth, e);
	default:
		err_set(e, ERR_INVALID, "a %s is not data", lua_typename(lua, lua_type(lua, at)));
		return NULL;
	}
}

json *lua_data_value(lua_State *lua, int at, int depth, struct err *e)
{
	int top = lua_gettop(lua);
	json *v = from_lua(lua, at, depth, e);

	lua_settop(lua, top);
	return v;
}

json *lua_data_table(struct lua_data *s, const char *path, struct err *e)
{
	lua_State *lua = s->lua;
	json *v = NULL;

	lua_settop(lua, 0);
	if (access(path, R_OK))
		err_set(e, ERR_NOT_FOUND, "%s cannot be read", path);
	else if (luaL_loadfile(lua, path) || lua_pcall(lua, 0, 1, 0))
		err_set(e, ERR_INVALID, "%s", lua_tostring(lua, -1));
	else if (!lua_istable(lua, -1))
		err_set(e, ERR_INVALID, "%s does not return a table", path);
	else if (!(v = from_lua(lua, 1, LUA_DATA_DEPTH, e)))
		err_in(e, "%s", path);
	lua_settop(lua, 0);
	return v;
}

bool lua_data_directory(struct lua_data *s, const char *dir, lua_data_found *fn, void *arg,
			struct err *e)
{
	DIR *d = opendir(dir);
	struct dirent *entry;
	bool ok = true;

	if (!d)
		return err_set(e, errno == ENOENT ? ERR_NOT_FOUND : ERR_IO,
			       "%s with the presets: %s; is the installation of Oxide complete?",
			       dir, strerror(errno));
	while (ok && (entry = readdir(d))) {
		struct str name = str_of(entry->d_name);
		char *path SCOPED(mem_release) = NULL, *bare SCOPED(mem_release) = NULL;
		json *v;

		if (!str_ends(name, STR(".lua")))
			continue;
		path = path_join(dir, entry->d_name);
		bare = mem_dup(name.p, name.n - 4);
		v = lua_data_table(s, path, e);
		ok = v && fn(arg, bare, v, e);
	}
	closedir(d);
	return ok;
}

bool lua_data_strings(struct arena *a, const json *list, const char *name, const char *const **out,
		      struct err *e)
{
	const char **v = arena_new(a, (json_len(list) + 1) * sizeof(*v));
	size_t n = 0;

	json_each(item, list) {
		if (json_type_of(item) != JSON_STRING)
			return err_set(e, ERR_INVALID,
				       "%s contains %s; it must be a list of "
				       "strings",
				       name, json_type_name(json_type_of(item)));
		v[n++] = json_text(item).p;
	}
	*out = v;
	return true;
}

bool lua_data_word(const json *row, const char *member, const char *const *words, struct err *e)
{
	struct str s = json_get_str(row, member);

	return str_among(s, words) || err_set(e, ERR_INVALID, "%s is \"%.*s\"", member, STR_ARG(s));
}

json *lua_data_merge(const json *own, const json *preset)
{
	json *merged = json_copy(own);

	if (json_is(own, JSON_OBJECT))
		json_each(m, preset)
			if (!json_get(own, json_key(m)))
				json_put(merged, json_key(m), json_copy(m));
	return merged;
}
