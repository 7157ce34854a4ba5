#include "trusted_commands.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/mem.h"
#include "../base/path.h"
#include "../base/sha1.h"
#include "../io/disk.h"
#include "kept_lines.h"
#include "oxide.h"

#define ENTRIES_MOST 20000   /* looked at; what lies behind them is not build files' place */
#define BYTES_MOST   4194304 /* of one build file */
#define DIGESTS_MOST 200     /* kept of one project, the latest */

/* What decides which programs a check or a test runs, beside the sources themselves. */
static const char *const build_files[] = {
	"Makefile",
	"makefile",
	"GNUmakefile",
	"*.mk",
	"*.mak",
	"CMakeLists.txt",
	"*.cmake",
	"CMakePresets.json",
	"CMakeUserPresets.json",
	"meson.build",
	"meson.options",
	"meson_options.txt",
	"configure",
	"*.ninja",
	"Cargo.toml",
	"build.rs",
	"rust-toolchain",
	"rust-toolchain.toml",
	"go.mod",
	"go.work",
	"package.json",
	"tsconfig*.json",
	"jsconfig.json",
	"*.config.js",
	"*.config.cjs",
	"*.config.mjs",
	"*.config.ts",
	"*.config.mts",
	".eslintrc*",
	".mocharc*",
	".babelrc*",
	"pyproject.toml",
	"setup.py",
	"setup.cfg",
	"tox.ini",
	"noxfile.py",
	"pytest.ini",
	"conftest.py",
	"sitecustomize.py",
	"pyrightconfig.json",
	"mypy.ini",
	"CTestTestfile.cmake",
};

struct digest {
	const char *root;
	unsigned char sum[SHA1_BYTES];
	int left;
	struct buf texts;   /* of what is in it */
	struct buf scripts; /* that were seen: paths, each with its NUL; an empty one is in it */
};

static void trusted_add(struct digest *d, struct str text)
{
	struct buf all SCOPED(buf_release) = BUF_INIT;

	buf_add(&all, (struct str){ (const char *)d->sum, SHA1_BYTES });
	sha1(d->sum, buf_str(&all), text);
}

static bool is_build_file(const char *name)
{
	for (size_t i = 0; i < sizeof(build_files) / sizeof(*build_files); i++)
		if (!fnmatch(build_files[i], name, 0))
			return true;
	return false;
}

/* Those of others, or what was built: the programs that a check runs do not come from there by
 * themselves. */
static bool is_skipped(const char *name)
{
	static const char *const names[] = { "node_modules", "target", "__pycache__", "venv",
					     NULL };

	return *name == '.' || str_among(str_of(name), names);
}

static void trusted_add_file(struct digest *d, const char *path)
{
	const struct fs *fs = disk_fs();
	struct buf text SCOPED(buf_release) = BUF_INIT;
	struct err e = ERR_INIT;
	struct stat st;

	trusted_add(d, path_shown(str_of(d->root), str_of(path)));
	if (!stat(path, &st) && st.st_size > BYTES_MOST)
		buf_addf(&text, "%lld %lld", (long long)st.st_size, (long long)st.st_mtime);
	else if (!fs->read(fs->self, path, &text, NULL, &e))
		buf_adds(&text, e.msg);
	trusted_add(d, buf_str(&text));
	buf_add(&d->texts, buf_str(&text));
	buf_addc(&d->texts, '\n');
}

static bool is_script(const char *path, const struct stat *st)
{
	char first[2] = "";
	int fd;

	if (!S_ISREG(st->st_mode) || st->st_size > BYTES_MOST)
		return false;
	if (!fnmatch("*.sh", path, 0))
		return true;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return false;
	(void)!read(fd, first, sizeof(first));
	close(fd);
	return first[0] == '#' && first[1] == '!';
}

