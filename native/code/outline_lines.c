#include <string.h>

#include "outline_impl.h"

/*
 * Languages of which the outline is only looked at: a line that begins with a word that declares,
 * or as a method does, and what is indented more than that line is in it. All of it is doubtful.
 */
#define WORDS_MOST 16 /* before the parameters of a method */

enum line_flag {
	LINES_HEADS = 1 << 0, /* methods begin with their type */
	LINES_SHELL = 1 << 1, /* functions are `name()`, too */
	LINES_COLON = 1 << 2, /* a name may have a colon in it */
	LINES_SHORT = 1 << 3, /* functions may be `name(...) = value` */
};

struct lines_rule {
	const char *filetype;
	const char *functions, *types, *spaces; /* as `declares` of struct language */
	unsigned flags;
};

static const struct lines_rule rules[] = {
	{ " ruby ", " def ", " class ", " module ", 0 },
	{ " java ", "", " class interface enum record @interface ", "", LINES_HEADS },
	{ " cs ", "", " class interface enum record struct ", " namespace ", LINES_HEADS },
	{ " kotlin ", " fun ", " class interface object ", "", 0 },
	{ " swift ", " func ", " class struct enum protocol extension actor ", "", 0 },
	{ " scala ", " def ", " class object trait enum ", "", 0 },
	{ " php ", " function ", " class interface trait enum ", " namespace ", 0 },
	{ " elixir ", " def defp defmacro defmacrop defguard defguardp defdelegate ", "",
	  " defmodule defprotocol defimpl ", 0 },
	{ " julia ", " function macro ", " struct type ", " module ", LINES_SHORT },
	{ " sh ", " function ", "", "", LINES_SHELL },
	{ " vim ", " function func fun fu def ", "", "", LINES_COLON },
};

struct outline_lines {
	const struct lines_rule *rule;
	struct str text;
	struct outline *out;
	size_t open; /* the innermost that has not ended, from 1 */
	size_t end;  /* of the last code */
	size_t deep; /* in round and square brackets */
};

static const struct lines_rule *rule_of(const struct language *lang)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		if (strstr(lang->filetypes, rules[i].filetype))
			return &rules[i];
	return NULL;
}

static bool in_list(const char *list, struct str word)
{
	struct str rest = str_of(list), one;

	while (word.n && str_skip(&rest, STR(" ")) && rest.n) {
		ptrdiff_t n = str_find(rest, STR(" "));

		one = str_sub(rest, 0, n < 0 ? rest.n : (size_t)n);
		if (str_eq(one, word))
			return true;
		rest = str_sub(rest, one.n, rest.n);
	}
	return false;
}

static bool lines_declares(const struct outline_lines *w, struct str word, enum outline_kind *kind)
{
	const struct lines_rule *r = w->rule;

	*kind = in_list(r->functions, word) ? OUTLINE_FUNCTION
		: in_list(r->types, word)   ? OUTLINE_TYPE
					    : OUTLINE_SPACE;
	return *kind != OUTLINE_SPACE || in_list(r->spaces, word);
}

static void lines_add(struct outline_lines *w, enum outline_kind kind, struct span name, size_t at)
{
	outline_add(w->out, kind, name, (struct span){ at, name.end }, w->open)->doubtful = true;
	w->open = w->out->n;
}

/* Where `<...>` ends that begins there; 0: it does not on that line. */
static size_t angles_end(const struct outline_lines *w, struct lexer l, size_t at)
{
	if (at >= w->text.n || w->text.p[at] != '<')
		return 0;
	l.at = at;
	l = outline_ahead(l);
	l.text = str_sub(l.text, 0, line_end(l.text, at));
	return lex_angles_end(&l);
}

/* `a.b`, `A::b` and the like are one name; of `A<T>.b` it is what comes last. */
static struct span joined_name(const struct outline_lines *w, struct token name, struct lexer l)
{
	static const char *const joins[] = { ".", "::", "\\", "#", ":", NULL };
	struct span all = name.span;

	for (;;) {
		size_t angles = angles_end(w, l, l.at);
		struct token sign, next;
		bool colon;

		l.at = angles ? angles : l.at;
		sign = lex_next(&l);
		next = lex_next(&l);
		colon = token_is(w->text, sign, ":");
		if (!str_among(token_text(w->text, sign), joins) || next.kind != TOKEN_WORD ||
		    (colon && !(w->rule->flags & LINES_COLON)))
			return all;
		all = (struct span){ angles ? next.span.at : all.at, next.span.end };
	}
}

