#include "disabled.h"

static bool next_word_is(struct lexer *l, const char *what)
{
	return token_is(l->text, lex_next_code(l), what);
}

static void take_directive(struct disabled *o, struct token t)
{
	struct lexer l = lex_from(o->l.lang, str_sub(o->l.text, 0, t.span.end), t.span.at);
	struct token word;

	l.first = false;
	l.plain = true;
	if (!next_word_is(&l, "#"))
		return;
	word = lex_next_code(&l);
	if (token_is(o->l.text, word, "if") || token_is(o->l.text, word, "ifdef") ||
	    token_is(o->l.text, word, "ifndef")) {
		o->depth++;
		if (!o->since && token_is(o->l.text, word, "if") && next_word_is(&l, "0") &&
		    lex_next_code(&l).kind == TOKEN_END)
			o->since = o->depth;
	} else if (token_is(o->l.text, word, "endif")) {
		if (o->since == o->depth)
			o->since = 0;
		o->depth -= o->depth > 0;
	} else if (o->since == o->depth &&
		   (token_is(o->l.text, word, "else") || token_is(o->l.text, word, "elif"))) {
		o->since = 0;
	}
}

struct disabled disabled_from(const struct language *lang, struct str text)
{
	return (struct disabled){ .l = lex_from(lang, text, 0) };
}

bool disabled_at(struct disabled *o, size_t at)
{
	if (!language_has_macros(o->l.lang))
		return false;
	while (o->at <= at) {
		struct token t = lex_next(&o->l);

		if (t.kind == TOKEN_END)
			break;
		o->at = t.span.end;
		if (t.kind == TOKEN_DIRECTIVE)
			take_directive(o, t);
	}
	return o->since;
}
