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
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/mount.h>
#endif

#include <base/hash.h>
#include <base/mem.h>
#include <base/path.h>
#include <edit/txn.h>
#include <io/disk.h>

#include "shell.h"

/*
 * The transaction on a real disk, in a process of its own that strace kills, or makes fail, at each
 * call of the system that changes anything; the same for recovery; two processes at once; a disk
 * that is full. What a machine that stops may lose is test_crash.c's.
 *
 *     OXIDE_CRASH_MORE=n    every call instead of some, and n times as many rounds of two at once
 */

enum { DONE, ROLLED_BACK, NOT_ROLLED_BACK, NOT_SEALED, RECOVERED = 0, LEFT_ALONE = 4 };

static char base[] = "/tmp/oxide-kill-XXXXXX";
static const char *self;
static unsigned more;

static const char *at(const char *rel)
{
	static char v[8][4096];
	static unsigned i;
	char *p = v[i++ % 8];

	snprintf(p, sizeof(v[0]), "%s/%s", base, rel);
	return p;
}

/* ---- what runs under strace ---- */

static const char *const dirs[] = { "d", "dir" };

static uint64_t hash(const char *s)
{
	return hash_of(str_of(s));
}

static struct txn *open_txn(const char *home, const char *root)
{
	static struct txn_file v[15];
	static const char *gone[2];
	const struct txn_file all[] = {
		{ "a", true, true, hash("text of a\n"), STR("b, longer\n"), "b", false, 0 },
		{ "b", true, true, hash("b, longer\n"), STR("text of a\n"), "a", false, 0 },
		{ "mod", true, true, hash("old\n"), STR("new and longer\n"), NULL, false, 0 },
		{ "from", true, false, hash("moves\n"), STR(""), NULL, false, 0 },
		{ "to", false, true, 0, STR("moves\n"), "from", false, 0 },
		{ "x/y/n", false, true, 0, STR("new\n"), NULL, false, 0 },
		{ "d/gone", true, false, hash("gone\n"), STR(""), NULL, false, 0 },
		{ "hard", true, true, hash("both names\n"), STR("changed, longer\n"), NULL, false,
		  0 },
		{ "file", true, false, hash("makes room\n"), STR(""), NULL, false, 0 },
		{ "file/in", false, true, 0, STR("makes room\n"), "file", false, 0 },
		{ "dir/x", true, false, hash("in the way\n"), STR(""), NULL, false, 0 },
		{ "dir", false, true, 0, STR("a file\n"), NULL, false, MODE_EXEC },
		{ "link", true, true, hash("mod"), STR("hard"), NULL, true, MODE_LINK },
		{ "was", true, true, hash("mod"), STR("no link\n"), NULL, true, MODE_FILE },
		{ "tool", true, true, hash("run me\n"), STR("run me\n"), NULL, false, 0100750 },
	};

	for (size_t i = 0; i < 15; i++) {
		v[i] = all[i];
		v[i].path = path_join(root, all[i].path);
		v[i].like = all[i].like ? path_join(root, all[i].like) : NULL;
	}
	for (size_t i = 0; i < 2; i++)
		gone[i] = path_join(root, dirs[i]);
	return txn_new(disk_fs(), home, root, v, 15, gone, 2);
}

static int tell(const struct err *e, int status)
{
	fprintf(stderr, "%s: %s\n", err_name(e->code), e->msg);
	return status;
}

static int change(const char *home, const char *root, bool take_back)
{
	struct txn *t = open_txn(home, root);
	struct err e = ERR_INIT, why = ERR_INIT;
	int status = DONE;

	if (!txn_prepare(t, &e))
		status = tell(&e, ROLLED_BACK);
	else if (!txn_commit(t, &e) || take_back)
		status = txn_abort(t, &why) ? tell(&e, ROLLED_BACK) : tell(&why, NOT_ROLLED_BACK);
	else if (!txn_seal(t, &e))
		status = tell(&e, NOT_SEALED);
	txn_free(t);
	return status;
}

