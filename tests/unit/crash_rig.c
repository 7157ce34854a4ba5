#include "crash_rig.h"

#include "by_edits.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <base/hash.h>
#include <base/mem.h>
#include <base/path.h>
#include <edit/txn.h>
#include <io/disk.h>

static char base[] = "/tmp/oxide-kill-XXXXXX";
static const char *self;
unsigned rig_more;
struct buf rig_old, rig_new;

const char *at(const char *rel)
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
		{ "a", true, true, hash("text of a\n"), STR("b, longer\n"), .like = "b" },
		{ "b", true, true, hash("b, longer\n"), STR("text of a\n"), .like = "a" },
		{ "mod", true, true, hash("old\n"), .now = STR("new and longer\n") },
		{ "from", true, false, hash("moves\n"), .now = STR("") },
		{ "to", false, true, 0, STR("moves\n"), .like = "from" },
		{ "x/y/n", false, true, 0, .now = STR("new\n") },
		{ "d/gone", true, false, hash("gone\n"), .now = STR("") },
		{ "hard", true, true, hash("both names\n"), .now = STR("changed, longer\n") },
		{ "file", true, false, hash("makes room\n"), .now = STR("") },
		{ "file/in", false, true, 0, STR("makes room\n"), .like = "file" },
		{ "dir/x", true, false, hash("in the way\n"), .now = STR("") },
		{ "dir", false, true, 0, .now = STR("a file\n"), .mode = MODE_EXEC },
		{ "link", true, true, hash("mod"), .now = STR("hard"), .was_link = true,
		  .mode = MODE_LINK },
		{ "was", true, true, hash("mod"), .now = STR("no link\n"), .was_link = true,
		  .mode = MODE_FILE },
		{ "tool", true, true, hash("run me\n"), .now = STR("run me\n"), .mode = 0100750 },
	};

	for (size_t i = 0; i < 15; i++) {
		v[i] = all[i];
		v[i].path = path_join(root, all[i].path);
		v[i].like = all[i].like ? path_join(root, all[i].like) : NULL;
	}
	tell_by_edits(&v[2], "old\n", true);
	tell_by_edits(&v[7], "both names\n", false);
	for (size_t i = 0; i < 2; i++)
		gone[i] = path_join(root, dirs[i]);
	return txn_new(disk_fs(), home, root, v, 15, gone, 2);
}

int tell(const struct err *e, int status)
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

int rig_main(int argc, char **argv, rig_worker *other, int (*all)(void))
{
	char *path = realpath(argv[0], NULL);
	int status;

	self = path;
	if (argc < 4 || strcmp(argv[1], "work") != 0) {
		status = all();
		free(path);
		return status;
	}
	argv += 2;
	umask(077); /* marks the beginning in strace's output, and the end */
	umask(022);
	if (!strcmp(argv[0], "recover"))
		status = recover(argv[1]);
	else if (other)
		status = other(argv);
	else
		status = change(argv[1], argv[2], !strcmp(argv[0], "back"));
	umask(077);
	_exit(status);
}

/* ---- what watches it ---- */

int run(const char *what, const char *home, const char *ws)
{
	return sh("%s work %s %s %s 2>%s", self, what, home, ws, at("said"));
}

void put(const char *path, const char *text)
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

bool is(const char *ws, const struct buf *want)
{
	struct buf now = BUF_INIT;
	bool same;

	digest(at(ws), true, &now);
	same = !strcmp(now.p, want->p);
	buf_release(&now);
	return same;
}

void fresh(void)
{
	assert_int_equal(sh("cd %s && rm -rf ws home && cp -a 0/ws 0/home .", base), 0);
}

/* Nothing of a change: a file kept, or a temporary that is not blank. */
static int has_no_leavings(const char *path, const struct stat *st, int type, struct FTW *at_depth)
{
	FILE *f;
	int c;

	(void)st;
	if (!strncmp(path + at_depth->base, "kept-", 5))
		return 1;
	if (type != FTW_F || !strstr(path, ".pool/"))
		return 0;
	f = fopen(path, "r");
	assert_non_null(f);
	while ((c = getc(f)) == 0)
		;
	fclose(f);
	return c != EOF;
}

