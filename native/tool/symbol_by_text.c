#include "symbol_by_text.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "../code/decl.h"
#include "../core/workspace.h"
#include "../lsp/scan.h"
#include "../servers/word_search.h"
#include "location_rows.h"

#define CHOICES_FEW   64 /* symbols of one name in a file, mostly */
#define FILES_AT_ONCE 16 /* are read in one turn of the loop */

/*
 *     symbol_by_text -> by_text_own -> by_text_end
 *         -> (not there) on_by_text_searched -> by_text_read (some files a turn) -> by_text_end
 */
struct symbol_by_text {
	struct target *target;
	enum lsp_feature feature;
	char *want; /* as it was asked for: a name, or a name path */
	symbol_by_text_found *fn;
	void *arg;
	struct symbols_in_text found;
	struct word_search *search;
	const char **path; /* of files that have the name */
	size_t paths, next;
};

static void by_text_end(struct symbol_by_text *b, struct err *e)
{
	if (call_cancelled(b->target->call))
		err_set(e, ERR_CANCELLED, "cancelled");
	b->fn(b->arg, &b->found, e);
}

static struct location *add_location(struct locations *l, const char *path, struct range r)
{
	mem_add(l->v, l->n, l->cap,
		(struct location){ .path = arena_str(&l->texts, str_of(path)), .range = r });
	return &l->v[l->n - 1];
}

static const struct language *by_text_language(const struct symbol_by_text *b, const char *path)
{
	return language_of(workspace_filetype(call_oxide(b->target->call)->workspace, path));
}

static void add_symbol(struct symbols *to, const struct symbol *s)
{
	struct symbol copy = *s;

	copy.name = arena_str(&to->texts, s->name);
	copy.container = arena_str(&to->texts, s->container);
	copy.path = arena_str(&to->texts, s->path);
	mem_add(to->v, to->n, to->cap, copy);
}

/* All of a text that the name may mean. */
static void add_named(struct symbol_by_text *b, struct doc *d)
{
	const struct language *lang = by_text_language(b, doc_path(d));
	struct symbol_choice few[CHOICES_FEW], *v = few, *many SCOPED(mem_release) = NULL;
	struct symbols all SCOPED(symbols_release) = { 0 };
	size_t n;

	symbols_of_text(lang, d, &all, ERR_IGNORED);
	if (language_has_macros(lang))
		symbols_add_macro(d, str_of(b->want), POS_UTF8, &all);
	n = symbols_choices(&all, str_of(b->want), v, CHOICES_FEW);
	if (n == CHOICES_FEW && v->name.n) { /* and not only similar ones */
		v = many = mem_new(all.n * sizeof(*many));
		n = symbols_choices(&all, str_of(b->want), v, all.n);
	}
	for (size_t i = 0; i < n; i++)
		if (v[i].name.n)
			add_symbol(&b->found.symbols, v[i].symbol);
}

static bool is_same(const struct range *a, const struct range *b)
{
	return a->from.line == b->from.line && a->from.col == b->from.col &&
	       a->to.line == b->to.line && a->to.col == b->to.col;
}

/* All of what is declared there, with its comments, where the text shows or suggests where it ends.
 */
static void note_declared(struct symbol_by_text *b, struct doc *d, const struct symbol *s,
			  struct location *at)
{
	const struct language *lang = by_text_language(b, doc_path(d));
	struct span all = range_span(s->range, doc_lines(d, LINES_LSP), doc_text(d), POS_UTF8);
	struct decl decl = decl_in(d, lang, all, (struct span){ 0, 0 });

	if (s->kind == SYMBOL_MACRO || is_same(&s->range, &s->name_range))
		return;
	at->declared = (struct span){ decl.lead, decl.end };
	at->declared_in = doc_hash(d);
}

static bool prototype(struct symbol_by_text *b, const struct symbol *s)
{
	struct location at = { .path = s->path, .range = s->name_range };
	struct locations one = { .v = &at, .n = 1 };

	return location_only_declares(b->target->call, &one, POS_UTF8);
}

/* False: there is none with more than a prototype. */
static bool locate(struct symbol_by_text *b)
{
	const struct symbols *s = &b->found.symbols;
	struct locations *l = &b->found.locations;
	bool *declares SCOPED(mem_release) = mem_new((s->n + 1) * sizeof(*declares));
	struct places places SCOPED(places_release) = { 0 };
	bool defined = false;

	places_init(&places, call_oxide(b->target->call));
	for (size_t i = 0; i < s->n; i++) {
		declares[i] = prototype(b, &s->v[i]);
		defined |= !declares[i];
	}
	locations_release(l);
	*l = (struct locations){ 0 };
	for (size_t i = 0; i < s->n; i++) {
		struct doc *d = defined && declares[i] ? NULL : places_doc(&places, s->v[i].path.p);

		if (d)
			note_declared(b, d, &s->v[i],
				      add_location(l, s->v[i].path.p, s->v[i].name_range));
	}
	return defined;
}

