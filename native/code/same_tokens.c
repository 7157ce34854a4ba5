#include "same_tokens.h"

/* A text read token by token, without blanks and comments. */
struct side {
	struct lexer l;
	struct token before, t;
};

static struct side side_of(const struct language *lang, struct str text)
{
	struct side s = { .l = lex_from(lang, text, 0) };

	s.l.plain = true;
	return s;
}

static struct str side_text(const struct side *s)
{
	return token_text(s->l.text, s->t);
}

static void side_step(struct side *s)
{
	s->before = s->t;
	s->t = lex_next_code(&s->l);
}

/* Whether two signs may be one, or the start of a comment, where nothing parts them. */
static bool may_join(struct str text, struct token a, struct token b)
{
	static const char pairs[] = "++--&&||<<>>==!=<=>=+=-=*=/=%=&=|=^=->=>>*.*..::##//"
				    "/*<:<%%>:>%:";
	const char pair[] = { text.p[a.span.end - 1], text.p[b.span.at] };

	for (size_t i = 0; i + 1 < sizeof(pairs); i += 2)
		if (pairs[i] == pair[0] && pairs[i + 1] == pair[1])
			return true;
	return false;
}

/* Of the number before a sign: `1e` is one with what follows. */
static bool goes_on(struct str text, struct token number, struct token sign)
{
	char first = text.p[number.span.at], last = text.p[number.span.end - 1];

	return token_is(text, sign, ".") ||
	       (first >= '0' && first <= '9' && memchr("eEpP", last, 4) &&
		(token_is(text, sign, "+") || token_is(text, sign, "-")));
}

/* Whether the token is one with that before it: there is nothing between them, and there may be. */
static bool is_joined(const struct side *s)
{
	struct token a = s->before, b = s->t;
	struct str text = s->l.text;

	if (!a.span.end || a.span.end != b.span.at)
		return false;
	if (a.kind == TOKEN_SIGN && b.kind == TOKEN_SIGN)
		return may_join(text, a, b);
	if (a.kind == TOKEN_WORD && b.kind == TOKEN_SIGN)
		return goes_on(text, a, b);
	if (token_is(text, a, ".") && b.kind == TOKEN_WORD)
		return true;
	return (a.kind == TOKEN_STRING || b.kind == TOKEN_STRING) &&
	       (a.kind == TOKEN_WORD || b.kind == TOKEN_WORD);
}

bool same_tokens(const struct language *lang, struct str a, struct str b)
{
	struct side x = side_of(lang, a), y = side_of(lang, b);

	if (language_dialect(lang) != DIALECT_C && language_dialect(lang) != DIALECT_CPP)
		return false;
	do {
		side_step(&x);
		side_step(&y);
		if (x.t.kind != y.t.kind || !str_eq(side_text(&x), side_text(&y)) ||
		    is_joined(&x) != is_joined(&y))
			return false;
	} while (x.t.kind != TOKEN_END);
	return true;
}
