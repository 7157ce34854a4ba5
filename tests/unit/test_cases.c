#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <glob.h>

#include "base/arena.h"
#include "base/mem.h"
#include "gen.h"
#include "read_all.h"
#include "text/diff.h"
#include "text/doc.h"

/* Runs tests/cases/edit; the README there says how they are written. */
enum section { NOTHING, BEFORE, EDITS, AFTER, REDUCED };

struct case_edit {
	struct pos from, to;
	struct str with;
};

struct case_edits {
	struct case_edit *v;
	size_t n, cap;
};

struct one_case {
	char *name; /* with the file's */
	enum pos_enc enc;
	struct buf before, after, reduced;
	struct case_edits edits;
	bool seen[REDUCED + 1];
	int clash[2];
};

struct reader {
	const char *file;
	int line;
	enum section in;
	struct one_case **v;
	size_t n, cap;
	struct arena texts;
};

static _Noreturn void bad(const struct reader *r, const char *what)
{
	fprintf(stderr, "%s:%d: %s\n", r->file, r->line, what);
	exit(1);
}

static int hex(const struct reader *r, struct str s, size_t at)
{
	char digits[3] = { 0 }, *end;
	long v;

	if (s.n - at < 2)
		bad(r, "\\x needs two hexadecimal digits");
	memcpy(digits, s.p + at, 2);
	v = strtol(digits, &end, 16);
	if (*end)
		bad(r, "\\x needs two hexadecimal digits");
	return (int)v;
}

/* Appends what escapes stand for; a `\` at the end says that no line feed follows. */
static bool unescape(const struct reader *r, struct str s, struct buf *out)
{
	static const char from[] = "rnt\\\"", to[] = "\r\n\t\\\"";

	for (size_t i = 0; i < s.n; i++) {
		const char *hit;

		if (s.p[i] != '\\') {
			buf_addc(out, s.p[i]);
			continue;
		}
		if (++i == s.n)
			return false;
		hit = strchr(from, s.p[i]);
		if (hit && *hit) {
			buf_addc(out, to[hit - from]);
		} else if (s.p[i] == 'x') {
			buf_addc(out, (char)hex(r, s, i + 1));
			i += 2;
		} else {
			bad(r, "unknown escape");
		}
	}
	return true;
}

static void read_edit(struct reader *r, struct str line, struct case_edits *to)
{
	struct case_edit e = { 0 };
	struct buf with = BUF_INIT;
	char *text = mem_dup(line.p, line.n), *quote = strchr(text, '"');
	int used = 0;

	if (!quote || line.p[line.n - 1] != '"' || quote == text + line.n - 1)
		bad(r, "an edit needs its new text in quotes");
	if (sscanf(text, "%u:%u-%u:%u %n", &e.from.line, &e.from.col, &e.to.line, &e.to.col,
		   &used) != 4) {
		if (sscanf(text, "%u:%u %n", &e.from.line, &e.from.col, &used) != 2)
			bad(r, "an edit begins with line:column or line:column-line:column");
		e.to = e.from;
	}
	if (text + used != quote)
		bad(r, "between the range and the new text stands something else");
	if (!unescape(r, str_sub(line, (size_t)(quote + 1 - text), line.n - 1), &with))
		bad(r, "the new text does not end");
	e.with = arena_str(&r->texts, buf_str(&with));
	to->v = mem_grow(to->v, &to->cap, to->n + 1, sizeof(*to->v));
	to->v[to->n++] = e;
	buf_release(&with);
	free(text);
}

static void read_in_section(struct reader *r, struct one_case *c, struct str line)
{
	struct buf *text = r->in == BEFORE ? &c->before : &c->after;

	if (r->in == EDITS) {
		read_edit(r, line, &c->edits);
	} else if (r->in == REDUCED) {
		buf_add(&c->reduced, line);
		buf_addc(&c->reduced, '\n');
	} else if (r->in == NOTHING || !str_skip(&line, STR("|"))) {
		bad(r, "neither a section nor a part of one");
	} else if (unescape(r, line, text)) {
		buf_addc(text, '\n');
	}
}

