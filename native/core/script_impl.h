#ifndef OX_SCRIPT_IMPL_H
#define OX_SCRIPT_IMPL_H

#include <lua.h>

#include "script.h"

/* Shared by script.c (data) and parser.c (functions). */
json *script_value(lua_State *lua, int at, struct err *e); /* a value as a tree; NULL and *e */

#endif
