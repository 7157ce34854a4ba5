#include "language.h"

#include <string.h>

#include "../base/buf.h"
#include "../base/path.h"

static const struct language languages[] = {
	{ " c objc ", "//", "/*", "*/", "\"'", "", BODY_BRACES, DIALECT_C,
	  LANG_PREPROCESSOR | LANG_C_ATTRIBUTES | LANG_CPP_RAW | LANG_HEADS,
	  " struct class union enum namespace " },
	{ " cpp objcpp cuda ", "//", "/*", "*/", "\"'", "", BODY_BRACES, DIALECT_CPP,
	  LANG_PREPROCESSOR | LANG_C_ATTRIBUTES | LANG_CPP_RAW | LANG_HEADS,
	  " struct class union enum namespace " },
	{ " rust ", "//", "/*", "*/", "", "", BODY_BRACES, DIALECT_RUST,
	  LANG_NESTED | LANG_HASH_ATTRIBUTES | LANG_RUST_RAW, " fn struct enum trait mod impl " },
	{ " go ", "//", "/*", "*/", "\"'", "`", BODY_BRACES, DIALECT_GO, LANG_BY_LINE,
	  " func type " },
	{ " javascript javascriptreact typescript typescriptreact ", "//", "/*", "*/", "\"'", "",
	  BODY_BRACES, DIALECT_JS,
	  LANG_AT_ATTRIBUTES | LANG_TEMPLATES | LANG_REGEX | LANG_BY_LINE | LANG_METHODS,
	  " function class interface enum namespace " },
	{ " python ", "#", "", "", "\"'", "", BODY_INDENTED, DIALECT_PYTHON,
	  LANG_TRIPLE | LANG_AT_LINES | LANG_BY_LINE, "" },
	{ " lua ", "--", "", "", "\"'", "", BODY_WORDS, DIALECT_NONE,
	  LANG_LONG_BRACKETS | LANG_BY_LINE, "" },
	{ " ruby ", "#", "", "", "\"'", "", BODY_BRACES, DIALECT_NONE, LANG_REGEX | LANG_BY_LINE,
	  "" },
	{ " java ", "//", "/*", "*/", "\"'", "", BODY_BRACES, DIALECT_NONE,
	  LANG_AT_ATTRIBUTES | LANG_TRIPLE, "" },
	{ " cs ", "//", "/*", "*/", "\"'", "", BODY_BRACES, DIALECT_NONE,
	  LANG_TRIPLE | LANG_VERBATIM, "" },
	{ " kotlin ", "//", "/*", "*/", "\"'", "", BODY_BRACES, DIALECT_NONE,
	  LANG_NESTED | LANG_AT_ATTRIBUTES | LANG_TRIPLE | LANG_BY_LINE, "" },
	{ " swift ", "//", "/*", "*/", "\"", "", BODY_BRACES, DIALECT_NONE,
	  LANG_NESTED | LANG_AT_ATTRIBUTES | LANG_TRIPLE | LANG_BY_LINE, "" },
	{ " scala ", "//", "/*", "*/", "\"", "", BODY_BRACES, DIALECT_NONE,
	  LANG_NESTED | LANG_AT_ATTRIBUTES | LANG_TRIPLE | LANG_BY_LINE, "" },
	{ " php ", "//", "/*", "*/", "\"'", "", BODY_BRACES, DIALECT_NONE, 0, "" },
	{ " elixir ", "#", "", "", "\"'", "", BODY_BRACES, DIALECT_NONE, LANG_TRIPLE | LANG_BY_LINE,
	  "" },
	{ " julia ", "#", "#=", "=#", "\"", "", BODY_BRACES, DIALECT_NONE,
	  LANG_NESTED | LANG_AT_ATTRIBUTES | LANG_TRIPLE | LANG_BY_LINE, "" },
	{ " make ", "#", "", "", "", "", BODY_BRACES, DIALECT_NONE, LANG_BY_LINE, "" },
	{ " markdown ", "", "", "", "", "", BODY_BRACES, DIALECT_NONE, LANG_BY_LINE, "" },
	{ " vim ", "", "", "", "'", "", BODY_BRACES, DIALECT_NONE, LANG_BY_LINE, "" },
	{ " sh bash zsh ", "#", "", "", "", "'", BODY_BRACES, DIALECT_NONE,
	  LANG_SHELL | LANG_BY_LINE, "" },
};

static const struct language unknown = { "", "//",	  "/*",		"*/", "\"'",
					 "", BODY_BRACES, DIALECT_NONE, 0,    "" };

const struct language *language_of(const char *filetype)
{
	struct buf padded SCOPED(buf_release) = BUF_INIT;
	const struct language *hit = &unknown;

	buf_addf(&padded, " %s ", filetype);
	for (size_t i = 0; i < sizeof(languages) / sizeof(*languages); i++)
		if (strstr(languages[i].filetypes, padded.p))
			hit = &languages[i];
	return hit;
}

enum body_form language_body(const struct language *lang)
{
	return lang->body;
}

enum dialect language_dialect(const struct language *lang)
{
	return lang->dialect;
}

bool language_header(struct str path)
{
	static const char *const names[] = { "h",   "hh",  "hpp", "hxx", "h++", "inl", "inc",
					     "ipp", "tpp", "tcc", "txx", "def", NULL };

	return str_among(path_ext(path), names);
}

bool language_by_line(const struct language *lang)
{
	return lang->flags & LANG_BY_LINE;
}

bool language_has_macros(const struct language *lang)
{
	return lang->flags & LANG_PREPROCESSOR;
}

bool language_flat_body(const struct language *lang)
{
	return !(lang->flags & LANG_SHELL);
}
