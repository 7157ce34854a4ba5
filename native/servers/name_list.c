#include "name_list.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "../base/mem.h"
#include "../base/path.h"
#include "../code/macro.h"
#include "../code/outline.h"
#include "../core/filetypes.h"
#include "../core/workspace.h"
#include "../io/disk.h"
#include "../io/loop.h"
#include "../lsp/symbol.h"
#include "../text/line.h"
#include "sources.h"
#include "word_search.h"

struct name_list {
	struct oxide *ox;
	char *root, *lead;
	struct str seek; /* the part of it that a file has to have */
	const struct language *lang;
	struct map extensions; /* -> the language of such files */
	struct map buffers;    /* path -> struct buf; that which was asked about is the first */
	struct map own, others, words; /* names */
	struct str *v;		       /* those that are told, in order */
	size_t n, cap;
	size_t most, most_files;
	uint64_t biggest;
	bool cut;
	atomic_bool stop;
	struct buf text; /* of the file in hand */
	void (*fn)(void *arg);
	void *arg;
};

static bool is_full(const struct name_list *l)
{
	return map_count(&l->own) + map_count(&l->others) >= l->most;
}

/* A number begins no name, and what has a blank in it cannot be typed as one word. */
static void name_list_add(struct name_list *l, struct map *to, struct str name)
{
	if (str_find(name, STR(" ")) >= 0 || str_any("0123456789", *name.p) || map_get(to, name))
		return;
	if (map_count(to) < l->most)
		map_put(to, name, l);
	else
		l->cut = true;
}

static bool fits(const struct name_list *l, struct str path)
{
	struct str lead = str_of(l->lead);

	return str_starts(path, lead) || str_starts(symbol_last(path), lead);
}

/* The name of the macro that is defined on a line; empty: none. */
static struct str macro_on(struct macros *in, size_t at)
{
	struct span name;

	return macros_around(in, at, &name) ? str_sub(in->text, name.at, name.end) : STR("");
}

/* The next line with a word that begins as what is sought, from *at on, which goes behind it. */
static bool next_line(const struct name_list *l, struct str text, size_t *at, struct str *line)
{
	for (ptrdiff_t i; (i = str_find(str_sub(text, *at, text.n), l->seek)) >= 0; ++*at) {
		*at += (size_t)i;
		if (*at && str_named(text.p[*at - 1]))
			continue;
		*line = str_sub(text, line_start(text, *at), line_end(text, *at));
		*at = line_end(text, *at);
		return true;
	}
	return false;
}

/* Adds the macros that a text of C defines, and tells whether there is anything else in it. Most
 * texts have nothing, and large ones may have nothing but macros. */
static bool has_more(struct name_list *l, const struct language *lang, struct str text,
		     struct map *declared)
{
	bool macros = language_has_macros(lang), more = false;
	struct macros in = macros_of(text);
	struct str line, name;
	size_t at = 0;

	while (!(more && !macros) && next_line(l, text, &at, &line)) {
		bool directive = macros && str_starts(str_trim(line), STR("#"));

		name = directive ? macro_on(&in, at) : STR("");
		if (name.n && fits(l, name))
			name_list_add(l, declared, name);
		more |= !directive;
	}
	return more;
}

/* "Shape/area"; false: it is deeper than symbols are listed. */
static bool path_of(const struct outline *o, size_t i, struct str text, struct buf *container,
		    struct buf *out)
{
	size_t above[SYMBOL_DEPTH_MOST], n = 0;
	struct symbol s = { .name = str_sub(text, o->v[i].name.at, o->v[i].name.end) };

	for (size_t at = o->v[i].parent; at; at = o->v[at - 1].parent) {
		if (n == SYMBOL_DEPTH_MOST)
			return false;
		above[n++] = at - 1;
	}
	buf_clear(container);
	while (n--) {
		const struct span *name = &o->v[above[n]].name;

		buf_addf(container, "%s%.*s", container->n ? "/" : "",
			 STR_ARG(str_sub(text, name->at, name->end)));
	}
	s.container = buf_str(container);
	symbol_plain_path(&s, out);
	return true;
}

static void add_declared(struct name_list *l, const struct language *lang, struct str text,
			 struct map *to)
{
	struct outline o SCOPED(outline_release) = { 0 };
	struct buf container SCOPED(buf_release) = BUF_INIT, path SCOPED(buf_release) = BUF_INIT;

	if (!outline_of(lang, text, &o, ERR_IGNORED))
		return;
	for (size_t i = 0; i < o.n; i++)
		if (path_of(&o, i, text, &container, &path) && fits(l, buf_str(&path)))
			name_list_add(l, to, buf_str(&path));
}

static void add_words(struct name_list *l, const struct language *lang, struct str text)
{
	struct lexer lex = lex_from(lang, text, 0);
	struct str lead = str_of(l->lead);

	for (struct token t;
	     map_count(&l->words) < l->most && (t = lex_next_code(&lex)).kind != TOKEN_END;)
		if (t.kind == TOKEN_WORD && str_starts(token_text(text, t), lead))
			name_list_add(l, &l->words, token_text(text, t));
}

/* A header is of the language that includes it. */
static const struct language *language_at(const struct name_list *l, const char *path)
{
	const struct language *lang = language_header(str_of(path))
					      ? NULL
					      : map_get(&l->extensions, path_ext(str_of(path)));

	return lang ? lang : l->lang;
}

static void read_text(struct name_list *l, const char *path, struct str text, struct map *to)
{
	const struct language *lang = language_at(l, path);

	if (has_more(l, lang, text, to)) {
		add_declared(l, lang, text, to);
		add_words(l, lang, text);
	}
	if (is_full(l)) {
		l->cut = true;
		atomic_store(&l->stop, true);
	}
}

