#ifndef OX_SCRIPT_H
#define OX_SCRIPT_H

#include "../base/json.h"

/*
 * Lua files that hold data: presets and the user's configuration. Each returns a table, which
 * comes back as a JSON tree; a table with the keys 1..n is an array, an empty one an object.
 * script.c alone includes LuaJIT's headers. Only files of Oxide itself and of the user are run,
 * never one of a workspace.
 */
struct script;

struct script *script_new(void);
void script_free(struct script *s);
/* Errors: ERR_NOT_FOUND, or ERR_INVALID with Lua's own message, which names file and line. */
json *script_table(struct script *s, const char *path, struct err *e);

#endif
