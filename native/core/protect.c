#include "protect.h"

#include <strings.h>

#include "../base/path.h"
#include "../io/disk.h"

/* A name with a slash is a directory: nothing below it is written. A name with a slash in its
 * middle is a file of that directory. What runs on another machine (.github/workflows) is the
 * reviewer's, who sees it with the change. */
static const char *const guarded[] = {
	/* repositories, and what they run */
	".git/",
	".hg/",
	".svn/",
	".gitmodules",
	".husky/",
	".githooks/",
	".lefthook/",
	"lefthook.yml",
	"lefthook.yaml",
	".lefthook.yml",
	".lefthook.yaml",
	".pre-commit-config.yaml",
	".pre-commit-config.yml",
	".overcommit.yml",
	/* agents, and the servers that they start */
	".claude/",
	".gemini/",
	".codex/",
	".cursor/",
	".windsurf/",
	".aider.conf.yml",
	".continue/",
	".roo/",
	".kiro/",
	".opencode/",
	"opencode.json",
	"opencode.jsonc",
	".mcp.json",
	".oxide/",
	/* editors */
	".vscode/",
	".idea/",
	".zed/",
	".helix/",
	".fleet/",
	".nvim/",
	".nvim.lua",
	".nvimrc",
	".lazy.lua",
	".exrc",
	".vimrc",
	".gvimrc",
	".lvimrc",
	".local.vimrc",
	".dir-locals.el",
	".dir-locals-2.el",
	".emacs",
	".emacs.d/",
	".devcontainer/",
	".devcontainer.json",
	/* shells */
	".bashrc",
	".bash_profile",
	".bash_login",
	".bash_logout",
	".bash_aliases",
	".profile",
	".zshrc",
	".zshenv",
	".zprofile",
	".zlogin",
	".zlogout",
	".kshrc",
	".cshrc",
	".tcshrc",
	".login",
	".logout",
	".inputrc",
	".xinitrc",
	".xsession",
	".xsessionrc",
	".xprofile",
	".envrc",
	".env.fish",
	".direnv/",
	/* tools that look for their settings upwards from the working directory, and run them */
	".cargo/config",
	".cargo/config.toml",
	".clangd",
	".ssh/",
	"bunfig.toml",
	".npmrc",
	".yarnrc",
	".yarnrc.yml",
	".yarn/",
	".pnpmfile.cjs",
	".mise.toml",
	".mise.local.toml",
	"mise.toml",
	"mise.local.toml",
	".mise/",
	".tool-versions",
	".rtx.toml",
	".gdbinit",
	".lldbinit",
	".pdbrc",
	".pdbrc.py",
	".irbrc",
	".pryrc",
	".Rprofile",
	".watchmanconfig",
};

/* Whether the path begins with this name, in any case of letters. */
static bool begins(struct str path, struct str name)
{
	return path.n >= name.n && !strncasecmp(path.p, name.p, name.n) &&
	       (path.n == name.n || path.p[name.n] == '/');
}

/* `rest` begins with a part of the path. Most differ in their first byte already. */
static bool is_guarded(struct str rest)
{
	char first = (char)(*rest.p | 0x20); /* in any case of letters */

	for (size_t i = 0; i < sizeof(guarded) / sizeof(*guarded); i++) {
		struct str g;
		bool folder;

		if ((*guarded[i] | 0x20) != first)
			continue;
		g = str_of(guarded[i]);
		folder = str_ends(g, STR("/"));
		g.n -= folder;
		if (begins(rest, g) && (folder || rest.n == g.n))
			return true;
	}
	return false;
}

static bool is_free(struct str root, struct str path)
{
	struct str rest = path_shown(root, path);

	while (rest.n) {
		const char *slash = memchr(rest.p, '/', rest.n);
		size_t n = slash ? (size_t)(slash - rest.p) : rest.n;

		if (is_guarded(rest))
			return false;
		rest = str_sub(rest, n + (slash ? 1 : 0), rest.n);
	}
	return true;
}

/* Where a path leads, once it leads inside; with `itself`, where its directory does. */
static bool check_real(const char *root, const char *path, bool itself, struct err *e)
{
	const struct fs *fs = disk_fs();
	struct str all = str_of(path), base = itself ? path_base(all) : STR("");
	struct buf whole SCOPED(buf_release) = BUF_INIT, real SCOPED(buf_release) = BUF_INIT;
	struct buf real_root SCOPED(buf_release) = BUF_INIT;
	bool ok;

	buf_add(&whole, itself ? path_dir(all) : all);
	ok = disk_below(root, buf_str(&whole).p, e) && fs->resolve(fs->self, root, &real_root, e) &&
	     fs->resolve(fs->self, whole.p, &real, e);
	if (ok && base.n)
		buf_addf(&real, "/%.*s", STR_ARG(base));
	return ok && (is_free(buf_str(&real_root), buf_str(&real)) ||
		      err_set(e, ERR_DENIED, "%s: points to %s, which is protected", path, real.p));
}

bool protect_allows(const char *root, const char *path, bool itself, struct err *e)
{
	struct str all = str_of(path);

	if (!path_below(str_of(root), all))
		return err_set(e, ERR_DENIED, "%s is outside of the project %s", path, root);
	if (!is_free(str_of(root), all))
		return err_set(e, ERR_DENIED,
			       "%s is protected, because other programs execute it; change it by "
			       "hand",
			       path);
	return disk_is_straight(root, path) || check_real(root, path, itself, e);
}

bool protect_real(const char *path, bool itself, struct buf *real, struct err *e)
{
	const struct fs *fs = disk_fs();
	struct str all = str_of(path);
	struct buf whole SCOPED(buf_release) = BUF_INIT;
	bool ok;

	buf_add(&whole, itself ? path_dir(all) : all);
	ok = fs->resolve(fs->self, whole.p, real, e);
	if (ok && itself)
		buf_addf(real, "%s%.*s", real->n > 1 ? "/" : "", STR_ARG(path_base(all)));
	return ok;
}

bool protect_guards(const char *path)
{
	return !is_free(STR("/"), str_of(path));
}

bool protect_shows(const char *root, const char *path, struct err *e)
{
	return disk_below(root, path, e);
}

#define LOOK_LEAST 16 /* paths, to begin threads for */

static bool protect_look_shows(void *arg, unsigned worker, size_t i, struct err *e)
{
	struct protect_look *l = (struct protect_look *)arg + i;

	(void)worker;
	(void)e;
	l->fine = l->root && protect_shows(l->root, l->path, ERR_IGNORED);
	return true;
}

static bool protect_look_allows(void *arg, unsigned worker, size_t i, struct err *e)
{
	struct protect_look *l = (struct protect_look *)arg + i;
	const struct fs *fs = disk_fs();

	(void)worker;
	(void)e;
	l->fine = l->root && protect_allows(l->root, l->path, false, ERR_IGNORED) &&
		  fs->stat(fs->self, l->path, &l->st, ERR_IGNORED) && l->st.kind == FS_FILE &&
		  fs->may_write(fs->self, l->path, &l->st);
	return true;
}

void protect_look_read(struct protect_look *v, size_t n)
{
	const struct fs *fs = disk_fs();

	if (n >= LOOK_LEAST)
		fs->each(fs->self, n, protect_look_shows, v, ERR_IGNORED);
}

void protect_look_write(struct protect_look *v, size_t n)
{
	const struct fs *fs = disk_fs();

	if (n >= LOOK_LEAST)
		fs->each(fs->self, n, protect_look_allows, v, ERR_IGNORED);
}
