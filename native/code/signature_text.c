#include "signature_text.h"

#include "../text/line.h"

static enum dialect dialect_of(const struct signature_change *c)
{
	return language_dialect(c->s->old->list.lang);
}

static struct str signature_text_name_at(const struct nested_edits *nest, const struct site *s)
{
	return str_sub(nest->text, s->name.at, s->name.end);
}

/* A word as classes are called, but no constant. */
static bool like_class(struct str name)
{
	bool small = false;

	for (size_t i = 0; i < name.n; i++)
		small |= name.p[i] >= 'a' && name.p[i] <= 'z';
	return small && name.p[0] >= 'A' && name.p[0] <= 'Z';
}

/* Whether the first argument is the object: Type::method(x), Class.method(x). */
static bool has_receiver(const struct signature_change *c, const struct site *s, bool *is,
			 struct err *e)
{
	const struct parameters *old = c->s->old;
	struct str first =
		old->n ? str_sub(old->list.text, old->v[0].name.at, old->v[0].name.end) : STR("");
	bool owner = false, python = dialect_of(c) == DIALECT_PYTHON;

	for (size_t i = 0; i < c->n_owners; i++)
		owner |= s->receiver.n && str_eq(s->receiver, c->owners[i]);
	*is = owner;
	if (dialect_of(c) == DIALECT_RUST)
		*is = old->first && s->qualified;
	else if (python)
		*is = owner && old->first && str_eq(first, STR("self"));
	if (python && old->first && str_eq(first, STR("self")) && !owner && like_class(s->receiver))
		return err_set(e, ERR_UNSUPPORTED,
			       "cannot tell whether %.*s is a class or an object",
			       STR_ARG(s->receiver));
	return true;
}

struct calling {
	const struct signature_change *c;
	const struct site *site;
};

static void on_dropped(void *arg, struct str argument)
{
	struct calling *calling = arg;

	calling->c->dropped(calling->c->arg, calling->site, argument);
}

static bool rewrite_call(const struct signature_change *c, const struct site *s,
			 struct nested_edits *nest, struct buf *out, struct err *e)
{
	struct calling calling = { c, s };
	struct signature_call call = { s->open, false, on_dropped, &calling };

	return has_receiver(c, s, &call.receiver, e) && signature_call(c->s, &call, nest, out, e);
}

/* Out of its class a definition repeats no default. */
static bool has_defaults(const struct signature_change *c, const struct site *s)
{
	if (dialect_of(c) != DIALECT_CPP || !s->body)
		return true;
	return !s->qualified && !(c->declared_apart && !c->n_owners);
}

static bool rewrite_declaration(const struct signature_change *c, const struct site *s,
				struct nested_edits *nest, struct buf *out, struct err *e)
{
	struct parameters here;
	bool ok;

	if (!params_read(c->s->old->list.lang, nest->text, s->open, &here, e))
		return false;
	ok = signature_declare(c->s, &here, nest, has_defaults(c, s), out, e);
	params_release(&here);
	return ok;
}

/* An import can give it another name; C and C++ have none. */
static bool may_be_alias(const struct signature_change *c)
{
	return dialect_of(c) != DIALECT_C && dialect_of(c) != DIALECT_CPP;
}

static void signature_text_rewrite(const struct signature_change *c, const struct site *s,
				   struct nested_edits *nest)
{
	struct buf out SCOPED(buf_release) = BUF_INIT;
	struct err e = ERR_INIT;
	bool ok = true;

	if (s->kind == SITE_OTHER)
		ok = err_set(&e, ERR_UNSUPPORTED, "%s", s->why);
	else if (!may_be_alias(c) && !str_eq(signature_text_name_at(nest, s), c->old_name))
		ok = err_set(&e, ERR_UNSUPPORTED, "the name comes from a macro here");
	else if (s->kind == SITE_CALL && !signature_same(c->s))
		ok = rewrite_call(c, s, nest, &out, &e);
	else if (s->kind == SITE_DECLARATION && !signature_same(c->s))
		ok = rewrite_declaration(c, s, nest, &out, &e);
	if (!ok)
		c->refused(c->arg, s, e.msg);
	else if (s->kind != SITE_IMPORT && !signature_same(c->s))
		nested_put(nest, (struct span){ s->open + 1, s->end - 1 }, buf_str(&out));
	if ((ok || c->rename_refused) && !str_eq(c->new_name, c->old_name) &&
	    str_eq(signature_text_name_at(nest, s), c->old_name))
		nested_put(nest, s->name, c->new_name);
}

void signature_rewrite(const struct signature_change *c, const struct site *v, size_t n,
		       struct nested_edits *nest)
{
	/* what is in arguments comes behind the name of what is called with them */
	while (n--)
		signature_text_rewrite(c, &v[n], nest);
}

/* The class above, by indentation. */
static struct str class_above(const struct language *lang, struct str text, size_t at)
{
	size_t indent = line_indent(text, at).n;

	for (at = line_start(text, at); at; at = line_start(text, at - 1)) {
		struct lexer l;
		size_t above = line_start(text, at - 1);
		size_t blanks = line_indent(text, above).n;

		if (blanks >= indent || line_blank(text, above))
			continue;
		l = lex_from(lang, text, above + blanks);
		if (token_is(text, lex_next_code(&l), "class")) {
			struct token name = lex_next_code(&l);

			return token_text(text, name);
		}
		indent = blanks;
	}
	return STR("");
}

/* The last word of `(s *Shape)` before the name; of types in it, `Shape[T]`, the one before them.
 */
static struct str receiver_type(const struct language *lang, struct str text, size_t at)
{
	struct lexer l = lex_from(lang, text, line_start(text, at));
	struct str type = STR("");
	struct token t = lex_next_code(&l);

	if (!token_is(text, t, "func"))
		return type;
	while ((t = lex_next_code(&l)).kind != TOKEN_END && t.span.at < at &&
	       !token_is(text, t, "["))
		if (t.kind == TOKEN_WORD)
			type = token_text(text, t);
	return type;
}

struct str signature_owner(const struct language *lang, struct str text, const struct site *s)
{
	if (language_dialect(lang) == DIALECT_PYTHON)
		return class_above(lang, text, s->name.at);
	if (language_dialect(lang) == DIALECT_GO)
		return receiver_type(lang, text, s->name.at);
	return STR("");
}