static int recover(const char *home)
{
	struct recover_report r = { 0 };
	int status = RECOVERED;

	recover_all(disk_fs(), home, true, NULL, &r);
	for (size_t i = 0; i < r.notes; i++)
		if (r.note[i].is == RECOVER_LEFT) {
			fprintf(stderr, "%s: %s\n", r.note[i].what, r.note[i].why);
			status = LEFT_ALONE;
		}
	recover_report_release(&r);
	return status;
}

/* Adds 1 to a number that two processes share, and to its own, `rounds` times. */
static int count(const char *home, const char *root, const char *own, long rounds)
{
	char *path[2] = { path_join(root, "shared"), path_join(root, own) };

	while (rounds) {
		struct buf text[2] = { BUF_INIT, BUF_INIT }, now[2] = { BUF_INIT, BUF_INIT };
		struct txn_file f[2];
		struct err e = ERR_INIT;
		struct txn *t;
		bool ok = true;

		for (int i = 0; i < 2; i++) {
			ok = ok && disk_fs()->read(NULL, path[i], &text[i], &e);
			buf_addf(&now[i], "%ld\n",
				 strtol(text[i].p ? text[i].p : "", NULL, 10) + 1);
			f[i] = (struct txn_file){ .path = path[i],
						  .existed = true,
						  .exists = true,
						  .was_hash = hash_of(buf_str(&text[i])),
						  .now = buf_str(&now[i]) };
		}
		t = txn_new(disk_fs(), home, root, f, 2, NULL, 0);
		ok = ok && txn_prepare(t, &e) &&
		     ((txn_commit(t, &e) && txn_seal(t, &e)) || (txn_abort(t, &e) && false));
		rounds -= ok;
		if (!ok && e.code != ERR_STALE && e.code != ERR_NOT_FOUND)
			return tell(&e, ROLLED_BACK);
		txn_free(t);
		for (int i = 0; i < 2; i++) {
			buf_release(&text[i]);
			buf_release(&now[i]);
		}
	}
	return DONE;
}

static int work(char **argv)
{
	int status;

	umask(077); /* marks the beginning in strace's output, and the end */
	umask(022);
	if (!strcmp(argv[0], "recover"))
		status = recover(argv[1]);
	else if (!strcmp(argv[0], "count"))
		status = count(argv[1], argv[2], argv[3], strtol(argv[4], NULL, 10));
	else
		status = change(argv[1], argv[2], !strcmp(argv[0], "back"));
	umask(077);
	_exit(status);
}

/* ---- what watches it ---- */

static void put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static const char *in(const char *ws, const char *rel)
{
	char path[1024];

	snprintf(path, sizeof(path), "%s/%s", ws, rel);
	return at(path);
}

static void fill(const char *ws)
{
	static const char *const texts[][2] = {
		{ "a", "text of a\n" },	    { "b", "b, longer\n" },	{ "mod", "old\n" },
		{ "from", "moves\n" },	    { "d/gone", "gone\n" },	{ "hard", "both names\n" },
		{ "other", "untouched\n" }, { "file", "makes room\n" }, { "dir/x", "in the way\n" },
		{ "tool", "run me\n" }
	};

	assert_int_equal(mkdir(at(ws), 0755), 0);
	assert_int_equal(mkdir(in(ws, "d"), 0755), 0);
	assert_int_equal(mkdir(in(ws, "dir"), 0755), 0);
	assert_int_equal(symlink("mod", in(ws, "link")), 0);
	assert_int_equal(symlink("mod", in(ws, "was")), 0);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		put(in(ws, texts[i][0]), texts[i][1]);
	assert_int_equal(chmod(in(ws, "b"), 0755), 0);
	assert_int_equal(chmod(in(ws, "from"), 0751), 0);
	assert_int_equal(link(in(ws, "hard"), in(ws, "second")), 0);
}

