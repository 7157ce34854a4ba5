#include <string.h>

#include "../base/path.h"
#include "unserved_sources.h"

/*
 * Imports of Python and JavaScript, by their words alone. What is imported is a path without an
 * extension: the whole one where it says from where, else what a path has to end with.
 */
struct imports {
	const struct language *lang;
	const char *path;
	const struct map *files;
	struct buf from; /* `a.b` of Python's `from a.b import c`, as `a/b` */
	bool exact;
};

static struct str without_ext(struct str path)
{
	struct str ext = path_ext(path);

	return ext.n ? str_sub(path, 0, path.n - ext.n - 1) : path;
}

static bool ends_with(struct str path, struct str what, bool exact)
{
	if (exact)
		return str_eq(path, what);
	return what.n && str_ends(path, what) &&
	       (path.n == what.n || path.p[path.n - what.n - 1] == '/');
}

/* A directory stands for the file in it that has a name for that. */
static bool names_file(struct str file, struct str what, bool exact)
{
	struct str stem = without_ext(file), base = path_base(stem);

	if (ends_with(file, what, exact) || ends_with(stem, what, exact) ||
	    ends_with(stem, without_ext(what), exact))
		return true;
	return (str_eq(base, STR("__init__")) || str_eq(base, STR("index"))) &&
	       ends_with(path_dir(file), what, exact);
}

static bool names_any(const struct imports *im, struct str what, bool exact)
{
	map_each(it, im->files)
		if (names_file(it.key, what, exact))
			return true;
	return false;
}

/* In what is beside the file, or above. */
static bool names_from_here(const struct imports *im, struct str what)
{
	struct str dir = path_dir(str_of(im->path));
	struct buf base SCOPED(buf_release) = BUF_INIT, full SCOPED(buf_release) = BUF_INIT;

	buf_add(&base, dir);
	path_normal(&full, base.p, what);
	return names_any(im, buf_str(&full), true);
}

/* './x', or '@/x' and the like, which the project's configuration leads somewhere. */
static bool js_names(const struct imports *im, struct str what)
{
	if (what.n && *what.p == '.')
		return names_from_here(im, what);
	while (what.n && str_any("@~$#/", *what.p))
		what = str_sub(what, 1, what.n);
	return names_any(im, what, false);
}

static bool js_imports(const struct imports *im, struct str text, struct span part)
{
	struct lexer l = lex_from(im->lang, str_sub(text, 0, part.end), part.at);
	struct token before = { .kind = TOKEN_END };

	for (struct token t = lex_next_code(&l); t.kind != TOKEN_END; t = lex_next_code(&l)) {
		if (t.kind == TOKEN_STRING && t.span.end - t.span.at > 2 &&
		    (token_is(text, before, "from") || token_is(text, before, "import") ||
		     token_is(text, before, "require")) &&
		    js_names(im, str_sub(text, t.span.at + 1, t.span.end - 1)))
			return true;
		if (t.kind != TOKEN_OPEN) /* import('./x') */
			before = t;
	}
	return false;
}

/* `name`: what is behind the words that import, with its dots. */
static void python_path(struct buf *out, struct str name, bool *exact)
{
	*exact = name.n && *name.p == '.';
	if (*exact)
		buf_adds(out, ".");
	for (size_t i = *exact; i < name.n && name.p[i] == '.'; i++)
		buf_adds(out, "/..");
	while (name.n && *name.p == '.')
		name = str_sub(name, 1, name.n);
	if (*exact && name.n)
		buf_adds(out, "/");
	for (size_t i = 0; i < name.n; i++)
		buf_add(out, name.p[i] == '.' ? STR("/") : str_sub(name, i, i + 1));
}

/* `import a.b as c, d` and `from a.b import c as d, e`, also where it goes on in brackets. */
static bool python_line(struct imports *im, struct str line)
{
	bool from = str_skip(&line, STR("from ")), names = from;

	if (!from && !str_skip(&line, STR("import ")) && !str_skip(&line, STR("cimport ")))
		return false;
	buf_clear(&im->from);
	im->exact = false;
	while (line.n) {
		struct buf full SCOPED(buf_release) = BUF_INIT;
		struct str word;
		bool exact = false, found = false;
		size_t n = 0;

		while (n < line.n && (str_named(line.p[n]) || line.p[n] == '.'))
			n++;
		word = str_sub(line, 0, n);
		line = str_sub(line, n ? n : 1, line.n);
		if (!n || (from && !names &&
			   (str_eq(word, STR("import")) || str_eq(word, STR("cimport")))))
			continue;
		if (names || !from) {
			python_path(&full, word, &exact);
		} else {
			exact = im->exact;
			buf_addf(&full, "%s/%.*s", im->from.p, STR_ARG(word));
		}
		found = exact ? names_from_here(im, buf_str(&full))
			      : names_any(im, buf_str(&full), false);
		if (names) {
			buf_add(&im->from, buf_str(&full));
			im->exact = exact;
			names = false;
		}
		if (found)
			return true;
	}
	return false;
}

#define STATEMENT_MOST 65536 /* bytes */

/* A statement with its brackets, from the beginning of its line. */
static struct str statement_at(struct str rest, struct str line)
{
	const char *open = memchr(line.p, '(', line.n), *close;

	if (rest.n > STATEMENT_MOST)
		rest.n = STATEMENT_MOST;
	close = open && open < rest.p + rest.n ? memchr(open, ')', rest.n - (size_t)(open - rest.p))
					       : NULL;
	return close ? str_sub(rest, 0, (size_t)(close - rest.p)) : line;
}

static bool python_imports(struct imports *im, struct str text)
{
	struct str line, rest = text;

	for (struct str before = rest; str_line(&rest, &line); before = rest) {
		struct str trimmed = str_trim(line);
		bool imports = str_starts(trimmed, STR("from ")) ||
			       str_starts(trimmed, STR("import ")) ||
			       str_starts(trimmed, STR("cimport "));

		before = str_sub(before, (size_t)(trimmed.p - before.p), before.n);
		if (imports && python_line(im, statement_at(before, trimmed)))
			return true;
	}
	return false;
}

bool unserved_imports(const struct unserved_kind *kind, const struct language *lang,
		      const char *path, struct str text, const struct map *files)
{
	struct imports im = { lang, path, files, BUF_INIT, false };
	struct embedded parts = embedded_of(kind->form, text);
	bool found = names_any(&im, without_ext(str_of(im.path)), true);
	struct span part;

	while (!found && embedded_next(&parts, &part))
		found = kind->of == DIALECT_JS
				? js_imports(&im, text, part)
				: python_imports(&im, str_sub(text, part.at, part.end));
	buf_release(&im.from);
	return found;
}
