#ifndef OX_TEST_CASE_FILE_H
#define OX_TEST_CASE_FILE_H

/* Cases in plain text, as tests/cases/README.md tells: each a name and some fields, a field either
 * the rest of its line or the lines below it. Include cmocka's headers first. */

#include <glob.h>

#include "base/mem.h"
#include "gen.h"

struct case_field {
	char name[16];
	struct buf text;
};

struct case_one {
	char *name;
	struct case_field field[12];
	size_t fields;
};

struct case_list {
	struct case_one **v;
	size_t n, cap;
};

static inline _Noreturn void case_bad(const char *file, int line, const char *what)
{
	fprintf(stderr, "%s:%d: %s\n", file, line, what);
	exit(1);
}

static inline const struct buf *case_buf(const struct case_one *c, const char *name)
{
	for (size_t i = 0; i < c->fields; i++)
		if (!strcmp(c->field[i].name, name))
			return &c->field[i].text;
	return NULL;
}

static inline bool case_has(const struct case_one *c, const char *name)
{
	return case_buf(c, name) != NULL;
}

/* Empty where there is none. */
static inline struct str case_str(const struct case_one *c, const char *name)
{
	const struct buf *b = case_buf(c, name);

	return b ? buf_str(b) : STR("");
}

/* A `|` line: escapes stand for bytes, a `\` at the end takes the line feed away. */
static inline void case_text_line(const char *file, int at, struct str s, struct buf *out)
{
	static const char from[] = "rnt\\\"", to[] = "\r\n\t\\\"";

	for (size_t i = 0; i < s.n; i++) {
		const char *hit;
		char hex[3] = { 0 };

		if (s.p[i] != '\\') {
			buf_addc(out, s.p[i]);
			continue;
		}
		if (++i == s.n)
			return;
		hit = s.p[i] ? strchr(from, s.p[i]) : NULL;
		if (hit) {
			buf_addc(out, to[hit - from]);
		} else if (s.p[i] == 'x' && s.n - i > 2) {
			memcpy(hex, s.p + i + 1, 2);
			buf_addc(out, (char)strtol(hex, NULL, 16));
			i += 2;
		} else {
			case_bad(file, at, "unknown escape");
		}
	}
	buf_addc(out, '\n');
}

static inline struct case_field *case_new_field(const char *file, int at, struct case_one *c,
						struct str name)
{
	struct case_field *f = &c->field[c->fields];

	if (c->fields == sizeof(c->field) / sizeof(*c->field) || name.n >= sizeof(f->name))
		case_bad(file, at, "too many fields, or too long a name");
	memcpy(f->name, name.p, name.n);
	if (case_has(c, f->name))
		case_bad(file, at, "the field is there twice");
	c->fields++;
	return f;
}

static inline void case_line(const char *file, int at, struct case_list *list, struct str line)
{
	struct case_one *c = list->n ? list->v[list->n - 1] : NULL;
	const char *slash = strrchr(file, '/'), *colon;
	struct buf name = BUF_INIT;
	struct case_field *f;

	if (!line.n || line.p[0] == '#')
		return;
	if (str_skip(&line, STR("case: "))) {
		list->v = mem_grow(list->v, &list->cap, list->n + 1, sizeof(*list->v));
		c = list->v[list->n++] = mem_new(sizeof(*c));
		buf_addf(&name, "%s: %.*s", slash ? slash + 1 : file, STR_ARG(line));
		c->name = buf_detach(&name);
		return;
	}
	if (!c)
		case_bad(file, at, "a file begins with case:");
	f = c->fields ? &c->field[c->fields - 1] : NULL;
	colon = memchr(line.p, ':', line.n);
	if (f && str_skip(&line, STR("|"))) {
		case_text_line(file, at, line, &f->text);
	} else if (f && str_skip(&line, STR("  "))) {
		buf_add(&f->text, line);
		buf_addc(&f->text, '\n');
	} else if (colon) {
		size_t n = (size_t)(colon - line.p);

		f = case_new_field(file, at, c, str_sub(line, 0, n));
		buf_add(&f->text, str_trim(str_sub(line, n + 1, line.n)));
	} else {
		case_bad(file, at, "neither a field nor a part of one");
	}
}

static inline void case_read(struct case_list *list, const char *path)
{
	FILE *f = fopen(path, "rb");
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;
	int at = 0;

	if (!f)
		case_bad(path, 0, "cannot be read");
	while ((n = getline(&line, &cap, f)) >= 0) {
		struct str s = { line, (size_t)n };

		s.n -= str_ends(s, STR("\n"));
		case_line(path, ++at, list, s);
	}
	free(line);
	fclose(f);
}

/* Runs each case of the files, or of those that the arguments name. */
static inline int case_run(int argc, char **argv, const char *pattern, CMUnitTestFunction run)
{
	struct case_list list = { 0 };
	struct CMUnitTest *tests;
	glob_t files = { 0 };
	int failed;

	for (int i = 1; i < argc; i++)
		case_read(&list, argv[i]);
	if (argc == 1 && !glob(pattern, 0, NULL, &files))
		for (size_t i = 0; i < files.gl_pathc; i++)
			case_read(&list, files.gl_pathv[i]);
	if (!list.n) {
		fprintf(stderr, "no cases: run this from the root, or name the files\n");
		return 1;
	}
	tests = mem_new(list.n * sizeof(*tests));
	for (size_t i = 0; i < list.n; i++)
		tests[i] = (struct CMUnitTest){ .name = list.v[i]->name,
						.test_func = run,
						.initial_state = list.v[i] };
	failed = _cmocka_run_group_tests("cases", tests, list.n, NULL, NULL);
	free(tests);
	for (size_t i = 0; i < list.n; i++) {
		for (size_t k = 0; k < list.v[i]->fields; k++)
			buf_release(&list.v[i]->field[k].text);
		free(list.v[i]->name);
		free(list.v[i]);
	}
	free(list.v);
	globfree(&files);
	return failed;
}

#endif
