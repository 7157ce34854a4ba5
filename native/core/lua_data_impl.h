#ifndef OX_LUA_DATA_IMPL_H
#define OX_LUA_DATA_IMPL_H

#include <lua.h>

#include "lua_data.h"

/* Shared by lua_data.c (data) and parser.c (functions). */
json *lua_data_value(lua_State *lua, int at, struct err *e); /* a value as a tree; NULL and *e */

#endif
