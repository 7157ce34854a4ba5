#ifndef OX_LANGUAGE_H
#define OX_LANGUAGE_H

#include "lex.h"

/* The rows behind lex.h, and the parts of the lexer: for language.c, lex*.c and outline*.c alone.
 */
enum language_flag {
	LANG_NESTED = 1 << 0,	       /* block comments nest */
	LANG_PREPROCESSOR = 1 << 1,    /* lines that begin with # */
	LANG_C_ATTRIBUTES = 1 << 2,    /* [[...]], __attribute__((...)), template <...> */
	LANG_AT_ATTRIBUTES = 1 << 3,   /* @name(...) */
	LANG_AT_LINES = 1 << 4,	       /* @ and the rest of its line, where it is first on it */
	LANG_HASH_ATTRIBUTES = 1 << 5, /* #[...] */
	LANG_CPP_RAW = 1 << 6,	       /* R"x(...)x" */
	LANG_RUST_RAW = 1 << 7,	       /* r#"..."#, and 'a is not a character */
	LANG_TRIPLE = 1 << 8,	       /* three quotes, over lines */
	LANG_TEMPLATES = 1 << 9,       /* `...${code}...` */
	LANG_REGEX = 1 << 10,	       /* /.../ where no value precedes it */
	LANG_LONG_BRACKETS = 1 << 11,  /* [==[...]==], also behind -- */
	LANG_SHELL = 1 << 12,	       /* its own strings, words and braces */
	LANG_BY_LINE = 1 << 13,
	LANG_HEADS = 1 << 14,	 /* functions begin with a type, not with a word of their own */
	LANG_METHODS = 1 << 15,	 /* so do those in a class, with nothing */
	LANG_VERBATIM = 1 << 16, /* @"...", with "" in it for a quote */
};

struct language {
	const char *filetypes; /* each with a blank before and behind it */
	const char *line_comment, *block_open, *block_close; /* "": has none */
	const char *quotes;	 /* of strings that end with their line */
	const char *long_quotes; /* of those that go on, without escapes */
	enum body_form body;
	enum dialect dialect;
	unsigned flags;
	const char *declares; /* words before a name that is declared, as `filetypes` */
};

/* The end of an attribute's brackets is looked for up to the text's end; in vain not more often
 * than this, or a text of nothing but beginnings would be read over and over. */
#define LEX_VAIN_MOST 20

/* The same of a here-document's last line: as many times the text in all, and for a small one more.
 */
#define LEX_SOUGHT_TIMES 16
#define LEX_SOUGHT_LEAST (1 << 20) /* bytes */

/* Where what begins at l->at ends; l->at itself, or of attributes 0, where no such thing does. */
size_t lex_space_end(const struct lexer *l); /* a line end with a backslash before it is one */
size_t lex_word_end(const struct lexer *l);
size_t lex_string_end(struct lexer *l);
size_t lex_attribute_end(struct lexer *l);

bool lex_starts(const struct lexer *l, size_t at, const char *what);

#endif
