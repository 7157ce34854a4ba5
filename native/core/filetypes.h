#ifndef OX_FILETYPES_H
#define OX_FILETYPES_H

#include "../base/map.h"
#include "lua_data.h"

/* Neovim's names for the types of files that no editor has named one for: lua/oxide/filetypes.lua.
 */
struct filetypes;

struct filetypes *filetypes_new(struct lua_data *s, const char *data_dir, struct err *e);
void filetypes_free(struct filetypes *f);
/* By the name of the file; "text" when it is unknown. */
const char *filetypes_of(const struct filetypes *f, const char *path);
/* The file name extensions of a type, as keys of *out. */
void filetypes_extensions(const struct filetypes *f, const char *filetype, struct map *out);

#endif
