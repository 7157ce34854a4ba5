#include "signature_call.h"

bool passed_starts(const struct passed *p, size_t i, const char *what)
{
	struct span code = p->list.v[i].code;

	return str_starts(str_sub(p->list.text, code.at, code.end), str_of(what));
}

bool passed_spread(const struct passed *p, size_t i)
{
	struct span code = p->list.v[i].code;

	if (p->dialect == DIALECT_PYTHON)
		return passed_starts(p, i, "*");
	if (p->dialect == DIALECT_JS)
		return passed_starts(p, i, "...");
	return (p->dialect == DIALECT_GO || p->dialect == DIALECT_CPP) &&
	       str_ends(str_sub(p->list.text, code.at, code.end), STR("..."));
}

/* `name=` of Python. */
static struct span keyword_of(const struct passed *p, size_t i)
{
	struct lexer l = lex_from(p->list.lang, p->list.text, p->list.v[i].code.at);
	struct token word, sign;

	l.first = false;
	word = lex_next_code(&l);
	sign = lex_next_code(&l);
	if (p->dialect == DIALECT_PYTHON && word.kind == TOKEN_WORD &&
	    token_is(p->list.text, sign, "=") && sign.span.end < p->list.v[i].code.end)
		return word.span;
	return (struct span){ 0, 0 };
}

static enum param_kind signature_args_kind_of(const struct passed *p, size_t i)
{
	return p->s->old->v[p->s->old->first + i].kind;
}

static bool is_mark(const struct passed *p, size_t i, const char *mark)
{
	const struct parameters *old = p->s->old;
	struct span code = old->list.v[old->first + i].code;

	return signature_args_kind_of(p, i) == PARAM_MARK &&
	       str_starts(str_sub(old->list.text, code.at, code.end), str_of(mark));
}

/* Parameters before Python's `/` have no name for callers. */
static size_t signature_args_named(const struct passed *p, struct span name)
{
	size_t n = params_count(p->s->old), found = COMMA_LIST_NEW;

	for (size_t i = 0; i < n; i++)
		if (is_mark(p, i, "/"))
			found = COMMA_LIST_NEW;
		else if (str_eq(signature_old_name(p->s, i),
				str_sub(p->list.text, name.at, name.end)))
			found = i;
	return found;
}

/* The next parameter that an argument without a name goes to. */
static size_t next_positional(const struct passed *p, size_t i)
{
	size_t n = params_count(p->s->old);

	for (; i < n && signature_args_kind_of(p, i) == PARAM_MARK; i++)
		if (is_mark(p, i, "*"))
			return n;
	return i;
}

static bool takes_keywords(const struct passed *p)
{
	for (size_t i = 0; i < params_count(p->s->old); i++)
		if (signature_args_kind_of(p, i) == PARAM_KEYWORDS)
			return true;
	return false;
}

static bool match_keyword(struct passed *p, size_t i, struct err *e)
{
	struct span name = p->keyword[i];
	size_t to = signature_args_named(p, name);

	if (to == COMMA_LIST_NEW && takes_keywords(p))
		return true;
	if (to == COMMA_LIST_NEW || p->of[to] != COMMA_LIST_NEW)
		return err_set(e, ERR_UNSUPPORTED,
			       "it passes %.*s, which is not a parameter or "
			       "is already passed",
			       STR_ARG(str_sub(p->list.text, name.at, name.end)));
	p->of[to] = i;
	p->taken[i] = true;
	return true;
}

static bool match(struct passed *p, struct err *e)
{
	size_t to = 0, n = params_count(p->s->old);

	for (size_t i = p->first; i < p->list.n; i++) {
		p->keyword[i] = keyword_of(p, i);
		if (p->dialect == DIALECT_PYTHON && passed_starts(p, i, "**")) {
			p->any_keywords = true;
			continue;
		}
		if (p->keyword[i].end) {
			if (!match_keyword(p, i, e))
				return false;
			continue;
		}
		if (p->rest < p->list.n)
			continue;
		to = next_positional(p, to);
		p->spread = passed_spread(p, i);
		if (p->spread || (to < n && signature_args_kind_of(p, to) == PARAM_REST)) {
			p->rest = i;
			p->rest_of = to;
		} else if (to >= n || signature_args_kind_of(p, to) == PARAM_KEYWORDS) {
			return err_set(e, ERR_UNSUPPORTED,
				       "it passes %zu arguments, more than there are parameters",
				       p->list.n - p->first);
		} else {
			p->of[to++] = i;
			p->taken[i] = true;
		}
	}
	return true;
}

