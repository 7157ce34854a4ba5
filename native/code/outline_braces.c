#include <stdlib.h>

#include "../base/mem.h"
#include "outline_impl.h"

#define NONE ((size_t)-1)

enum scope { SCOPE_FILE, SCOPE_TYPE, SCOPE_CODE };

/* A bracket that is open, and the statement that is being read in it. */
struct frame {
	char open; /* the bracket; 0: the file */
	enum scope scope;
	size_t item;   /* whose body this is, from 1 */
	size_t start;  /* of the statement; NONE: it has not begun */
	bool plain;    /* it is nothing but words so far */
	bool assigned; /* `=` is in it */
	bool inits;    /* `:` is behind its parameters: what a constructor begins with */
	bool expects;  /* a name: the last word was one of those that declare */
	bool declares; /* `name` is the name of a declaration */
	bool shaped;   /* ... and known by its parameters alone */
	bool tried;    /* ... and has `try` behind them: more than one body */
	enum outline_kind kind;
	struct span name;
	struct span call; /* the name before the last parentheses; empty: none */
};

struct walk {
	const struct language *lang;
	struct str text;
	struct outline *out;
	struct lexer l;
	struct frame *v; /* open brackets */
	size_t n, cap;
	size_t *branch; /* how many were open at each #if */
	size_t branches, branch_cap;
	struct token last[3]; /* of code, the latest first */
};

static struct frame *top(struct walk *w)
{
	return &w->v[w->n - 1];
}

static bool braces_is(const struct walk *w, struct token t, const char *const *words)
{
	return str_among(token_text(w->text, t), words);
}

static void new_statement(struct frame *f)
{
	*f = (struct frame){
		.open = f->open, .scope = f->scope, .item = f->item, .start = NONE, .plain = true
	};
}

static void braces_push(struct walk *w, char open, enum scope scope, size_t item)
{
	w->v = mem_grow(w->v, &w->cap, w->n + 1, sizeof(*w->v));
	w->v[w->n] = (struct frame){ .open = open, .scope = scope, .item = item };
	new_statement(&w->v[w->n++]);
}

static size_t parent_of(const struct walk *w)
{
	for (size_t i = w->n; i--;)
		if (w->v[i].item)
			return w->v[i].item;
	return 0;
}

static void declare(struct walk *w, size_t end)
{
	struct frame *f = top(w);

	outline_add(w->out, f->kind, f->name, (struct span){ f->start, end }, parent_of(w));
}

static void doubt(struct walk *w, enum outline_kind kind, struct span name)
{
	outline_add(w->out, kind, name, name, parent_of(w))->doubtful = true;
}

/* A word that declares, unless it is a member's name, or the declaration part of an expression. */
static bool is_keyword(const struct walk *w, struct token t)
{
	static const char *const members[] = { ".", "::", "->", NULL };
	struct str word = token_text(w->text, t);
	ptrdiff_t at = str_find(str_of(w->lang->declares), word);

	return at > 0 && w->lang->declares[at - 1] == ' ' &&
	       w->lang->declares[at + (ptrdiff_t)word.n] == ' ' &&
	       !braces_is(w, w->last[0], members);
}

static enum outline_kind braces_kind_of(struct str word)
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
	struct lexer ahead = w->l;
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
	struct lexer ahead = w->l;
	struct span name = t.span;

	for (struct token next = lex_next_code(&ahead);
	     next.kind != TOKEN_END && !token_is(w->text, next, "{") &&
	     !token_is(w->text, next, ";") && !token_is(w->text, next, "where");
	     next = lex_next_code(&ahead))
		name.end = next.span.end;
	return name;
}

