#include "word_search_impl.h"

#include <stdlib.h>

#include "../base/hash.h"
#include "../base/mem.h"
#include "../base/path.h"
#include "../base/utf.h"
#include "../code/disabled.h"
#include "../code/lex.h"
#include "../code/macro.h"
#include "../code/quoted.h"
#include "../core/workspace.h"
#include "../io/disk.h"
#include "../io/loop.h"
#include "presets.h"
#include "sources.h"
#include "unserved_sources.h"

#define LINE_SHOWN 200 /* bytes of a line in an answer */

void hits_release(struct hits *h)
{
	for (size_t i = 0; i < h->n; i++) {
		free(h->v[i].path);
		free(h->v[i].text);
	}
	free(h->v);
}

void hits_add(struct hits *h, const char *path, const struct word_use *at, struct str text)
{
	text = str_trim(text);
	if (text.n > LINE_SHOWN) {
		text.n = LINE_SHOWN;
		while (text.n > LINE_SHOWN - 4 && ((unsigned char)text.p[text.n] & 0xc0) == 0x80)
			text.n--; /* not within a character */
	}
	mem_add(h->v, h->n, h->cap,
		(struct hit){ mem_dup(path, strlen(path)), *at, mem_dup(text.p, text.n) });
}

static struct str line_around(struct str text, size_t at)
{
	const char *end = memchr(text.p + at, '\n', text.n - at);
	size_t from = at;

	while (from && text.p[from - 1] != '\n')
		from--;
	return str_sub(text, from, end ? (size_t)(end - text.p) : text.n);
}

/* As LSP counts them, of a line up to the name; of a byte that is no UTF-8 what the server was
 * shown for it. */
static void set_columns(struct word_use *at, struct str before)
{
	str_skip(&before, STR("\xef\xbb\xbf")); /* which no position counts */
	at->column = at->units = 0;
	for (size_t i = 0; i < before.n;) {
		struct utf u = utf_at(before, i);

		at->column += u.ok ? u.n : (uint32_t)strlen(UTF_BAD);
		at->units += u.n == 4 ? 2 : 1;
		i += u.n;
	}
}

bool word_search_searched(const struct word_search *m, const char *path)
{
	return sources_has(&m->walked, path) || map_get(&m->included, str_of(path));
}

/* What is read of a file, once, in order: all of it, or code in other text. */
struct reading {
	struct embedded parts;
	struct span part;
	struct lexer l;
	struct token t;
	bool whole; /* its tokens are those of the part */
	bool macros;
	struct disabled off;
	struct brackets open;
};

static struct reading reading_of(const struct word_search *m, const char *path, bool foreign,
				 struct str text)
{
	const struct unserved_kind *kind = foreign ? unserved_kind(m->lang, path) : NULL;
	enum embedded_form form = kind ? kind->form : EMBEDDED_ALL;

	return (struct reading){ .parts = embedded_of(form, text),
				 .t = { .kind = TOKEN_END },
				 .whole = form == EMBEDDED_ALL,
				 .macros = m->macros,
				 .off = disabled_from(m->lang, text) };
}

/* Goes on to the token that has the byte. */
static void read_up_to(struct reading *r, size_t at)
{
	while (r->t.span.end <= at && r->t.kind != TOKEN_END) {
		if (r->macros && r->t.kind != TOKEN_SPACE && r->t.kind != TOKEN_LINE_END &&
		    r->t.kind != TOKEN_COMMENT)
			brackets_step(&r->open, r->l.text, r->t);
		r->t = lex_next(&r->l);
		if (r->macros && r->whole)
			disabled_step(&r->off, r->t);
	}
}

/* Whether what is there, after the last place, is a name to the language. */
static bool is_code(struct reading *r, size_t at)
{
	read_up_to(r, at);
	return !(r->whole ? r->off.since : disabled_at(&r->off, at)) &&
	       r->t.kind != TOKEN_COMMENT && r->t.kind != TOKEN_STRING &&
	       r->t.kind != TOKEN_DIRECTIVE;
}

static bool has_part(const struct reading *r, size_t at)
{
	return r->part.at <= at && at < r->part.end;
}

/* The same where it may be in none of the parts. */
static bool is_read(const struct word_search *m, struct reading *r, size_t at)
{
	while (r->part.end <= at && embedded_next(&r->parts, &r->part)) {
		r->l = lex_from(m->lang, str_sub(r->parts.text, 0, r->part.end), r->part.at);
		r->l.plain = true;
		r->t = (struct token){ .kind = TOKEN_SPACE };
		r->open = (struct brackets){ 0 };
	}
	return has_part(r, at) && is_code(r, at);
}

