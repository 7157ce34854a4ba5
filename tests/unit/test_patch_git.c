#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "gen.h"
#include "read_all.h"
#include "tempdir.h"
#include "text/patch.h"

/*
 * Against the real git: random texts are changed at random, `git diff` writes the patch, and both
 * apply it, to the texts that it was made for and to texts that have changed since. What both
 * accept has to come out the same. One run of git serves a few hundred files.
 */
#define FILES 300

extern char **environ;

static char dir[64];

static int git(const char *const *args, const char *out)
{
	posix_spawn_file_actions_t io;
	pid_t pid;
	int status;

	posix_spawn_file_actions_init(&io);
	posix_spawn_file_actions_addopen(&io, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&io, 1, out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	posix_spawn_file_actions_addopen(&io, 2, "/dev/null", O_WRONLY, 0);
	if (posix_spawnp(&pid, "git", &io, NULL, (char *const *)(uintptr_t)args, environ))
		return -1;
	posix_spawn_file_actions_destroy(&io);
	while (waitpid(pid, &status, 0) < 0)
		assert_int_equal(errno, EINTR);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#define GIT(out, ...) git((const char *const[]){ "git", __VA_ARGS__, NULL }, out)

static void put(const char *path, struct str text)
{
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(text.p, 1, text.n, f), text.n);
	assert_int_equal(fclose(f), 0);
}

static const char *file_name(size_t i)
{
	static char name[40];

	/* Some of the names are such as git puts in quotes, or follows with a tab. */
	snprintf(name, sizeof(name),
		 i % 50 == 7   ? "w\xc3\xa9ird \"%03zu\""
		 : i % 50 == 8 ? "with blanks %03zu"
			       : "f%03zu",
		 i);
	return name;
}

/* Few different lines, so that a hunk often fits in several places. */
static void any_line(struct gen *g, struct buf *out, const char *end)
{
	static const char *const lines[] = { "}",    "\t}",	  "",	       "a",
					     "b",    "c",	  "return 0;", "\xc3\xa9",
					     "-x",   "+x",	  " x",	       "@@ -1 +1 @@",
					     "\\ x", "trailing ", "--- a/x",   "*** x" };

	if (gen_below(g, 3))
		buf_adds(out, lines[gen_below(g, sizeof(lines) / sizeof(*lines))]);
	else
		buf_addf(out, "line %zu", gen_below(g, 1000));
	buf_adds(out, gen_below(g, 40) ? end : "\r\n");
}

/* Goes through the lines of a text, changing about one in `rate`. */
static void change(struct gen *g, struct str text, size_t rate, const char *end, struct buf *out)
{
	while (text.n) {
		const char *lf = memchr(text.p, '\n', text.n);
		size_t n = lf ? (size_t)(lf - text.p) + 1 : text.n;

		switch (gen_below(g, rate * 3)) {
		case 0:
			any_line(g, out, end);
			break;
		case 1:
			for (size_t i = gen_below(g, 4) + 1; i--;)
				any_line(g, out, end);
			buf_add(out, str_sub(text, 0, n));
			break;
		case 2:
			break;
		default:
			buf_add(out, str_sub(text, 0, n));
		}
		text = str_sub(text, n, text.n);
	}
	if (out->n && !gen_below(g, 8)) {
		if (out->p[out->n - 1] != '\n')
			buf_adds(out, end);
		else if (out->n > 1 && out->p[out->n - 2] != '\r')
			out->p[--out->n] = '\0';
	}
}

struct batch {
	struct buf old[FILES], new[FILES], drifted[FILES];
	size_t both, git_only, oxide_only, neither;
};

static void make_texts(struct gen *g, struct batch *b)
{
	for (size_t i = 0; i < FILES; i++) {
		const char *end = gen_below(g, 5) ? "\n" : "\r\n";
		struct buf first = BUF_INIT;

		if (!gen_below(g, 20))
			buf_adds(&first, "\xef\xbb\xbf");
		for (size_t n = gen_below(g, 8) ? gen_below(g, 60) : gen_below(g, 3); n--;)
			any_line(g, &first, end);
		change(g, buf_str(&first), 1000, end, &b->old[i]);
		change(g, buf_str(&b->old[i]), 3 + gen_below(g, 12), end, &b->new[i]);
		change(g, buf_str(&b->old[i]), 4 + gen_below(g, 30), end, &b->drifted[i]);
		buf_release(&first);
	}
}

static void put_all(const struct buf *texts)
{
	for (size_t i = 0; i < FILES; i++)
		put(file_name(i), buf_str(&texts[i]));
}

static bool apply(const struct patch *p, const struct patch_file *f, struct str text,
		  struct buf *out)
{
	struct edits set = EDITS_INIT;
	struct patch_failure why;
	struct edit_clash clash;
	struct err e = ERR_INIT;
	enum match how;
	bool ok = patch_locate(p, f, text, &set, &how, &why, &e);

	if (ok) {
		assert_true(edits_check(&set, text.n, &clash));
		edits_apply(&set, text, out);
	}
	candidates_release(&why.near);
	edits_release(&set);
	return ok;
}

static size_t number_of(const struct patch_file *f)
{
	for (size_t i = 0; i < FILES; i++)
		if (str_eq(f->path, str_of(file_name(i))))
			return i;
	fail_msg("a file that is none: %.*s", STR_ARG(f->path));
	return 0;
}

static void compare(const struct patch *p, struct batch *b, bool exact_must_do)
{
	for (size_t k = 0; k < p->files; k++) {
		const struct patch_file *f = &p->file[k];
		size_t i = number_of(f);
		struct buf got = BUF_INIT, want;
		char rejected[64];
		bool git_did, did = apply(p, f, buf_str(&b->old[i]), &got);

		if (exact_must_do) {
			assert_true(did);
			assert_text(buf_str(&got), buf_str(&b->new[i]));
		}
		buf_clear(&got);
		snprintf(rejected, sizeof(rejected), "%s.rej", file_name(i));
		git_did = access(rejected, F_OK) != 0;
		unlink(rejected);
		did = apply(p, f, buf_str(&b->drifted[i]), &got);
		want = read_all(file_name(i));
		assert_non_null(want.p);
		if (did && git_did) {
			if (!str_eq(buf_str(&got), buf_str(&want)))
				print_error("%s, drifted:\n%s\n", file_name(i), b->drifted[i].p);
			assert_text(buf_str(&got), buf_str(&want));
		}
		*(did	    ? git_did ? &b->both : &b->oxide_only
		  : git_did ? &b->git_only
			    : &b->neither) += 1;
		buf_release(&got);
		buf_release(&want);
	}
}

static void run_batch(struct gen *g, const char *context, struct batch *sum)
{
	struct batch *b = mem_new(sizeof(*b));
	struct buf text;
	struct patch p;
	struct err e = ERR_INIT;

	make_texts(g, b);
	put_all(b->old);
	assert_int_equal(GIT("/dev/null", "add", "-A", "."), 0);
	put_all(b->new);
	assert_int_equal(GIT(".git/patch", "diff", context), 0);
	text = read_all(".git/patch");
	assert_non_null(text.p);
	if (!patch_parse(&p, buf_str(&text), &e))
		fail_msg("%s", e.msg);
	assert_true(p.files > FILES / 2);
	put_all(b->drifted);
	GIT("/dev/null", "apply", "--reject", ".git/patch");
	compare(&p, b, strcmp(context, "-U0") != 0);
	sum->both += b->both;
	sum->git_only += b->git_only;
	sum->oxide_only += b->oxide_only;
	sum->neither += b->neither;
	for (size_t i = 0; i < FILES; i++) {
		buf_release(&b->old[i]);
		buf_release(&b->new[i]);
		buf_release(&b->drifted[i]);
	}
	free(b);
	patch_release(&p);
	buf_release(&text);
}

static void same_tree_as_git(void **state)
{
	static const char *const contexts[] = { "-U3", "-U1", "-U3", "-U2",
						"-U3", "-U0", "-U3", "-U5" };
	struct gen g = { 3 };
	struct batch *sum;

	(void)state;
	if (GIT("/dev/null", "--version"))
		skip();
	sum = mem_new(sizeof(*sum));
	for (size_t i = 0; i < sizeof(contexts) / sizeof(*contexts); i++)
		run_batch(&g, contexts[i], sum);
	print_message("# both %zu, git alone %zu, Oxide alone %zu, neither %zu\n", sum->both,
		      sum->git_only, sum->oxide_only, sum->neither);
	assert_true(sum->both > 300);
	assert_true(sum->neither > 300);
	free(sum);
}

static int start(void **state)
{
	(void)state;
	setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
	setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
	if (!make_tempdir(dir, sizeof(dir), "patch-git") || chdir(dir))
		return -1;
	GIT("/dev/null", "init", "-q");
	return 0;
}

static int stop(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return chdir("/") || system(command) ? -1 : 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(same_tree_as_git, start, stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