static struct buf old, new;

static bool is(const char *ws, const struct buf *want)
{
	struct buf now = BUF_INIT;
	bool same;

	digest(at(ws), true, &now);
	same = !strcmp(now.p, want->p);
	buf_release(&now);
	return same;
}

static void fresh(void)
{
	assert_int_equal(sh("rm -rf %s %s", at("ws"), at("home")), 0);
	assert_int_equal(sh("cp -a %s %s && cp -a %s %s", at("ws.0"), at("ws"), at("home.0"),
			    at("home")),
			 0);
}

/* Nothing but empty journals and temporaries. */
static void home_is_clean(const char *when)
{
	if (sh("cd %s && ! find . -name 'kept-*' -o -path '*.pool/*' -size +0 | grep -q .",
	       at("home")))
		fail_msg("%s: something is left in the state folder", when);
}

static void must_be_whole(const char *when, bool may_be_old, bool may_be_new)
{
	if (sh("%s work recover %s 2>%s", self, at("home"), at("said")))
		fail_msg("%s: recovery leaves something alone", when);
	if (!(may_be_old && is("ws", &old)) && !(may_be_new && is("ws", &new))) {
		struct buf now = BUF_INIT;

		digest(at("ws"), true, &now);
		fail_msg("%s: neither old nor new:\n%s", when, now.p);
	}
	home_is_clean(when);
}

#define CALLS                                                                                      \
	"openat,write,pwrite64,pwritev,close,fsync,fdatasync,renameat2,rename,unlink,mkdir,rmdir," \
	"fchmod,symlink,ftruncate,fallocate,link,fchown,fcntl,utimensat"

struct call {
	char name[32];
	unsigned first, last; /* counted from 1, between the marks */
};

/* Runs it once and counts. */
static size_t calls_of(const char *what, struct call *v, size_t room)
{
	char line[4096];
	size_t n = 0;
	int marks = 0;
	FILE *f;

	sh("strace -f -qq -o %s -e trace=umask," CALLS " %s work %s %s %s 2>/dev/null", at("trace"),
	   self, what, at("home"), at("ws"));
	f = fopen(at("trace"), "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		char name[32];
		size_t i;

		if (sscanf(line, "%*d %31[a-z0-9_](", name) != 1)
			continue;
		if (!strcmp(name, "umask")) {
			marks++;
			continue;
		}
		for (i = 0; i < n && strcmp(v[i].name, name) != 0; i++)
			;
		if (i == n && n < room) {
			strcpy(v[n].name, name);
			v[n].first = v[n].last = 0;
			n++;
		}
		if (i < n && marks < 3) {
			v[i].last++;
			if (marks < 2)
				v[i].first++;
		}
	}
	fclose(f);
	return n;
}

static int inject(const char *what, const struct call *c, unsigned when, const char *fault)
{
	return sh("strace -f -qq -o /dev/null -e trace=%s -e inject=%s:%s:when=%u %s work %s %s %s "
		  "2>%s",
		  c->name, c->name, fault, when, self, what, at("home"), at("ws"), at("said"));
}

static void judge(const char *when, const char *what, const char *fault, int status)
{
	if (strstr(fault, "KILL")) {
		must_be_whole(when, true, true);
		return;
	}
	switch (status) {
	case DONE:
	case NOT_SEALED:
		must_be_whole(when, false, true);
		break;
	case ROLLED_BACK: /* at once, without recovery */
		if (!is("ws", &old))
			fail_msg("%s: said to be rolled back, and is not", when);
		must_be_whole(when, true, false);
		break;
	case NOT_ROLLED_BACK:
		must_be_whole(when, true, true);
		break;
	default:
		fail_msg("%s: %s ends with %d", when, what, status);
	}
}