void word_search_search(const struct word_search *m, struct hits *h, const char *path,
			struct str text)
{
	word_search_search_for(m, str_of(m->name), h, path, text);
}

void word_search_search_for(const struct word_search *m, struct str name, struct hits *h,
			    const char *path, struct str text)
{
	bool included = map_get(&m->included, str_of(path));
	bool foreign = included || !sources_has(&m->extensions, path);
	struct word_use hit = { .line = 1, .n = name.n, .included = included };
	size_t counted = 0;
	struct macro macro;
	struct reading r = { .parts.text = { NULL, 0 } };

	for (size_t at = 0; name.n && str_find_name(text, name, &at); at += name.n) {
		struct str line = line_around(text, at);

		hit.line += str_count(str_sub(text, counted, at), '\n');
		counted = at;
		if (!r.parts.text.p && m->lang) {
			r = reading_of(m, path, foreign, text);
			hit.text = hash_of(text);
		}
		hit.at = at;
		hit.code = m->lang && is_read(m, &r, at);
		hit.directive = has_part(&r, at) && r.t.kind == TOKEN_DIRECTIVE;
		hit.bare = m->macros && has_part(&r, at) && !brackets_named(&r.open);
		hit.unread = foreign;
		if (m->macros && r.t.kind == TOKEN_STRING && unserved_string(text, r.t.span.at, at))
			hit.unread = hit.code = true;
		hit.in_macro = m->macros && macro_using(text, at, &macro);
		set_columns(&hit, str_sub(text, (size_t)(line.p - text.p), at));
		hits_add(h, path, &hit, line);
	}
}

static bool is_other_c(const char *path)
{
	static const char *const names[] = { "cc",  "cpp", "cxx", "c++", "C",  "hh", "hpp",
					     "hxx", "h++", "m",	  "mm",	 "cu", "cuh" };
	struct str ext = path_ext(str_of(path));

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (str_eq(ext, str_of(names[i])))
			return true;
	return false;
}

/* Of C and its kin: what is read with each of the files that include it. */
static bool word_search_is_header(const char *path)
{
	static const char *const names[] = { "h", "hh", "hpp", "hxx", "h++", "inl", "inc" };
	struct str ext = path_ext(str_of(path));

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (str_eq(ext, str_of(names[i])))
			return true;
	return false;
}

static uint64_t mix(uint64_t into, const char *path, uint64_t a, uint64_t b)
{
	struct str piece[] = { { (const char *)&into, sizeof(into) },
			       str_of(path),
			       { (const char *)&a, sizeof(a) },
			       { (const char *)&b, sizeof(b) } };

	return hash_pieces(piece, 4);
}

static void pass_over(struct word_search *m, const char *path, const char *why)
{
	free(map_put(&m->passed, str_of(path), mem_dup(why, strlen(why))));
}

/* Of the hits in one file, which are those since `from`. */
static void note_bare(struct word_search *m, const char *path, size_t from)
{
	for (size_t i = from; i < m->disk.n; i++)
		if (!m->disk.v[i].at.bare)
			return;
	if (from < m->disk.n)
		free(map_put(&m->bare, str_of(path),
			     mem_copy(&m->disk.v[from].at.text, sizeof(uint64_t))));
}

static void search_file(void *arg, const char *path, const struct fs_stat *st)
{
	const struct fs *fs = disk_fs();
	struct word_search *m = arg;
	struct err e = ERR_INIT;
	size_t before = m->disk.n;
	struct fs_stat seen;

	m->other_c = m->other_c || is_other_c(path);
	if (m->macros && word_search_is_header(path))
		m->headers = mix(m->headers, path, (uint64_t)st->mtime_ns, st->size);
	buf_clear(&m->text);
	if (st->size > m->biggest) {
		pass_over(m, path, "it is larger than file.bytes");
		return;
	}
	if (!fs->read(fs->self, path, &m->text, &seen, &e)) {
		if (e.code != ERR_NOT_FOUND)
			pass_over(m, path, e.msg);
		return;
	}
	word_search_search(m, &m->disk, path, buf_str(&m->text));
	if (m->beside)
		word_search_search_for(m, str_of(m->beside), &m->disk_beside, path,
				       buf_str(&m->text));
	if (m->macros && m->disk.n > before)
		word_macros_add(m, buf_str(&m->text));
	if (m->macros)
		unserved_included(m->root, &m->extensions, path, buf_str(&m->text), &m->included);
	note_bare(m, path, before);
	for (size_t i = before; i < m->disk.n; i++)
		m->disk.v[i].at.changed = st->mtime_ns;
	if (m->disk.n > before)
		text_cache_keep(&m->texts, path, buf_str(&m->text), &seen);
}