/* What is between a word that declares and the name: `fun <T> f`, `function! <SID>f`, `module ::A`.
 */
static struct token lines_name(const struct outline_lines *w, struct lexer *l)
{
	struct token t = lex_next_code(l);
	size_t end;

	if (token_is(w->text, t, "!") || token_is(w->text, t, "::"))
		t = lex_next_code(l);
	if (!(end = angles_end(w, *l, t.span.at)))
		return t;
	l->at = end;
	return lex_next_code(l);
}

/* A word, or what the lexer takes for an attribute of Java. */
static bool is_word(const struct outline_lines *w, struct token t)
{
	return t.kind == TOKEN_WORD || token_is(w->text, t, "@interface");
}

/* What a line declares by a word: `public static class X`, `enum class X`. */
struct line_head {
	enum outline_kind kind;
	struct span name;
};

/* What a modifier is about: `private[cats]`, `private(set)`. */
static void skip_scope(struct lexer *l)
{
	struct lexer ahead = outline_ahead(*l);
	size_t end = 0;

	if (l->at < l->text.n && str_any("([", l->text.p[l->at]))
		end = lex_group_end(&ahead);
	l->at = end ? end : l->at;
}

static bool head_by_word(const struct outline_lines *w, struct token t, struct lexer l,
			 struct line_head *head)
{
	static const char modifiers[] =
		" enum public private protected internal static final abstract sealed open override "
		"suspend async export data inline const virtual partial inner fileprivate mutating "
		"readonly tailrec operator infix external case implicit lazy companion annotation "
		"value local global private_class_method non unsafe new strictfp indirect legacy "
		"actual expect mutable primitive nonmutating package file required convenience "
		"nonisolated distributed opaque given transparent into ";
	enum outline_kind next_kind;

	for (size_t at = t.span.at; is_word(w, t) && (!t.first || t.span.at == at);
	     t = lex_next_code(&l)) {
		bool declares = lines_declares(w, token_text(w->text, t), &head->kind);
		struct lexer ahead = l;
		struct token name = declares ? lines_name(w, &ahead) : t;

		if (declares && name.kind == TOKEN_WORD &&
		    !in_list(" var let val ", token_text(w->text, name)) &&
		    !lines_declares(w, token_text(w->text, name), &next_kind)) {
			head->name = joined_name(w, name, ahead);
			/* One whose name is on a line below is none. */
			return head->name.end <= line_end(w->text, at);
		}
		if (!declares && !in_list(modifiers, token_text(w->text, t)))
			return false;
		skip_scope(&l);
	}
	return false;
}

static bool by_word(struct outline_lines *w, struct token t, struct lexer l)
{
	struct line_head head;

	if (!head_by_word(w, t, l, &head))
		return false;
	lines_add(w, head.kind, head.name, t.span.at);
	return true;
}

static bool has_control(struct str word)
{
	return in_list(" return new throw else if for while switch do try catch case await yield "
		       "using lock assert import package goto foreach var throws in is as ",
		       word);
}

/* Behind the parameters of a method. */
static bool ends_head(const struct outline_lines *w, struct token t)
{
	static const char *const ends[] = {
		"{", ";", "throws", "where", "default", "=>", ":", NULL
	};

	return str_among(token_text(w->text, t), ends);
}

/* `public List<String> names(`: the name, and where the bracket is. */
static bool head_name(const struct outline_lines *w, struct token t, struct lexer *l,
		      struct span *name, size_t *words)
{
	static const char *const in_types[] = { ".", "?", "[", "]", "&", NULL };

	for (*words = 0; !token_is(w->text, t, "("); t = lex_next_code(l)) {
		if (t.kind == TOKEN_WORD && has_control(token_text(w->text, t)))
			return false;
		if (t.kind == TOKEN_WORD) {
			*name = t.span;
			if (++*words > WORDS_MOST)
				return false;
		} else if (token_is(w->text, t, "<")) {
			l->at = angles_end(w, *l, t.span.at);
		} else if (t.kind != TOKEN_ATTRIBUTE &&
			   !str_among(token_text(w->text, t), in_types)) {
			return false;
		}
		if (!l->at)
			return false;
	}
	l->at = t.span.at;
	return *words > 0;
}

