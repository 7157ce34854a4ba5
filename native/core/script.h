#ifndef OX_SCRIPT_H
#define OX_SCRIPT_H

#include "../base/arena.h"
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
/* Every *.lua of a folder: fn gets its name without the ending, and its table, which is taken. */
typedef bool script_found(void *arg, const char *name, json *table, struct err *e);
bool script_folder(struct script *s, const char *dir, script_found *fn, void *arg, struct err *e);
/* A list of strings of such a tree, which they borrow from, as an array that ends with NULL; the
 * error calls it `name`. */
bool script_strings(struct arena *a, const json *list, const char *name, const char *const **out,
		    struct err *e);
/* What a person's table leaves out stays as the preset of the same name has it: a new tree. */
json *script_over(const json *own, const json *preset);

#endif
