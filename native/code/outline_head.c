#include "outline_walk.h"

#define VAIN_TIMES 32 /* so many times the text, until values are not looked into any more */

/* A word that declares, unless it is a member's name, or the declaration part of an expression. */
static bool is_keyword(const struct walk *w, struct token t)
{
	static const char *const members[] = { ".", "::", "->", NULL };
	struct str word = token_text(w->text, t);
	ptrdiff_t at = str_find(str_of(w->lang->declares), word);

	return at > 0 && w->lang->declares[at - 1] == ' ' &&
	       w->lang->declares[at + (ptrdiff_t)word.n] == ' ' &&
	       !walk_among(w, w->last[0], members);
}

static enum outline_kind head_kind_of(struct str word)
{
	static const char *const functions[] = { "fn", "func", "function", NULL };
	static const char *const spaces[] = { "namespace", "mod", "impl", NULL };

	return str_among(word, functions) ? OUTLINE_FUNCTION
	       : str_among(word, spaces)  ? OUTLINE_SPACE
					  : OUTLINE_TYPE;
}

/* Go's methods name what they are of before themselves. */
static void skip_receiver(struct walk *w, struct str word)
{
	enum { RECEIVER_MOST = 512 }; /* bytes */
	struct lexer ahead = outline_near(w->l, RECEIVER_MOST);
	struct token t = lex_next_code(&ahead);
	size_t end;

	if (!str_eq(word, STR("func")) || !token_is(w->text, t, "("))
		return;
	ahead.at = t.span.at;
	ahead.at = end = lex_group_end(&ahead);
	if (!end || w->text.p[end - 1] != ')' || lex_next_code(&ahead).kind != TOKEN_WORD)
		return;
	t = lex_next_code(&ahead);
	if (!token_is(w->text, t, "(") && !token_is(w->text, t, "["))
		return;
	while (w->l.at < end)
		lex_next_code(&w->l);
}

/* Up to what opens the body. */
static struct span implemented(struct walk *w, struct token t)
{
	static const char *const ends[] = { "{", ";", "where", NULL };
	struct lexer ahead = outline_ahead(w->l);
	struct span name = t.span;

	for (struct token next = lex_next_code(&ahead); !walk_among(w, next, ends);
	     next = lex_next_code(&ahead)) {
		if (next.kind == TOKEN_END)
			return t.span;
		name.end = next.span.end;
	}
	return name;
}

static void keyword(struct walk *w, struct token t)
{
	static const char *const valued[] = { "return", "new", "await", "throw", "yield", NULL };
	struct frame *f = walk_top(w);
	struct str word = token_text(w->text, t);
	bool result = f->declares && f->kind == OUTLINE_FUNCTION,
	     value = language_by_line(w->lang) && (!f->plain || walk_among(w, w->last[0], valued)),
	     type = str_eq(word, STR("impl")) && f->start != t.span.at &&
		    !token_is(w->text, w->last[0], "unsafe");

	if (result || value || type)
		return;
	f->kind = head_kind_of(word);
	f->expects = true;
	if (str_eq(word, STR("impl"))) {
		f->name = implemented(w, t);
		f->declares = true;
		f->expects = false;
	}
	skip_receiver(w, word);
}

/* `name<T>(`: the parameters of a method are behind those of its types. */
static void skip_type_parameters(struct walk *w)
{
	struct lexer ahead = outline_ahead(w->l);
	struct token open = lex_next(&ahead);
	size_t end;

	if (!token_is(w->text, open, "<"))
		return;
	ahead.at = open.span.at;
	ahead.at = end = lex_angles_end(&ahead);
	if (end && token_is(w->text, lex_next_code(&ahead), "("))
		w->l.at = end;
}

#define OPERATOR_MOST 64 /* tokens of its name */

