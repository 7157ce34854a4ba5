#include "match.h"

#include <stdlib.h>

#include "../base/err.h"
#include "../base/hash.h"
#include "../base/mem.h"
#include "../base/utf.h"

const char *match_name(enum match how)
{
	static const char *const names[] = { "none", "exact", "trailing whitespace",
					     "unicode punctuation", "relocated" };

	return names[how];
}

static bool match_is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r' && c != '\n');
}

struct str match_trim_end(struct str line)
{
	while (line.n && match_is_blank(line.p[line.n - 1]))
		line.n--;
	return line;
}

size_t match_indent(struct str line)
{
	size_t n = 0;

	while (n < line.n && match_is_blank(line.p[n]))
		n++;
	return n;
}

static bool is_ascii(struct str s)
{
	return utf_ascii(s.p, s.n) == s.n;
}

/* The ASCII form of what word processors, and models, put in its place; 0 for anything else. */
static char plain(uint32_t c)
{
	if ((c >= 0x2010 && c <= 0x2015) || c == 0x2212)
		return '-';
	if (c >= 0x2018 && c <= 0x201b)
		return '\'';
	if (c >= 0x201c && c <= 0x201f)
		return '"';
	if (c == 0xa0 || (c >= 0x2002 && c <= 0x200a) || c == 0x202f || c == 0x205f || c == 0x3000)
		return ' ';
	return 0;
}

void match_fold(struct buf *out, struct str line)
{
	for (size_t at = 0; at < line.n;) {
		struct utf u = utf_at(line, at);
		char c = u.ok ? plain(u.code) : 0;

		if (c)
			buf_addc(out, c);
		else
			buf_add(out, str_sub(line, at, at + u.n));
		at += u.n;
	}
}

bool match_line(struct str a, struct str b, enum match how)
{
	struct buf fold_a SCOPED(buf_release) = BUF_INIT, fold_b SCOPED(buf_release) = BUF_INIT;

	if (str_eq(a, b))
		return true;
	if (how == MATCH_EXACT)
		return false;
	if (str_eq(match_trim_end(a), match_trim_end(b)))
		return true;
	if (how == MATCH_TRAILING_SPACE || (is_ascii(a) && is_ascii(b)))
		return false;
	match_fold(&fold_a, a);
	match_fold(&fold_b, b);
	return str_eq(match_trim_end(buf_str(&fold_a)), match_trim_end(buf_str(&fold_b)));
}

struct str match_eol(struct str text, enum line_rule rule)
{
	size_t crlf = 0, cr = 0, lf = 0;

	if (!text.n || !memchr(text.p, '\r', text.n))
		return STR("\n");
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == '\n') {
			lf++;
		} else if (text.p[i] == '\r' && i + 1 < text.n && text.p[i + 1] == '\n') {
			crlf++;
			i++;
		} else if (text.p[i] == '\r' && rule == LINES_LSP) {
			cr++;
		}
	}
	if (crlf && crlf >= cr && crlf > lf)
		return STR("\r\n");
	return cr > lf ? STR("\r") : STR("\n");
}

void lookup_init(struct lookup *l, struct str text, enum line_rule rule)
{
	*l = (struct lookup){ .text = text };
	lines_init(&l->table, text, rule);
	l->n = l->table.n - (l->table.at[l->table.n - 1] == text.n);
	if (l->n >= UINT32_MAX)
		BUG("a text of %zu lines", l->n);
}

void lookup_release(struct lookup *l)
{
	lines_release(&l->table);
	free(l->first);
	free(l->next);
	*l = (struct lookup){ 0 };
}

struct str lookup_line(const struct lookup *l, size_t line)
{
	struct span s = lines_span(&l->table, l->text, line);

	return str_sub(l->text, s.at, s.end);
}

size_t lookup_start(const struct lookup *l, size_t line)
{
	return line < l->n ? l->table.at[line] : l->text.n;
}

bool lookup_has_final_end(const struct lookup *l)
{
	return !l->n || l->table.n > l->n;
}

static size_t match_key_of(const struct lookup *l, struct str line)
{
	struct buf fold SCOPED(buf_release) = BUF_INIT;

	if (is_ascii(line)) {
		line = match_trim_end(line);
		return hash_of(str_sub(line, match_indent(line), line.n)) & l->mask;
	}
	match_fold(&fold, line);
	line = match_trim_end(buf_str(&fold));
	return hash_of(str_sub(line, match_indent(line), line.n)) & l->mask;
}

#define NOTHING UINT32_MAX

static void make_index(struct lookup *l)
{
	size_t slots = 16;

	while (slots < l->n)
		slots *= 2;
	l->mask = slots - 1;
	l->first = mem_new(slots * sizeof(*l->first));
	l->next = mem_new((l->n + 1) * sizeof(*l->next));
	memset(l->first, 0xff, slots * sizeof(*l->first));
	for (size_t i = l->n; i--;) {
		size_t key = match_key_of(l, lookup_line(l, i));

		l->next[i] = l->first[key];
		l->first[key] = (uint32_t)i;
	}
}

size_t lookup_first(struct lookup *l, struct str line)
{
	uint32_t i;

	if (!l->first)
		make_index(l);
	i = l->first[match_key_of(l, line)];
	return i == NOTHING ? LOOKUP_END : i;
}

size_t lookup_next(const struct lookup *l, size_t line)
{
	return l->next[line] == NOTHING ? LOOKUP_END : l->next[line];
}

bool lookup_fits(const struct lookup *l, size_t at, const struct str *lines, size_t n,
		 enum match how)
{
	if (at > l->n || n > l->n - at)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!match_line(lines[i], lookup_line(l, at + i), how))
			return false;
	return true;
}

size_t lookup_rarest(struct lookup *l, const struct str *lines, size_t n)
{
	size_t best = 0, least = 33; /* walking further along a list costs more than it saves */

	for (size_t k = 0; k < n && least; k++) {
		size_t count = 0;

		for (size_t i = lookup_first(l, lines[k]); i != LOOKUP_END && count < least;
		     i = lookup_next(l, i))
			count++;
		if (count < least) {
			least = count;
			best = k;
		}
	}
	return best;
}
