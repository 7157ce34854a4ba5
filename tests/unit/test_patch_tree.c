// links: full
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <sys/stat.h>
#include <unistd.h>

#include <base/mem.h>
#include <base/path.h>
#include <edit/batch.h>
#include <io/disk.h>

#include "gen.h"
#include "shell.h"
#include "tempdir.h"

/*
 * Whole trees against the real git: files, files that can be run, symbolic links and folders take
 * each other's places at random, names move, `git diff` writes the patch, and both carry it out on
 * the disk. What git makes of it, Oxide has to make of it.
 */
#define TOPS   5
#define BELOW  3
#define NAMES  (TOPS * (BELOW + 1))
#define ROUNDS 40

struct thing {
	unsigned mode; /* 0: nothing, or a folder */
	char text[200];
};

static char dir[64];

static const char *at(const char *rel)
{
	static char v[4][100];
	static unsigned i;
	char *p = v[i++ % 4];

	snprintf(p, sizeof(v[0]), "%s/%s", dir, rel);
	return p;
}

static const char *name_of(size_t i)
{
	static const char *const below[] = { "", "/q", "/r/s", "/r/t" };
	static char name[32];

	snprintf(name, sizeof(name), "p%zu%s", i / (BELOW + 1), below[i % (BELOW + 1)]);
	return name;
}

static void any_thing(struct gen *g, struct thing *t)
{
	static const char *const targets[] = { "p0", "p1/q", "nowhere", "p2", "r" };
	struct buf text = BUF_INIT;
	size_t kind = gen_below(g, 6);

	if (kind < 2) {
		t->mode = MODE_LINK;
		snprintf(t->text, sizeof(t->text), "%s", targets[gen_below(g, 5)]);
		return;
	}
	t->mode = kind == 2 ? MODE_EXEC : MODE_FILE;
	for (size_t n = gen_below(g, 9); n--;)
		buf_addf(&text, "line %zu of it\n", gen_below(g, 30));
	snprintf(t->text, sizeof(t->text), "%s", buf_str(&text).p);
	buf_release(&text);
}

/* One name at the top, with what is below it. */
static void any_top(struct gen *g, struct thing *v)
{
	size_t kind = gen_below(g, 5);

	memset(v, 0, (BELOW + 1) * sizeof(*v));
	if (kind < 2)
		any_thing(g, &v[0]);
	for (size_t i = 1; i <= BELOW && kind > 2; i++)
		if (gen_below(g, 3))
			any_thing(g, &v[i]);
}

static void change_text(struct gen *g, struct thing *t)
{
	size_t n = strlen(t->text);

	if (!t->mode || t->mode == MODE_LINK)
		return;
	if (gen_below(g, 2))
		t->mode = t->mode == MODE_EXEC ? MODE_FILE : MODE_EXEC;
	if (gen_below(g, 2) && n + 6 < sizeof(t->text))
		strcpy(t->text + n, "more\n");
}

static void change_tree(struct gen *g, struct thing *v)
{
	struct thing kept[BELOW + 1];

	for (size_t i = 0; i < TOPS; i++) {
		struct thing *top = v + i * (BELOW + 1),
			     *other = v + gen_below(g, TOPS) * (BELOW + 1);

		switch (gen_below(g, 5)) {
		case 0:
		case 1:
			any_top(g, top);
			break;
		case 2:
			memcpy(kept, top, sizeof(kept));
			memmove(top, other, sizeof(kept));
			memcpy(other, kept, sizeof(kept));
			break;
		case 3:
			for (size_t k = 0; k <= BELOW; k++)
				change_text(g, &top[k]);
			break;
		}
	}
}

static void put_tree(const char *root, const struct thing *v)
{
	const struct fs *fs = disk_fs();

	assert_int_equal(sh("rm -rf %s/p* && mkdir -p %s", root, root), 0);
	for (size_t i = 0; i < NAMES; i++) {
		const struct thing *t = &v[i];
		char *path = path_join(root, name_of(i));
		struct err e = ERR_INIT;

		if (t->mode) {
			struct str above = path_dir(str_of(path));

			assert_int_equal(sh("mkdir -p %.*s", STR_ARG(above)), 0);
		}
		if (t->mode == MODE_LINK ? !fs->symlink(NULL, str_of(t->text), path, &e)
					 : t->mode && !fs->create(NULL, path, str_of(t->text),
								  t->mode & MODE_BITS, &e))
			fail_msg("%s", e.msg);
		free(path);
	}
}

