#include "comma_list.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "../text/line.h"

/* The way through the list, and what was seen of the item so far. */
struct reader {
	struct comma_list *list;
	enum comma_list_reading how;
	struct lexer l;
	struct token last;   /* of code */
	struct span comment; /* behind the code of the item */
	struct comma_list_item item;
	size_t start;	/* behind the last comma */
	size_t lambdas; /* Python's, whose colon is still to come */
	bool code, noted;
	bool value; /* of a parameter: behind its `=` */
};

void comma_list_release(struct comma_list *l)
{
	free(l->v);
	l->v = NULL;
	l->n = l->cap = 0;
}

static bool is_line_comment(struct str text, struct span s)
{
	return s.end > s.at && !str_starts(str_sub(text, s.at, s.end), STR("/*"));
}

static bool has_line_end(struct str text, struct span s)
{
	return s.end > s.at && memchr(text.p + s.at, '\n', s.end - s.at);
}

static void begin_item(struct reader *r, size_t start)
{
	r->start = start;
	r->item = (struct comma_list_item){ .whole = { start, start } };
	r->comment = (struct span){ 0, 0 };
	r->code = r->noted = r->value = false;
	r->lambdas = 0;
}

static bool part_fails(const struct reader *r, size_t at, const char *why, struct err *e)
{
	return err_set(e, ERR_UNSUPPORTED, "%s: %.*s", why,
		       STR_ARG(str_trim(str_sub(r->l.text, line_start(r->l.text, at),
						line_end(r->l.text, at)))));
}

static bool end_item(struct reader *r, size_t comma, bool last, struct err *e)
{
	struct comma_list *l = r->list;
	struct comma_list_item *it = &r->item;

	if (!r->code && last) {
		l->comma = l->n;
		return true;
	}
	if (!r->code)
		return part_fails(r, comma, "there is nothing between two commas", e);
	it->comma = comma;
	if (last && is_line_comment(l->text, r->comment))
		it->note = (struct span){ it->code.end, r->comment.end };
	else if (is_line_comment(l->text, r->comment))
		return part_fails(r, comma, "there is a comment between an item and its comma", e);
	else if (r->comment.end)
		it->whole.end = r->comment.end;
	mem_add(l->v, l->n, l->cap, *it);
	return true;
}

static void take_comment(struct reader *r, struct token t)
{
	struct comma_list *l = r->list;
	size_t next = line_end(l->text, t.span.end);
	bool ends_line = !str_trim(str_sub(l->text, t.span.end, next)).n && next < l->inner.end;
	struct span between = { r->start, t.span.at };

	if (r->code) {
		r->comment = t.span;
	} else if (l->n && !r->noted && r->item.whole.end == r->start && ends_line &&
		   !has_line_end(l->text, between)) {
		l->v[l->n - 1].note = (struct span){ r->start, t.span.end };
		r->noted = true;
	} else if (r->item.whole.end == r->start) {
		r->item.whole = t.span;
	}
}

static void take_code(struct reader *r, size_t at, size_t end)
{
	if (r->item.whole.end == r->start)
		r->item.whole.at = at;
	if (!r->code)
		r->item.code.at = at;
	r->item.whole.end = r->item.code.end = end;
	r->comment = (struct span){ 0, 0 };
	r->code = true;
}

static bool comma_list_is_word(const struct reader *r, struct token t, const char *word)
{
	return t.kind == TOKEN_WORD && token_is(r->l.text, t, word);
}

static bool touches(const struct reader *r, struct token t, char c)
{
	return (t.span.at && r->l.text.p[t.span.at - 1] == c) ||
	       (t.span.end < r->l.text.n && r->l.text.p[t.span.end] == c);
}

/* Whether this `<` is to be taken for a bracket, if it closes. */
static bool opens_angles(const struct reader *r, struct token t)
{
	enum dialect d = language_dialect(r->l.lang);

	if (d == DIALECT_RUST && token_is(r->l.text, r->last, "::"))
		return true;
	if (!token_is(r->l.text, t, "<") || touches(r, t, '<') || d == DIALECT_C ||
	    d == DIALECT_GO || d == DIALECT_PYTHON)
		return false;
	return r->how != COMMA_LIST_SIGNS;
}

