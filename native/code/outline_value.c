#include "outline_impl.h"

bool outline_function_word(struct lexer l)
{
	struct token t = lex_next_code(&l);

	if (token_is(l.text, t, "async"))
		t = lex_next_code(&l);
	return token_is(l.text, t, "function");
}

/* Of JavaScript and TypeScript: `function ...`, `(a, b) => ...`, `a => ...`, `async` or not. */
bool outline_function_value(struct lexer l, size_t *vain)
{
	static const char *const behind[] = { "=>", ":", NULL }; /* the parameters; `:`: a type */
	struct token t;
	size_t from;

	if (outline_function_word(l))
		return true;
	l = outline_ahead(l);
	t = lex_next_code(&l);
	if (token_is(l.text, t, "async"))
		t = lex_next_code(&l);
	if (t.kind == TOKEN_WORD)
		return token_is(l.text, lex_next_code(&l), "=>");
	l.at = t.span.at;
	if (token_is(l.text, t, "<")) {
		l.at = lex_angles_end(&l);
		t = l.at ? lex_next_code(&l) : t;
		l.at = l.at ? t.span.at : 0;
	}
	if (!l.at || !token_is(l.text, t, "("))
		return false;
	from = l.at;
	l.at = lex_group_end(&l);
	*vain += l.at ? 0 : l.text.n - from;
	return l.at && str_among(token_text(l.text, lex_next_code(&l)), behind);
}
