#ifndef OX_OUTLINE_WALK_H
#define OX_OUTLINE_WALK_H

#include "outline_impl.h"

/*
 * The walk over a text whose bodies are in braces, for outline_braces.c and outline_head.c alone:
 * the one has the brackets that are open and where statements begin and end; the other reads the
 * head of a statement, which is all up to its body, for what it declares.
 */
#define NONE ((size_t)-1)

enum scope { SCOPE_FILE, SCOPE_TYPE, SCOPE_CODE };

/* A bracket that is open, and the statement that is being read in it. */
struct frame {
	char open; /* the bracket; 0: the file */
	enum scope scope;
	size_t item;   /* whose body this is, from 1 */
	size_t within; /* the same, or of what is around it; 0: the file */
	size_t start;  /* of the statement; NONE: it has not begun */
	bool plain;    /* it is nothing but words so far */
	bool assigned; /* `=` is in it */
	bool inits;    /* `:` is behind its parameters: what a constructor begins with */
	bool expects;  /* a name: the last word was one of those that declare */
	bool declares; /* `name` is the name of a declaration */
	bool shaped;   /* ... and known by its parameters alone */
	bool tried;    /* ... and has `try` behind them: more than one body */
	bool bounded;  /* `where` is in it: a comma ends what Rust says of its types */
	enum outline_kind kind;
	struct span name;
	struct span call; /* the name before the last parentheses; empty: none */
};

struct walk {
	const struct language *lang;
	struct str text;
	struct outline *out;
	struct lexer l;
	struct frame *v; /* open brackets */
	size_t n, cap;
	size_t *branch; /* how many were open at each #if */
	size_t branches, branch_cap;
	struct token last[3]; /* of code, the latest first */
	size_t vain;	      /* bytes that were read for ends that are not there */
	size_t body;	      /* where a brace is known to open below; before w->l: nothing is */
};

static inline struct frame *walk_top(struct walk *w)
{
	return &w->v[w->n - 1];
}

static inline bool walk_among(const struct walk *w, struct token t, const char *const *words)
{
	return str_among(token_text(w->text, t), words);
}

/* Adds what may be declared by that name, and cannot be told where it ends. */
void walk_doubt(struct walk *w, enum outline_kind kind, struct span name);

/* A word, or brackets with parameters in them, may be of the head. */
void head_word(struct walk *w, struct token t);
void head_parameters(struct walk *w);
/* The word, or with `operator` all of the name of an operator of C++, which is read past. */
struct token head_name(struct walk *w, struct token t);
/* Whether the brace that opens is part of the head: a value, or a type. */
bool head_goes_on(const struct walk *w, struct frame *f);
/* What is before a sign of JavaScript may be the name of a function that is its value. */
void head_value(struct walk *w, struct token sign);

#endif
