#ifndef OX_LUA_DATA_H
#define OX_LUA_DATA_H

#include "../base/arena.h"
#include "../base/json.h"

/*
 * Lua files that hold data: presets and the user's configuration. Each returns a table, which
 * comes back as a JSON tree; a table with the keys 1..n is an array, an empty one an object.
 * lua_data.c alone includes LuaJIT's headers. Only files of Oxide itself and of the user are run,
 * never one of a workspace.
 */
struct lua_data;

struct lua_data *lua_data_new(void);
void lua_data_free(struct lua_data *s);
/* Errors: ERR_NOT_FOUND, or ERR_INVALID with Lua's own message, which names file and line. */
json *lua_data_table(struct lua_data *s, const char *path, struct err *e);
/* Every *.lua of a directory: fn gets its name without the ending, and its table, which is taken.
 */
typedef bool lua_data_found(void *arg, const char *name, json *table, struct err *e);
bool lua_data_directory(struct lua_data *s, const char *dir, lua_data_found *fn, void *arg,
			struct err *e);
/* A list of strings of such a tree, which they borrow from, as an array that ends with NULL; the
 * error calls it `name`. */
bool lua_data_strings(struct arena *a, const json *list, const char *name, const char *const **out,
		      struct err *e);
/* Whether a member is one of the words, which end with NULL. */
bool lua_data_word(const json *row, const char *member, const char *const *words, struct err *e);
/* What a user's table leaves out stays as the preset of the same name has it: a new tree. */
json *lua_data_merge(const json *own, const json *preset);

#endif
