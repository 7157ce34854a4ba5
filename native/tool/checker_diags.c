#include "checker_diags.h"

#include <stdlib.h>
#include <unistd.h>

#include "../base/mem.h"
#include "../base/path.h"
#include "../base/utf.h"
#include "places.h"

#define TAB 8 /* as wide as terminals, and so compilers, have it */

static char *joined(const char *dir, struct str name)
{
	struct buf path = BUF_INIT;

	path_normal(&path, dir, name);
	return buf_detach(&path);
}

/* Takes *path away where nothing is there. */
static bool tried(char **path)
{
	if (!access(*path, F_OK))
		return true;
	free(*path);
	*path = NULL;
	return false;
}

static bool find_below(const char *root, const json *directories, struct str name, char **path)
{
	*path = joined(root, name);
	if (tried(path))
		return true;
	json_each(dir, directories) {
		char *from SCOPED(mem_release) = joined(root, json_text(dir));

		*path = joined(from, name);
		if (tried(path))
			return true;
	}
	return false;
}

/* The package that the name begins with is some directory: its end is to be found below the root.
 */
static bool find_ending(const char *root, struct str name, char **path)
{
	const char *slash;

	while ((slash = memchr(name.p, '/', name.n))) {
		name = str_sub(name, (size_t)(slash - name.p) + 1, name.n);
		*path = joined(root, name);
		if (tried(path))
			return true;
	}
	return false;
}

char *checker_find(const char *root, struct str name, const json *directories)
{
	char *path;

	return find_below(root, directories, name, &path) ? path : joined(root, name);
}

char *checker_path(const char *root, const json *row, const json *directories)
{
	struct str name = json_get_str(row, "file");
	char *path;

	if (!name.n)
		return mem_dup("", 0);
	if (find_below(root, directories, name, &path) ||
	    (json_get_bool(row, "ending", false) && find_ending(root, name, &path)))
		return path;
	return joined(root, name);
}

/* The byte of a line, from 0, that is in this column of a screen, from 0. */
static uint32_t byte_of_screen(struct str line, uint32_t column)
{
	uint32_t at = 0, seen = 0;

	while (at < line.n && seen < column) {
		seen += line.p[at] == '\t' ? TAB - seen % TAB : 1;
		at += utf_at(line, at).n;
	}
	return at;
}

static uint32_t from_zero(const json *row, const char *member, uint32_t if_absent)
{
	int64_t n = json_get_int(row, member, 0);

	return n > 0 && n <= UINT32_MAX ? (uint32_t)n - 1 : if_absent;
}

static void screen_to_bytes(struct places *p, const char *path, struct pos *at)
{
	struct doc *d = *path ? places_doc(p, path) : NULL;

	if (d)
		at->col = byte_of_screen(doc_line(d, at->line + 1), at->col);
}

struct range checker_range(struct places *p, const char *path, const json *row, enum pos_enc *enc)
{
	struct str columns = json_get_str(row, "columns");
	struct range r = { .from = { from_zero(row, "line", 0), from_zero(row, "column", 0) } };

	r.to = (struct pos){ from_zero(row, "end_line", r.from.line),
			     from_zero(row, "end_column", r.from.col) };
	*enc = str_eq(columns, STR("characters")) ? POS_UTF32
	       : str_eq(columns, STR("utf-16"))	  ? POS_UTF16
						  : POS_UTF8;
	if (str_eq(columns, STR("screen"))) {
		screen_to_bytes(p, path, &r.from);
		screen_to_bytes(p, path, &r.to);
	}
	return r;
}

static enum diag_severity severity_of(const json *row)
{
	struct str s = json_get_str(row, "severity");
	int i = DIAG_ERROR;

	while (i < DIAG_HINT && !str_eq(s, str_of(diag_severity_name((enum diag_severity)i))))
		i++;
	return (enum diag_severity)i;
}

static bool checker_diags_is_known(struct checker_diags *l, const struct diag *d)
{
	struct buf key SCOPED(buf_release) = BUF_INIT;

	buf_addf(&key, "%s\n%u:%u\n%d\n%.*s", d->path, d->range.from.line, d->range.from.col,
		 (int)d->severity, STR_ARG(d->message));
	return map_put(&l->known, buf_str(&key), l) != NULL;
}

static void checker_diags_put(struct checker_diags *l, struct places *p, const char *root,
			      const char *source, const json *row, const json *directories)
{
	char *path SCOPED(mem_release) = checker_path(root, row, directories);
	struct checker_diag *c = arena_new(&l->texts, sizeof(*c));
	struct diag *d = &c->diag;

	d->path = arena_str(&l->texts, str_of(path)).p;
	d->server = "";
	d->range = checker_range(p, path, row, &d->enc);
	d->severity = severity_of(row);
	d->message = json_get_str(row, "message");
	d->code = json_get_str(row, "code");
	d->source = arena_str(&l->texts, str_of(source));
	d->order = l->n;
	d->lineless = !json_get(row, "line");
	c->row = row;
	c->directories = directories;
	if (checker_diags_is_known(l, d))
		return;
	mem_add(l->v, l->n, l->cap, c);
}

void checker_diags_add(struct checker_diags *l, struct oxide *ox, const char *root,
		       const char *source, const struct parser_found *found)
{
	struct places p SCOPED(places_release) = { 0 };

	places_init(&p, ox);
	json_each(row, found->diagnostics)
		checker_diags_put(l, &p, root, source, row, found->directories);
}

void checker_diags_release(struct checker_diags *l)
{
	map_release(&l->known);
	arena_release(&l->texts);
	free(l->v);
}