void home_is_clean(const char *when)
{
	if (nftw(at("home"), has_no_leavings, 16, FTW_PHYS))
		fail_msg("%s: something is left in the state folder", when);
}

void must_be_whole(const char *when, bool may_be_old, bool may_be_new)
{
	if (run("recover", at("home"), ""))
		fail_msg("%s: recovery leaves something alone", when);
	if (!(may_be_old && is("ws", &rig_old)) && !(may_be_new && is("ws", &rig_new))) {
		struct buf now = BUF_INIT;

		digest(at("ws"), true, &now);
		fail_msg("%s: neither old nor new:\n%s", when, now.p);
	}
	home_is_clean(when);
}

#define CALLS                                                                                      \
	"openat,openat2,write,pwrite64,pwritev,close,fsync,fdatasync,renameat2,renameat,"          \
	"unlinkat,mkdirat,linkat,symlinkat,fchmod,ftruncate,fallocate,fchown,fcntl"

size_t calls_of(const char *what, struct call *v, size_t room)
{
	char line[4096];
	size_t n = 0;
	int marks = 0;
	FILE *f;

	sh("strace -f --seccomp-bpf -qq -o %s -e trace=umask," CALLS
	   " %s work %s %s %s 2>/dev/null",
	   at("trace"), self, what, at("home"), at("ws"));
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

int inject(const char *what, const struct call *c, unsigned first, unsigned last, const char *fault)
{
	return sh(
		"strace -f --seccomp-bpf -qq -o /dev/null -e trace=%s -e inject=%s:%s:when=%u..%u "
		"%s work %s %s %s 2>%s",
		c->name, c->name, fault, first, last, self, what, at("home"), at("ws"), at("said"));
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
		if (!is("ws", &rig_old)) {
			struct buf now = BUF_INIT;

			digest(at("ws"), true, &now);
			fail_msg("%s: said to be rolled back, and is not:\n%s", when, now.p);
		}
		must_be_whole(when, true, false);
		break;
	case NOT_ROLLED_BACK:
		must_be_whole(when, true, true);
		break;
	default:
		fail_msg("%s: %s ends with %d", when, what, status);
	}
}

bool have_strace(void)
{
	if (!sh("strace -qq -o /dev/null -e inject=umask:error=EIO:when=1 true 2>/dev/null"))
		return true;
	print_message("# strace cannot be used here\n");
	skip();
	return false;
}

void sweep(const char *what, const char *only, const char *fault, unsigned times, unsigned stride)
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

			if ((only && strcmp(v[i].name, only) != 0) ||
			    turn++ % (rig_more ? 1 : stride))
				continue;
			snprintf(label, sizeof(label), "%s, %.31s %u: %u %s", what, v[i].name, when,
				 times, fault);
			fresh();
			judge(label, what, fault,
			      inject(what, &v[i], when, when + times - 1, fault));
		}
	assert_true(turn > 0);
}

int rig_start(void **state)
{
	const char *wish = getenv("OXIDE_CRASH_MORE"), *asan = getenv("ASAN_OPTIONS");
	char options[1024];

	(void)state;
	rig_more = wish ? (unsigned)strtoul(wish, NULL, 10) : 0;
	/* strace and the leak checker cannot both watch a process. */
	snprintf(options, sizeof(options), "detect_leaks=0:%s", asan ? asan : "");
	setenv("ASAN_OPTIONS", options, 1);
	umask(022);
	if (!mkdtemp(base))
		return 1;
	/* Twice, so that there are temporaries to use again. */
	fill("ws");
	digest(at("ws"), true, &rig_old);
	mkdir(at("home"), 0700);
	if (run("change", at("home"), at("ws")))
		return 1;
	digest(at("ws"), true, &rig_new);
	sh("cd %s && rm -rf ws && mkdir 0 && mv home 0/home", base);
	fill("0/ws");
	return 0;
}

int rig_end(void **state)
{
	(void)state;
	buf_release(&rig_old);
	buf_release(&rig_new);
	return sh("umount %s 2>/dev/null; rm -rf %s", at("disk"), base);
}
