#include "symbol_sites.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "../base/mem.h"
#include "../core/workspace.h"
#include "../lsp/scan.h"
#include "target.h"

/* Of a file with several names, none of which the editor has open, the one by which it is known
 * already, or from now on; NULL: it has one name. What is added to it changes all of them. */
static struct site_file *by_number(struct symbol_sites *s, const char *path, struct site_file *f)
{
	const struct fs *fs = workspace_fs();
	struct fs_stat st;
	char key[64];
	int n;

	if (workspace_buffer_at(s->ox->workspace, path) ||
	    !fs->stat(fs->self, path, &st, ERR_IGNORED) || st.links < 2 || !st.ino)
		return NULL;
	n = snprintf(key, sizeof(key), "%" PRIu64 ":%" PRIu64, st.dev, st.ino);
	if (f)
		map_put(&s->known, (struct str){ key, (size_t)n }, f);
	return map_get(&s->known, (struct str){ key, (size_t)n });
}

struct site_file *symbol_sites_open(struct symbol_sites *s, struct str path, struct err *e)
{
	const struct plan_source *src = workspace_source(s->ox->workspace, s->ox->root);
	struct site_file *f = map_get(&s->known, path);
	char *real;

	if (f)
		return f;
	real = workspace_told(s->ox->workspace, path.p);
	f = map_get(&s->known, str_of(real));
	f = f ? f : by_number(s, real, NULL);
	if (f) {
		map_put(&s->known, path, f);
		free(real);
		return f;
	}
	f = mem_new(sizeof(*f));
	f->path = real;
	if (!src->read(src->self, f->path, &f->text, NULL, e)) {
		free(f->path);
		free(f);
		return NULL;
	}
	f->lang = language_of(workspace_filetype(s->ox->workspace, f->path));
	f->nest.text = buf_str(&f->text);
	lines_init(&f->lines, buf_str(&f->text), LINES_LSP);
	mem_add(s->v, s->n, s->cap, f);
	map_put(&s->known, path, f);
	map_put(&s->known, str_of(f->path), f);
	by_number(s, f->path, f);
	return f;
}

/* The name in a range that may be the whole declaration's. */
static struct span name_in(const struct site_file *f, struct span range, struct str name)
{
	struct str text = buf_str(&f->text);
	struct span word = target_word(text, range.at);
	size_t at = range.at;

	if ((word.at == range.at && word.end == range.end) || range.end - range.at <= name.n)
		return range;
	if (str_find_name(text, name, &at) && at + name.n <= range.end)
		return (struct span){ at, at + name.n };
	return range;
}

bool symbol_sites_add(struct symbol_sites *s, const struct location *l, enum pos_enc enc,
		      struct str name, struct err *e)
{
	struct site_file *f = symbol_sites_open(s, l->path, e);
	struct span at;
	size_t i;

	if (!f)
		return false;
	at = name_in(f, range_span(l->range, &f->lines, buf_str(&f->text), enc), name);
	for (i = f->n; i && f->v[i - 1].name.at > at.at; i--)
		;
	if (i && f->v[i - 1].name.at == at.at)
		return true;
	f->v = mem_grow(f->v, &f->cap, f->n + 1, sizeof(*f->v));
	memmove(f->v + i + 1, f->v + i, (f->n - i) * sizeof(*f->v));
	f->v[i] = (struct site){ .name = at };
	f->n++;
	return true;
}

void symbol_sites_drop(struct site_file *f, size_t i)
{
	memmove(f->v + i, f->v + i + 1, (--f->n - i) * sizeof(*f->v));
}

void symbol_sites_read(struct symbol_sites *s)
{
	for (size_t i = 0; i < s->n; i++)
		sites_read(s->v[i]->lang, buf_str(&s->v[i]->text), s->v[i]->v, s->v[i]->n);
}

struct site_file *symbol_sites_file(const struct symbol_sites *s, const char *path)
{
	return map_get(&s->known, str_of(path));
}

struct str site_name(const struct site_file *f, const struct site *s)
{
	return str_sub(buf_str(&f->text), s->name.at, s->name.end);
}

bool site_is_gone(const struct site_file *f, const struct site *s)
{
	struct span word = target_word(buf_str(&f->text), s->name.at);

	return word.at == word.end || word.at != s->name.at || word.end != s->name.end;
}

size_t site_line(const struct site_file *f, const struct site *s)
{
	return 1 + lines_find(&f->lines, s->name.at);
}

void symbol_sites_release(struct symbol_sites *s)
{
	for (size_t i = 0; i < s->n; i++) {
		nested_release(&s->v[i]->nest);
		lines_release(&s->v[i]->lines);
		buf_release(&s->v[i]->text);
		free(s->v[i]->path);
		free(s->v[i]->v);
		free(s->v[i]);
	}
	free(s->v);
	free(s->outside);
	map_release(&s->known);
}
