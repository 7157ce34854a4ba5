#include "symbol_rank.h"

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool same(struct str a, struct str b)
{
	if (a.n != b.n)
		return false;
	for (size_t i = 0; i < a.n; i++)
		if (lower(a.p[i]) != lower(b.p[i]))
			return false;
	return true;
}

static bool holds(struct str text, struct str part)
{
	for (size_t i = 0; i + part.n <= text.n; i++)
		if (same(str_sub(text, i, i + part.n), part))
			return true;
	return false;
}

/* Whether `part` is the end of the path, by whole parts. */
static bool ends(struct str path, struct str part)
{
	return part.n <= path.n && same(str_sub(path, path.n - part.n, path.n), part) &&
	       (part.n == path.n || path.p[path.n - part.n - 1] == '/');
}

enum symbol_match symbol_alike(const struct symbol *sym, struct str name_path)
{
	struct buf path = BUF_INIT, want = BUF_INIT;
	enum symbol_match m = SYMBOL_OTHER;
	struct str name;

	symbol_plain_path(sym, &path);
	symbol_plain(name_path, &want);
	name = symbol_last(buf_str(&path));
	if (!want.n)
		m = SYMBOL_OTHER;
	else if (ends(buf_str(&path), buf_str(&want)))
		m = SYMBOL_CASE;
	else if (name.n > want.n && same(str_sub(name, 0, want.n), buf_str(&want)))
		m = SYMBOL_PREFIX;
	else if (holds(name, buf_str(&want)))
		m = SYMBOL_PART;
	buf_release(&path);
	buf_release(&want);
	return m;
}

const char *symbol_match_name(enum symbol_match m)
{
	static const char *const names[] = { "other", "part", "prefix", "case", "exact" };

	return names[m];
}

static struct str stem(struct str path)
{
	size_t at = path.n, end;

	while (at && path.p[at - 1] != '/')
		at--;
	for (end = at + (at < path.n); end < path.n && path.p[end] != '.';)
		end++;
	return str_sub(path, at, end);
}

unsigned path_hinted(struct str path, struct str hint)
{
	while (str_skip(&hint, STR("./")) || str_skip(&hint, STR("/")))
		;
	str_skip(&path, STR("/"));
	if (!hint.n)
		return 0;
	if (str_eq(path, hint))
		return 4;
	if (ends(path, hint))
		return 3;
	if (same(stem(path), hint))
		return 2;
	return holds(path, hint);
}

/* Whether a symbol of this kind is something that is defined, and not a place for a value. */
static bool defines(int kind)
{
	enum {
		PROPERTY = 7,
		FIELD = 8,
		VARIABLE = 13,
		CONSTANT = 14,
		STRING = 15,
		NUMBER = 16,
		BOOLEAN = 17,
		ARRAY = 18,
		OBJECT = 19,
		KEY = 20,
		NOTHING = 21,
		MEMBER = 22,
		PARAMETER = 26
	};

	return kind != PROPERTY && kind != FIELD && (kind < VARIABLE || kind > MEMBER) &&
	       kind != PARAMETER;
}

int symbol_rank_cmp(const struct symbol_rank *a, const struct symbol_rank *b)
{
	if (a->match != b->match)
		return (int)b->match - (int)a->match;
	if (a->hint != b->hint)
		return (int)b->hint - (int)a->hint;
	if (a->own != b->own)
		return b->own - a->own;
	return defines(b->kind) - defines(a->kind);
}
