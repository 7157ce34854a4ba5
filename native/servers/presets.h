#ifndef OX_PRESETS_H
#define OX_PRESETS_H

#include "../base/map.h"
#include "../core/filetypes.h"
#include "../lsp/session.h"

/*
 * Which language server serves which file: the presets in lua/oxide/servers/, replaced or added to
 * by the user.
 */
struct presets;

/* `types` is borrowed. */
struct presets *presets_new(struct lua_data *s, const struct filetypes *types, const char *data_dir,
			    struct err *e);
void presets_free(struct presets *p);
/* One server from a configuration, with the members of vim.lsp.config; replaces a preset of the
 * same name and comes before all presets. */
bool presets_add(struct presets *p, const char *name, const json *config, struct err *e);
bool presets_add_all(struct presets *p, const json *servers, struct err *e);
/* The next server for this filetype after `after` (NULL: the first): the user's own before
 * presets, those marked `last_resort` behind the others, then by name. NULL: no more. */
const struct server_spec *presets_next(const struct presets *p, const char *filetype,
				       const struct server_spec *after);
bool presets_installed(const struct server_spec *s); /* its program is there */
const struct server_spec *presets_find(const struct presets *p, const char *name);
/* Extensions of all files that some installed server serves. */
void presets_served(const struct presets *p, struct map *out);
/* File name extensions of the languages that one server takes together with this filetype (C and
 * C++, say), as keys of *out. */
void presets_extensions(const struct presets *p, const char *filetype, struct map *out);

#endif
