#include <stdlib.h>

#include "../base/mem.h"
#include "patch_build.h"

/*
 * A long unified patch, read in several parts at once. What begins with "diff --git" is in no hunk,
 * whose lines have marks before them, and what comes before it has been read by then, as at the end
 * of a patch. So it is read alone as it is with the rest, where all of it can be read. Where not,
 * all is read from the beginning: an error is that of its first line.
 */
#define PART_LEAST (256u << 10)

struct reading {
	struct patch *part;
	struct str text[FS_WORKERS];
	size_t lines[FS_WORKERS];
	size_t n;
};

static void cut_up(struct reading *r, struct str text)
{
	static const char head[] = "\ndiff --git ";
	size_t most = text.n / PART_LEAST, from = 0;

	most = most < FS_WORKERS ? most : FS_WORKERS;
	for (size_t i = 1; i < most; i++) {
		size_t at = text.n / most * i;
		const char *next =
			at < from ? NULL : memmem(text.p + at, text.n - at, head, sizeof(head) - 1);

		if (!next)
			continue;
		at = (size_t)(next - text.p) + 1;
		r->text[r->n++] = str_sub(text, from, at);
		from = at;
	}
	r->text[r->n++] = str_sub(text, from, text.n);
}

static bool read_one(void *arg, unsigned worker, size_t i, struct err *e)
{
	struct reading *r = arg;
	struct patch_build b = { .p = &r->part[i], .e = e, .rest = r->text[i] };
	bool ok;

	(void)worker;
	b.p->form = PATCH_UNIFIED;
	patch_room(&b, r->text[i].n);
	ok = patch_read_unified(&b);
	r->lines[i] = b.number;
	if (ok)
		patch_point(b.p);
	return ok;
}

/* Files and hunks tell the patch's lines. */
static void number_from(struct patch *p, size_t line)
{
	for (size_t i = 0; i < p->files; i++) {
		p->file[i].at += line;
		for (size_t k = 0; k < p->file[i].hunks; k++)
			p->file[i].hunk[k].at += (uint32_t)line;
	}
}

static void join(struct patch *p, struct reading *r)
{
	size_t files = 0, line = 0;

	for (size_t i = 0; i < r->n; i++)
		files += r->part[i].files;
	p->file = mem_new(files * sizeof(*p->file));
	for (size_t i = 0; i < r->n; i++) {
		struct patch *part = &r->part[i];

		number_from(part, line);
		line += r->lines[i];
		memcpy(p->file + p->files, part->file, part->files * sizeof(*p->file));
		p->files += part->files;
	}
	p->part = r->part;
	p->parts = r->n;
}

bool patch_read_parts(struct patch *p, struct str text, const struct fs *fs)
{
	struct reading r = { 0 };

	cut_up(&r, text);
	if (r.n < 2)
		return false;
	r.part = mem_new(r.n * sizeof(*r.part));
	if (fs->each(fs->self, r.n, read_one, &r, ERR_IGNORED)) {
		join(p, &r);
		return true;
	}
	for (size_t i = 0; i < r.n; i++)
		patch_release(&r.part[i]);
	free(r.part);
	return false;
}
