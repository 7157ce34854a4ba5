// links: full
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/xattr.h>
#endif

#include <base/hash.h>
#include <base/mem.h>
#include <base/path.h>
#include <edit/txn.h>
#include <io/disk.h>

static char root[] = "/tmp/oxide-disk-XXXXXX";
static char home[] = "/tmp/oxide-disk-XXXXXX.home";
static const struct fs *fs;

/* A path below the root; a few at a time. */
static const char *at(const char *rel)
{
	static char v[8][4096];
	static unsigned i;
	char *p = v[i++ % 8];

	snprintf(p, sizeof(v[0]), "%s%s%s", root, *rel ? "/" : "", rel);
	return p;
}

static void put(const char *rel, const char *text, unsigned mode)
{
	struct err e;

	if (!fs->create(NULL, at(rel), str_of(text), 0600, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(chmod(at(rel), mode), 0);
}

static void is(const char *rel, const char *text)
{
	struct buf b = BUF_INIT;
	struct err e;

	if (!fs->read(NULL, at(rel), &b, &e))
		fail_msg("%s", e.msg);
	assert_string_equal(b.p, text);
	buf_release(&b);
}

static struct fs_stat look(const char *rel)
{
	struct fs_stat st;
	struct err e;

	if (!fs->stat(NULL, at(rel), &st, &e))
		fail_msg("%s", e.msg);
	return st;
}

static void names(const char *rel, const char *want)
{
	struct buf b = BUF_INIT;
	struct err e;

	assert_true(fs->list(NULL, at(rel), &b, &e));
	for (size_t i = 0; i < b.n; i++)
		if (!b.p[i])
			b.p[i] = ' ';
	assert_string_equal(b.n ? b.p : "", want);
	buf_release(&b);
}

static int start(void **state)
{
	(void)state;
	fs = disk_fs();
	strcpy(root + strlen(root) - 6, "XXXXXX");
	umask(022);
	if (!mkdtemp(root))
		return 1;
	snprintf(home, sizeof(home), "%s.home", root);
	return 0;
}

static int end(void **state)
{
	char *cmd = NULL;
	int bad;

	(void)state;
	if (asprintf(&cmd, "rm -rf %s %s", root, home) < 0)
		return 1;
	bad = system(cmd);
	free(cmd);
	return bad;
}

static void reads_regular_files_alone(void **state)
{
	struct buf b = BUF_INIT;
	struct err e;
	int fd;

	(void)state;
	buf_adds(&b, "kept");
	put("a", "text", 0644);
	assert_true(fs->read(NULL, at("a"), &b, &e));
	assert_string_equal(b.p, "kepttext");
	assert_int_equal(mkfifo(at("fifo"), 0600), 0);
	assert_false(fs->read(NULL, at("fifo"), &b, &e));
	assert_int_equal(e.code, ERR_INVALID);
	assert_false(fs->overwrite(NULL, at("fifo"), STR("x"), &e));
	assert_int_equal(look("fifo").kind, FS_OTHER);
	assert_false(fs->read(NULL, root, &b, &e));
	assert_int_equal(e.code, ERR_INVALID);
	assert_false(fs->read(NULL, at("none"), &b, &e));
	assert_int_equal(e.code, ERR_NOT_FOUND);
	assert_non_null(strstr(e.msg, at("none")));
	fd = open(at("huge"), O_WRONLY | O_CREAT, 0600);
	assert_int_equal(ftruncate(fd, (off_t)DISK_FILE_MAX + 1), 0);
	close(fd);
	assert_false(fs->read(NULL, at("huge"), &b, &e));
	assert_int_equal(e.code, ERR_LIMIT);
	assert_string_equal(b.p, "kepttext");
	buf_release(&b);
}

static void never_replaces_unasked(void **state)
{
	struct err e;

	(void)state;
	put("a", "A", 0644);
	put("b", "B", 0644);
	assert_int_equal(symlink("gone", at("dangling")), 0);
	assert_false(fs->create(NULL, at("a"), STR("x"), 0600, &e));
	assert_int_equal(e.code, ERR_CONFLICT);
	assert_false(fs->create(NULL, at("dangling"), STR("x"), 0600, &e));
	assert_int_equal(e.code, ERR_CONFLICT);
	assert_false(fs->rename(NULL, at("a"), at("b"), &e));
	assert_int_equal(e.code, ERR_CONFLICT);
	assert_false(fs->link(NULL, at("a"), at("b"), &e));
	assert_int_equal(e.code, ERR_CONFLICT);
	assert_false(fs->mkdir(NULL, at("a"), 0777, &e));
	assert_int_equal(e.code, ERR_CONFLICT);
	assert_false(fs->rmdir(NULL, root, &e));
	assert_int_equal(e.code, ERR_CONFLICT);
	is("a", "A");
	is("b", "B");
	if (fs->exchange(NULL, at("a"), at("b"), &e)) {
		is("a", "B");
		is("b", "A");
	} else {
		assert_int_equal(e.code, ERR_UNSUPPORTED);
	}
	assert_true(fs->replace(NULL, at("a"), at("b"), &e));
	assert_true(fs->rename(NULL, at("b"), at("c"), &e));
	names("", "c dangling ");
}

static void tells_what_is_there(void **state)
{
	struct fs_stat st;

	(void)state;
	put("a", "12345", 0640);
	put("ro", "x", 0444);
	assert_int_equal(symlink("a", at("to-a")), 0);
	assert_int_equal(symlink("gone", at("dangling")), 0);
	assert_int_equal(link(at("a"), at("second")), 0);
	st = look("to-a");
	assert_true(st.kind == FS_FILE && st.link && st.size == 5 && st.mode == 0640);
	assert_true(st.links == 2 && st.writable && st.ino == look("a").ino);
	st = look("dangling");
	assert_true(st.kind == FS_NONE && st.link);
	assert_false(look("ro").writable); /* for root as well */
	assert_int_equal(look("none").kind, FS_NONE);
	assert_int_equal(look("a/below").kind, FS_NONE);
	assert_int_equal(look("").kind, FS_DIR);
	names("", "a dangling ro second to-a ");
}

static void syncs_many(void **state)
{
	enum { MANY = 50 };
	const char *paths[MANY + 1];
	struct err e;

	(void)state;
	for (int i = 0; i < MANY; i++) {
		char name[16];

		snprintf(name, sizeof(name), "f%d", i);
		put(name, "x", 0600);
		paths[i] = mem_dup(at(name), strlen(at(name)));
	}
	paths[MANY] = at("none");
	assert_true(fs->sync(NULL, paths, 0, &e));
	assert_true(fs->sync(NULL, paths, 1, &e));
	assert_true(fs->sync(NULL, paths, MANY, &e));
	assert_false(fs->sync(NULL, paths, MANY + 1, &e));
	assert_int_equal(e.code, ERR_NOT_FOUND);
	assert_non_null(strstr(e.msg, "none"));
	assert_true(fs->sync_dir(NULL, root, &e));
	for (int i = 0; i < MANY; i++)
		free((void *)paths[i]);
}

static void overwrites_in_place(void **state)
{
	struct err e;
	uint64_t ino;

	(void)state;
	put("a", "a longer text", 0600);
	ino = look("a").ino;
	assert_true(fs->overwrite(NULL, at("a"), STR("short"), &e));
	is("a", "short");
	assert_true(fs->overwrite(NULL, at("a"), STR("as long as it must be"), &e));
	is("a", "as long as it must be");
	assert_int_equal(look("a").ino, ino);
}

static void copies_what_a_file_is(void **state)
{
	struct err e;
#ifdef __linux__
	char value[8];
#endif

	(void)state;
	put("like", "x", 04751);
	put("to", "y", 0600);
#ifdef __linux__
	if (setxattr(at("like"), "user.oxide", "v", 1, 0) && errno != ENOTSUP)
		fail_msg("setxattr: %s", strerror(errno));
#endif
	if (!geteuid())
		assert_int_equal(chown(at("like"), 12, 34), 0);
	assert_int_equal(chmod(at("like"), 04751), 0);
	assert_true(fs->copy_meta(NULL, at("like"), at("to"), &e));
	assert_int_equal(look("to").mode, 0751); /* without set-user-id */
#ifdef __linux__
	if (getxattr(at("like"), "user.oxide", value, sizeof(value)) > 0)
		assert_int_equal(getxattr(at("to"), "user.oxide", value, sizeof(value)), 1);
#endif
	if (!geteuid()) {
		struct stat st;

		assert_int_equal(stat(at("to"), &st), 0);
		assert_true(st.st_uid == 12 && st.st_gid == 34);
	}
	is("to", "y");
}

static void resolves_to(const char *rel, const char *want)
{
	struct buf b = BUF_INIT, real = BUF_INIT;
	struct err e;

	/* The scratch folder's own path may lead through links. */
	assert_true(fs->resolve(NULL, root, &real, &e));
	if (!fs->resolve(NULL, at(rel), &b, &e))
		fail_msg("%s", e.msg);
	assert_true(str_skip(&(struct str){ b.p, b.n }, buf_str(&real)));
	assert_string_equal(b.p + real.n, want);
	buf_release(&b);
	buf_release(&real);
}

static void makes_links_and_modes(void **state)
{
	struct buf to = BUF_INIT;
	struct err e;

	(void)state;
	put("plain", "text", 0640);
	assert_true(fs->symlink(NULL, STR("../no where"), at("made"), &e));
	assert_true(fs->readlink(NULL, at("made"), &to, &e));
	assert_string_equal(to.p, "../no where");
	assert_false(fs->symlink(NULL, STR("x"), at("plain"), &e));
	assert_int_equal(e.code, ERR_CONFLICT);
	assert_false(fs->readlink(NULL, at("plain"), &to, &e));
	assert_int_equal(e.code, ERR_INVALID);
	assert_true(fs->chmod(NULL, at("plain"), 0750, &e));
	assert_int_equal(look("plain").mode, 0750);
	assert_true(fs->symlink(NULL, STR("plain"), at("to-plain"), &e));
	assert_false(fs->chmod(NULL, at("to-plain"), 0700, &e));
	assert_int_equal(look("plain").mode, 0750);
	assert_false(fs->sync_dir(NULL, at("plain/below"), &e));
	assert_int_equal(e.code, ERR_NOT_FOUND);
	buf_release(&to);
}

static void resolves_links(void **state)
{
	struct buf b = BUF_INIT;
	struct err e;

	(void)state;
	assert_int_equal(mkdir(at("d"), 0700), 0);
	put("d/f", "x", 0600);
	assert_int_equal(symlink("d", at("rel")), 0);
	assert_int_equal(symlink(at("d"), at("abs")), 0);
	assert_int_equal(symlink("../rel/new", at("d/up")), 0);
	assert_int_equal(symlink("loop2", at("loop1")), 0);
	assert_int_equal(symlink("loop1", at("loop2")), 0);
	resolves_to("d/f", "/d/f");
	resolves_to("rel/f", "/d/f");
	resolves_to("abs/f", "/d/f");
	resolves_to("abs/up", "/d/new");
	resolves_to("rel/up", "/d/new");
	resolves_to("none/x/y", "/none/x/y");
	resolves_to("", "");
	assert_false(fs->resolve(NULL, at("loop1/x"), &b, &e));
	assert_int_equal(e.code, ERR_IO);
	resolves_to("d/f/x", "/d/f/x");
	assert_false(fs->resolve(NULL, at("none/../d"), &b, &e));
	assert_int_equal(b.n, 0);
	assert_true(fs->resolve(NULL, "/", &b, &e));
	assert_string_equal(b.p, "/");
	buf_release(&b);
}

static void below(const char *base, const char *path, bool want)
{
	struct err e = ERR_INIT;
	bool ok = disk_below(base, path, &e);

	if (ok != want)
		fail_msg("%s below %s: %s", path, base, ok ? "yes" : e.msg);
}

static void knows_what_lies_below(void **state)
{
	struct err e;
	const char *ws;

	(void)state;
	assert_int_equal(mkdir(at("ws"), 0700), 0);
	assert_int_equal(mkdir(at("ws/d"), 0700), 0);
	assert_int_equal(mkdir(at("ws2"), 0700), 0);
	put("ws/f", "x", 0600);
	put("secret", "x", 0600);
	assert_int_equal(symlink("d", at("ws/in")), 0);
	assert_int_equal(symlink(at("ws/d"), at("ws/in-abs")), 0);
	assert_int_equal(symlink("../ws2", at("ws/out")), 0);
	assert_int_equal(symlink("../secret", at("ws/leak")), 0);
	assert_int_equal(symlink("/etc/none", at("ws/dangling")), 0);
	assert_int_equal(symlink("../ws/d/new", at("ws/round")), 0);
	assert_int_equal(symlink("loop", at("ws/loop")), 0);
	assert_int_equal(symlink("ws", at("alias")), 0);
	ws = mem_dup(at("ws"), strlen(at("ws")));
	below(ws, ws, true);
	below(ws, at("ws/f"), true);
	below(ws, at("ws/d/none/at/all"), true);
	below(ws, at("ws/in/x"), true);
	below(ws, at("ws/in-abs/x"), true);
	below(ws, at("ws/round"), true);
	below(ws, at("alias/f"), true);
	below(ws, at("alias/d/new"), true);
	below(at("alias"), at("ws/d"), true);
	below("/", at("ws"), true);
	below(ws, at(""), false);
	below(ws, at("ws2"), false);
	below(ws, at("ws2/new"), false);
	below(ws, at("secret"), false);
	below(ws, at("ws/out/x"), false);
	below(ws, at("ws/out"), false);
	below(ws, at("ws/leak"), false);
	below(ws, at("ws/dangling"), false);
	below(ws, at("ws/loop"), false);
	below(ws, at("ws/loop/x"), false);
	below(ws, at("ws/d/../../secret"), false);
	below(ws, at("ws/d/../f"), true);
	below(ws, at("none/ws/../../ws/f"), false);
	below(at("none"), at("none/f"), false);
	below(at("secret"), at("secret"), false);
	assert_false(disk_below(ws, at("ws/leak"), &e));
	assert_int_equal(e.code, ERR_DENIED);
	assert_non_null(strstr(e.msg, "ws/leak: leads to "));
	assert_non_null(strstr(e.msg, "/secret, which is outside "));
	free((void *)ws);
}

static void run_with(const struct txn_file *f, size_t n, const char *const *dirs, size_t n_dirs,
		     bool seal)
{
	struct txn *t = txn_new(fs, home, root, f, n, dirs, n_dirs);
	struct err e;

	if (!txn_prepare(t, &e) || !txn_commit(t, &e) ||
	    !(seal ? txn_seal(t, &e) : txn_abort(t, &e)))
		fail_msg("%s", e.msg);
	txn_free(t);
}

static void run(const struct txn_file *f, size_t n, bool seal)
{
	run_with(f, n, NULL, 0, seal);
}

static void leads(const char *rel, const char *to)
{
	struct buf b = BUF_INIT;
	struct err e;

	if (!fs->readlink(NULL, at(rel), &b, &e))
		fail_msg("%s", e.msg);
	assert_string_equal(b.p, to);
	buf_release(&b);
}

static void a_transaction_keeps_what_files_are(void **state)
{
	struct txn_file f[] = {
		{ NULL, true, true, hash_of(STR("old exe\n")), STR("new exe\n"), NULL, false, 0 },
		{ NULL, true, true, hash_of(STR("target\n")), STR("new target\n"), NULL, false, 0 },
		{ NULL, true, true, hash_of(STR("hard\n")), STR("new hard\n"), NULL, false, 0 },
		{ NULL, false, true, 0, STR("made\n"), NULL, false, 0 },
		{ NULL, true, false, hash_of(STR("gone\n")), STR(""), NULL, false, 0 },
		{ NULL, false, true, 0, STR("through a link\n"), NULL, false, 0 },
		{ NULL, false, true, 0, STR("as exe\n"), NULL, false, 0 },
	};
	static const char *const rel[] = { "exe",  "link",   "hard1", "n/e/w",
					   "gone", "to-new", "moved" };
	const size_t n = sizeof(f) / sizeof(f[0]);

	(void)state;
	put("exe", "old exe\n", 0751);
	put("gone", "gone\n", 0644);
	assert_int_equal(mkdir(at("d"), 0700), 0);
	put("d/target", "target\n", 0664);
	put("hard1", "hard\n", 0640);
	assert_int_equal(link(at("hard1"), at("d/hard2")), 0);
	assert_int_equal(symlink("d/target", at("link")), 0);
	assert_int_equal(symlink("d/new", at("to-new")), 0);
	for (size_t i = 0; i < n; i++)
		f[i].path = mem_dup(at(rel[i]), strlen(at(rel[i])));
	f[n - 1].like = f[0].path;
	for (int seal = 0; seal < 2; seal++) {
		run(f, n, seal);
		is("exe", seal ? "new exe\n" : "old exe\n");
		is("d/target", seal ? "new target\n" : "target\n");
		is("hard1", seal ? "new hard\n" : "hard\n");
		is("d/hard2", seal ? "new hard\n" : "hard\n");
		names("d", seal ? "hard2 new target " : "hard2 target ");
		names("",
		      seal ? "d exe hard1 link moved n to-new " : "d exe gone hard1 link to-new ");
		assert_true(look("link").link && look("to-new").link);
		assert_int_equal(look("exe").mode, 0751);
		assert_int_equal(look("d/target").mode, 0664);
		assert_int_equal(look("hard1").links, 2);
	}
	is("n/e/w", "made\n");
	is("d/new", "through a link\n");
	assert_int_equal(look("n/e/w").mode, 0644);
	assert_int_equal(look("moved").mode, 0751);
	for (size_t i = 0; i < n; i++)
		free((void *)f[i].path);
}

static void removing_a_link_spares_its_target(void **state)
{
	char *path;
	struct txn_file f = { NULL, true, false, hash_of(STR("t")), STR(""), NULL, true, 0 };

	(void)state;
	put("t", "x", 0644);
	assert_int_equal(symlink("t", at("l")), 0);
	f.path = path = mem_dup(at("l"), strlen(at("l")));
	run(&f, 1, false);
	assert_true(look("l").link);
	run(&f, 1, true);
	names("", "t ");
	free(path);
}

/* One transaction, taken back and carried out. */
static void files_links_and_folders_change_places(void **state)
{
	struct txn_file f[] = {
		{ NULL, true, false, hash_of(STR("a file\n")), STR(""), NULL, false, 0 },
		{ NULL, false, true, 0, STR("a file\n"), NULL, false, 0 }, /* like the one above */
		{ NULL, true, false, hash_of(STR("in a folder\n")), STR(""), NULL, false, 0 },
		{ NULL, false, true, 0, STR("a file now\n"), NULL, false, MODE_EXEC },
		{ NULL, true, true, hash_of(STR("text\n")), STR("file/new"), NULL, false,
		  MODE_LINK },
		{ NULL, true, true, hash_of(STR("text")), STR("no link\n"), NULL, true, MODE_FILE },
		{ NULL, true, true, hash_of(STR("../away")), STR("text"), NULL, true, MODE_LINK },
		{ NULL, true, true, hash_of(STR("run me\n")), STR("run me\n"), NULL, false,
		  0100750 },
	};
	static const char *const rel[] = { "file", "file/new", "dir/sub/x", "dir",
					   "text", "link",     "out",	    "tool" };
	const size_t n = sizeof(f) / sizeof(f[0]);
	char *dirs[2];

	(void)state;
	put("file", "a file\n", 0604);
	assert_int_equal(mkdir(at("dir"), 0710), 0);
	assert_int_equal(mkdir(at("dir/sub"), 0700), 0);
	put("dir/sub/x", "in a folder\n", 0644);
	put("text", "text\n", 0644);
	put("tool", "run me\n", 0640);
	assert_int_equal(symlink("text", at("link")), 0);
	assert_int_equal(symlink("../away", at("out")), 0);
	for (size_t i = 0; i < n; i++)
		f[i].path = mem_dup(at(rel[i]), strlen(at(rel[i])));
	f[1].like = f[0].path;
	dirs[0] = mem_dup(at("dir/sub"), strlen(at("dir/sub")));
	dirs[1] = mem_dup(at("dir"), strlen(at("dir")));
	run_with(f, n, (const char *const *)dirs, 2, false);
	is("file", "a file\n");
	is("dir/sub/x", "in a folder\n");
	assert_int_equal(look("dir").mode, 0710);
	assert_int_equal(look("dir/sub").mode, 0700);
	leads("link", "text");
	leads("out", "../away");
	assert_int_equal(look("tool").mode, 0640);
	names("", "dir file link out text tool ");
	run_with(f, n, (const char *const *)dirs, 2, true);
	is("file/new", "a file\n");
	assert_int_equal(look("file/new").mode, 0604);
	is("dir", "a file now\n");
	assert_int_equal(look("dir").mode, 0755);
	leads("text", "file/new");
	is("link", "no link\n");
	assert_false(look("link").link);
	leads("out", "text");
	assert_int_equal(look("tool").mode, 0750);
	names("", "dir file link out text tool ");
	names("file", "new ");
	for (size_t i = 0; i < n; i++)
		free((void *)f[i].path);
	free(dirs[0]);
	free(dirs[1]);
}

static void no_link_leads_out(void **state)
{
	struct txn_file f = { NULL, false, true, 0, STR("../out"), NULL, false, MODE_LINK };
	struct txn *t;
	struct err e;
	char *path;

	(void)state;
	f.path = path = mem_dup(at("l"), strlen(at("l")));
	t = txn_new(fs, home, root, &f, 1, NULL, 0);
	assert_false(txn_prepare(t, &e));
	assert_int_equal(e.code, ERR_DENIED);
	txn_free(t);
	names("", "");
	free(path);
}

#define T(f) cmocka_unit_test_setup_teardown(f, start, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(reads_regular_files_alone),
		T(never_replaces_unasked),
		T(tells_what_is_there),
		T(syncs_many),
		T(overwrites_in_place),
		T(copies_what_a_file_is),
		T(makes_links_and_modes),
		T(resolves_links),
		T(knows_what_lies_below),
		T(a_transaction_keeps_what_files_are),
		T(removing_a_link_spares_its_target),
		T(files_links_and_folders_change_places),
		T(no_link_leads_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