static void by_text_words(struct symbol_by_text *b)
{
	struct places places SCOPED(places_release) = { 0 };
	size_t n;
	struct word_use *v SCOPED(mem_release) = word_search_code(b->search, &n);

	places_init(&places, call_oxide(b->target->call));
	for (size_t i = 0; i < n; i++) {
		struct doc *d = target_shows(b->target->call, v[i].path, ERR_IGNORED)
					? places_doc(&places, v[i].path)
					: NULL;

		if (d && v[i].at + v[i].n <= doc_text(d).n)
			add_location(&b->found.locations, v[i].path,
				     (struct range){ doc_pos(d, v[i].at, POS_UTF8),
						     doc_pos(d, v[i].at + v[i].n, POS_UTF8) });
		else
			b->found.cut = true;
	}
}

static void by_text_read(void *arg)
{
	struct symbol_by_text *b = arg;
	struct call *c = b->target->call;
	struct places places SCOPED(places_release) = { 0 };
	struct err e = ERR_INIT;

	places_init(&places, call_oxide(c));
	for (size_t i = 0; i < FILES_AT_ONCE && b->next < b->paths; i++, b->next++) {
		const char *path = b->path[b->next];
		struct doc *d =
			target_shows(c, path, ERR_IGNORED) ? places_doc(&places, path) : NULL;

		if (d)
			add_named(b, d);
		else
			b->found.cut = true;
	}
	if (b->next < b->paths && !call_cancelled(c)) {
		oxide_soon(call_oxide(c), by_text_read, b);
		return;
	}
	if (b->feature == LSP_DEFINITION)
		locate(b);
	by_text_end(b, &e);
}

static void on_by_text_searched(void *arg)
{
	struct symbol_by_text *b = arg;
	struct err e = ERR_INIT;

	call_on_cancel(b->target->call, NULL, NULL);
	b->found.cut = !word_search_whole(b->search) || map_count(word_search_passed(b->search));
	if (b->feature == LSP_REFERENCES || call_cancelled(b->target->call)) {
		by_text_words(b);
		by_text_end(b, &e);
		return;
	}
	symbols_release(&b->found.symbols);
	b->found.symbols = (struct symbols){ 0 };
	b->paths = word_search_all_files(b->search, &b->path);
	by_text_read(b);
}

static void by_text_cancel(void *symbol_by_text)
{
	struct symbol_by_text *b = symbol_by_text;

	word_search_cancel(b->search);
}

static void by_text_search(struct symbol_by_text *b)
{
	struct call *c = b->target->call;
	char *word SCOPED(mem_release) = symbol_word(str_of(b->want));
	const char *filetype = workspace_filetype(call_oxide(c)->workspace, b->target->path);

	b->search = word_search_start(call_oxide(c), call_root(c), str_of(word), filetype);
	call_on_cancel(c, by_text_cancel, b);
	word_search_wait(b->search, on_by_text_searched, b);
}

static void by_text_own(void *arg)
{
	struct symbol_by_text *b = arg;
	struct doc *d = b->target->doc;
	struct err e = ERR_INIT;

	if (b->feature == LSP_DOCUMENT_SYMBOLS) {
		symbols_of_text(target_language(b->target), d, &b->found.symbols, &e);
		by_text_end(b, &e);
		return;
	}
	if (b->feature == LSP_DEFINITION)
		add_named(b, d);
	if (call_cancelled(b->target->call) || locate(b))
		by_text_end(b, &e);
	else
		by_text_search(b);
}

struct symbol_by_text *symbol_by_text(struct target *t, enum lsp_feature f, struct str name,
				      symbol_by_text_found *fn, void *arg)
{
	struct symbol_by_text *b = mem_new(sizeof(*b));

	*b = (struct symbol_by_text){
		.target = t, .feature = f, .want = mem_dup(name.p, name.n), .fn = fn, .arg = arg
	};
	b->found.name = b->want;
	oxide_soon(call_oxide(t->call), by_text_own, b);
	return b;
}

void symbol_by_text_free(struct symbol_by_text *b)
{
	if (!b)
		return;
	word_search_free(b->search);
	symbols_release(&b->found.symbols);
	locations_release(&b->found.locations);
	free(b->path);
	free(b->want);
	free(b);
}
