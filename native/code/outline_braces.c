#include <stdlib.h>

#include "../base/mem.h"
#include "outline_walk.h"

#define NESTED_MOST 100000 /* brackets in brackets; no code has as many */

static void new_statement(struct frame *f)
{
	*f = (struct frame){ .open = f->open,
			     .scope = f->scope,
			     .item = f->item,
			     .within = f->within,
			     .start = NONE,
			     .plain = true };
}

static void braces_push(struct walk *w, char open, enum scope scope, size_t item)
{
	size_t within = item || !w->n ? item : walk_top(w)->within;

	mem_add(w->v, w->n, w->cap,
		(struct frame){ .open = open, .scope = scope, .item = item, .within = within });
	new_statement(walk_top(w));
}

static void declare(struct walk *w, size_t end)
{
	struct frame *f = walk_top(w);

	outline_add(w->out, f->kind, f->name, (struct span){ f->start, end }, walk_top(w)->within);
}

void walk_doubt(struct walk *w, enum outline_kind kind, struct span name)
{
	outline_add(w->out, kind, name, name, walk_top(w)->within)->doubtful = true;
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
	struct frame *f = walk_top(w);
	bool head = head_goes_on(w, f), file = !head && opens_file(w, f);

	if (f->declares && !head) {
		enum scope scope = f->kind == OUTLINE_FUNCTION ? SCOPE_CODE
				   : f->kind == OUTLINE_SPACE  ? SCOPE_FILE
							       : SCOPE_TYPE;

		bool whole = !f->tried;

		if (whole)
			declare(w, t.span.end);
		else
			walk_doubt(w, f->kind, f->name);
		new_statement(f);
		braces_push(w, '{', scope, whole ? w->out->n : 0);
		return;
	}
	if (f->call.end && token_is(w->text, w->last[0], ")"))
		walk_doubt(w, OUTLINE_FUNCTION, f->call); /* a method of an object */
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
	struct frame *f = walk_top(w);
	char open = w->text.p[t.span.at];

	if (open == '(')
		head_parameters(w);
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
	struct frame *f = walk_top(w);
	char close = w->text.p[t.span.at];
	size_t item = f->item;

	if (!f->open || strchr(pairs, f->open)[1] != close)
		return outline_fail(w->text, t.span.at, "unbalanced brackets", e);
	if (f->declares && f->kind == OUTLINE_FUNCTION)
		walk_doubt(w, f->kind, f->name); /* a statement that does not end */
	if (item)
		w->out->v[item - 1].all.end = t.span.end;
	w->n--;
	f = walk_top(w);
	if (close == '}' && !f->assigned && !f->inits)
		new_statement(f);
	return true;
}

static void end_statement(struct walk *w, struct token t)
{
	struct frame *f = walk_top(w);

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
	struct frame *f = walk_top(w);

	if ((w->lang->flags & LANG_HEADS) && f->call.end && f->call.at == f->start &&
	    token_is(w->text, w->last[0], ")"))
		new_statement(f); /* a macro, on a line of its own */
	if (!language_by_line(w->lang) || (f->open && f->open != '{') || w->body > w->l.at)
		return;
	if (f->declares && token_is(w->text, lex_next_code(&ahead), "{")) {
		w->body = ahead.at;
		return;
	}
	if (f->declares)
		walk_doubt(w, f->kind, f->name);
	new_statement(f);
}

/* `#ifdef __cplusplus`, `extern "C" {` or its brace, `#endif`: a header that C reads, too. What is
 * in these braces is as in the file, and they do not match in its branches. */
static void skip_linkage(struct walk *w, struct str condition)
{
	struct lexer ahead = w->l, behind;
	struct token t;

	if (str_find(condition, STR("__cplusplus")) < 0)
		return;
	t = lex_next_code(&ahead);
	if (token_is(w->text, t, "extern") && lex_next_code(&ahead).kind == TOKEN_STRING)
		t = lex_next_code(&ahead);
	if (!token_is(w->text, t, "{") && !token_is(w->text, t, "}"))
		return;
	behind = ahead;
	if (lex_next_code(&ahead).kind == TOKEN_DIRECTIVE)
		w->l = behind;
}

static bool directive(struct walk *w, struct token t, struct err *e)
{
	struct str line = token_text(w->text, t);
	bool branch, end;

	str_skip(&line, STR("#"));
	line = str_trim(line);
	branch = str_starts(line, STR("el"));
	end = str_starts(line, STR("endif"));
	if (walk_top(w)->declares) /* its head differs between the branches */
		walk_doubt(w, walk_top(w)->kind, walk_top(w)->name);
	new_statement(walk_top(w));
	if (str_starts(line, STR("if"))) {
		mem_add(w->branch, w->branches, w->branch_cap, w->n);
		skip_linkage(w, line);
	}
	if ((branch || end) && (!w->branches || w->branch[w->branches - 1] != w->n))
		return outline_fail(w->text, t.span.at,
				    "brackets differ between the branches of an #if", e);
	w->branches -= end;
	return true;
}

static void sign(struct walk *w, struct token t)
{
	struct frame *f = walk_top(w);

	if (token_is(w->text, t, ";")) {
		end_statement(w, t);
		return;
	}
	if (f->start == NONE)
		f->start = t.span.at;
	f->plain = false;
	f->expects = f->expects && token_is(w->text, t, "*"); /* function *f */
	if (token_is(w->text, t, "=") || token_is(w->text, t, ":"))
		head_value(w, t);
	if (token_is(w->text, t, "=") || token_is(w->text, t, "=>")) /* or a default */
		f->assigned =
			!f->declares || (f->kind == OUTLINE_TYPE && (w->lang->flags & LANG_HEADS));
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
		if (w->n > NESTED_MOST)
			return outline_fail(w->text, t.span.at, "too many nested brackets", e);
		open_bracket(w, t);
		break;
	case TOKEN_CLOSE:
		if (!close_bracket(w, t, e))
			return false;
		break;
	case TOKEN_WORD:
		t = head_name(w, t);
		head_word(w, t);
		break;
	case TOKEN_STRING:
		if (walk_top(w)->start == NONE)
			walk_top(w)->start = t.span.at;
		walk_top(w)->plain = false;
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
