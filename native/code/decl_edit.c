#include "decl_edit.h"

#include "../text/line.h"
#include "block_indent.h"

#define GAP_MOST 3 /* more empty lines are taken for these */

void decl_splice_release(struct decl_splice *s)
{
	buf_release(&s->with);
	buf_release(&s->to);
}

static bool has_content(struct str block, struct err *e)
{
	return block.n || err_set(e, ERR_INVALID, "the content is empty");
}

static struct str place_indent(const struct decl *d)
{
	return line_indent(d->text, d->whole.at);
}

static void put_block(const struct decl *d, struct str block, struct str to,
		      struct decl_splice *out)
{
	buf_add(&out->to, to);
	block_shift(d->lang, block, buf_str(&out->to), &out->with, &out->from);
}

/* On one line, without what opens the body. */
static void add_head(const struct decl *d, size_t from, struct buf *out)
{
	size_t end = d->head_end - (d->has_body && d->closed && d->text.p[d->head_end - 1] == '{');
	struct str head = str_trim(str_sub(d->text, from, end));

	for (size_t i = 0; i < head.n; i++) {
		if (!str_any(" \t\r\n", head.p[i]))
			buf_addc(out, head.p[i]);
		else if (out->p[out->n - 1] != ' ')
			buf_addc(out, ' ');
	}
}

static bool refuse_signature(const struct decl *d, size_t from, struct err *e)
{
	struct buf head SCOPED(buf_release) = BUF_INIT;

	add_head(d, from, &head);
	return err_set(
		e, ERR_CONFLICT,
		"the content changes the signature `%.*s`; keep it, or pass allow_signature_change",
		STR_ARG(buf_str(&head)));
}

static bool replace(const struct decl *d, const struct decl_edit *edit, struct str block,
		    struct decl_splice *out, struct err *e)
{
	size_t from = d->whole.at, to = d->whole.end;
	struct decl new = decl_of_text(d->lang, block);

	if (!has_content(block, e))
		return false;
	if (new.lead_comment < new.whole.at)
		from = d->lead_comment;
	if (new.lead_attribute < new.whole.at && d->lead_attribute < from)
		from = d->lead_attribute;
	if (!edit->any_signature && !decl_begins(d, block, new.whole.at))
		return refuse_signature(d, d->whole.at, e);
	if (!edit->any_signature && !decl_same_attributes(d, from, &new))
		return refuse_signature(d, d->lead_attribute, e);
	if (d->end > to && block.p[block.n - 1] == d->text.p[d->end - 1])
		to = d->end;
	out->span = (struct span){ from, to };
	put_block(d, block, line_indent(d->text, from), out);
	/* the indentation of its first line is in the text already */
	if (str_starts(buf_str(&out->with), buf_str(&out->to)))
		buf_drop(&out->with, out->to.n);
	return true;
}

/* { ... } and nothing else: what is in it. */
static struct str without_braces(const struct decl *d, struct str block)
{
	struct lexer l = lex_from(d->lang, block, 0);

	if (!d->closed || !block.n || block.p[0] != '{' || lex_group_end(&l) != block.n)
		return block;
	return block_trim(str_sub(block, 1, block.n - 1));
}

static bool one_line(struct str s)
{
	return !s.n || !memchr(s.p, '\n', s.n);
}

/* Deeper than `outer`, as the lines of the old body are, or else by one step. */
static void body_indent(const struct decl *d, struct str step, struct str outer, struct buf *out)
{
	struct str old = str_sub(d->text, d->body.at, d->body.end);
	struct str seen = block_indent(d->lang, str_sub(old, line_next(old, 0), old.n));

	if (seen.n > outer.n && str_starts(seen, outer)) {
		buf_add(out, seen);
	} else {
		buf_add(out, outer);
		buf_add(out, step);
	}
}

/* On lines of its own; what closes it comes on the next. */
static void put_body(const struct decl *d, struct str step, struct str block,
		     struct decl_splice *out)
{
	size_t close = d->body.end, line = line_start(d->text, close);
	bool close_first = d->closed && close == line + line_indent(d->text, close).n;
	struct str outer = close_first ? line_indent(d->text, close) : place_indent(d);
	struct buf inner SCOPED(buf_release) = BUF_INIT;

	body_indent(d, step, outer, &inner);
	buf_addc(&out->with, '\n');
	if (block.n)
		put_block(d, block, buf_str(&inner), out);
	if (d->closed && block.n)
		buf_addc(&out->with, '\n');
	if (d->closed)
		buf_add(&out->with, outer);
}

static bool replace_body(const struct decl *d, const struct decl_edit *edit, struct str block,
			 struct decl_splice *out, struct err *e)
{
	bool flat = one_line(str_sub(d->text, d->body.at, d->body.end)) && one_line(block);

	if (!d->has_body)
		return err_set(e, ERR_UNSUPPORTED,
			       d->opens ? "it has a value, not a body in braces; use replace"
					: "it has no body; use replace");
	if (!d->closed && !has_content(block, e))
		return false;
	if (block.n && decl_begins(d, block, decl_of_text(d->lang, block).whole.at))
		return err_set(e, ERR_INVALID,
			       "the content repeats the head of the declaration; use replace, or "
			       "leave it out");
	block = without_braces(d, block);
	out->span = d->body;
	if (!flat || !language_flat_body(d->lang)) {
		put_body(d, edit->step, block, out);
	} else if (block.n) {
		buf_addc(&out->with, ' ');
		buf_add(&out->with, str_trim(block));
		buf_adds(&out->with, d->closed ? " " : "");
	}
	return true;
}