struct token head_name(struct walk *w, struct token t)
{
	static const char *const no[] = { ";", "{", ")", "}", ",", NULL };
	struct lexer ahead = outline_ahead(w->l);
	struct token next = lex_next_code(&ahead);
	size_t end = 0, left = OPERATOR_MOST;

	if (w->lang->dialect != DIALECT_CPP || !token_is(w->text, t, "operator"))
		return t;
	if (token_is(w->text, next, "(") && token_is(w->text, next = lex_next_code(&ahead), ")")) {
		end = next.span.end;
		next = lex_next_code(&ahead);
	}
	for (; !token_is(w->text, next, "("); next = lex_next_code(&ahead)) {
		if (!left-- || next.kind == TOKEN_END || walk_among(w, next, no))
			return t;
		end = next.span.end;
	}
	if (end) {
		t.span.end = w->l.at = end;
		w->l.last = t;
	}
	return t;
}

void head_word(struct walk *w, struct token t)
{
	struct frame *f = walk_top(w);
	bool open = (w->lang->flags & LANG_HEADS) && f->declares && !f->shaped,
	     more = open && f->plain && f->kind != OUTLINE_SPACE && !token_is(w->text, t, "final"),
	     joined = open && f->kind == OUTLINE_SPACE && token_is(w->text, w->last[0], "::");

	if (f->start == NONE)
		f->start = t.span.at;
	f->bounded = f->bounded || (w->lang->dialect == DIALECT_RUST && f->declares &&
				    token_is(w->text, t, "where"));
	if (f->assigned || (f->declares && f->shaped)) {
		f->expects = false;
		f->tried = f->tried || token_is(w->text, t, "try");
	} else if (is_keyword(w, t)) {
		keyword(w, t);
	} else if (joined) {
		f->name.end = t.span.end;
	} else if (f->expects || more) { /* more: what was before was a macro */
		f->name = t.span;
		f->declares = true;
		f->expects = false;
	}
	if ((w->lang->flags & LANG_METHODS) && f->scope == SCOPE_TYPE && !f->assigned)
		skip_type_parameters(w);
}

/* The name that ends with the last token, with what it is of: `A::f`, `~A`. */
static struct span whole_name(const struct walk *w, size_t *behind)
{
	struct span name = w->last[0].span;

	*behind = 1;
	if (token_is(w->text, w->last[1], "~")) {
		name.at = w->last[1].span.at;
		*behind = 2;
	} else if (token_is(w->text, w->last[1], "::") && w->last[2].kind == TOKEN_WORD &&
		   w->last[2].span.end + 2 == name.at) {
		name.at = w->last[2].span.at;
		*behind = 3;
	}
	return name;
}

/* What may be before the name of a function in C. */
static bool ends_type(const struct walk *w, struct token t)
{
	static const char *const signs[] = { "*", "&", "&&", ">", ")", "::", NULL };
	static const char *const no[] = { "return", "new", "else", "goto", "case", "throw", NULL };

	return t.kind == TOKEN_WORD ? !walk_among(w, t, no) : walk_among(w, t, signs);
}

/* As in `static PRINTF_LIKE(1, 2) void say(`: what is behind it in a head may be the name. */
static bool is_macro(struct str name)
{
	enum { MACRO_MOST = 256 }; /* bytes of its name */
	bool letters = false;

	if (name.n > MACRO_MOST)
		return false;
	for (size_t i = 0; i < name.n; i++) {
		if (!str_named(name.p[i]) || (name.p[i] >= 'a' && name.p[i] <= 'z'))
			return false;
		letters |= name.p[i] >= 'A' && name.p[i] <= 'Z';
	}
	return letters;
}

/* What is called as its type is a constructor; else it is a macro, as a function has a type. */
static bool constructs(const struct walk *w, const struct frame *f, struct span name)
{
	struct str word = str_sub(w->text, name.at, name.end), type = STR("");

	if (f->item)
		type = str_sub(w->text, w->out->v[f->item - 1].name.at,
			       w->out->v[f->item - 1].name.end);
	return f->scope == SCOPE_TYPE && (str_eq(word, type) || str_starts(word, STR("operator")));
}

