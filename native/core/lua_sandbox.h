#ifndef OX_LUA_SANDBOX_H
#define OX_LUA_SANDBOX_H

#include <lauxlib.h>
#include <lua.h>

#include "../base/json.h"

/*
 * A Lua of its own for a file of Oxide or of the user that holds functions: parsers (parser.h) and
 * readers of agents (record/reader.h). It may `require` Oxide's own modules, no others, and each
 * call may take so many instructions. lua_data_impl.h reads what it returns.
 *
 *     lua = lua_sandbox_new(data, steps)
 *     lua_sandbox_load(lua, path, steps, &e)        the file has run: its value is on the stack
 *     lua_sandbox_functions(lua, functions, self)   a table of C functions: likewise
 *     lua_sandbox_call(lua, steps, 1, 2, &e)
 *     lua_close(lua)
 */
lua_State *lua_sandbox_new(const char *data, size_t steps);
/* ERR_NOT_FOUND: it cannot be read, or is not Lua; ERR_INVALID: it failed. */
bool lua_sandbox_load(lua_State *lua, const char *path, size_t steps, struct err *e);
/* Calls what lies on the stack below its arguments; the results are left there. */
bool lua_sandbox_call(lua_State *lua, size_t steps, int arguments, int results, struct err *e);
/* The functions find `self` with lua_sandbox_self(). */
void lua_sandbox_functions(lua_State *lua, const luaL_Reg *functions, void *self);
void *lua_sandbox_self(lua_State *lua);
/* Lua's own error of one of them, with the place in the file before it. Nothing may be owned where
 * it is called. */
int lua_sandbox_fail(lua_State *lua, const char *function, const struct err *e);
/* Takes a function off the stack into the registry; LUA_NOREF: it is none. */
int lua_sandbox_keep(lua_State *lua);
/* A tree as Lua's values. null is nil; but a table that is given back unchanged is the same JSON:
 * it remembers its members that are null, and that it is an array. */
void lua_sandbox_push(lua_State *lua, const json *v);
int lua_sandbox_decode(lua_State *lua); /* a function for Lua: text as values, nil: not JSON */

#endif
