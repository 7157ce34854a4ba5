#include "quoted.h"

#include "macro.h"

static enum quoted_as in_brackets(const struct quoted *q, unsigned level, struct str *macro);

struct quoted quoted_from(struct str text, quoted_define *define, void *arg)
{
	return (struct quoted){ .l = lex_from(language_of("c"), text, 0),
				.define = define,
				.arg = arg };
}

void brackets_step(struct brackets *b, struct str text, struct token t)
{
	struct str token = token_text(text, t);
	char c = token.n == 1 ? token.p[0] : '\0';

	if (c == '(') {
		if (b->depth < QUOTED_DEEP) {
			b->open[b->depth].name = b->before;
			b->open[b->depth].arg = 0;
		}
		b->depth++;
	} else if (c == ')') {
		b->depth -= b->depth > 0;
	} else if (c == ',' && b->depth && b->depth <= QUOTED_DEEP) {
		b->open[b->depth - 1].arg++;
	} else if (c == ';') {
		b->depth = 0;
	}
	b->before = t.kind == TOKEN_WORD || c == '#' ? token : STR("");
}

static bool has_name(const struct brackets *b, size_t i)
{
	return b->open[i].name.n && str_named(b->open[i].name.p[0]);
}

bool brackets_named(const struct brackets *b)
{
	for (size_t i = 0; i < b->depth && i < QUOTED_DEEP; i++)
		if (has_name(b, i))
			return true;
	return false;
}

/* The macro's own name for the argument. Steps over the parameters. Empty: it has no such one. */
static struct str parameter(struct lexer *l, size_t arg)
{
	size_t end = l->at < l->text.n && l->text.p[l->at] == '(' ? lex_group_end(l) : 0, i = 0;
	struct lexer list = *l;
	struct str name = STR("");

	if (!end)
		return name;
	list.text.n = end - 1;
	list.at++;
	l->at = end;
	for (struct token t; (t = lex_next_code(&list)).kind != TOKEN_END;) {
		if (t.kind == TOKEN_WORD)
			name = token_text(l->text, t);
		else if (token_is(l->text, t, "."))
			return name.n ? name : STR("__VA_ARGS__");
		else if (token_is(l->text, t, ",") && i++ == arg)
			return name;
		else if (token_is(l->text, t, ","))
			name = STR("");
	}
	return i == arg ? name : STR("");
}

static bool next_is_pasting(struct lexer l)
{
	struct token first = lex_next_code(&l), second = lex_next_code(&l);

	return token_is(l.text, first, "#") && token_is(l.text, second, "#");
}

static enum quoted_as in_body(struct quoted *q, struct str name, unsigned level)
{
	bool pasted = false; /* the token before is the second of `##` */
	struct str ignored;
	struct token t;

	while ((t = lex_next_code(&q->l)).kind != TOKEN_END) {
		bool behind = str_eq(q->b.before, STR("#"));
		enum quoted_as as = QUOTED_NOT;

		if (t.kind == TOKEN_WORD && str_eq(token_text(q->l.text, t), name)) {
			if (pasted || next_is_pasting(q->l))
				return QUOTED_PASTED;
			if (behind)
				return QUOTED_STRING;
			as = in_brackets(q, level + 1, &ignored);
		}
		if (as)
			return as;
		pasted = behind && token_is(q->l.text, t, "#");
		brackets_step(&q->b, q->l.text, t);
	}
	return QUOTED_NOT;
}

static enum quoted_as as_argument(const struct quoted *outer, struct str macro, size_t arg,
				  unsigned level)
{
	size_t at = 0;
	struct str text = outer->define(outer->arg, macro, &at), name;
	struct quoted q = quoted_from(str_sub(text, 0, text.n ? macro_line_end(text, at) : 0),
				      outer->define, outer->arg);

	if (!text.n)
		return QUOTED_NOT;
	q.l.at = at + macro.n;
	q.l.first = false;
	q.l.plain = true;
	name = parameter(&q.l, arg);
	return name.n ? in_body(&q, name, level) : QUOTED_NOT;
}

static enum quoted_as in_brackets(const struct quoted *q, unsigned level, struct str *macro)
{
	enum quoted_as as = QUOTED_NOT;

	for (size_t i = 0; i < q->b.depth && i < QUOTED_DEEP && level < QUOTED_LEVELS && !as; i++) {
		*macro = q->b.open[i].name;
		if (has_name(&q->b, i))
			as = as_argument(q, *macro, q->b.open[i].arg, level);
	}
	return as;
}

enum quoted_as quoted_at(struct quoted *q, size_t at, struct str *macro)
{
	for (;;) {
		struct lexer next = q->l;
		struct token t = lex_next_code(&next);

		if (t.kind == TOKEN_END || t.span.at >= at)
			break;
		q->l = next;
		brackets_step(&q->b, q->l.text, t);
	}
	return in_brackets(q, 0, macro);
}
