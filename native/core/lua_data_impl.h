#ifndef OX_LUA_DATA_IMPL_H
#define OX_LUA_DATA_IMPL_H

#include <lua.h>

#include "lua_data.h"

/* Shared by lua_data.c (data), and by those who run functions (lua_sandbox.h). */
#define LUA_DATA_DEPTH 32 /* a table that holds itself must end somewhere */

/* A value as a tree; NULL and *e: it is not data, or is nested deeper than `depth`. */
json *lua_data_value(lua_State *lua, int at, int depth, struct err *e);

/* In the metatable of a table that was JSON: the length of an array, and which members are null. */
#define LUA_DATA_LENGTH "oxide_length"
#define LUA_DATA_NULLS	"oxide_nulls"

#endif
