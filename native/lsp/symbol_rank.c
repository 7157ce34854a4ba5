#include "symbol_rank.h"

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool symbol_rank_same(struct str a, struct str b)
{
	if (a.n != b.n)
		return false;
	for (size_t i = 0; i < a.n; i++)
		if (lower(a.p[i]) != lower(b.p[i]))
			return false;
	return true;
}

static bool symbol_rank_holds(struct str text, struct str part)
{
	for (size_t i = 0; i + part.n <= text.n; i++)
		if (symbol_rank_same(str_sub(text, i, i + part.n), part))
			return true;
	return false;
}

/* Whether `part` is the end of the path, by whole parts. */
static bool ends(struct str path, struct str part)
{
	return part.n <= path.n && symbol_rank_same(str_sub(path, path.n - part.n, path.n), part) &&
	       (part.n == path.n || path.p[path.n - part.n - 1] == '/');
}

enum symbol_match symbol_alike(const struct symbol *sym, struct str name_path)
{
	struct buf path SCOPED(buf_release) = BUF_INIT, want SCOPED(buf_release) = BUF_INIT;
	enum symbol_match m = SYMBOL_OTHER;
	struct str name;

	symbol_plain_path(sym, &path);
	symbol_plain(name_path, &want);
	name = symbol_last(buf_str(&path));
	if (!want.n)
		m = SYMBOL_OTHER;
	else if (ends(buf_str(&path), buf_str(&want)))
		m = SYMBOL_CASE;
	else if (name.n > want.n && symbol_rank_same(str_sub(name, 0, want.n), buf_str(&want)))
		m = SYMBOL_PREFIX;
	else if (symbol_rank_holds(name, buf_str(&want)))
		m = SYMBOL_PART;
	return m;
}

/* The path but for what follows a dot in the file's name. */
static struct str stem(struct str path)
{
	size_t at = path.n, end;

	while (at && path.p[at - 1] != '/')
		at--;
	for (end = at + (at < path.n); end < path.n && path.p[end] != '.';)
		end++;
	return str_sub(path, 0, end);
}

static bool has_folder(struct str path, struct str folder)
{
	while (folder.n && folder.p[folder.n - 1] == '/')
		folder.n--;
	for (size_t end = folder.n; folder.n && end < path.n; end++)
		if (path.p[end] == '/' && ends(str_sub(path, 0, end), folder))
			return true;
	return false;
}

enum path_hint path_hinted(struct str path, struct str hint)
{
	while (str_skip(&hint, STR("./")) || str_skip(&hint, STR("/")))
		;
	str_skip(&path, STR("/"));
	if (!hint.n)
		return HINT_OTHER;
	if (str_eq(path, hint))
		return HINT_WHOLE;
	if (ends(path, hint))
		return HINT_END;
	if (ends(stem(path), hint))
		return HINT_STEM;
	if (has_folder(path, hint))
		return HINT_FOLDER;
	return symbol_rank_holds(path, hint) ? HINT_PART : HINT_OTHER;
}

/* 0: a symbol of this kind is a place for a value; more: something that is defined. */
static int defines(int kind)
{
	enum {
		PROPERTY = 7,
		FIELD = 8,
		CONSTRUCTOR = 9,
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

	if (kind == PROPERTY || kind == FIELD || (kind >= VARIABLE && kind <= MEMBER) ||
	    kind == PARAMETER)
		return 0;
	return kind == CONSTRUCTOR ? 1 : 2;
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
