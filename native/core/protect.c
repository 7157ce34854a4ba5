#include "protect.h"

#include <strings.h>

#include "../base/path.h"
#include "../io/disk.h"

/* A name with a slash is a folder: nothing below it is written. */
static const char *const guarded[] = {
	".git/",   ".hg/",     ".svn/",		".vscode/", ".claude/", ".cursor/",
	".idea/",  ".oxide/",  ".nvim.lua",	".nvimrc",  ".exrc",	".mcp.json",
	".bashrc", ".profile", ".bash_profile", ".zshrc",   ".zshenv",	".zprofile",
	".envrc",  ".lvimrc",  ".gitmodules",	".vimrc",
};

static bool is_guarded(struct str part, bool last)
{
	for (size_t i = 0; i < sizeof(guarded) / sizeof(*guarded); i++) {
		struct str g = str_of(guarded[i]);
		bool folder = str_ends(g, STR("/"));

		g.n -= folder;
		if (part.n == g.n && !strncasecmp(part.p, g.p, g.n) && (folder || last))
			return true;
	}
	return false;
}

bool protect_allows(const char *root, const char *path, struct err *e)
{
	struct str rest = path_shown(str_of(root), str_of(path));

	if (!path_below(str_of(root), str_of(path)))
		return err_set(e, ERR_DENIED, "%s is outside of the project %s", path, root);
	if (!disk_below(root, path, e))
		return false;
	while (rest.n) {
		const char *slash = memchr(rest.p, '/', rest.n);
		size_t n = slash ? (size_t)(slash - rest.p) : rest.n;

		if (is_guarded(str_sub(rest, 0, n), !slash))
			return err_set(e, ERR_DENIED,
				       "%s is protected: it makes other programs run something; "
				       "change it by hand",
				       path);
		rest = str_sub(rest, n + (slash ? 1 : 0), rest.n);
	}
	return true;
}