static void finish_case(const struct reader *r)
{
	const struct one_case *c = r->n ? r->v[r->n - 1] : NULL;

	if (c && (!c->seen[BEFORE] || !c->seen[EDITS] || c->seen[AFTER] == !!c->clash[0]))
		bad(r, "the case before this line needs before:, edits:, and after: or clash:");
}

static void read_encoding(const struct reader *r, struct one_case *c, struct str name)
{
	static const char *const names[] = { "utf-8", "utf-16", "utf-32" };

	for (int i = 0; i < 3; i++)
		if (str_eq(name, str_of(names[i]))) {
			c->enc = (enum pos_enc)i;
			return;
		}
	bad(r, "unknown encoding");
}

static void start_case(struct reader *r, struct str name)
{
	struct one_case *c = mem_new(sizeof(*c));
	struct buf full = BUF_INIT;
	const char *slash = strrchr(r->file, '/');

	finish_case(r);
	c->enc = POS_UTF16;
	buf_addf(&full, "%s: %.*s", slash ? slash + 1 : r->file, STR_ARG(name));
	c->name = buf_detach(&full);
	r->v = mem_grow(r->v, &r->cap, r->n + 1, sizeof(*r->v));
	r->v[r->n++] = c;
	r->in = NOTHING;
}

static void read_line(struct reader *r, struct str line)
{
	static const char *const sections[] = { "", "before:", "edits:", "after:", "reduced:" };
	struct one_case *c;

	if (!line.n || line.p[0] == '#')
		return;
	if (str_skip(&line, STR("case: "))) {
		start_case(r, line);
		return;
	}
	if (!r->n)
		bad(r, "a file begins with case:");
	c = r->v[r->n - 1];
	for (int i = BEFORE; i <= REDUCED; i++)
		if (str_eq(line, str_of(sections[i]))) {
			if (c->seen[i])
				bad(r, "the section is there twice");
			c->seen[i] = true;
			r->in = (enum section)i;
			return;
		}
	if (str_skip(&line, STR("encoding: ")))
		read_encoding(r, c, line);
	else if (!str_skip(&line, STR("clash: ")))
		read_in_section(r, c, line);
	else if (sscanf(line.p, "%d %d", &c->clash[0], &c->clash[1]) != 2)
		bad(r, "clash: needs the numbers of two edits");
}

static void read_file(struct reader *r, const char *path)
{
	struct buf text = read_all(path);

	r->file = path;
	r->line = 0;
	r->in = NOTHING;
	if (!text.p)
		bad(r, "cannot be read");
	/* Split at LF alone: a CR that has crept in is an error that shows. */
	for (size_t at = 0; at < text.n;) {
		const char *lf = memchr(text.p + at, '\n', text.n - at);
		size_t end = lf ? (size_t)(lf - text.p) : text.n;

		r->line++;
		read_line(r, str_sub(buf_str(&text), at, end));
		at = end + 1;
	}
	finish_case(r);
	buf_release(&text);
}

static void assert_applies(const struct edits *set, struct str text, struct str want)
{
	struct buf out = BUF_INIT;

	edits_apply(set, text, &out);
	assert_text(buf_str(&out), want);
	buf_release(&out);
}

