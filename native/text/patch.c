#include "patch.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "patch_build.h"

static bool patch_take_line(struct str *rest, struct str *line, bool *cr)
{
	const char *lf;

	if (!rest->n)
		return false;
	lf = memchr(rest->p, '\n', rest->n);
	*line = str_sub(*rest, 0, lf ? (size_t)(lf - rest->p) : rest->n);
	*rest = str_sub(*rest, line->n + (lf ? 1 : 0), rest->n);
	*cr = line->n && line->p[line->n - 1] == '\r';
	line->n -= *cr;
	return true;
}

bool patch_next(struct patch_build *b)
{
	if (!patch_take_line(&b->rest, &b->line, &b->cr))
		return false;
	b->number++;
	return true;
}

struct str patch_peek(const struct patch_build *b, size_t ahead)
{
	struct str rest = b->rest, line = STR("");
	bool cr;

	for (size_t i = 0; i <= ahead; i++)
		if (!patch_take_line(&rest, &line, &cr))
			return STR("");
	return line;
}

bool patch_more(const struct patch_build *b)
{
	return b->rest.n > 0;
}

bool patch_bad(struct patch_build *b, enum err_code code, const char *fmt, ...)
{
	struct buf text SCOPED(buf_release) = BUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	buf_addv(&text, fmt, ap);
	va_end(ap);
	return err_set(b->e, code, "line %zu of the patch: %s", b->number, text.p);
}

struct patch_file *patch_add_file(struct patch_build *b, enum patch_kind kind, struct str path)
{
	struct patch *p = b->p;

	p->file = mem_grow(p->file, &b->file_cap, p->files + 1, sizeof(*p->file));
	p->file[p->files] = (struct patch_file){ .kind = kind, .path = path, .at = b->number };
	return &p->file[p->files++];
}

struct patch_hunk *patch_add_hunk(struct patch_build *b)
{
	struct patch *p = b->p;

	p->hunk = mem_grow(p->hunk, &b->hunk_cap, b->hunks + 1, sizeof(*p->hunk));
	p->hunk[b->hunks] = (struct patch_hunk){ .at = (uint32_t)b->number };
	p->file[p->files - 1].hunks++;
	return &p->hunk[b->hunks++];
}

struct patch_line *patch_add_line(struct patch_build *b, char mark, struct str text)
{
	struct patch *p = b->p;

	p->line = mem_grow(p->line, &b->line_cap, b->lines + 1, sizeof(*p->line));
	p->line[b->lines] = (struct patch_line){ text.p, (uint32_t)text.n, .mark = mark };
	p->hunk[b->hunks - 1].lines++;
	return &p->line[b->lines++];
}

bool patch_add_anchor(struct patch_build *b, struct str text)
{
	struct patch *p = b->p;

	if (p->hunk[b->hunks - 1].anchors == PATCH_ANCHORS)
		return false;
	mem_add(p->anchor, b->anchors, b->anchor_cap, text);
	p->hunk[b->hunks - 1].anchors++;
	return true;
}

bool patch_path(struct patch_build *b, struct str path)
{
	if (!path.n)
		return patch_bad(b, ERR_INVALID, "the file name is missing");
	if (memchr(path.p, '\0', path.n))
		return patch_bad(b, ERR_INVALID, "a file name cannot contain a NUL byte");
	return true;
}

void patch_point(struct patch *p)
{
	struct patch_hunk *hunk = p->hunk;
	struct patch_line *line = p->line;
	struct str *anchor = p->anchor;

	for (size_t i = 0; i < p->files; i++) {
		struct patch_file *f = &p->file[i];

		f->hunk = hunk;
		for (size_t k = 0; k < f->hunks; k++, hunk++) {
			hunk->line = line;
			hunk->anchor = anchor;
			if (hunk->lines)
				line += hunk->lines;
			if (hunk->anchors)
				anchor += hunk->anchors;
		}
	}
}

static bool is_v4a(struct str text)
{
	struct str line;

	while (str_line(&text, &line)) {
		line = str_trim(line);
		if (str_eq(line, STR("*** Begin Patch")))
			return true;
		if (str_starts(line, STR("*** Add File:")) ||
		    str_starts(line, STR("*** Update File:")) ||
		    str_starts(line, STR("*** Delete File:")))
			return true;
		if (str_starts(line, STR("--- ")) || str_starts(line, STR("diff ")))
			return false;
	}
	return false;
}

/* The first line that is not blank. */
static struct str first_line(struct str text)
{
	struct str line = STR("");

	while (!str_trim(line).n && str_line(&text, &line))
		;
	return line;
}

static enum patch_form form_of(struct str text, bool bare)
{
	struct str line = first_line(text);

	if (!bare)
		return is_v4a(text) ? PATCH_V4A : PATCH_UNIFIED;
	return str_skip(&line, STR("@@ -")) && line.n && line.p[0] >= '0' && line.p[0] <= '9'
		       ? PATCH_UNIFIED
		       : PATCH_V4A;
}

/* What the lines of a patch have at least, more or less: a table of them is made in one go then. */
#define LINE_BYTES 32

void patch_room(struct patch_build *b, size_t bytes)
{
	b->p->line = mem_grow(NULL, &b->line_cap, bytes / LINE_BYTES + 1, sizeof(*b->p->line));
}

static bool read_whole(struct patch_build *b)
{
	bool ok;

	patch_room(b, b->rest.n);
	ok = b->p->form == PATCH_V4A ? patch_read_v4a(b) : patch_read_unified(b);
	if (ok)
		patch_point(b->p);
	else
		patch_release(b->p);
	return ok;
}

static bool parse(struct patch *p, struct str text, bool of_one, const struct fs *fs, struct err *e)
{
	struct patch_build b = { .p = p, .e = e, .rest = text };

	*p = (struct patch){ 0 };
	str_skip(&b.rest, STR("\xef\xbb\xbf"));
	if (!str_trim(text).n)
		return err_set(e, ERR_INVALID, "the patch is empty");
	if (text.n > UINT32_MAX)
		return err_set(e, ERR_LIMIT, "the patch is longer than 4 GiB");
	b.bare = of_one && str_starts(first_line(b.rest), STR("@@"));
	p->form = form_of(b.rest, b.bare);
	return (fs && p->form == PATCH_UNIFIED && patch_read_parts(p, b.rest, fs)) ||
	       read_whole(&b);
}

bool patch_parse(struct patch *p, struct str text, struct err *e)
{
	return parse(p, text, false, NULL, e);
}

bool patch_parse_shared(struct patch *p, struct str text, const struct fs *fs, struct err *e)
{
	return parse(p, text, false, fs, e);
}

bool patch_parse_of_one(struct patch *p, struct str text, struct err *e)
{
	return parse(p, text, true, NULL, e);
}

void patch_release(struct patch *p)
{
	free(p->file);
	free(p->hunk);
	free(p->line);
	free(p->anchor);
	arena_release(&p->names);
	for (size_t i = 0; i < p->parts; i++)
		patch_release(&p->part[i]);
	free(p->part);
	*p = (struct patch){ 0 };
}

void patch_side(const struct patch_file *f, char without, struct buf *out)
{
	for (size_t i = 0; i < f->hunks; i++)
		for (size_t k = 0; k < f->hunk[i].lines; k++) {
			const struct patch_line *l = &f->hunk[i].line[k];

			if (l->mark == without)
				continue;
			buf_add(out, patch_text(l));
			if (l->cr)
				buf_addc(out, '\r');
			if (!l->no_newline)
				buf_addc(out, '\n');
		}
}
