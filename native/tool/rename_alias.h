#ifndef OX_RENAME_ALIAS_H
#define OX_RENAME_ALIAS_H

#include "target.h"

/*
 * TypeScript's server renames a symbol on one side of an import or export and leaves an alias
 * there: `export { size }` becomes `export { NEW as size }` where the declaration is renamed,
 * `import { size as NEW }` where the import is. A rename means every place: the server is asked for
 * the other side of each alias too, at the alias itself or where it is defined, and where both
 * sides get the new name the alias goes. It stays where the other side is not the project's own
 * (node_modules). So it is with `const { size } = require('./core')`, unless the module exports a
 * variable by its name, `{ size }`, which no server renames from outside.
 *
 * The caller may know of further places that are to be renamed with it.
 *
 *     a = rename_alias_start(target, raw, old_name, new_name, too, n_too, fn, arg)
 *
 * `raw`: a WorkspaceEdit, the answer to textDocument/rename; NULL is returned where it has no
 * alias, and `n_too` is 0. Everything but `raw` is borrowed until fn. fn comes once, not from
 * inside, with the WorkspaceEdit that is whole, good until fn returns, or with what the server said
 * against a part of it.
 */
struct rename_alias;
typedef void rename_aliased(void *arg, struct str raw, const struct err *e);

struct rename_place {
	char *path;
	size_t byte;
};

struct rename_alias *rename_alias_start(struct target *t, struct str raw, struct str old_name,
					struct str new_name, const struct rename_place *too,
					size_t n_too, rename_aliased *fn, void *arg);
void rename_alias_cancel(void *rename_alias); /* brings fn soon */

#endif