static void keyword(struct walk *w, struct token t)
{
	static const char *const valued[] = { "return", "new", "await", "throw", "yield", NULL };
	struct frame *f = top(w);
	struct str word = token_text(w->text, t);
	bool result = f->declares && f->kind == OUTLINE_FUNCTION,
	     value = language_by_line(w->lang) && (!f->plain || braces_is(w, w->last[0], valued)),
	     type = str_eq(word, STR("impl")) && f->start != t.span.at &&
		    !token_is(w->text, w->last[0], "unsafe");

	if (result || value || type)
		return;
	f->kind = braces_kind_of(word);
	f->expects = true;
	if (str_eq(word, STR("impl"))) {
		f->name = implemented(w, t);
		f->declares = true;
		f->expects = false;
	}
	skip_receiver(w, word);
}

static void word(struct walk *w, struct token t)
{
	struct frame *f = top(w);
	bool open = (w->lang->flags & LANG_HEADS) && f->declares && !f->shaped,
	     more = open && f->plain && !token_is(w->text, t, "final"),
	     joined = open && f->kind == OUTLINE_SPACE && token_is(w->text, w->last[0], "::");

	if (f->start == NONE)
		f->start = t.span.at;
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
}

/* The name that ends with the last token, with what it is of: `A::f`, `~A`. */
static struct span whole_name(const struct walk *w, size_t *behind)
{
	struct span name = w->last[0].span;