/* Whether a file of this name may be meant somewhere. */
static bool trusted_is_named(struct str text, struct str name)
{
	ptrdiff_t at;

	while ((at = str_find(text, name)) >= 0) {
		char before = at ? text.p[at - 1] : ' ';
		size_t end = (size_t)at + name.n;

		if (!str_named(before) && before != '-' && before != '.' &&
		    (end == text.n || (!str_named(text.p[end]) && text.p[end] != '-')))
			return true;
		text = str_sub(text, end, text.n);
	}
	return false;
}

/* Those that are named in what is in the digest, until no more are. */
static void add_scripts(struct digest *d)
{
	bool more = true;

	while (more) {
		more = false;
		for (size_t i = 0; i < d->scripts.n;) {
			char *path = d->scripts.p + i;

			i += strlen(path) + 1;
			if (!*path ||
			    !trusted_is_named(buf_str(&d->texts), path_base(str_of(path))))
				continue;
			trusted_add_file(d, path);
			memset(path, 0, strlen(path));
			more = true;
		}
	}
}

static void walk(struct digest *d, const char *dir, int depth);

static void trusted_look_at(struct digest *d, const char *path, const struct stat *st, int depth)
{
	if (depth && S_ISDIR(st->st_mode))
		walk(d, path, depth - 1);
	else if (is_script(path, st))
		buf_add(&d->scripts, (struct str){ path, strlen(path) + 1 });
}

static void walk(struct digest *d, const char *dir, int depth)
{
	const struct fs *fs = disk_fs();
	struct buf names SCOPED(buf_release) = BUF_INIT;
	struct err e = ERR_INIT;
	struct stat st;

	if (!fs->list(fs->self, dir, &names, &e))
		names.n = 0;
	for (const char *name = names.p; name && name < names.p + names.n && d->left-- > 0;
	     name += strlen(name) + 1) {
		char *path SCOPED(mem_release) = path_join(dir, name);

		if (is_build_file(name))
			trusted_add_file(d, path);
		else if (!is_skipped(name) && !lstat(path, &st))
			trusted_look_at(d, path, &st, depth);
	}
}

static void put_digest(const struct digest *d, struct buf *out)
{
	for (size_t i = 0; i < SHA1_BYTES; i++)
		buf_addf(out, "%02x", d->sum[i]);
}

void trusted_commands_digest(const char *root, struct str commands, struct buf *out)
{
	struct digest d = { .root = root, .left = ENTRIES_MOST };

	trusted_add(&d, commands);
	buf_add(&d.texts, commands);
	walk(&d, root, TRUSTED_COMMANDS_DEPTH);
	add_scripts(&d);
	buf_release(&d.texts);
	buf_release(&d.scripts);
	put_digest(&d, out);
}

void trusted_commands_digest_text(struct str text, struct buf *out)
{
	struct digest d = { 0 };

	trusted_add(&d, STR("text"));
	trusted_add(&d, text);
	put_digest(&d, out);
}

/* The file of a project in the state directory; NULL: there is none. */
static char *trusted_place_of(const char *root)
{
	char *state SCOPED(mem_release) = oxide_state_dir(), *dir SCOPED(mem_release) = NULL;
	unsigned char sum[SHA1_BYTES];
	struct buf name SCOPED(buf_release) = BUF_INIT;

	if (!state)
		return NULL;
	sha1(sum, str_of(root), STR(""));
	dir = path_join(state, "allowed");
	mkdir(dir, 0700);
	for (size_t i = 0; i < SHA1_BYTES; i++)
		buf_addf(&name, "%02x", sum[i]);
	return path_join(dir, name.p);
}

bool trusted_commands_has(const char *root, struct str digest)
{
	char *path SCOPED(mem_release) = trusted_place_of(root);
	struct buf text SCOPED(buf_release) = BUF_INIT;

	if (path)
		kept_lines_read(path, &text);
	return digest.n && kept_lines_has(buf_str(&text), digest);
}

void trusted_commands_add(const char *root, struct str digest)
{
	char *path SCOPED(mem_release) = trusted_place_of(root);

	if (path)
		kept_lines_add(path, digest, DIGESTS_MOST);
}
