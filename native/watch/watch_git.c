#include <stdlib.h>

#include "../base/mem.h"
#include "../io/job.h"
#include "../io/loop.h"
#include "watch_tree.h"

/* What git is asked. No hook and no watcher that the repository names is started. */
#define LIST_MOST ((size_t)256 << 20) /* bytes of its list; more is not believed */
#define GRACE_MS  1000

struct git_list {
	struct oxide *ox;
	struct buf names;
	bool heard;
	watch_listed *fn;
	void *arg;
};

static void git_ignore(void *self, struct str bytes)
{
	(void)self;
	(void)bytes;
}

static void git_list_names(void *self, struct str bytes)
{
	struct git_list *g = self;

	if (g->names.n <= LIST_MOST)
		buf_add(&g->names, bytes);
}

static void git_list_told(void *arg)
{
	struct git_list *g = arg;

	g->fn(g->arg, &g->names, g->heard);
	buf_release(&g->names);
	free(g);
}

static void git_list_done(void *self, int status, int signal)
{
	struct git_list *g = self;

	g->heard = !status && !signal && g->names.n <= LIST_MOST;
	git_list_told(g);
}

void watch_list_start(struct oxide *ox, const char *root, watch_listed *fn, void *arg)
{
	static const char *const argv[] = { "git",
					    "-c",
					    "core.fsmonitor=false",
					    "ls-files",
					    "-z",
					    "-t",
					    "--stage",
					    "--cached",
					    "--modified",
					    "--others",
					    "--exclude-standard",
					    NULL };
	static const struct job_events events = { git_list_names, git_ignore, git_list_done };
	struct git_list *g = mem_new(sizeof(*g));
	struct job_spec spec = { argv, root, GRACE_MS, NULL, false, NULL };
	struct job *job;

	*g = (struct git_list){ .ox = ox, .fn = fn, .arg = arg };
	job = job_start(ox->loop, &spec, &events, g, ERR_IGNORED);
	if (job)
		job_eof(job);
	else
		loop_soon(ox->loop, git_list_told, g);
}

struct git_blobs {
	struct buf got; /* of the one that comes */
	size_t at, n, most, size;
	bool head, skip; /* a header was read; it is too large */
	bool missing;
	watch_blob *fn;
	watch_blobs_end *end;
	void *arg;
};

static void git_blob_told(struct git_blobs *g, bool there, struct str text)
{
	if (g->at < g->n)
		g->fn(g->arg, g->at++, there, text);
}

/* "OBJECT blob SIZE", or "OBJECT missing". */
static bool git_blob_head(struct git_blobs *g)
{
	char *lf = g->got.n ? memchr(g->got.p, '\n', g->got.n) : NULL;
	ptrdiff_t at;
	struct str line;

	if (!lf)
		return false;
	line = (struct str){ g->got.p, (size_t)(lf - g->got.p) };
	at = str_find(line, STR(" blob "));
	g->missing = at < 0;
	g->size = at < 0 ? 0 : strtoull(line.p + at + 6, NULL, 10);
	g->skip = g->size > g->most;
	buf_drop(&g->got, line.n + 1);
	if (g->missing)
		git_blob_told(g, false, STR(""));
	g->head = !g->missing;
	return true;
}

static bool git_blob_text(struct git_blobs *g)
{
	if (g->skip && g->got.n <= g->size) {
		g->size -= g->got.n;
		buf_clear(&g->got);
		return false;
	}
	if (g->got.n <= g->size)
		return false;
	git_blob_told(g, !g->skip, str_sub(buf_str(&g->got), 0, g->skip ? 0 : g->size));
	buf_drop(&g->got, g->size + 1); /* and a line end */
	g->head = false;
	return true;
}

static void git_blobs_bytes(void *self, struct str bytes)
{
	struct git_blobs *g = self;

	buf_add(&g->got, bytes);
	while (g->head ? git_blob_text(g) : git_blob_head(g))
		;
}

static void git_blobs_over(void *arg)
{
	struct git_blobs *g = arg;

	while (g->at < g->n)
		git_blob_told(g, false, STR(""));
	g->end(g->arg);
	buf_release(&g->got);
	free(g);
}

static void git_blobs_done(void *self, int status, int signal)
{
	(void)status;
	(void)signal;
	git_blobs_over(self);
}

void watch_blobs_read(struct oxide *ox, const char *root, const char *const *name, size_t n,
		      size_t most, watch_blob *fn, watch_blobs_end *end, void *arg)
{
	static const char *const argv[] = { "git", "cat-file", "--batch", NULL };
	static const struct job_events events = { git_blobs_bytes, git_ignore, git_blobs_done };
	struct git_blobs *g = mem_new(sizeof(*g));
	static const char *const env[] = { "GIT_NO_LAZY_FETCH=1",
					   NULL }; /* none over the network */
	struct job_spec spec = { argv, root, GRACE_MS, env, false, NULL };
	struct buf wanted SCOPED(buf_release) = BUF_INIT;
	struct job *job = NULL;

	*g = (struct git_blobs){ .n = n, .most = most, .fn = fn, .end = end, .arg = arg };
	for (size_t i = 0; i < n; i++)
		buf_addf(&wanted, "%s\n", name[i]);
	if (n)
		job = job_start(ox->loop, &spec, &events, g, ERR_IGNORED);
	if (job) {
		job_write(job, &wanted);
		job_eof(job);
	} else {
		loop_soon(ox->loop, git_blobs_over, g);
	}
}