/* A method, which stands in a type: a constructor is called as that is. */
static void by_head(struct outline_lines *w, struct token t, struct lexer behind)
{
	const struct outline_item *in = w->open ? &w->out->v[w->open - 1] : NULL;
	struct lexer l = outline_ahead(behind);
	struct span name = { 0, 0 };
	size_t words;

	if (!in || in->kind != OUTLINE_TYPE || !head_name(w, t, &l, &name, &words) ||
	    name.end > line_end(w->text, t.span.at))
		return;
	l.at = lex_group_end(&l);
	if (l.at && ends_head(w, lex_next_code(&l)) &&
	    (words > 1 || str_eq(str_sub(w->text, name.at, name.end),
				 str_sub(w->text, in->name.at, in->name.end))))
		lines_add(w, OUTLINE_FUNCTION, name, t.span.at);
}

/* `name(x) = value`, `Base.name(x) where T =`, of Julia. */
static void by_value(struct outline_lines *w, struct token t, struct lexer behind)
{
	struct lexer l = outline_ahead(behind);
	struct span name = joined_name(w, t, l);
	struct token sign;

	if (has_control(token_text(w->text, t)) || name.end > line_end(w->text, t.span.at))
		return;
	l.at = name.end + (name.end < l.text.n && l.text.p[name.end] == '!');
	if (l.at < l.text.n && l.text.p[l.at] == '{')
		l.at = lex_group_end(&l);
	if (!l.at || l.at >= l.text.n || l.text.p[l.at] != '(' || !(l.at = lex_group_end(&l)))
		return;
	sign = lex_next_code(&l);
	if (!sign.first && (token_is(w->text, sign, "=") || token_is(w->text, sign, "where")))
		lines_add(w, OUTLINE_FUNCTION, name, t.span.at);
}

static void by_brackets(struct outline_lines *w, struct token t, struct lexer l)
{
	if (token_is(w->text, lex_next_code(&l), "(") && token_is(w->text, lex_next_code(&l), ")"))
		lines_add(w, OUTLINE_FUNCTION, t.span, t.span.at);
}

/* By what a line declares that has no word for it. */
static void by_shape(struct outline_lines *w, struct token t, struct lexer l)
{
	if (w->rule->flags & LINES_HEADS)
		by_head(w, t, l);
	if (w->rule->flags & LINES_SHELL)
		by_brackets(w, t, l);
	if (w->rule->flags & LINES_SHORT)
		by_value(w, t, l);
}

static void lines_line(struct outline_lines *w, struct token t, struct lexer l)
{
	size_t depth = line_indent(w->text, t.span.at).n;
	bool generic = (w->rule->flags & LINES_HEADS) && token_is(w->text, t, "<");
	const struct token none = { TOKEN_END, { 0, 0 }, false };

	/* What is as deep ends with a bracket and with `end`, and goes on with a sign. */
	if (t.kind == TOKEN_CLOSE || token_is(w->text, t, "end")) {
		outline_end_deeper(w->out, w->text, &w->open, depth + 1, w->end);
		outline_end_deeper(w->out, w->text, &w->open, depth, t.span.end);
		return;
	}
	if (t.kind != TOKEN_WORD && t.kind != TOKEN_ATTRIBUTE && !generic)
		return;
	outline_end_deeper(w->out, w->text, &w->open, depth, w->end);
	while (t.kind == TOKEN_ATTRIBUTE && !is_word(w, t))
		t = lex_next(&l).kind == TOKEN_SPACE ? lex_next(&l) : none;
	if ((is_word(w, t) || token_is(w->text, t, "<")) && !by_word(w, t, l))
		by_shape(w, t, l);
}

/* Where brackets do not match, as in what is no code after all: a line that declares by a word is
 * in none of them. */
static bool begins_anew(const struct outline_lines *w, struct token t, struct lexer l)
{
	struct line_head head;

	return t.first && w->deep && head_by_word(w, t, l, &head);
}

bool outline_lines(const struct language *lang, struct str text, struct outline *out)
{
	struct outline_lines w = { .rule = rule_of(lang), .text = text, .out = out };
	struct lexer l = lex_from(lang, text, 0);

	if (!w.rule)
		return false;
	for (struct token t = lex_next_code(&l); t.kind != TOKEN_END; t = lex_next_code(&l)) {
		bool brace = token_is(text, t, "{") || token_is(text, t, "}");

		if (begins_anew(&w, t, l))
			w.deep = 0;
		if (t.first && !w.deep)
			lines_line(&w, t, l);
		if (t.kind == TOKEN_OPEN && !brace)
			w.deep++;
		if (t.kind == TOKEN_CLOSE && !brace && w.deep)
			w.deep--;
		w.end = t.span.end;
	}
	outline_end_deeper(out, text, &w.open, 0, w.end);
	return true;
}