/* |a, b| of a closure begins where no value is before it. */
static size_t closure_end(const struct reader *r, struct token t)
{
	struct lexer l = r->l;

	if (language_dialect(l.lang) != DIALECT_RUST || !token_is(l.text, t, "|") ||
	    (r->code && !comma_list_is_word(r, r->last, "move") && r->last.kind != TOKEN_SIGN))
		return 0;
	for (;;) {
		t = lex_next_code(&l);
		if (t.kind == TOKEN_OPEN) {
			l.at = t.span.at;
			l.at = lex_group_end(&l);
		}
		if (!l.at || t.kind == TOKEN_END || t.kind == TOKEN_CLOSE)
			return 0;
		if (token_is(l.text, t, "|"))
			return t.span.end;
	}
}

/* Behind what is whole though commas may be in it, if it begins with this token. */
static size_t group_end(struct reader *r, struct token t)
{
	struct lexer l = r->l;

	l.at = t.span.at;
	if (t.kind == TOKEN_OPEN)
		return lex_group_end(&l);
	if (token_is(l.text, t, "<") && opens_angles(r, t))
		return lex_angles_end(&l);
	return closure_end(r, t);
}

/* What the text of this item cannot be read for. */
static bool comma_list_is_plain(struct reader *r, struct token t, bool value, struct err *e)
{
	bool angle = token_is(r->l.text, t, "<");

	if (t.kind == TOKEN_DIRECTIVE)
		return part_fails(r, t.span.at, "it contains a preprocessor directive", e);
	if (angle && !value && r->how != COMMA_LIST_PARAMETERS &&
	    language_dialect(r->l.lang) == DIALECT_JS)
		return part_fails(r, t.span.at, "it contains JSX or a type assertion", e);
	if (angle && r->value && group_end(r, t) > t.span.end &&
	    str_count(str_sub(r->l.text, t.span.end, group_end(r, t)), ','))
		return part_fails(r, t.span.at,
				  "`<` in a default may be a type argument or a "
				  "comparison",
				  e);
	return true;
}

static void note_lambda(struct reader *r, struct token t)
{
	if (language_dialect(r->l.lang) != DIALECT_PYTHON)
		return;
	if (comma_list_is_word(r, t, "lambda"))
		r->lambdas++;
	else if (r->lambdas && token_is(r->l.text, t, ":"))
		r->lambdas--;
}

static bool take_token(struct reader *r, struct token t, bool value, struct err *e)
{
	size_t end = t.span.end, group;

	if (t.kind == TOKEN_SPACE || t.kind == TOKEN_LINE_END)
		return true;
	if (t.kind == TOKEN_COMMENT) {
		take_comment(r, t);
		return true;
	}
	if (token_is(r->l.text, t, ",") && !r->lambdas) {
		bool ok = end_item(r, t.span.at, false, e);

		begin_item(r, end);
		r->last = t;
		return ok;
	}
	if (!comma_list_is_plain(r, t, value, e))
		return false;
	if ((group = group_end(r, t)) && group <= r->list->inner.end)
		end = group;
	note_lambda(r, t);
	r->value |= r->how == COMMA_LIST_PARAMETERS && token_is(r->l.text, t, "=");
	take_code(r, t.span.at, end);
	r->last = t;
	if (end > t.span.end) {
		r->l.at = end;
		r->l.last = (struct token){ .kind = TOKEN_CLOSE };
	}
	return true;
}

bool comma_list_read(const struct language *lang, struct str text, size_t open,
		     enum comma_list_reading how, struct comma_list *out, struct err *e)
{
	struct reader r = { .list = out, .how = how, .l = lex_from(lang, text, open) };
	size_t end;

	*out = (struct comma_list){ .lang = lang, .text = text };
	r.l.first = false;
	r.l.plain = true;
	end = open < text.n && str_any("([{", text.p[open]) ? lex_group_end(&r.l) : 0;
	if (!end)
		return part_fails(&r, open, "its brackets are not balanced", e);
	out->inner = (struct span){ open + 1, end - 1 };
	r.last = lex_next(&r.l);
	begin_item(&r, open + 1);
	while (r.l.at < end - 1) {
		bool value = lex_behind_value(&r.l);

		if (!take_token(&r, lex_next(&r.l), value, e)) {
			comma_list_release(out);
			return false;
		}
	}
	if (end_item(&r, end - 1, true, e))
		return true;
	comma_list_release(out);
	return false;
}