static bool have_strace(void)
{
	if (!sh("strace -qq -o /dev/null -e inject=umask:error=EIO:when=1 true 2>/dev/null"))
		return true;
	print_message("# strace cannot be used here\n");
	skip();
	return false;
}

static void sweep(const char *what, const char *fault, unsigned stride)
{
	struct call v[32];
	size_t n;
	unsigned turn = 0;

	if (!have_strace())
		return;
	fresh();
	n = calls_of(what, v, 32);
	assert_true(n > 5);
	for (size_t i = 0; i < n; i++)
		for (unsigned when = v[i].first + 1; when <= v[i].last; when++) {
			char label[200];

			if (turn++ % (more ? 1 : stride))
				continue;
			snprintf(label, sizeof(label), "%s, %.31s %u: %s", what, v[i].name, when,
				 fault);
			fresh();
			judge(label, what, fault, inject(what, &v[i], when, fault));
		}
}

static void killed_at_each_call(void **state)
{
	(void)state;
	sweep("change", "signal=SIGKILL", 2);
}

static void killed_while_taking_back(void **state)
{
	(void)state;
	sweep("back", "signal=SIGKILL", 4);
}

static void no_space(void **state)
{
	(void)state;
	sweep("change", "error=ENOSPC", 5);
	sweep("change", "error=EDQUOT", 11);
}

static void broken_disk(void **state)
{
	(void)state;
	sweep("change", "error=EIO", 5);
}

static void interrupted(void **state)
{
	(void)state;
	sweep("change", "error=EINTR", 11);
}

/* A change that was killed in its middle, and its recovery killed in turn. */
static void recovery_is_killed(void **state)
{
	static const char *const faults[] = { "signal=SIGKILL", "error=EIO" };
	struct call cut = { "renameat2", 0, 0 }, v[32];
	unsigned turn = 0;
	size_t n;

	(void)state;
	if (!have_strace())
		return;
	for (unsigned where = 1; where <= (more ? 6 : 3); where++) {
		fresh();
		inject("change", &cut, where, "signal=SIGKILL");
		sh("rm -rf %s %s; cp -a %s %s; cp -a %s %s", at("ws.1"), at("home.1"), at("ws"),
		   at("ws.1"), at("home"), at("home.1"));
		n = calls_of("recover", v, 32);
		for (size_t i = 0; i < n; i++)
			for (unsigned when = v[i].first + 1; when <= v[i].last; when++)
				for (int f = 0; f < 2; f++) {
					char label[200];

					if (turn++ % (more ? 1 : 17))
						continue;
					snprintf(label, sizeof(label), "recovery, %.31s %u: %s",
						 v[i].name, when, faults[f]);
					sh("rm -rf %s %s; cp -a %s %s; cp -a %s %s", at("ws"),
					   at("home"), at("ws.1"), at("ws"), at("home.1"),
					   at("home"));
					inject("recover", &v[i], when, faults[f]);
					must_be_whole(label, true, true);
				}
	}
}

static void two_at_once(void **state)
{
	unsigned rounds = more ? 1000 * more : 200;
	char want[64];
	struct buf b = BUF_INIT;
	struct err e;

	(void)state;
	fresh();
	put(at("ws/shared"), "0\n");
	put(at("ws/own1"), "0\n");
	put(at("ws/own2"), "0\n");
	assert_int_equal(sh("timeout 300 %s work count %s %s own1 %u & one=$!;"
			    "timeout 300 %s work count %s %s own2 %u; two=$?;"
			    "wait $one && exit $two",
			    self, at("home"), at("ws"), rounds, self, at("home"), at("ws"), rounds),
			 0);
	snprintf(want, sizeof(want), "%u\n", 2 * rounds);
	assert_true(disk_fs()->read(NULL, at("ws/shared"), &b, &e));
	assert_string_equal(b.p, want);
	buf_clear(&b);
	snprintf(want, sizeof(want), "%u\n", rounds);
	assert_true(disk_fs()->read(NULL, at("ws/own2"), &b, &e));
	assert_string_equal(b.p, want);
	buf_release(&b);
	home_is_clean("two at once");
}

