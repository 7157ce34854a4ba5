#ifndef OX_LEX_H
#define OX_LEX_H

#include "../text/pos.h"

/*
 * Source code, looked at no closer than edits need it: what is a string or a comment, where
 * brackets open and close, where a line ends. There is no grammar; a language is a row of a table.
 *
 *     struct lexer l = lex_from(lang, text, 0);
 *     for (struct token t = lex_next(&l); t.kind != TOKEN_END; t = lex_next(&l))
 *             ...
 *
 * Tokens follow each other without a gap. No text is wrong: a string or a comment that does not end
 * goes on to the end of the line or of the text, as the language has it. Linear in the text.
 */
enum token_kind {
	TOKEN_END, /* of the text */
	TOKEN_SPACE,
	TOKEN_LINE_END,
	TOKEN_COMMENT,
	TOKEN_STRING,	 /* or a character, a regular expression, a here-document */
	TOKEN_WORD,	 /* a name, a keyword, a number */
	TOKEN_OPEN,	 /* a bracket, or a word that does the same, as Lua's `function` */
	TOKEN_CLOSE,	 /* ... and `end` */
	TOKEN_ATTRIBUTE, /* whole: a decorator, an attribute, `template <...>` */
	TOKEN_DIRECTIVE, /* a line of the preprocessor, with those that continue it */
	TOKEN_SIGN,	 /* an operator, or any other byte */
};

struct token {
	enum token_kind kind;
	struct span span;
	bool first; /* nothing but blanks is before it on its line */
};

enum body_form {
	BODY_BRACES,
	BODY_INDENTED, /* behind a colon */
	BODY_WORDS,    /* from the parameters to `end`; or in braces */
};

/* Which grammar of functions and calls it has, for those that comma_list.h and params.h know. */
enum dialect {
	DIALECT_NONE,
	DIALECT_C,
	DIALECT_CPP,
	DIALECT_PYTHON,
	DIALECT_JS, /* and TypeScript */
	DIALECT_RUST,
	DIALECT_GO,
};

/* By Neovim's name for it. A filetype that is not known is taken for a language with braces. */
const struct language *language_of(const char *filetype);
enum body_form language_body(const struct language *lang);
enum dialect language_dialect(const struct language *lang);
/* A statement ends with its line, unless a bracket is open. */
bool language_by_line(const struct language *lang);

bool language_has_macros(const struct language *lang); /* those of C */
/* A body may be in its braces on one line as it is, without a semicolon at its end. */
bool language_flat_body(const struct language *lang);

/* By its path, of C and its kin: what is read with each of the files that include it. */
bool language_header(struct str path);

struct lexer {
	const struct language *lang;
	struct str text;
	size_t at;
	bool first;	       /* as in struct token, of what comes next */
	struct token last;     /* that is neither space nor a comment */
	bool plain;	       /* attributes come in their parts */
	unsigned depth;	       /* of code in strings in code */
	unsigned vain;	       /* how often the end of an attribute was not found */
	struct span here_word; /* ends the here-document that begins with the next line */
	struct span no_here;   /* the last word that ends none */
	size_t sought;	       /* bytes that were read for the ends of here-documents in vain */
};

/* `at` has to be in plain code. */
struct lexer lex_from(const struct language *lang, struct str text, size_t at);
struct token lex_next(struct lexer *l);
/* Whether the last token ended a value: a slash divides it. */
bool lex_behind_value(const struct lexer *l);
/* The next that is neither space, line end nor comment. */
struct token lex_next_code(struct lexer *l);
/* Behind the brackets that open at l->at, which stays; 0 where they do not close. */
size_t lex_group_end(const struct lexer *l);
/* The same of `<` and `>` where they are brackets, in one statement. */
size_t lex_angles_end(const struct lexer *l);
static inline struct str token_text(struct str text, struct token t)
{
	return str_sub(text, t.span.at, t.span.end);
}
bool token_is(struct str text, struct token t, const char *what);
/* One of the types that C and C++ have a word for, such as `int`; not what qualifies it. */
bool token_is_c_type(struct str text, struct token t);

#endif