static bool goes_without(const struct passed *p, size_t i)
{
	return p->s->optional[i] || signature_args_kind_of(p, i) != PARAM_PLAIN ||
	       p->dialect == DIALECT_JS;
}

/* Everything that is not given can be left out, or is in what is spread. */
static bool enough(const struct passed *p, struct err *e)
{
	for (size_t i = 0; i < params_count(p->s->old); i++) {
		bool may_be_there = p->any_keywords || (p->spread && i >= p->rest_of);

		if (p->of[i] == COMMA_LIST_NEW && !may_be_there && !goes_without(p, i))
			return err_set(e, ERR_UNSUPPORTED,
				       "it passes fewer arguments than there are parameters; a "
				       "macro may expand to several");
	}
	return true;
}

/* What is spread fits the parameters from there on: those have to stay as they are, at the end. */
static bool keeps_tail(const struct passed *p)
{
	const struct signature *s = p->s;
	size_t tail = params_count(s->old) - p->rest_of;

	if (s->n < tail)
		return false;
	for (size_t i = 0; i < tail; i++)
		if (s->v[s->n - tail + i].from != p->rest_of + i)
			return false;
	return true;
}

/* Those that **names may hold are kept, under their names. */
static bool keeps_names(const struct passed *p)
{
	for (size_t i = 0; i < params_count(p->s->old); i++) {
		bool kept = false;

		for (size_t k = 0; k < p->s->n; k++)
			kept |= p->s->v[k].from == i;
		if (p->of[i] == COMMA_LIST_NEW && (!kept || signature_new_name(p->s, i).n))
			return false;
	}
	return true;
}

static bool can_spread(const struct passed *p, struct err *e)
{
	if (p->spread && !keeps_tail(p))
		return err_set(e, ERR_UNSUPPORTED,
			       "it spreads a value over its arguments, whose number is not known");
	if (p->any_keywords && !keeps_names(p))
		return err_set(e, ERR_UNSUPPORTED,
			       "it passes **keywords, whose names are not "
			       "known");
	return true;
}

bool passed_read(struct passed *p, struct err *e)
{
	for (size_t i = 0; i < params_count(p->s->old); i++)
		p->of[i] = COMMA_LIST_NEW;
	p->rest = p->list.n;
	p->rest_of = params_count(p->s->old);
	return match(p, e) && enough(p, e) && can_spread(p, e);
}

static bool fits(const struct signature *s, size_t n)
{
	size_t least = 0, most = params_count(s->old);

	for (size_t i = 0; i < params_count(s->old); i++) {
		enum param_kind kind = s->old->v[s->old->first + i].kind;

		least += kind == PARAM_PLAIN && !s->optional[i];
		if (kind == PARAM_REST)
			most = COMMA_LIST_NEW;
	}
	return n >= least && n <= most;
}

bool passed_list(const struct signature *s, const struct nested_edits *nest,
		 const struct signature_call *c, struct comma_list *out, struct err *e)
{
	const struct language *lang = s->old->list.lang;
	bool angles = true, signs = true;
	struct comma_list other;

	if (!comma_list_read(lang, nest->text, c->open, COMMA_LIST_ANGLES, out, e))
		return false;
	if (!comma_list_read(lang, nest->text, c->open, COMMA_LIST_SIGNS, &other, e)) {
		comma_list_release(out);
		return false;
	}
	for (size_t n = out->n; n <= other.n && out->n != other.n; n++) {
		bool fit = fits(s, n - (n && c->receiver));

		angles = angles && fit == (n == out->n);
		signs = signs && fit == (n == other.n);
	}
	if (!angles && signs) {
		comma_list_release(out);
		*out = other;
		return true;
	}
	comma_list_release(&other);
	if (angles)
		return true;
	comma_list_release(out);
	return err_set(e, ERR_UNSUPPORTED, "`<` in it may be a type argument or a comparison");
}
