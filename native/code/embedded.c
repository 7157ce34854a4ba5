#include "embedded.h"

struct embedded embedded_of(enum embedded_form form, struct str text)
{
	return (struct embedded){ .form = form, .text = text };
}

static struct str rest_at(const struct embedded *p, size_t at)
{
	return str_sub(p->text, at, p->text.n);
}

/* Where `what` comes next; the end of the text where it does not. */
static size_t find_from(const struct embedded *p, size_t at, struct str what)
{
	ptrdiff_t found = str_find(rest_at(p, at), what);

	return found < 0 ? p->text.n : at + (size_t)found;
}

/* From `at` to what ends it. */
static bool embedded_give(struct embedded *p, size_t at, struct str end, struct span *out)
{
	*out = (struct span){ at, find_from(p, at, end) };
	p->at = out->end;
	return true;
}

static bool next_all(struct embedded *p, struct span *out)
{
	*out = (struct span){ 0, p->text.n };
	p->at = p->text.n;
	return p->text.n;
}

/* The brace that closes the one at `at`; the end of the text where none does. */
static size_t braces_end(const struct embedded *p, size_t at)
{
	size_t deep = 0;

	for (size_t i = at; i < p->text.n; i++) {
		if (p->text.p[i] == '{')
			deep++;
		else if (p->text.p[i] == '}' && !--deep)
			return i;
	}
	return p->text.n;
}

static bool next_braces(struct embedded *p, struct span *out)
{
	if (p->form == EMBEDDED_VUE) {
		if (p->in_tag || !str_starts(rest_at(p, p->at), STR("{{")))
			return p->at++, false;
		return embedded_give(p, p->at + 2, STR("}}"), out);
	}
	*out = (struct span){ p->at + 1, braces_end(p, p->at) };
	p->at = out->end + (out->end < p->text.n);
	return true;
}

/* Whether the attribute whose value begins at `quote` has code in it. */
static bool is_directive(const struct embedded *p, size_t quote)
{
	size_t end = quote, at;

	while (end && str_any(" \t\r\n=", p->text.p[end - 1]))
		end--;
	for (at = end; at && !str_any(" \t\r\n\"'<>", p->text.p[at - 1]); at--)
		;
	return p->form == EMBEDDED_VUE && at < end &&
	       (str_any(":@#", p->text.p[at]) || str_starts(str_sub(p->text, at, end), STR("v-")));
}

static bool next_in_tag(struct embedded *p, struct span *out)
{
	char c = p->text.p[p->at];
	struct span value;

	if (c == '>') {
		bool script = p->script && p->text.p[p->at - 1] != '/';

		p->at++;
		p->in_tag = p->script = false;
		return script && embedded_give(p, p->at, STR("</script"), out);
	}
	if (c == '"' || c == '\'') {
		value = (struct span){ p->at + 1,
				       find_from(p, p->at + 1, c == '"' ? STR("\"") : STR("'")) };
		*out = value;
		c = is_directive(p, p->at);
		p->at = value.end + (value.end < p->text.n);
		return c;
	}
	if (c == '{')
		return next_braces(p, out);
	p->at++;
	return false;
}

/* A line of `import` or `export` up to the next that is empty. */
static bool is_module_line(const struct embedded *p)
{
	struct str rest = rest_at(p, p->at);

	return (!p->at || p->text.p[p->at - 1] == '\n') &&
	       (str_starts(rest, STR("import ")) || str_starts(rest, STR("import{")) ||
		str_starts(rest, STR("export ")));
}

/* Text in which code is only shown. */
static bool skip_shown(struct embedded *p)
{
	struct str rest = rest_at(p, p->at);
	size_t end;

	if (str_starts(rest, STR("```"))) {
		end = find_from(p, p->at + 3, STR("```"));
		p->at = end + 3 < p->text.n ? end + 3 : p->text.n;
		return true;
	}
	if (*rest.p != '`')
		return false;
	end = find_from(p, p->at + 1, STR("`"));
	if (end == p->text.n || memchr(rest.p, '\n', end - p->at))
		p->at++;
	else
		p->at = end + 1;
	return true;
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_tag(struct str rest, struct str open)
{
	return str_starts(rest, open) && rest.n > open.n && !str_named(rest.p[open.n]) &&
	       rest.p[open.n] != '-';
}

static bool next_in_markup(struct embedded *p, struct span *out)
{
	struct str rest = rest_at(p, p->at);

	if (p->form == EMBEDDED_MDX && is_module_line(p))
		return embedded_give(p, p->at, STR("\n\n"), out);
	if (p->form == EMBEDDED_MDX && skip_shown(p))
		return false;
	if (str_starts(rest, STR("<!--"))) {
		p->at = find_from(p, p->at, STR("-->"));
	} else if (is_tag(rest, STR("<style"))) {
		p->at = find_from(p, p->at, STR("</style"));
	} else if (*rest.p == '<' && rest.n > 1 && is_letter(rest.p[1])) {
		p->in_tag = true;
		p->script = is_tag(rest, STR("<script"));
		p->at++;
	} else if (*rest.p == '{') {
		return next_braces(p, out);
	} else {
		p->at++;
	}
	return false;
}

static bool next_markup(struct embedded *p, struct span *out)
{
	if (!p->at && p->form == EMBEDDED_ASTRO && str_starts(p->text, STR("---\n")))
		return embedded_give(p, 4, STR("\n---"), out);
	while (p->at < p->text.n)
		if (p->in_tag ? next_in_tag(p, out) : next_in_markup(p, out))
			return true;
	return false;
}

/* The next string of JSON, without its quotes. */
static bool next_string(struct embedded *p, struct str *out)
{
	size_t from = find_from(p, p->at, STR("\"")) + 1, end = from;

	while (end < p->text.n && p->text.p[end] != '"')
		end += p->text.p[end] == '\\' ? 2 : 1;
	if (end >= p->text.n)
		return p->at = p->text.n, false;
	*out = str_sub(p->text, from, end);
	p->at = end + 1;
	return true;
}

static bool is_key(const struct embedded *p)
{
	size_t at = p->at;

	while (at < p->text.n && str_any(" \t\r\n", p->text.p[at]))
		at++;
	return at < p->text.n && p->text.p[at] == ':';
}

static bool next_cell(struct embedded *p, struct span *out)
{
	struct str s;

	while (next_string(p, &s)) {
		if (is_key(p)) {
			p->key = s;
		} else if (str_eq(p->key, STR("cell_type"))) {
			p->code = str_eq(s, STR("code"));
		} else if (str_eq(p->key, STR("source")) && p->code) {
			out->at = (size_t)(s.p - p->text.p);
			out->end = out->at + s.n - (str_ends(s, STR("\\n")) ? 2 : 0);
			return true;
		}
	}
	return false;
}

bool embedded_next(struct embedded *p, struct span *out)
{
	if (p->at >= p->text.n)
		return false;
	if (p->form == EMBEDDED_ALL)
		return next_all(p, out);
	return p->form == EMBEDDED_NOTEBOOK ? next_cell(p, out) : next_markup(p, out);
}
