#include <string.h>

#include "outline_impl.h"

/* Texts that are no programs, of which the outline is only looked at: the headings of Markdown, and
 * the targets of a Makefile. */
#define LEVELS 6

struct headings {
	struct str text;
	struct outline *out;
	size_t open[LEVELS + 1]; /* the one of each level that has not ended, from 1 */
	size_t end;		 /* of the last line that is not blank */
};

static struct span trimmed(struct str text, size_t at, size_t end)
{
	struct str s = str_trim(str_sub(text, at, end));

	return s.n ? (struct span){ (size_t)(s.p - text.p), (size_t)(s.p - text.p) + s.n }
		   : (struct span){ at, at };
}

static void end_from(struct headings *h, size_t level, size_t end)
{
	for (; level <= LEVELS; level++) {
		if (h->open[level])
			h->out->v[h->open[level] - 1].all.end = end;
		h->open[level] = 0;
	}
}

static void heading_add(struct headings *h, size_t level, struct span name, size_t at,
			size_t before)
{
	size_t parent = 0;

	end_from(h, level, before);
	for (size_t i = 1; i < level; i++)
		parent = h->open[i] ? h->open[i] : parent;
	outline_add(h->out, OUTLINE_HEADING, name, (struct span){ at, name.end }, parent)
		->doubtful = true;
	h->open[level] = h->out->n;
}

/* How many of them begin the line, behind at most three blanks; 0: none, or it is code. */
static size_t run_of(struct str line, char c)
{
	size_t blanks = 0, n = 0;

	while (blanks < line.n && line.p[blanks] == ' ')
		blanks++;
	while (blanks + n < line.n && line.p[blanks + n] == c)
		n++;
	return blanks < 4 ? n : 0;
}

/* `# Name #` */
static bool hashed(struct headings *h, size_t at, struct str line)
{
	ptrdiff_t mark = str_find(line, STR("#"));
	size_t level = run_of(line, '#'), start = at + (size_t)(mark < 0 ? 0 : mark) + level;
	struct span name = { start, at + line.n };

	if (!level || level > LEVELS || (start < name.end && !str_any(" \t", h->text.p[start])))
		return false;
	name = trimmed(h->text, name.at, name.end);
	while (name.end > name.at && h->text.p[name.end - 1] == '#')
		name.end--;
	name = trimmed(h->text, name.at, name.end);
	if (name.end > name.at)
		heading_add(h, level, name, at, h->end);
	return true;
}

/* A line of `=` or `-` under a line of text. */
static size_t underlines(struct str line)
{
	struct str s = str_trim(line);

	return s.n && run_of(line, '=') == s.n ? 1 : s.n && run_of(line, '-') == s.n ? 2 : 0;
}

/* `1. ` and `1) ` begin an item of a list. */
static bool numbers(struct str s)
{
	size_t n = 0;

	while (n < s.n && s.p[n] >= '0' && s.p[n] <= '9')
		n++;
	return n && n + 1 < s.n && str_any(".)", s.p[n]) && str_any(" \t", s.p[n + 1]);
}

static bool is_text(struct str line)
{
	struct str s = str_trim(line);

	return s.n && !str_any("#>-*+|`~<", *s.p) && !numbers(s) && *line.p != '\t' &&
	       !str_starts(line, STR("    "));
}

/* Between two lines of `-` at the beginning is what is said about the text. */
static size_t front_matter(struct str text)
{
	size_t at = line_next(text, 0);

	if (!str_eq(str_sub(text, 0, line_end(text, 0)), STR("---")))
		return 0;
	for (; at < text.n; at = line_next(text, at))
		if (str_eq(str_sub(text, at, line_end(text, at)), STR("---")))
			return line_next(text, at);
	return 0;
}

bool outline_headings(struct str text, struct outline *out)
{
	struct headings h = { .text = text, .out = out };
	struct str last = STR("");
	size_t last_at = 0, before = 0, fence = 0;
	char mark = 0;

	for (size_t at = front_matter(text); at < text.n; at = line_next(text, at)) {
		struct str line = str_sub(text, at, line_end(text, at));
		size_t ticks = run_of(line, '`'), tildes = run_of(line, '~'), level;
		struct span all = trimmed(text, at, at + line.n);

		if (!fence && (ticks > 2 || tildes > 2)) {
			fence = ticks > 2 ? ticks : tildes;
			mark = ticks > 2 ? '`' : '~';
		} else if (fence) {
			fence = run_of(line, mark) >= fence &&
						all.end - all.at == run_of(line, mark)
					? 0
					: fence;
		} else if (!hashed(&h, at, line) && is_text(last) && (level = underlines(line))) {
			heading_add(&h, level, trimmed(text, last_at, last_at + last.n), last_at,
				    before);
			line = STR("");
		}
		before = all.end > all.at ? h.end : before;
		h.end = all.end > all.at ? all.end : h.end;
		last = fence ? STR("") : line;
		last_at = at;
	}
	end_from(&h, 1, h.end);
	return true;
}

/* Where the names of targets end; 0: the line is no rule. */
static size_t rule_colon(struct str line)
{
	static const char *const words[] = { "ifeq",	"ifneq",  "ifdef", "ifndef",
					     "include", "export", "else",  NULL };
	size_t at = 0, deep = 0, word = 0;

	if (!line.n || str_any(" \t#:=", *line.p))
		return 0;
	while (word < line.n && str_named(line.p[word]))
		word++;
	if (str_among(str_sub(line, 0, word), words))
		return 0;
	for (; at < line.n && (deep || line.p[at] != ':'); at++) {
		deep += (size_t)(line.p[at] == '(') - (size_t)(deep && line.p[at] == ')');
		if (!deep && str_any("=#", line.p[at]))
			return 0;
	}
	for (size_t i = at; i < line.n && (deep || line.p[i] != ';'); i++) {
		deep += (size_t)(line.p[i] == '(') - (size_t)(deep && line.p[i] == ')');
		if (!deep && line.p[i] == '=')
			return 0; /* a variable */
	}
	return at < line.n ? at : 0;
}

static void targets_add(struct str text, struct outline *out, size_t at, size_t end)
{
	for (size_t i = at; i < end;) {
		size_t from = i;

		while (i < end && !str_any(" \t", text.p[i]))
			i++;
		/* .PHONY and the like say something about others. */
		if (i > from && (text.p[from] != '.' || memchr(text.p + from, '/', i - from)))
			outline_add(out, OUTLINE_TARGET, (struct span){ from, i },
				    (struct span){ at, i }, 0)
				->doubtful = true;
		while (i < end && str_any(" \t", text.p[i]))
			i++;
	}
}

static void targets_end(struct outline *out, size_t first, size_t end)
{
	for (size_t i = first; i < out->n; i++)
		out->v[i].all.end = end;
}

bool outline_targets(struct str text, struct outline *out)
{
	bool goes_on = false, defines = false;
	size_t first = 0, last = 0; /* of the rule that has not ended: its targets, and its end */

	for (size_t at = 0; at < text.n; at = line_next(text, at)) {
		size_t end = line_end(text, at);
		struct str line = str_sub(text, at, end);
		size_t colon = goes_on || defines ? 0 : rule_colon(line);

		if (colon) {
			targets_end(out, first, last);
			first = out->n;
			targets_add(text, out, at, at + colon);
		}
		if (line.n && (colon || goes_on || *line.p == '\t'))
			last = end;
		if (str_starts(line, STR("define ")) || str_starts(line, STR("endef")))
			defines = line.p[0] == 'd';
		goes_on = line.n && line.p[line.n - 1] == '\\';
	}
	targets_end(out, first, last);
	return true;
}