	*behind = 1;
	if (token_is(w->text, w->last[1], "~")) {
		name.at = w->last[1].span.at;
		*behind = 2;
	} else if (token_is(w->text, w->last[1], "::") && w->last[2].kind == TOKEN_WORD) {
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

	return t.kind == TOKEN_WORD ? !braces_is(w, t, no) : braces_is(w, t, signs);
}

/* Parameters open: is what is before them the name of a function? */
static void parameters(struct walk *w)
{
	static const char *const control[] = {
		"if",	      "for",	  "while",    "switch",	       "return",
		"catch",      "sizeof",	  "do",	      "else",	       "with",
		"typeof",     "decltype", "alignof",  "throw",	       "defined",
		"super",      "noexcept", "requires", "static_assert", "_Static_assert",
		"__typeof__", "function", NULL
	};
	struct frame *f = top(w);
	bool named = w->last[0].kind == TOKEN_WORD && !braces_is(w, w->last[0], control);
	bool method = (w->lang->flags & LANG_METHODS) && f->scope == SCOPE_TYPE;
	bool head = (w->lang->flags & LANG_HEADS) && f->scope != SCOPE_CODE;
	size_t behind = 1;
	struct span name;

	f->call = (struct span){ 0, 0 };
	if ((w->lang->flags & LANG_METHODS) && f->scope == SCOPE_CODE && named)
		f->call = w->last[0].span;
	if ((!method && !head) || f->assigned || f->start == NONE || f->shaped ||
	    (f->declares && f->kind == OUTLINE_FUNCTION) || !named)
		return;
	name = head ? whole_name(w, &behind) : w->last[0].span;
	if (head && f->scope == SCOPE_FILE && name.at == f->start && behind == 1) {
		f->call = name; /* of a macro: a function has a type */
		return;
	}
	if (head && name.at > f->start && behind < 3 && !ends_type(w, w->last[behind]))
		return;
	f->name = name;
	f->kind = OUTLINE_FUNCTION;
	f->declares = f->shaped = true;
}

/* Whether the brace that opens is part of the head: a value, or a type. */
static bool is_in_head(const struct walk *w, struct frame *f)
{
	static const char *const types[] = { ":", "<",	",",	     "|",      "&",
					     "=", "->", "interface", "struct", NULL };
	struct token last = w->last[0];

	if (f->assigned)
		return true;
	if (f->inits && (w->lang->flags & LANG_HEADS))
		return last.kind == TOKEN_WORD || token_is(w->text, last, ">");
	if (!f->declares || !braces_is(w, last, types) ||
	    (last.kind == TOKEN_WORD && f->kind != OUTLINE_FUNCTION))
		return false;
	f->inits = true;
	return true;
}

/* `extern "C" {` and `namespace {`: what is in them is as in the file. */
static bool opens_file(const struct walk *w, const struct frame *f)
{
	struct str rest = str_sub(w->text, f->start == NONE ? w->text.n : f->start, w->text.n);

	return (w->lang->flags & LANG_HEADS) && f->scope == SCOPE_FILE &&
	       ((f->expects && f->kind == OUTLINE_SPACE) ||
		(w->last[0].kind == TOKEN_STRING && str_starts(rest, STR("extern"))));
}

/* `int f(a) int a; {`, as C was written once: what was taken for a declaration has a body. */
static bool opens_late(const struct walk *w, const struct frame *f)
{
	return (w->lang->flags & LANG_HEADS) && f->scope == SCOPE_FILE && w->out->n &&
	       token_is(w->text, w->last[0], ";");
}

static void open_brace(struct walk *w, struct token t)
{
	struct frame *f = top(w);
	bool head = is_in_head(w, f), file = !head && opens_file(w, f);

	if (f->declares && !head) {
		enum scope scope = f->kind == OUTLINE_FUNCTION ? SCOPE_CODE
				   : f->kind == OUTLINE_SPACE  ? SCOPE_FILE
							       : SCOPE_TYPE;

		bool whole = !f->tried;

		if (whole)
			declare(w, t.span.end);
		else
			doubt(w, f->kind, f->name);
		new_statement(f);
		braces_push(w, '{', scope, whole ? w->out->n : 0);
		return;
	}
	if (f->call.end && token_is(w->text, w->last[0], ")"))
		doubt(w, OUTLINE_FUNCTION, f->call); /* a method of an object */
	if (opens_late(w, f)) {
		struct outline_item *late = &w->out->v[w->out->n - 1];

		late->all = late->name;
		late->doubtful = true;
	}
	if (file)
		new_statement(f);
	braces_push(w, '{', file ? SCOPE_FILE : SCOPE_CODE, 0);
}

static void open_bracket(struct walk *w, struct token t)
{
	struct frame *f = top(w);
	char open = w->text.p[t.span.at];

	if (open == '(')
		parameters(w);
	if (f->start == NONE)
		f->start = t.span.at;
	f->plain = false;
	if (open == '{') {
		open_brace(w, t);
		return;
	}
	f->expects = false;
	braces_push(w, open, SCOPE_CODE, 0);
}

static bool close_bracket(struct walk *w, struct token t, struct err *e)
{
	static const char pairs[] = "()[]{}";
	struct frame *f = top(w);
	char close = w->text.p[t.span.at];
	size_t item = f->item;

	if (!f->open || strchr(pairs, f->open)[1] != close)
		return outline_fail(w->text, t.span.at, "unbalanced brackets", e);
	if (f->declares && f->kind == OUTLINE_FUNCTION)
		doubt(w, f->kind, f->name); /* a statement that does not end */
	if (item)
		w->out->v[item - 1].all.end = t.span.end;
	w->n--;
	f = top(w);
	if (close == '}' && !f->assigned && !f->inits)
		new_statement(f);
	return true;
}

static void end_statement(struct walk *w, struct token t)
{
	struct frame *f = top(w);

	if (f->declares && f->shaped && f->scope != SCOPE_CODE)
		declare(w, t.span.at);
	else if (f->declares && !(w->lang->flags & LANG_HEADS))
		declare(w, t.span.at);
	new_statement(f);
}

/* Where a line ends a statement: unless its body is below. */
static void end_line(struct walk *w)
{
	struct lexer ahead = w->l;
	struct frame *f = top(w);

	if ((w->lang->flags & LANG_HEADS) && f->call.end && f->call.at == f->start &&
	    token_is(w->text, w->last[0], ")"))
		new_statement(f); /* a macro, on a line of its own */
	if (!language_by_line(w->lang) || (f->open && f->open != '{') ||
	    (f->declares && token_is(w->text, lex_next_code(&ahead), "{")))
		return;
	if (f->declares)
		doubt(w, f->kind, f->name);
	new_statement(f);
}

static bool directive(struct walk *w, struct token t, struct err *e)
{
	struct str line = token_text(w->text, t);
	bool branch, end;

	str_skip(&line, STR("#"));
	line = str_trim(line);
	branch = str_starts(line, STR("el"));
	end = str_starts(line, STR("endif"));
	new_statement(top(w));
	if (str_starts(line, STR("if"))) {
		mem_add(w->branch, w->branches, w->branch_cap, w->n);
	}
	if ((branch || end) && (!w->branches || w->branch[w->branches - 1] != w->n))
		return outline_fail(w->text, t.span.at,
				    "brackets differ between the branches of an #if", e);
	w->branches -= end;
	return true;
}

/* `const f = () => ...`: a function, perhaps, but one that ends with its statement. */
static void assigned(struct walk *w)
{
	static const char *const declaring[] = { "const", "let", "var", NULL };
	struct frame *f = top(w);

	if (!f->assigned && (w->lang->flags & LANG_METHODS) && w->last[0].kind == TOKEN_WORD &&
	    (f->scope == SCOPE_TYPE || braces_is(w, w->last[1], declaring)))
		doubt(w, outline_function_value(w->l) ? OUTLINE_FUNCTION : OUTLINE_VALUE,
		      w->last[0].span);
	/* else it is the default of a parameter */
	f->assigned = !f->declares || (f->kind == OUTLINE_TYPE && (w->lang->flags & LANG_HEADS));
}

static void sign(struct walk *w, struct token t)
{
	struct frame *f = top(w);

	if (token_is(w->text, t, ";")) {
		end_statement(w, t);
		return;
	}
	if (f->start == NONE)
		f->start = t.span.at;
	f->plain = false;
	f->expects = f->expects && token_is(w->text, t, "*"); /* function *f */
	if (token_is(w->text, t, "=") || token_is(w->text, t, "=>"))
		assigned(w);
	if (!token_is(w->text, t, ":") || !(w->lang->flags & LANG_HEADS))
		return;
	if (f->shaped)
		f->inits = true;
	else if (f->scope == SCOPE_TYPE && !f->declares)
		new_statement(f); /* `public:` */
}

/* False when the text has no outline. */
static bool braces_step(struct walk *w, struct token t, struct err *e)
{
	switch (t.kind) {
	case TOKEN_SPACE:
	case TOKEN_COMMENT:
	case TOKEN_ATTRIBUTE:
	case TOKEN_END:
		return true;
	case TOKEN_LINE_END:
		end_line(w);
		return true;
	case TOKEN_DIRECTIVE:
		return directive(w, t, e);
	case TOKEN_OPEN:
		open_bracket(w, t);
		break;
	case TOKEN_CLOSE:
		if (!close_bracket(w, t, e))
			return false;
		break;
	case TOKEN_WORD:
		word(w, t);
		break;
	case TOKEN_STRING:
		if (top(w)->start == NONE)
			top(w)->start = t.span.at;
		top(w)->plain = false;
		break;
	case TOKEN_SIGN:
		sign(w, t);
		break;
	}
	w->last[2] = w->last[1];
	w->last[1] = w->last[0];
	w->last[0] = t;
	return true;
}

bool outline_braces(const struct language *lang, struct str text, struct outline *out,
		    struct err *e)
{
	struct walk w = { .lang = lang, .text = text, .out = out, .l = lex_from(lang, text, 0) };
	struct token t;
	bool ok;

	braces_push(&w, 0, SCOPE_FILE, 0);
	do
		t = lex_next(&w.l);
	while ((ok = braces_step(&w, t, e)) && t.kind != TOKEN_END);
	if (ok && w.n > 1)
		ok = outline_fail(text, text.n, "unbalanced brackets", e);
	free(w.v);
	free(w.branch);
	return ok;
}