/* Somebody who has the old file open keeps seeing the old text, and writes to nobody else's. */
static void an_open_file_is_not_used_again(void **state)
{
	char text[64] = "";
	int fd;

	(void)state;
	fresh();
	fd = open(at("ws/mod"), O_RDWR);
	assert_true(fd >= 0);
	assert_int_equal(sh("%s work change %s %s", self, at("home"), at("ws")), DONE);
	assert_int_equal(pread(fd, text, sizeof(text) - 1, 0), 4);
	assert_string_equal(text, "old\n");
	assert_int_equal(pwrite(fd, "stray", 5, 0), 5);
	assert_true(is("ws", &new));
	home_is_clean("an open file");
	close(fd);
}

static void is_full(const char *what, const char *home)
{
	int status = sh("%s work change %s %s 2>%s", self, home, at("disk/ws"), at("said"));
	struct buf said = BUF_INIT, now = BUF_INIT;
	struct err e;

	assert_true(disk_fs()->read(NULL, at("said"), &said, &e));
	if (status != ROLLED_BACK || !strstr(said.p, "limit: "))
		fail_msg("%s: %d, %s", what, status, said.p);
	digest(at("disk/ws"), true, &now);
	assert_string_equal(now.p, old.p);
	buf_release(&said);
	buf_release(&now);
}

static void a_disk_fills_up(void **state)
{
	(void)state;
#ifdef __linux__
	fresh();
	assert_int_equal(mkdir(at("disk"), 0700), 0);
	if (mount("none", at("disk"), "tmpfs", 0, "size=128k")) {
		print_message("# no file system can be mounted here: %s\n", strerror(errno));
		skip();
	}
	sh("cp -a %s %s; mkdir -m 700 %s; cat /dev/zero >%s 2>/dev/null", at("ws.0"), at("disk/ws"),
	   at("disk/home"), at("disk/zeros"));
	is_full("the files' disk", at("home"));
	is_full("the journal's disk", at("disk/home"));
	assert_int_equal(umount(at("disk")), 0);
	home_is_clean("full");
#else
	skip();
#endif
}

static int start(void **state)
{
	const char *wish = getenv("OXIDE_CRASH_MORE");

	(void)state;
	more = wish ? (unsigned)strtoul(wish, NULL, 10) : 0;
	/* strace and the leak checker cannot both watch a process. */
	setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
	umask(022);
	if (!mkdtemp(base))
		return 1;
	/* Twice, so that there are temporaries to use again. */
	fill("ws");
	digest(at("ws"), true, &old);
	mkdir(at("home"), 0700);
	if (sh("%s work change %s %s", self, at("home"), at("ws")))
		return 1;
	digest(at("ws"), true, &new);
	sh("rm -rf %s; mv %s %s", at("ws"), at("home"), at("home.0"));
	fill("ws.0");
	return 0;
}

static int end(void **state)
{
	(void)state;
	buf_release(&old);
	buf_release(&new);
	return sh("umount %s 2>/dev/null; rm -rf %s", at("disk"), base);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(killed_at_each_call),
		cmocka_unit_test(killed_while_taking_back),
		cmocka_unit_test(no_space),
		cmocka_unit_test(broken_disk),
		cmocka_unit_test(interrupted),
		cmocka_unit_test(recovery_is_killed),
		cmocka_unit_test(two_at_once),
		cmocka_unit_test(an_open_file_is_not_used_again),
		cmocka_unit_test(a_disk_fills_up),
	};
	char *path = realpath(argv[0], NULL);
	int failed;

	self = path;
	if (argc > 3 && !strcmp(argv[1], "work"))
		return work(argv + 2);
	failed = cmocka_run_group_tests(tests, start, end);
	free(path);
	return failed;
}