static const char *in_root(void *arg, struct arena *a, struct str path, struct err *e)
{
	struct buf whole = BUF_INIT;
	const char *kept;

	(void)e;
	path_normal(&whole, arg, path);
	kept = arena_str(a, buf_str(&whole)).p;
	buf_release(&whole);
	return kept;
}

static bool allowed(void *self, const char *path, bool itself, struct exemptions *exempt,
		    struct buf *by, struct err *e)
{
	(void)self, (void)path, (void)itself, (void)exempt, (void)by, (void)e;
	return true;
}

static bool carry_out(struct plan *p, const char *root, struct err *e)
{
	const char *const *dirs;
	size_t n_dirs = plan_empty_dirs(p, &dirs), n;
	const struct txn_file *v = plan_states(p, &n);
	struct txn *t = txn_new(disk_fs(), at("home"), root, v, n, dirs, n_dirs);
	struct err then;
	bool ok = txn_prepare(t, e) && txn_commit(t, e);

	ok = ok ? txn_seal(t, e) : txn_abort(t, &then) && false;
	txn_free(t);
	return ok;
}

static bool apply(struct str patch, const char *root, struct err *e)
{
	const struct fs *fs = disk_fs();
	struct plan_source src = { .root = root,
				   .stat = fs->stat,
				   .read = fs->read,
				   .list = fs->list,
				   .allowed = allowed,
				   .readlink = fs->readlink,
				   .resolve = fs->resolve };
	struct operations ops = { 0 };
	struct batch *b = NULL;
	struct plan *p = NULL;
	bool ok = operations_from_patch(&ops, patch, 0, NULL, in_root, (void *)(uintptr_t)root, e);

	if (ok) {
		b = batch_new(&ops, BATCH_CONFLICTS);
		p = batch_run(b, &src, e);
	}
	ok = p && carry_out(p, root, e);
	plan_free(p);
	batch_free(b);
	operations_release(&ops);
	return ok;
}

static void one_round(struct gen *g, const char *detect, size_t *both)
{
	struct thing *v = mem_new(NAMES * sizeof(*v));
	struct buf want = BUF_INIT, got = BUF_INIT, patch = BUF_INIT;
	struct err e = ERR_INIT;
	bool git;

	for (size_t i = 0; i < TOPS; i++)
		any_top(g, v + i * (BELOW + 1));
	put_tree(at("git"), v);
	assert_int_equal(sh("exec 2>/dev/null; cd git && git add -A && git write-tree >../from"),
			 0);
	put_tree(at("ours"), v);
	change_tree(g, v);
	put_tree(at("git"), v);
	assert_int_equal(
		sh("exec 2>/dev/null; cd git && git add -A && git write-tree >../to && git diff-tree -p %s "
		   "--full-index $(cat ../from) $(cat ../to) >../patch && "
		   "git read-tree -u --reset $(cat ../from)",
		   detect),
		0);
	assert_true(disk_fs()->read(NULL, at("patch"), &patch, NULL, &e));
	git = patch.n && !sh("exec 2>/dev/null; cd git && git apply ../patch");
	if (git) {
		if (!apply(buf_str(&patch), at("ours"), &e))
			fail_msg("%s\n%s", e.msg, patch.p);
		digest(at("git"), false, &want);
		digest(at("ours"), false, &got);
		if (!str_eq(buf_str(&got), buf_str(&want)))
			print_error("%s\n", patch.p);
		assert_string_equal(buf_str(&got).p, buf_str(&want).p);
		++*both;
	}
	buf_release(&want);
	buf_release(&got);
	buf_release(&patch);
	free(v);
}

static void same_tree_as_git(void **state)
{
	static const char *const detect[] = { "--no-renames", "-M", "-C --find-copies-harder" };
	struct gen g = { 7 };
	size_t both = 0;

	(void)state;
	if (sh("git --version >/dev/null 2>&1"))
		skip();
	for (size_t i = 0; i < ROUNDS; i++)
		one_round(&g, detect[i % 3], &both);
	print_message("# git took %zu of %d patches\n", both, ROUNDS);
	assert_true(both > ROUNDS / 2);
}

static int start(void **state)
{
	(void)state;
	setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
	setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
	umask(022);
	if (!make_tempdir(dir, sizeof(dir), "patch-tree") || chdir(dir))
		return -1;
	return sh("git init -q git; mkdir -p git ours home");
}

static int stop(void **state)
{
	(void)state;
	return chdir("/") || sh("rm -rf %s", dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(same_tree_as_git, start, stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