/* What is included may include more. */
static void search_included(struct word_search *m)
{
	struct map done SCOPED(map_release) = MAP_INIT;

	map_each(it, &m->included) {
		const struct fs *fs = disk_fs();
		struct err e = ERR_INIT;
		struct fs_stat st;

		if (map_put(&done, it.key, m) || !fs->stat(fs->self, it.key.p, &st, &e))
			continue;
		search_file(m, it.key.p, &st);
		it.i = 0; /* from the start: the map may have grown */
	}
}

static void work(void *arg)
{
	struct word_search *m = arg;
	struct sources s = { m->root, &m->walked, m->most_files, m, search_file };

	m->complete = sources_walk(&s);
	search_included(m);
	word_macros_search(m);
}

static void destroy(struct word_search *m)
{
	text_cache_release(&m->texts);
	hits_release(&m->disk);
	hits_release(&m->disk_beside);
	word_macros_release(&m->around);
	map_release_values(&m->passed);
	map_release_values(&m->bare);
	map_release(&m->extensions);
	map_release(&m->walked);
	map_release(&m->included);
	buf_release(&m->text);
	free(m->name);
	free(m->beside);
	free(m->filetype);
	free(m->root);
	free(m);
}

static void word_search_over(void *arg)
{
	struct word_search *m = arg;

	m->over = true;
	if (m->abandoned)
		destroy(m);
	else if (m->fn)
		m->fn(m->arg);
}

/* What the buffers have that is not on the disk. */
static void add_macros(struct word_search *m)
{
	struct workspace *w = m->ox->workspace;

	m->around.most = (size_t)config_get(&m->ox->config, CFG_RENAME_MACROS);
	for (size_t i = 0; m->macros && i < workspace_buffers(w); i++) {
		struct doc *d = workspace_buffer_number(w, i)->doc;

		if (sources_has(&m->extensions, doc_path(d)))
			word_macros_add(m, doc_text(d));
	}
}

static void add_extensions(const struct word_search *m, const char *filetype, struct map *out)
{
	if (filetype)
		presets_extensions(m->ox->presets, filetype, out);
	else
		presets_served(m->ox->presets, out);
}

struct word_search *word_search_start(struct oxide *ox, const char *root, struct str name,
				      const char *filetype)
{
	return word_search_start_with(ox, root, name, STR(""), filetype);
}

struct word_search *word_search_start_with(struct oxide *ox, const char *root, struct str name,
					   struct str beside, const char *filetype)
{
	struct word_search *m = mem_new(sizeof(*m));

	m->ox = ox;
	m->name = mem_dup(name.p, name.n);
	m->beside = beside.n ? mem_dup(beside.p, beside.n) : NULL;
	m->filetype = filetype ? mem_dup(filetype, strlen(filetype)) : NULL;
	m->root = mem_dup(root, strlen(root));
	m->most_files = (size_t)config_get(&ox->config, CFG_MENTION_FILES);
	m->biggest = (uint64_t)config_get(&ox->config, CFG_FILE_BYTES);
	m->texts.room = (size_t)config_get(&ox->config, CFG_MENTION_BYTES);
	m->lang = filetype ? language_of(filetype) : NULL;
	m->macros = m->lang && language_has_macros(m->lang);
	add_extensions(m, filetype, &m->extensions);
	add_extensions(m, filetype, &m->walked);
	if (m->lang)
		unserved_extensions(m->lang, &m->walked);
	add_macros(m);
	loop_work(ox->loop, work, word_search_over, m);
	return m;
}

void word_search_wait(struct word_search *m, void (*fn)(void *arg), void *arg)
{
	m->fn = fn;
	m->arg = arg;
	if (m->over)
		loop_soon(m->ox->loop, fn, arg);
}

struct str word_search_name(const struct word_search *m)
{
	return str_of(m->name);
}

struct text_cache *word_search_texts(struct word_search *m)
{
	return m->over ? &m->texts : NULL;
}

bool word_search_bare(const struct word_search *m, const char *path, uint64_t text)
{
	const uint64_t *searched = map_get(&m->bare, str_of(path));

	return searched && *searched == text;
}

uint64_t word_search_headers(const struct word_search *m)
{
	struct workspace *w = m->ox->workspace;
	uint64_t all = m->headers;

	for (size_t i = 0; m->macros && i < workspace_buffers(w); i++) {
		struct doc *d = workspace_buffer_number(w, i)->doc;

		if (word_search_is_header(doc_path(d)))
			all = mix(all, doc_path(d), doc_hash(d), 0);
	}
	return all;
}

void word_search_free(struct word_search *m)
{
	if (!m)
		return;
	m->fn = NULL;
	m->abandoned = true;
	if (m->over)
		destroy(m);
}
