#include "word_search_impl.h"

#include <stdlib.h>

#include "../base/hash.h"
#include "../base/mem.h"
#include "../base/utf.h"
#include "../code/disabled.h"
#include "../code/lex.h"
#include "../code/macro.h"
#include "../code/quoted.h"
#include "../core/workspace.h"
#include "../io/loop.h"
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
	text = str_cut(str_trim(text), LINE_SHOWN);
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

/* How far a text is counted: as a line may have any number of names, none is counted twice. */
struct counting {
	struct str text, line; /* the line that has `at`, as it is shown */
	size_t at;
};

/* As LSP counts them, of a line up to the name; of a byte that is no UTF-8 what the server was
 * shown for it. */
static void add_columns(struct word_use *hit, struct str more)
{
	for (size_t i = 0; i < more.n;) {
		struct utf u = utf_at(more, i);

		hit->column += u.ok ? u.n : (uint32_t)strlen(UTF_BAD);
		hit->units += u.n == 4 ? 2 : 1;
		i += u.n;
	}
}

/* Line and columns of the hit, which comes behind the one before. */
static void count_up_to(struct counting *c, struct word_use *hit)
{
	struct str more = str_sub(c->text, c->at, hit->at);
	size_t lines = str_count(more, '\n');

	if (lines || !c->line.p) {
		c->line = line_around(c->text, hit->at);
		more = str_sub(c->text, (size_t)(c->line.p - c->text.p), hit->at);
		c->line = str_trim(c->line);
		str_skip(&more, STR("\xef\xbb\xbf")); /* which no position counts */
		hit->line += lines;
		hit->column = hit->units = 0;
	}
	add_columns(hit, more);
	c->at = hit->at;
}

bool word_search_searched(const struct word_search *m, const char *path)
{
	return sources_has(&m->walk->walked, path) || map_get(&m->walk->included, str_of(path));
}

/* What is read of a file, once, in order: all of it, or code in other text. */
struct reading {
	struct embedded parts;
	struct span part;
	struct lexer l;
	struct token t;
	bool whole; /* its tokens are those of the part */
	bool macros;
	struct macros in;
	struct disabled off;
	struct brackets open;
};

static struct reading reading_of(const struct word_walk *w, const char *path, bool foreign,
				 struct str text)
{
	const struct unserved_kind *kind = foreign ? unserved_kind(w->lang, path) : NULL;
	enum embedded_form form = kind ? kind->form : EMBEDDED_ALL;

	return (struct reading){ .parts = embedded_of(form, text),
				 .t = { .kind = TOKEN_END },
				 .whole = form == EMBEDDED_ALL,
				 .macros = w->macros,
				 .in = macros_of(text),
				 .off = disabled_from(w->lang, text) };
}

/* Goes on to the token that has the byte. */
static void read_up_to(const struct word_walk *w, struct reading *r, size_t at)
{
	struct token t = r->t; /* not to be copied at each step */

	while (t.span.end <= at && t.kind != TOKEN_END && !word_walk_stops(w)) {
		if (r->macros && t.kind != TOKEN_SPACE && t.kind != TOKEN_LINE_END &&
		    t.kind != TOKEN_COMMENT)
			brackets_step(&r->open, r->l.text, t);
		t = lex_next(&r->l);
		if (t.kind == TOKEN_DIRECTIVE && r->macros && r->whole)
			disabled_step(&r->off, t);
	}
	r->t = t;
}

/* Whether what is there, after the last place, is a name to the language. */
static bool is_code(const struct word_walk *w, struct reading *r, size_t at)
{
	read_up_to(w, r, at);
	return !(r->whole ? r->off.since : disabled_at(&r->off, at)) &&
	       r->t.kind != TOKEN_COMMENT && r->t.kind != TOKEN_STRING &&
	       r->t.kind != TOKEN_DIRECTIVE;
}

static bool has_part(const struct reading *r, size_t at)
{
	return r->part.at <= at && at < r->part.end;
}

/* The same where it may be in none of the parts. */
static bool is_read(const struct word_walk *w, struct reading *r, size_t at)
{
	while (r->part.end <= at && embedded_next(&r->parts, &r->part)) {
		r->l = lex_from(w->lang, str_sub(r->parts.text, 0, r->part.end), r->part.at);
		r->l.plain = true;
		r->t = (struct token){ .kind = TOKEN_SPACE };
		r->open = (struct brackets){ 0 };
	}
	return has_part(r, at) && is_code(w, r, at);
}

void word_search_search(const struct word_search *m, struct hits *h, const char *path,
			struct str text)
{
	word_search_search_for(m, str_of(m->name), h, path, text);
}