static void assert_reduced(const struct one_case *c, const struct edits *set, struct doc *before)
{
	static const char from_table[] = "\r\n\t\\\"", to_table[] = "rnt\\\"";
	struct buf got = BUF_INIT;

	for (size_t i = 0; i < set->n; i++) {
		struct pos from = doc_pos(before, set->v[i].span.at, c->enc);
		struct pos to = doc_pos(before, set->v[i].span.end, c->enc);

		buf_addf(&got, "%u:%u", from.line, from.col);
		if (set->v[i].span.at != set->v[i].span.end)
			buf_addf(&got, "-%u:%u", to.line, to.col);
		buf_adds(&got, " \"");
		for (size_t k = 0; k < set->v[i].with.n; k++) {
			char b = set->v[i].with.p[k];
			const char *hit = b ? strchr(from_table, b) : NULL;

			if (hit)
				buf_addf(&got, "\\%c", to_table[hit - from_table]);
			else
				buf_addc(&got, b);
		}
		buf_adds(&got, "\"\n");
	}
	assert_text(buf_str(&got), buf_str(&c->reduced));
	buf_release(&got);
}

static void check_accepted(const struct one_case *c, struct edits *set, struct doc *doc)
{
	struct str before = buf_str(&c->before), after = buf_str(&c->after);
	struct edits back = EDITS_INIT, compared = EDITS_INIT;

	assert_applies(set, before, after);
	edits_invert(set, before, &back);
	assert_applies(&back, after, before);
	diff_edits(&compared, before, after);
	assert_applies(&compared, before, after);
	edits_reduce(set, before);
	assert_applies(set, before, after);
	if (c->seen[REDUCED])
		assert_reduced(c, set, doc);
	doc_edit(doc, set);
	assert_text(doc_text(doc), after);
	edits_release(&back);
	edits_release(&compared);
}

static void run_case(void **state)
{
	const struct one_case *c = *state;
	struct doc *doc = doc_new(c->name, buf_str(&c->before));
	struct edits set = EDITS_INIT;
	struct edit_clash why;

	for (size_t i = 0; i < c->edits.n; i++) {
		size_t a = doc_byte(doc, c->edits.v[i].from, c->enc);
		size_t b = doc_byte(doc, c->edits.v[i].to, c->enc);
		struct span s = { a < b ? a : b, a < b ? b : a }; /* as other clients do */

		edits_add(&set, s, c->edits.v[i].with, (int)i + 1);
	}
	if (edits_check(&set, c->before.n, &why)) {
		assert_int_equal(c->clash[0], 0);
		check_accepted(c, &set, doc);
	} else {
		assert_in_set(why.a,
			      ((LargestIntegralType[]){ (LargestIntegralType)c->clash[0],
							(LargestIntegralType)c->clash[1] }),
			      2);
		assert_int_equal(why.a + why.b, c->clash[0] + c->clash[1]);
	}
	edits_release(&set);
	doc_free(doc);
}

static void free_cases(struct reader *r)
{
	for (size_t i = 0; i < r->n; i++) {
		free(r->v[i]->name);
		free(r->v[i]->edits.v);
		buf_release(&r->v[i]->before);
		buf_release(&r->v[i]->after);
		buf_release(&r->v[i]->reduced);
		free(r->v[i]);
	}
	free(r->v);
	arena_release(&r->texts);
}

int main(int argc, char **argv)
{
	struct reader r = { 0 };
	struct CMUnitTest *tests;
	glob_t files = { 0 };
	int failed;

	for (int i = 1; i < argc; i++)
		read_file(&r, argv[i]);
	if (argc == 1 && !glob("tests/cases/edit/*.case", 0, NULL, &files))
		for (size_t i = 0; i < files.gl_pathc; i++)
			read_file(&r, files.gl_pathv[i]);
	if (!r.n) {
		fprintf(stderr, "no cases: run this from the root, or name the files\n");
		return 1;
	}
	tests = mem_new(r.n * sizeof(*tests));
	for (size_t i = 0; i < r.n; i++)
		tests[i] = (struct CMUnitTest){ .name = r.v[i]->name,
						.test_func = run_case,
						.initial_state = r.v[i] };
	failed = _cmocka_run_group_tests("cases", tests, r.n, NULL, NULL);
	free(tests);
	free_cases(&r);
	globfree(&files);
	return failed;
}