static void read_file(void *arg, const char *path, const struct fs_stat *st)
{
	const struct fs *fs = disk_fs();
	struct name_list *l = arg;
	struct fs_stat seen;

	buf_clear(&l->text);
	if (map_get(&l->buffers, str_of(path)))
		return;
	if (st->size > l->biggest || !fs->read(fs->self, path, &l->text, &seen, ERR_IGNORED))
		l->cut = true;
	else
		read_text(l, path, buf_str(&l->text), &l->others);
}

static int by_name(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

/* Those that are not told already. */
static void tell(struct name_list *l, const struct map *names, struct map *told)
{
	struct str *v = mem_grow(l->v, &l->cap, l->n + map_count(names), sizeof(*v));
	size_t from = l->n;

	l->v = v;
	map_each(it, names)
		if (!map_put(told, it.key, l))
			v[l->n++] = it.key;
	if (names != &l->own && l->n > from)
		qsort(v + from, l->n - from, sizeof(*v), by_name);
}

/* A word that is the last part of what is declared is that. */
static void note_last_parts(struct name_list *l, struct map *told)
{
	for (size_t i = 0; i < l->n; i++)
		map_put(told, symbol_last(l->v[i]), l);
}

static void tell_all(struct name_list *l)
{
	struct map told SCOPED(map_release) = MAP_INIT;

	tell(l, &l->own, &told);
	tell(l, &l->others, &told);
	note_last_parts(l, &told);
	tell(l, &l->words, &told);
	l->cut |= l->n > l->most || map_count(&l->words) == l->most;
	l->n = l->n < l->most ? l->n : l->most;
}

static void name_list_work(void *arg)
{
	struct name_list *l = arg;
	struct sources s = { l->root, &l->extensions, l->most_files, l, read_file, &l->stop, NULL };
	struct map *to = &l->own;

	map_each(it, &l->buffers) {
		if (!atomic_load(&l->stop))
			read_text(l, it.key.p, buf_str(it.value), to);
		to = &l->others;
	}
	l->cut |= !sources_walk(&s);
	tell_all(l);
}

static void name_list_over(void *arg)
{
	struct name_list *l = arg;

	l->fn(l->arg);
}

static void add_buffer(struct name_list *l, struct doc *d)
{
	struct buf *copy;

	if (map_get(&l->buffers, str_of(doc_path(d))))
		return;
	copy = mem_new(sizeof(*copy));
	buf_add(copy, doc_text(d));
	map_put(&l->buffers, str_of(doc_path(d)), copy);
}

static void add_buffers(struct name_list *l, const char *filetype)
{
	struct workspace *w = l->ox->workspace;

	for (size_t i = 0; i < workspace_buffers(w); i++) {
		struct doc *d = workspace_buffer_number(w, i)->doc;
		const char *path = doc_path(d);

		if (path_below(str_of(l->root), str_of(path)) &&
		    (sources_has(&l->extensions, path) ||
		     !strcmp(workspace_filetype(w, path), filetype)))
			add_buffer(l, d);
	}
}

static void add_languages(struct name_list *l, const char *filetype)
{
	struct map found SCOPED(map_release) = MAP_INIT;
	struct buf name SCOPED(buf_release) = BUF_INIT;

	word_search_extensions(l->ox, filetype, &found);
	map_each(it, &found) {
		buf_clear(&name);
		buf_addf(&name, "x.%.*s", STR_ARG(it.key));
		map_put(&l->extensions, it.key,
			(void *)(uintptr_t)language_of(filetypes_of(l->ox->filetypes, name.p)));
	}
}

/* "area" of "Shape/area", and "Shape" of "Shape/". */
static struct str sought(struct str lead)
{
	while (lead.n && lead.p[lead.n - 1] == '/')
		lead.n--;
	return symbol_last(lead);
}

struct name_list *name_list_start(struct oxide *ox, const char *root, struct doc *d,
				  struct str lead, void (*fn)(void *arg), void *arg)
{
	const char *filetype = workspace_filetype(ox->workspace, doc_path(d));
	struct name_list *l = mem_new(sizeof(*l));

	l->ox = ox;
	l->root = mem_dup(root, strlen(root));
	l->lead = mem_dup(lead.p, lead.n);
	l->seek = sought(str_of(l->lead));
	l->lang = language_of(filetype);
	l->most = (size_t)config_get(&ox->config, CFG_SYMBOL_NAMES);
	l->most_files = (size_t)config_get(&ox->config, CFG_MENTION_FILES);
	l->biggest = (uint64_t)config_get(&ox->config, CFG_FILE_BYTES);
	l->fn = fn;
	l->arg = arg;
	add_languages(l, filetype);
	add_buffer(l, d);
	add_buffers(l, filetype);
	loop_work(ox->loop, name_list_work, name_list_over, l);
	return l;
}

json *name_list_json(const struct name_list *l)
{
	json *list = json_array();

	for (size_t i = 0; i < l->n; i++)
		json_push(list, json_str(l->v[i]));
	return list;
}

bool name_list_whole(const struct name_list *l)
{
	return !l->cut;
}

void name_list_cancel(void *name_list)
{
	struct name_list *l = name_list;

	atomic_store(&l->stop, true);
}

void name_list_free(struct name_list *l)
{
	map_each(it, &l->buffers)
		buf_release(it.value);
	map_release_values(&l->buffers);
	map_release(&l->extensions);
	map_release(&l->own);
	map_release(&l->others);
	map_release(&l->words);
	buf_release(&l->text);
	free(l->v);
	free(l->root);
	free(l->lead);
	free(l);
}
