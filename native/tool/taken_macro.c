#include <string.h>

#include "../base/mem.h"
#include "../code/lex.h"
#include "places.h"
#include "taken_impl.h"

/*
 * What is renamed in the body of a macro means, wherever the macro is used, what has the new name
 * there. Neither places nor servers tell of that: the texts do. Members are no such names.
 */
static bool is_member(struct str text, size_t at)
{
	while (at && (text.p[at - 1] == ' ' || text.p[at - 1] == '\t'))
		at--;
	return at && (text.p[at - 1] == '.' || (at > 1 && !memcmp(text.p + at - 2, "->", 2)));
}

void taken_note_body(struct taken *c, struct macros *in, size_t at)
{
	struct macro m;

	if (!is_member(in->text, at) && macros_using(in, at, &m))
		map_put(&c->bodies, str_sub(in->text, m.name.at, m.name.end), c);
}

/* Macros of the files that change, around those that are known. False: there was none. */
static bool add_around(struct taken *c, struct str name)
{
	size_t before = map_count(&c->bodies);

	for (size_t i = 0; i < c->files; i++) {
		const struct plan_file *change = c->file[i]->change;
		struct macros in = macros_of(change ? change->now : STR(""));
		struct macro m;

		for (size_t at = 0; macros_next_use(&in, name, &at, &m); at += name.n)
			map_put(&c->bodies, str_sub(in.text, m.name.at, m.name.end), c);
	}
	return map_count(&c->bodies) > before;
}

static void add_all_around(struct taken *c)
{
	map_each(it, &c->bodies) {
		struct buf copy SCOPED(buf_release) = BUF_INIT;

		buf_add(&copy, it.key);
		if (add_around(c, buf_str(&copy)))
			it.i = 0; /* from the start: the map has grown */
	}
}

/* The macro that is used in the function, or the like, around a place; empty: none is. */
static struct str macro_used(const struct taken *c, struct str text, size_t at)
{
	struct lexer l = lex_from(language_of("c"), text, 0);
	struct str used = STR("");
	size_t depth = 0;

	for (struct token t = lex_next_code(&l); t.kind != TOKEN_END; t = lex_next_code(&l)) {
		struct str word = token_text(text, t);
		bool ends = !depth && str_eq(word, STR(";"));

		if (str_eq(word, STR("{"))) {
			depth++;
		} else if (depth && str_eq(word, STR("}"))) {
			ends = !--depth;
		} else if (t.kind == TOKEN_WORD && map_get(&c->bodies, word)) {
			used = word;
		}
		if (ends && t.span.at > at)
			break;
		if (ends)
			used = STR("");
	}
	return used;
}

void taken_mark_bodies(struct taken *c)
{
	struct places places SCOPED(places_release) = { 0 };

	if (!map_count(&c->bodies))
		return;
	add_all_around(c);
	places_init(&places, call_oxide(c->call));
	for (size_t i = 0; i < c->places; i++) {
		struct taken_place *p = &c->place[i];
		struct doc *d = p->file->change ? NULL : places_doc(&places, p->file->path);
		struct str text = p->file->change ? p->file->change->now
				  : d		  ? doc_text(d)
						  : STR("");
		struct str macro;

		if (p->renamed || is_member(text, p->now))
			continue;
		macro = macro_used(c, text, p->now);
		if (!macro.n)
			continue;
		p->captured = true;
		p->macro = mem_dup(macro.p, macro.n);
	}
}
