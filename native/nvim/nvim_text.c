#include "nvim_text.h"

static bool ends_line(struct str text)
{
	return text.n && text.p[text.n - 1] == '\n';
}

/* How many lines Neovim has for these bytes: with 'endofline' a final LF starts none. */
static size_t nvim_text_count_lines(const struct nvim_text *t)
{
	size_t n = doc_lines(t->doc, LINES_VIM)->n;

	return t->eol && n > 1 && ends_line(doc_text(t->doc)) ? n - 1 : n;
}

void nvim_text_set(struct nvim_text *t, struct str lines, size_t count)
{
	struct buf text SCOPED(buf_release) = BUF_INIT;

	buf_add(&text, lines);
	if (t->eol && (lines.n || count > 1))
		buf_addc(&text, '\n');
	doc_set(t->doc, buf_str(&text));
	t->lines = count ? count : 1;
}

void nvim_text_eol(struct nvim_text *t, bool eol)
{
	struct str text = doc_text(t->doc);

	if (t->eol && !eol && ends_line(text))
		doc_splice(t->doc, (struct span){ text.n - 1, text.n }, STR(""));
	t->eol = eol;
	nvim_text_settle(t);
}

void nvim_text_settle(struct nvim_text *t)
{
	struct str text = doc_text(t->doc);

	if (t->eol && text.n && !ends_line(text))
		doc_splice(t->doc, (struct span){ text.n, text.n }, STR("\n"));
	t->lines = nvim_text_count_lines(t);
}

/* Where a line starts; behind the last one, where the text ends. */
static size_t nvim_text_line_at(struct nvim_text *t, size_t line)
{
	return line < t->lines ? doc_lines(t->doc, LINES_VIM)->at[line] : doc_text(t->doc).n;
}

bool nvim_text_event(struct nvim_text *t, struct lines_event *ev, struct err *e)
{
	size_t last = ev->last < t->lines ? ev->last : t->lines;
	struct buf with SCOPED(buf_release) = BUF_INIT;
	struct span was;
	struct str line;
	bool tail = last == t->lines; /* the end of the text is among what changes */
	size_t n = 0;

	if (ev->first > t->lines || ev->first > last)
		return err_set(e, ERR_PROTOCOL,
			       "Neovim reports a change of lines %zu to %zu of %zu", ev->first,
			       ev->last, t->lines);
	if (t->eol && !doc_text(t->doc).n && !(ev->first == 0 && last == 1))
		doc_set(t->doc, STR("\n")); /* the one empty line stays: now it is a line */
	was = (struct span){ nvim_text_line_at(t, ev->first), nvim_text_line_at(t, last) };
	if (tail && !t->eol && ev->first)
		was.at = lines_span(doc_lines(t->doc, LINES_VIM), doc_text(t->doc), ev->first - 1)
				 .end;
	while (lines_event_next(ev, &line)) {
		if (tail && !t->eol && (ev->first || n++))
			buf_addc(&with, '\n');
		buf_add(&with, line);
		if (!tail || t->eol)
			buf_addc(&with, '\n');
	}
	t->lines = t->lines - (last - ev->first) + ev->lines;
	doc_splice(t->doc, was, buf_str(&with));
	if (!t->lines || (t->lines == 1 && str_eq(doc_text(t->doc), STR("\n")))) {
		doc_set(t->doc, STR(""));
		t->lines = 1;
	}
	return true;
}

/* Where a byte of the old text is by now; not before the last edit's end. Returns its old line. */
static size_t nvim_text_place(const struct nvim_edits *it, size_t byte, size_t *row, size_t *col)
{
	const struct line_table *t = doc_lines(it->text->doc, LINES_VIM);
	size_t line = it->line;

	while (line + 1 < t->n && t->at[line + 1] <= byte)
		line++;
	*row = it->row + (line - it->line);
	*col = line == it->line ? it->col + (byte - it->end) : byte - t->at[line];
	return line;
}

/* All edits that reach the end of the text, in one: each by itself could not know whether it brings
 * the last line's end, which Neovim does not hold. */
static struct span take_last(struct nvim_edits *it, struct buf *with)
{
	struct span s = it->set->v[it->next].span;

	if (ends_line(doc_text(it->text->doc)))
		s.end--;
	if (s.at > s.end) { /* behind that line end: the edit moves before it and brings another */
		s.at--;
		buf_addc(with, '\n');
	}
	for (; it->next < it->set->n; it->next++)
		buf_add(with, it->set->v[it->next].with);
	return s;
}

/* Where the text that ends at a byte, behind an LF, ends without it. */
static void step_back(struct str text, size_t *row, size_t *col)
{
	--*row;
	for (*col = 0, text.n--; text.n && !ends_line(text); text.n--)
		++*col;
}

static void go_past(struct nvim_edits *it, const struct nvim_edit *done)
{
	it->row = done->row;
	it->col = done->col;
	for (size_t i = 0; i < done->with.n; i++)
		if (done->with.p[i] == '\n') {
			it->row++;
			it->col = 0;
		} else {
			it->col++;
		}
}

bool nvim_edits_next(struct nvim_edits *it, struct nvim_edit *out)
{
	const struct edit *e;
	struct str before;
	struct span s;
	bool gone = false; /* whole last lines go, the line end before them too */

	if (it->next == it->set->n)
		return false;
	e = &it->set->v[it->next];
	buf_clear(&out->with);
	if (it->text->eol && e->span.end == doc_text(it->text->doc).n) {
		s = take_last(it, &out->with);
		before = str_sub(it->now, 0, e->new_at);
		gone = !out->with.n && ends_line(before);
		if (ends_line(buf_str(&out->with)))
			out->with.n--;
	} else {
		s = e->span;
		buf_add(&out->with, e->with);
		it->next++;
	}
	nvim_text_place(it, s.at, &out->row, &out->col);
	it->line = nvim_text_place(it, s.end, &out->end_row, &out->end_col);
	it->end = s.end;
	if (gone)
		step_back(before, &out->row, &out->col);
	go_past(it, out);
	return true;
}