/* The empty lines on one side, and what comes after them. */
struct gap {
	struct span lines;
	size_t n;
	bool neighbour; /* something at the same depth, not what holds the declaration */
};

static bool ends_open(struct str line)
{
	line = str_trim(line);
	return line.n && str_any("{([:", line.p[line.n - 1]);
}

static bool begins_closing(struct str line)
{
	line = str_trim(line);
	return line.n && str_any("})]", line.p[0]);
}

static struct gap gap_above(const struct decl *d)
{
	size_t line = line_start(d->text, d->lead);
	struct gap g = { { line, line }, 0, false };
	struct str above;

	for (; line && line_blank(d->text, line - 1); g.n++)
		line = line_start(d->text, line - 1);
	g.lines.at = line;
	if (line) {
		line = line_start(d->text, line - 1);
		above = str_sub(d->text, line, line_end(d->text, line));
		g.neighbour =
			line_indent(d->text, line).n >= place_indent(d).n && !ends_open(above);
	}
	return g;
}

static struct gap gap_below(const struct decl *d)
{
	size_t line = line_next(d->text, d->end);
	struct gap g = { { line, line }, 0, false };
	struct str below;

	for (; line < d->text.n && line_blank(d->text, line); g.n++)
		line = line_next(d->text, line);
	g.lines.end = line;
	if (line < d->text.n) {
		below = str_sub(d->text, line, line_end(d->text, line));
		g.neighbour =
			line_indent(d->text, line).n >= place_indent(d).n && !begins_closing(below);
	}
	return g;
}

/* How many empty lines part new code from the declaration: as many as part that from its
 * neighbours; the fewer where both are of one line, as in lists, else the more, and some. */
static size_t gap_between(const struct decl *d, struct str block)
{
	struct gap above = gap_above(d), below = gap_below(d);
	bool flat = one_line(block) && one_line(str_sub(d->text, d->lead, d->whole.end));
	size_t a = above.neighbour ? above.n : below.n, b = below.neighbour ? below.n : above.n;
	bool lone = !above.neighbour && !below.neighbour;
	size_t most = lone ? 0 : a > b ? a : b;

	if (flat)
		return lone ? 0 : a < b ? a : b;
	if (most)
		return most < GAP_MOST ? most : GAP_MOST;
	return language_body(d->lang) == BODY_INDENTED && !place_indent(d).n ? 2 : 1;
}

static bool has_own_lines(const struct decl *d, bool before, bool behind, struct err *e)
{
	size_t at = before && !d->alone_before ? d->whole.at : d->end;
	struct str line = str_sub(d->text, line_start(d->text, at), line_end(d->text, at));

	if ((!before || d->alone_before) && (!behind || d->alone_behind))
		return true;
	return err_set(e, ERR_CONFLICT, "it shares a line with other code, `%.*s`; use edit_file",
		       STR_ARG(str_trim(line)));
}

static void add_lines(struct buf *out, size_t n)
{
	while (n--)
		buf_addc(out, '\n');
}

/* On its other side the new code has the gap that is there, unless it would touch a neighbour. */
static size_t far_gap(const struct decl *d, bool before, struct str block, size_t gap)
{
	struct gap far = before ? gap_above(d) : gap_below(d);

	return one_line(block) || !far.neighbour || far.n ? 0 : gap;
}

static bool decl_edit_insert(const struct decl *d, bool before, struct str block,
			     struct decl_splice *out, struct err *e)
{
	size_t at = before ? line_start(d->text, d->lead) : line_end(d->text, d->end);
	size_t gap = gap_between(d, block), far = far_gap(d, before, block, gap);

	if (!has_content(block, e) || !has_own_lines(d, before, !before, e))
		return false;
	out->span = (struct span){ at, at };
	add_lines(&out->with, before ? far : gap + 1);
	put_block(d, block, place_indent(d), out);
	add_lines(&out->with, before ? gap + 1 : far);
	return true;
}

/* Of the empty lines on both sides those go that the declaration alone had a use for. */
static bool delete (const struct decl *d, struct decl_splice *out, struct err *e)
{
	struct gap above = gap_above(d), below = gap_below(d);
	bool keep_above = below.neighbour && (!above.neighbour || above.n >= below.n);

	if (!has_own_lines(d, true, true, e))
		return false;
	out->span = keep_above ? (struct span){ above.lines.end, below.lines.end }
			       : (struct span){ above.lines.at, below.lines.at };
	/* a text without a line end at its end stays one */
	if (out->span.end == d->text.n && !str_ends(d->text, STR("\n")) && out->span.at)
		out->span.at = line_end(d->text, out->span.at - 1);
	return true;
}

bool decl_splice(const struct decl *d, const struct decl_edit *edit, struct decl_splice *out,
		 struct err *e)
{
	struct str block = block_trim(edit->content);

	switch (edit->action) {
	case DECL_REPLACE:
		return replace(d, edit, block, out, e);
	case DECL_REPLACE_BODY:
		return replace_body(d, edit, block, out, e);
	case DECL_INSERT_BEFORE:
	case DECL_INSERT_AFTER:
		return decl_edit_insert(d, edit->action == DECL_INSERT_BEFORE, block, out, e);
	case DECL_DELETE:
		return delete (d, out, e);
	}
	BUG("unknown edit of a declaration: %d", edit->action);
}