/* Whether the statement has its name before these parameters. */
static bool is_named(const struct walk *w, const struct frame *f, bool head)
{
	bool macro = head && f->shaped && is_macro(str_sub(w->text, f->name.at, f->name.end)) &&
		     !is_macro(token_text(w->text, w->last[0]));

	return !macro && (f->shaped || (f->declares &&
					(f->kind == OUTLINE_FUNCTION || f->kind == OUTLINE_SPACE)));
}

void head_parameters(struct walk *w)
{
	static const char *const control[] = {
		"if",	      "for",	  "while",    "switch",	       "return",
		"catch",      "sizeof",	  "do",	      "else",	       "with",
		"typeof",     "decltype", "alignof",  "throw",	       "defined",
		"super",      "noexcept", "requires", "static_assert", "_Static_assert",
		"__typeof__", "function", NULL
	};
	struct frame *f = walk_top(w);
	bool named = w->last[0].kind == TOKEN_WORD && !walk_among(w, w->last[0], control);
	bool method = (w->lang->flags & LANG_METHODS) && f->scope == SCOPE_TYPE;
	bool head = (w->lang->flags & LANG_HEADS) && f->scope != SCOPE_CODE;
	size_t behind = 1;
	struct span name;

	f->call = (struct span){ 0, 0 };
	if ((w->lang->flags & LANG_METHODS) && f->scope == SCOPE_CODE && named)
		f->call = w->last[0].span;
	if ((!method && !head) || f->assigned || f->start == NONE || !named || is_named(w, f, head))
		return;
	name = head ? whole_name(w, &behind) : w->last[0].span;
	if (head && name.at == f->start && behind == 1 && !constructs(w, f, name)) {
		f->call = name;
		return;
	}
	if (head && name.at > f->start && behind < 3 && !ends_type(w, w->last[behind]))
		return;
	f->name = name;
	f->kind = OUTLINE_FUNCTION;
	f->declares = f->shaped = true;
}

bool head_goes_on(const struct walk *w, struct frame *f)
{
	static const char *const types[] = { ":", "<",	",",	     "|",      "&",
					     "=", "->", "interface", "struct", NULL };
	struct token last = w->last[0];

	if (f->assigned)
		return true;
	if (f->bounded && token_is(w->text, last, ","))
		return false;
	if (f->inits && (w->lang->flags & LANG_HEADS))
		return last.kind == TOKEN_WORD || token_is(w->text, last, ">");
	if (!f->declares || !walk_among(w, last, types) ||
	    (last.kind == TOKEN_WORD && f->kind != OUTLINE_FUNCTION))
		return false;
	f->inits = true;
	return true;
}

/* `const f = () => ...`, `a.b = function`, `{ f: function`: a function, perhaps, but one that ends
 * with its statement. */
void head_value(struct walk *w, struct token sign)
{
	static const char *const declaring[] = { "const", "let", "var", NULL };
	static const char *const members[] = { "{", ",", NULL };
	struct frame *f = walk_top(w);
	struct token before = w->last[1];
	bool function, names;

	if (f->assigned || !(w->lang->flags & LANG_METHODS) || w->last[0].kind != TOKEN_WORD)
		return;
	function = w->vain / VAIN_TIMES <= w->text.n + OUTLINE_HEAD_MOST &&
		   outline_function_value(w->l, &w->vain);
	if (token_is(w->text, sign, ":")) /* in TypeScript `(a) => b` may be a type */
		names = walk_among(w, before, members) && outline_function_word(w->l);
	else
		names = f->scope == SCOPE_TYPE || walk_among(w, before, declaring) ||
			(function && token_is(w->text, before, "."));
	if (names)
		walk_doubt(w, function ? OUTLINE_FUNCTION : OUTLINE_VALUE, w->last[0].span);
}
