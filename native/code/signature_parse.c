#include "signature_parse.h"

#include <stdlib.h>

#include "../base/mem.h"

struct parsing {
	struct signature *s;
	const struct language *lang;
	struct parameters new;
	size_t n;	       /* of those, without the receiver */
	struct span *item;     /* of each new one, without its argument */
	struct span *argument; /* empty: it has none */
	size_t *from;	       /* the old one that it is, or COMMA_LIST_NEW */
};

/* `name(...)` and nothing behind it: where the bracket opens. */
static size_t named_list(const struct language *lang, struct str text)
{
	struct lexer l = lex_from(lang, text, 0);
	struct token word = lex_next_code(&l), open = lex_next_code(&l);

	if (word.kind != TOKEN_WORD || !token_is(text, open, "("))
		return 0;
	l.at = open.span.at;
	return lex_group_end(&l) == str_trim(text).n ? open.span.at : 0;
}

/* The `:=` that is in no brackets. */
static void part_argument(struct parsing *p, size_t i)
{
	struct span code = p->new.list.v[p->new.first + i].code;
	struct lexer l = lex_from(p->lang, p->new.list.text, code.at);
	size_t deep = 0;

	p->item[i] = code;
	for (struct token t; (t = lex_next_code(&l)).kind != TOKEN_END && t.span.end < code.end;) {
		deep += t.kind == TOKEN_OPEN;
		deep -= t.kind == TOKEN_CLOSE && deep;
		if (deep || !token_is(l.text, t, ":="))
			continue;
		p->item[i].end = t.span.at;
		p->argument[i] = (struct span){ t.span.end, code.end };
		return;
	}
}

static struct str item_text(const struct parsing *p, size_t i)
{
	return str_trim(str_sub(p->new.list.text, p->item[i].at, p->item[i].end));
}

/* With the type that Go lets it share with the next. */
static struct str whole_text(const struct parsing *p, const struct parameters *of, size_t i,
			     struct str text)
{
	struct span type = of->v[of->first + i].type;
	struct buf whole SCOPED(buf_release) = BUF_INIT;

	if (!type.end)
		return text;
	buf_addf(&whole, "%.*s %.*s", STR_ARG(text),
		 STR_ARG(str_sub(of->list.text, type.at, type.end)));
	return arena_str(&p->s->texts, buf_str(&whole));
}

static struct str new_text(const struct parsing *p, size_t i)
{
	return whole_text(p, &p->new, i, item_text(p, i));
}

static struct str old_text(const struct parsing *p, size_t i)
{
	const struct parameters *old = p->s->old;
	struct span code = old->list.v[old->first + i].code;

	return whole_text(p, old, i, str_sub(old->list.text, code.at, code.end));
}

/* The same code, whatever blanks are in it; where `but` is given, but for these two names. */
static bool same_code(const struct language *lang, struct str a, struct str b,
		      const struct str *but)
{
	struct lexer x = lex_from(lang, a, 0), y = lex_from(lang, b, 0);

	for (;;) {
		struct token t = lex_next_code(&x), u = lex_next_code(&y);
		struct str s = token_text(a, t), o = token_text(b, u);
		bool names = but && str_eq(s, but[0]) && str_eq(o, but[1]);

		if (t.kind == TOKEN_END || u.kind == TOKEN_END)
			return t.kind == u.kind;
		if (!str_eq(s, o) && !names)
			return false;
	}
}

static struct str new_name(const struct parsing *p, size_t i)
{
	struct parameter one;

	if (!param_read(p->lang, new_text(p, i), &one, ERR_IGNORED))
		return STR("");
	return str_sub(new_text(p, i), one.name.at, one.name.end);
}

static bool is_taken(const struct parsing *p, size_t old)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->from[i] == old)
			return true;
	return false;
}

static bool signature_parse_is_renamed(const struct parsing *p, size_t i, size_t old)
{
	struct str names[2] = { signature_old_name(p->s, old), new_name(p, i) };

	return names[0].n && names[1].n &&
	       same_code(p->lang, old_text(p, old), new_text(p, i), names);
}

static void find_same(struct parsing *p)
{
	for (size_t i = 0; i < p->n; i++)
		for (size_t k = 0; k < params_count(p->s->old) && p->from[i] == COMMA_LIST_NEW; k++)
			if (!p->argument[i].end && !is_taken(p, k) &&
			    same_code(p->lang, old_text(p, k), new_text(p, i), NULL))
				p->from[i] = k;
}

static bool is_new(const struct parsing *p, size_t i)
{
	struct parameter one;

	return p->argument[i].end || (param_read(p->lang, item_text(p, i), &one, ERR_IGNORED) &&
				      (one.optional || one.kind != PARAM_PLAIN));
}