/* The blanks before an item. */
static struct str gap_before(const struct comma_list *l, size_t i)
{
	size_t from = l->inner.at;

	if (i) {
		const struct comma_list_item *last = &l->v[i - 1];

		from = last->note.end > last->comma ? last->note.end : last->comma + 1;
	}
	return str_sub(l->text, from, l->v[i].whole.at);
}

/* What is behind the last item, its comma and its note. */
static struct str behind_last(const struct comma_list *l)
{
	const struct comma_list_item *last = &l->v[l->n - 1];
	size_t from = l->comma ? last->comma + 1 : last->whole.end;

	return str_sub(l->text, last->note.end > from ? last->note.end : from, l->inner.end);
}

static bool breaks(struct str blanks)
{
	return blanks.n && memchr(blanks.p, '\n', blanks.n);
}

/* Some blanks of the list that end a line, for behind a comment that needs it. */
static struct str line_break(const struct comma_list *l)
{
	for (size_t i = l->n; i--;)
		if (breaks(gap_before(l, i)))
			return gap_before(l, i);
	return breaks(behind_last(l)) ? behind_last(l) : STR("\n");
}

static bool comma_list_in_order(const struct comma_list_piece *v, size_t n)
{
	size_t last = 0;

	for (size_t i = 0; i < n; i++) {
		if (v[i].from == COMMA_LIST_NEW)
			continue;
		if (v[i].from < last)
			return false;
		last = v[i].from;
	}
	return true;
}

static struct str gap_for(const struct comma_list *l, const struct comma_list_piece *piece,
			  size_t slot, bool ordered)
{
	struct str first = gap_before(l, 0);

	if (!slot)
		return first;
	if (ordered && piece->from != COMMA_LIST_NEW && piece->from)
		return gap_before(l, piece->from);
	if (l->n > 1)
		return gap_before(l, slot < l->n ? slot : l->n - 1);
	return breaks(first) ? first : STR(" ");
}

static struct str note_of(const struct comma_list *l, const struct comma_list_piece *piece)
{
	struct span note = { 0, 0 };

	if (piece->from != COMMA_LIST_NEW)
		note = l->v[piece->from].note;
	return str_sub(l->text, note.at, note.end);
}

/* Whether what follows has to be on the next line. */
static bool wants_break(struct str note)
{
	struct str s = str_trim(note);

	return s.n && !str_starts(s, STR("/*"));
}

static void write_bare(const struct comma_list *l, const struct comma_list_piece *v, size_t n,
		       struct buf *out)
{
	struct str rest = str_sub(l->text, l->inner.at, l->inner.end);

	for (size_t i = 0; i < n; i++)
		buf_addf(out, "%s%.*s", i ? ", " : "", STR_ARG(v[i].text));
	if (n && !str_trim(rest).n)
		return;
	if (n)
		buf_addc(out, ' ');
	buf_add(out, rest);
}

void comma_list_write(const struct comma_list *l, const struct comma_list_piece *v, size_t n,
		      struct buf *out)
{
	bool ordered = comma_list_in_order(v, n);
	struct str note = STR("");

	if (!l->n)
		write_bare(l, v, n, out);
	if (!l->n || !n)
		return;
	for (size_t i = 0; i < n; i++) {
		struct str gap = gap_for(l, &v[i], i, ordered);
		const struct comma_list_item *slot = &l->v[i < l->n ? i : l->n - 1];

		buf_add(out, wants_break(note) && !breaks(gap) ? line_break(l) : gap);
		buf_add(out, v[i].text);
		note = note_of(l, &v[i]);
		if (i + 1 < n || l->comma) {
			if (i < l->n && slot->comma > slot->whole.end && slot->comma < l->inner.end)
				buf_add(out, str_sub(l->text, slot->whole.end, slot->comma));
			buf_addc(out, ',');
		}
		buf_add(out, note);
	}
	buf_add(out, wants_break(note) && !breaks(behind_last(l)) ? line_break(l) : behind_last(l));
}
