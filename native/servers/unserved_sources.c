#include "unserved_sources.h"

#include <ctype.h>
#include <string.h>

#include "../base/mem.h"
#include "../base/path.h"
#include "../io/disk.h"

/* All kinds of files, by extension. `of`: DIALECT_C for all that has macros. */
static const struct unserved_kind kinds[] = {
	{ "y", DIALECT_C, EMBEDDED_ALL, true },
	{ "yy", DIALECT_C, EMBEDDED_ALL, true },
	{ "ypp", DIALECT_C, EMBEDDED_ALL, true },
	{ "l", DIALECT_C, EMBEDDED_ALL, true },
	{ "S", DIALECT_C, EMBEDDED_ALL, true },
	{ "s", DIALECT_C, EMBEDDED_ALL, true },
	{ "sx", DIALECT_C, EMBEDDED_ALL, true },
	{ "vue", DIALECT_JS, EMBEDDED_VUE, true },
	{ "svelte", DIALECT_JS, EMBEDDED_SVELTE, true },
	{ "astro", DIALECT_JS, EMBEDDED_ASTRO, true },
	{ "mdx", DIALECT_JS, EMBEDDED_MDX, true },
	{ "pyx", DIALECT_PYTHON, EMBEDDED_ALL, true },
	{ "pxd", DIALECT_PYTHON, EMBEDDED_ALL, true },
	{ "pxi", DIALECT_PYTHON, EMBEDDED_ALL, true },
	{ "ipynb", DIALECT_PYTHON, EMBEDDED_NOTEBOOK, false },
};

static bool unserved_is_of(const struct unserved_kind *k, const struct language *lang)
{
	return k->of == (language_has_macros(lang) ? DIALECT_C : language_dialect(lang));
}

void unserved_extensions(const struct language *lang, struct map *out)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (unserved_is_of(&kinds[i], lang))
			map_put(out, str_of(kinds[i].ext), out);
}

const struct unserved_kind *unserved_kind(const struct language *lang, const char *path)
{
	struct str ext = path_ext(str_of(path));

	for (size_t i = 0; lang && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (str_eq(ext, str_of(kinds[i].ext)) && unserved_is_of(&kinds[i], lang))
			return &kinds[i];
	return NULL;
}

static void trim_end(struct str *text)
{
	while (text->n && strchr(" \t\r\n\\", text->p[text->n - 1]))
		text->n--;
}

/* Takes the literals off that a string continues. */
static void trim_strings(struct str *text)
{
	for (trim_end(text); text->n && text->p[text->n - 1] == '"'; trim_end(text)) {
		text->n--;
		while (text->n && (text->p[text->n - 1] != '"' ||
				   (text->n > 1 && text->p[text->n - 2] == '\\')))
			text->n--;
		text->n -= text->n > 0;
	}
}

static struct str unserved_take_word(struct str *text)
{
	size_t end;

	trim_end(text);
	end = text->n;
	while (text->n &&
	       (text->p[text->n - 1] == '_' || isalnum((unsigned char)text->p[text->n - 1])))
		text->n--;
	return str_sub(*text, text->n, end);
}

static bool unserved_is_one_of(struct str word, const char *const *names)
{
	while (str_skip(&word, STR("_")))
		;
	while (word.n && word.p[word.n - 1] == '_')
		word.n--;
	return str_among(word, names);
}

bool unserved_string(struct str text, size_t at, size_t word_at)
{
	static const char *const attributes[] = { "alias", "ifunc", "weakref", NULL };
	static const char *const assembly[] = { "asm", NULL };
	static const char *const qualifiers[] = { "volatile", "inline", "goto", NULL };
	struct str before = str_sub(text, 0, at), word;

	trim_strings(&before);
	if (text.p[word_at - 1] == '[') /* of an operand, which has names of its own */
		return false;
	if (!before.n || before.p[before.n - 1] != '(')
		return false;
	before.n--;
	word = unserved_take_word(&before);
	if (unserved_is_one_of(word, attributes))
		return true;
	while (unserved_is_one_of(word, qualifiers))
		word = unserved_take_word(&before);
	trim_end(&before);
	return unserved_is_one_of(word, assembly) &&
	       (!before.n || strchr(";{}:", before.p[before.n - 1]));
}

/* What the #include on a line names; empty: it is none. */
static struct str included_name(struct str line)
{
	char close;
	size_t n = 0;

	line = str_trim(line);
	if (!str_skip(&line, STR("#")))
		return STR("");
	line = str_trim(line);
	if (!str_skip(&line, STR("include")))
		return STR("");
	line = str_trim(line);
	if (!line.n || (*line.p != '"' && *line.p != '<'))
		return STR("");
	close = *line.p == '<' ? '>' : '"';
	line = str_sub(line, 1, line.n);
	while (n < line.n && line.p[n] != close)
		n++;
	return str_sub(line, 0, n);
}

static void unserved_find(const char *root, const char *path, struct str name, struct map *out)
{
	const struct fs *fs = disk_fs();
	struct buf full SCOPED(buf_release) = BUF_INIT;
	char *dir SCOPED(mem_release) = mem_dup(path, strlen(path));
	bool found = false;

	do {
		struct err e = ERR_INIT;
		struct fs_stat st;

		dir[path_dir(str_of(dir)).n] = '\0';
		buf_clear(&full);
		path_normal(&full, dir, name);
		found = fs->stat(fs->self, full.p, &st, &e) && st.kind == FS_FILE;
	} while (!found && strcmp(dir, root) != 0 && dir[1]);
	if (found && path_below(str_of(root), buf_str(&full)))
		map_put(out, buf_str(&full), out);
}

void unserved_included(const char *root, const struct map *read, const char *path, struct str text,
		       struct map *out)
{
	struct str line;

	while (str_line(&text, &line)) {
		struct str name = included_name(line), ext = path_ext(name);

		if (name.n && !(ext.n && map_get(read, ext)))
			unserved_find(root, path, name, out);
	}
}