static bool find_renamed(struct parsing *p, size_t i, struct err *e)
{
	size_t hits = 0, hit = COMMA_LIST_NEW;

	for (size_t k = 0; k < params_count(p->s->old); k++) {
		if (is_taken(p, k) || !signature_parse_is_renamed(p, i, k))
			continue;
		hits++;
		if (hit == COMMA_LIST_NEW || k == i)
			hit = k;
	}
	if (hits > 1 && hit != i)
		return err_set(e, ERR_AMBIGUOUS,
			       "`%.*s` may be any of %zu renamed parameters; rename first, and "
			       "reorder afterwards",
			       STR_ARG(item_text(p, i)), hits);
	p->from[i] = hit;
	return true;
}

/* What has the name of an old one is not new: its type has been changed, which is another matter.
 */
static bool check_new(const struct parsing *p, size_t i, struct str *missing, struct err *e)
{
	struct str name = new_name(p, i);

	for (size_t k = 0; k < params_count(p->s->old); k++)
		if (name.n && !is_taken(p, k) && str_eq(name, signature_old_name(p->s, k)))
			return err_set(e, ERR_INVALID,
				       "`%.*s` was `%.*s`; the type of a parameter that is kept "
				       "cannot be changed",
				       STR_ARG(item_text(p, i)), STR_ARG(old_text(p, k)));
	if (is_new(p, i))
		return true;
	*missing = item_text(p, i);
	return err_set(e, ERR_NOT_FOUND,
		       "what do callers pass for `%.*s`? Write it like `%.*s := 0`",
		       STR_ARG(*missing), STR_ARG(*missing));
}

static void add_items(struct parsing *p)
{
	for (size_t i = 0; i < p->n; i++) {
		struct signature_item *it = signature_item(p->s);
		struct span a = p->argument[i];

		it->from = p->from[i];
		if (it->from == COMMA_LIST_NEW)
			it->text = new_text(p, i);
		else if (!same_code(p->lang, old_text(p, it->from), new_text(p, i), NULL))
			it->name = new_name(p, i);
		it->given = a.end;
		it->argument = str_sub(p->new.list.text, a.at, a.end);
	}
}

static bool match(struct parsing *p, struct str *missing, struct err *e)
{
	find_same(p);
	for (size_t i = 0; i < p->n; i++)
		if (p->from[i] == COMMA_LIST_NEW && !p->argument[i].end && !find_renamed(p, i, e))
			return false;
	for (size_t i = 0; i < p->n; i++)
		if (p->from[i] == COMMA_LIST_NEW && !check_new(p, i, missing, e))
			return false;
	add_items(p);
	return true;
}

/* The receiver may be left out; where it is there it stays as it is. */
static bool same_receiver(const struct parsing *p, struct err *e)
{
	const struct parameters *old = p->s->old;
	struct span was, is;

	if (!p->new.first)
		return true;
	is = p->new.list.v[0].code;
	was = old->first ? old->list.v[0].code : (struct span){ 0, 0 };
	return same_code(p->lang, str_sub(old->list.text, was.at, was.end),
			 str_sub(p->new.list.text, is.at, is.end), NULL) ||
	       err_set(e, ERR_INVALID, "`%.*s` cannot be changed",
		       STR_ARG(old->first ? str_sub(old->list.text, was.at, was.end)
					  : str_sub(p->new.list.text, is.at, is.end)));
}

static bool parse_list(struct parsing *p, struct str *missing, struct err *e)
{
	bool ok;

	p->n = params_count(&p->new);
	p->item = mem_new((p->n + 1) * sizeof(*p->item));
	p->argument = mem_new((p->n + 1) * sizeof(*p->argument));
	p->from = mem_new((p->n + 1) * sizeof(*p->from));
	for (size_t i = 0; i < p->n; i++) {
		part_argument(p, i);
		p->from[i] = COMMA_LIST_NEW;
	}
	ok = same_receiver(p, e) && match(p, missing, e);
	free(p->item);
	free(p->argument);
	free(p->from);
	return ok;
}

bool signature_parse(struct signature *s, struct str text, struct str *name, struct str *missing,
		     struct err *e)
{
	struct parsing p = { .s = s, .lang = s->old->list.lang };
	size_t open = named_list(p.lang, text = str_trim(text));
	struct buf own SCOPED(buf_release) = BUF_INIT;
	bool ok;

	*name = str_trim(str_sub(text, 0, open));
	*missing = STR("");
	if (open || str_starts(text, STR("(")))
		buf_add(&own, str_sub(text, open, text.n));
	else
		buf_addf(&own, "(%.*s)", STR_ARG(text));
	text = arena_str(&s->texts, buf_str(&own));
	if (!params_read(p.lang, text, 0, &p.new, e))
		return false;
	ok = p.new.list.inner.end + 1 == text.n
		     ? parse_list(&p, missing, e)
		     : err_set(e, ERR_INVALID, "unexpected text after the parameter list");
	params_release(&p.new);
	return ok;
}
