#include "lua_sandbox.h"

#include <luajit.h>
#include <lualib.h>

#include "lua_data_impl.h"

static void out_of_steps(lua_State *lua, lua_Debug *ar)
{
	(void)ar;
	luaL_error(lua, "it takes too long for one line");
}

static void count_steps(lua_State *lua, size_t steps)
{
	lua_sethook(lua, out_of_steps, LUA_MASKCOUNT, (int)steps);
}

/* One file may build on another. */
static void set_path(lua_State *lua, const char *data)
{
	lua_getglobal(lua, "package");
	lua_pushfstring(lua, "%s/../?.lua", data);
	lua_setfield(lua, -2, "path");
	lua_pushliteral(lua, "");
	lua_setfield(lua, -2, "cpath");
	lua_pop(lua, 1);
}

/* The hook that counts is asked by the interpreter alone. */
lua_State *lua_sandbox_new(const char *data, size_t steps)
{
	lua_State *lua = luaL_newstate();

	if (!lua)
		BUG("out of memory (a Lua state)");
	luaL_openlibs(lua);
	luaJIT_setmode(lua, 0, LUAJIT_MODE_ENGINE | LUAJIT_MODE_OFF);
	count_steps(lua, steps);
	set_path(lua, data);
	return lua;
}

bool lua_sandbox_load(lua_State *lua, const char *path, size_t steps, struct err *e)
{
	if (luaL_loadfile(lua, path))
		return err_set(e, ERR_NOT_FOUND, "%s", lua_tostring(lua, -1));
	return lua_sandbox_call(lua, steps, 0, 1, e);
}

bool lua_sandbox_call(lua_State *lua, size_t steps, int arguments, int results, struct err *e)
{
	count_steps(lua, steps);
	if (!lua_pcall(lua, arguments, results, 0))
		return true;
	return err_set(e, ERR_INVALID, "%s",
		       lua_isstring(lua, -1) ? lua_tostring(lua, -1)
					     : "it fails without a message");
}

void lua_sandbox_functions(lua_State *lua, const luaL_Reg *functions, void *self)
{
	lua_newtable(lua);
	for (const luaL_Reg *f = functions; f->name; f++) {
		lua_pushlightuserdata(lua, self);
		lua_pushcclosure(lua, f->func, 1);
		lua_setfield(lua, -2, f->name);
	}
}

void *lua_sandbox_self(lua_State *lua)
{
	return lua_touserdata(lua, lua_upvalueindex(1));
}

int lua_sandbox_fail(lua_State *lua, const char *function, const struct err *e)
{
	return luaL_error(lua, "report.%s: %s", function, e->msg);
}

int lua_sandbox_keep(lua_State *lua)
{
	if (lua_isfunction(lua, -1))
		return luaL_ref(lua, LUA_REGISTRYINDEX);
	lua_pop(lua, 1);
	return LUA_NOREF;
}

/* The table on the top remembers what Lua has no value for. */
static void remember_list(lua_State *lua, int n)
{
	lua_createtable(lua, 0, 1);
	lua_pushinteger(lua, n);
	lua_setfield(lua, -2, LUA_DATA_LENGTH);
	lua_setmetatable(lua, -2);
}

static void push_list(lua_State *lua, const json *v)
{
	int n = 0;
	bool holes = false;

	lua_newtable(lua);
	json_each(item, v) {
		lua_sandbox_push(lua, item);
		holes = holes || lua_isnil(lua, -1);
		lua_rawseti(lua, -2, ++n);
	}
	if (!n || holes)
		remember_list(lua, n);
}

static void remember_null(lua_State *lua, const char *name)
{
	if (!luaL_getmetafield(lua, -1, LUA_DATA_NULLS)) {
		lua_createtable(lua, 0, 1);
		lua_newtable(lua);
		lua_pushvalue(lua, -1);
		lua_setfield(lua, -3, LUA_DATA_NULLS);
		lua_insert(lua, -2);
		lua_setmetatable(lua, -3);
	}
	lua_pushboolean(lua, true);
	lua_setfield(lua, -2, name);
	lua_pop(lua, 1);
}

static void push_object(lua_State *lua, const json *v)
{
	lua_newtable(lua);
	json_each(item, v) {
		if (json_is(item, JSON_NULL)) {
			remember_null(lua, json_key(item));
			continue;
		}
		lua_sandbox_push(lua, item);
		lua_setfield(lua, -2, json_key(item));
	}
}

void lua_sandbox_push(lua_State *lua, const json *v)
{
	luaL_checkstack(lua, 8, "the value is nested too deeply");
	switch (json_type_of(v)) {
	case JSON_NULL:
		lua_pushnil(lua);
		return;
	case JSON_BOOL:
		lua_pushboolean(lua, json_true(v));
		return;
	case JSON_NUMBER:
		lua_pushnumber(lua, json_double(v));
		return;
	case JSON_STRING:
		lua_pushlstring(lua, json_text(v).p, json_text(v).n);
		return;
	case JSON_ARRAY:
		push_list(lua, v);
		return;
	default:
		push_object(lua, v);
	}
}

int lua_sandbox_decode(lua_State *lua)
{
	struct str text;
	json *v SCOPED(json_release) = NULL;

	text.p = luaL_checklstring(lua, 1, &text.n);
	v = json_parse(text, ERR_IGNORED);
	lua_sandbox_push(lua, v);
	return 1;
}