void word_search_search_for(const struct word_search *m, struct str name, struct hits *h,
			    const char *path, struct str text)
{
	struct name_sought one = { .name = name, .out = h };

	word_search_find(m->walk, &one, 1, path, text);
}

static void seek(struct name_sought *s, struct str text)
{
	s->found = s->name.n && str_find_name(text, s->name, &s->at);
}

/* The one that comes next in the text; NULL: none. */
static struct name_sought *nearest(struct name_sought *v, size_t n)
{
	struct name_sought *first = NULL;

	for (size_t i = 0; i < n; i++)
		if (v[i].found && (!first || v[i].at < first->at))
			first = &v[i];
	return first;
}

static void set_kind(const struct word_walk *w, struct reading *r, bool foreign, struct str text,
		     struct word_use *hit)
{
	struct macro macro;
	size_t at = hit->at;

	hit->code = w->lang && is_read(w, r, at);
	hit->directive = has_part(r, at) && r->t.kind == TOKEN_DIRECTIVE;
	hit->bare = w->macros && has_part(r, at) && !brackets_named(&r->open);
	hit->unread = foreign;
	if (w->macros && r->t.kind == TOKEN_STRING && unserved_string(text, r->t.span.at, at))
		hit->unread = hit->code = true;
	hit->in_macro = hit->directive && w->macros && macros_using(&r->in, at, &macro);
}

void word_search_find(const struct word_walk *w, struct name_sought *v, size_t n, const char *path,
		      struct str text)
{
	bool included = map_get(&w->included, str_of(path));
	bool foreign = included || !sources_has(&w->extensions, path);
	struct word_use hit = { .line = 1, .included = included };
	struct reading r = { .parts.text = { NULL, 0 } };
	struct counting c = { .text = text };

	for (size_t i = 0; i < n; i++) {
		v[i].at = 0;
		seek(&v[i], text);
	}
	for (struct name_sought *s; (s = nearest(v, n)) && !word_walk_stops(w);
	     s->at += s->name.n, seek(s, text)) {
		if (!r.parts.text.p && w->lang) {
			r = reading_of(w, path, foreign, text);
			hit.text = hash_of(text);
		}
		hit.at = s->at;
		hit.n = s->name.n;
		set_kind(w, &r, foreign, text, &hit);
		count_up_to(&c, &hit);
		hits_add(s->out, path, &hit, c.line);
	}
}

/* What the buffers have that is not on the disk. */
static void add_macros(struct word_search *m)
{
	struct workspace *w = m->ox->workspace;

	m->around.most = (size_t)config_get(&m->ox->config, CFG_RENAME_MACROS);
	for (size_t i = 0; m->walk->macros && i < workspace_buffers(w); i++) {
		struct doc *d = workspace_buffer_number(w, i)->doc;

		if (sources_has(&m->walk->extensions, doc_path(d)))
			word_macros_add(m, doc_text(d));
	}
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
	m->walk = word_walk_join(m, root, filetype);
	add_macros(m);
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
	return m->over ? &m->walk->texts : NULL;
}

bool word_search_bare(const struct word_search *m, const char *path, uint64_t text)
{
	const uint64_t *searched = map_get(&m->bare, str_of(path));

	return searched && *searched == text;
}

uint64_t word_search_headers(const struct word_search *m)
{
	struct workspace *w = m->ox->workspace;
	uint64_t all = m->walk->headers;

	for (size_t i = 0; m->walk->macros && i < workspace_buffers(w); i++) {
		struct doc *d = workspace_buffer_number(w, i)->doc;

		if (word_search_is_header(doc_path(d)))
			all = word_walk_mix(all, doc_path(d), doc_hash(d), 0);
	}
	return all;
}

static void destroy(struct word_search *m)
{
	word_walk_leave(m->walk);
	hits_release(&m->disk);
	hits_release(&m->disk_beside);
	word_macros_release(&m->around);
	map_release_values(&m->bare);
	free(m->name);
	free(m->beside);
	free(m);
}

void word_search_over(struct word_search *m)
{
	m->over = true;
	if (m->abandoned)
		destroy(m);
	else if (m->fn)
		m->fn(m->arg);
}

void word_search_cancel(struct word_search *m)
{
	if (m && !m->over && !m->given_up) {
		m->given_up = true;
		word_walk_give_up(m->walk);
	}
}

void word_search_free(struct word_search *m)
{
	if (!m)
		return;
	word_search_cancel(m);
	m->fn = NULL;
	m->abandoned = true;
	if (m->over)
		destroy(m);
}
