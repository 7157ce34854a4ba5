#include "nvim_text.h"

static bool ends_line(struct str text)
{
	return text.n && text.p[text.n - 1] == '\n';
}

/* How many lines Neovim has for these bytes: with 'endofline' a final LF starts none. */
static size_t count_lines(const struct nvim_text *t)
{
	size_t n = doc_lines(t->doc, LINES_VIM)->n;

	return t->eol && n > 1 && ends_line(doc_text(t->doc)) ? n - 1 : n;
}

void nvim_text_set(struct nvim_text *t, struct str lines, size_t count)
{
	struct buf text = BUF_INIT;

	buf_add(&text, lines);
	if (t->eol && (lines.n || count > 1))
		buf_addc(&text, '\n');
	doc_set(t->doc, buf_str(&text));
	t->lines = count ? count : 1;
	buf_release(&text);
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
	t->lines = count_lines(t);
}

/* Where a line starts; behind the last one, where the text ends. */
static size_t line_at(struct nvim_text *t, size_t line)
{
	return line < t->lines ? doc_lines(t->doc, LINES_VIM)->at[line] : doc_text(t->doc).n;
}

bool nvim_text_event(struct nvim_text *t, struct lines_event *ev, struct err *e)
{
	size_t last = ev->last < t->lines ? ev->last : t->lines;
	struct buf with = BUF_INIT;
	struct span was;
	struct str line;
	bool tail = last == t->lines; /* the end of the text is among what changes */
	size_t n = 0;

	if (ev->first > t->lines || ev->first > last)
		return err_set(e, ERR_PROTOCOL, "lines %zu to %zu of %zu changed, says Neovim",
			       ev->first, ev->last, t->lines);
	if (t->eol && !doc_text(t->doc).n && !(ev->first == 0 && last == 1))
		doc_set(t->doc, STR("\n")); /* the one empty line stays: now it is a line */
	was = (struct span){ line_at(t, ev->first), line_at(t, last) };
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
	buf_release(&with);
	return true;
}

static void place(const struct line_table *t, size_t byte, size_t *row, size_t *col)
{
	*row = lines_find(t, byte);
	*col = byte - t->at[*row];
}

void nvim_edit_of(const struct nvim_text *nt, const struct edit *ed, struct nvim_edit *out)
{
	const struct line_table *t = doc_lines(nt->doc, LINES_VIM);
	struct str text = doc_text(nt->doc), with = ed->with;
	struct span s = ed->span;

	buf_clear(&out->with);
	if (nt->eol && s.end == text.n) {
		/* Behind the last LF: the edit moves before it, and takes that LF along. */
		if (ends_line(text))
			s.end--;
		if (s.at > s.end) {
			s.at--;
			buf_addc(&out->with, '\n');
		} else if (!with.n && s.at && text.p[s.at - 1] == '\n') {
			s.at--; /* whole lines go, the line end before them too */
		}
		if (ends_line(with))
			with.n--;
	}
	buf_add(&out->with, with);
	place(t, s.at, &out->row, &out->col);
	place(t, s.end, &out->end_row, &out->end_col);
}
