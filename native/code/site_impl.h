#ifndef OX_SITE_IMPL_H
#define OX_SITE_IMPL_H

#include "language.h"
#include "site.h"

/*
 * Shared by site_walk.c, which knows in which statement and which brackets a token is, and
 * site.c, which tells by that what a name is.
 */
#define SITE_BEFORE 4 /* tokens that are looked back at */

/* A bracket that is open, and the statement in it that has begun. */
struct level {
	size_t open;
	char bracket;
	struct token before; /* the bracket */
	bool import;	     /* the braces of an import or an export, whose names are imported */
	bool members;	     /* of a class or an interface: names with brackets are declared */
	struct span word[2]; /* the first words of the statement */
	size_t words;	     /* outside of <>; what `::` joins is one */
	size_t angles;
	bool expression; /* the statement has a sign that no declaration has before its name */
	bool called;	 /* ... and began with a word and brackets */
	bool type;	 /* a class or an interface is declared */
};

/* The walk through the text, one token at a time. */
struct walk {
	const struct language *lang;
	enum dialect dialect;
	struct str text;
	struct lexer l;
	struct token last[SITE_BEFORE]; /* of code, the latest first */
	struct token closed;		/* what was before the bracket that was closed last */
	struct level *v;
	size_t n, cap;
};

void site_walk_open(struct walk *w, size_t at, char bracket);
void site_walk_on(struct walk *w, struct token t); /* past it */
/* Whether the statement that a level is in imports. */
bool site_is_import(struct walk *w, const struct level *l);

static inline bool is(const struct walk *w, struct token t, const char *what)
{
	return token_is(w->text, t, what);
}

static inline bool one_of(const struct walk *w, struct token t, const char *const *words)
{
	return str_among(token_text(w->text, t), words);
}

static inline struct level *level(struct walk *w)
{
	return &w->v[w->n - 1];
}

static inline bool begins_with(const struct walk *w, const struct level *l, size_t i,
			       const char *word)
{
	struct span s = l->word[i];

	return l->words > i && str_eq(str_sub(w->text, s.at, s.end), str_of(word));
}

#endif
