#include <stdlib.h>

#include "../base/mem.h"
#include "operation.h"

/*
 * The text form of a batch, as a model writes it:
 *
 *     FILE: path/to/file
 *     REPLACE:            INSERT AT LINE 10:      DELETE LINES 3-5:
 *     ```                 ```
 *     old text            new lines
 *     ```                 ```
 *     WITH:
 *     ```
 *     new text
 *     ```
 *
 * A fence may name a language, and may be longer than three where the text holds fences itself.
 */
struct reader {
	struct operations *ops;
	struct str rest, line;
	size_t number;	  /* of `line`, from 1 */
	const char *path; /* of the last FILE: */
	operation_path *resolve;
	void *arg;
	struct err *e;
	int entries;
};

static bool text_op_fail(struct reader *r, const char *what)
{
	return err_set(r->e, ERR_INVALID, "edit_instructions line %zu: %s", r->number, what);
}

static bool next(struct reader *r)
{
	if (!str_line(&r->rest, &r->line))
		return false;
	r->number++;
	return true;
}

static size_t fence_of(struct str line)
{
	struct str s = str_trim(line);
	size_t n = 0;

	while (n < s.n && s.p[n] == '`')
		n++;
	return n >= 3 ? n : 0;
}

/* The next line must open a block; `out` is what is in it, without the last line end. */
static bool block(struct reader *r, struct str *out)
{
	const char *start;
	size_t fence;

	do
		if (!next(r))
			return text_op_fail(r, "expected a block between ``` lines");
	while (!str_trim(r->line).n);
	fence = fence_of(r->line);
	if (!fence)
		return text_op_fail(r, "expected a ``` line");
	start = r->rest.p;
	while (next(r)) {
		if (fence_of(r->line) < fence || str_trim(r->line).n != fence_of(r->line))
			continue;
		*out = (struct str){ start, (size_t)(r->line.p - start) };
		if (out->n && out->p[out->n - 1] == '\n')
			out->n--;
		if (out->n && out->p[out->n - 1] == '\r')
			out->n--;
		return true;
	}
	return text_op_fail(r, "unterminated ``` block");
}

/* A number at the front of *s, from 1; 0 when there is none. */
static size_t text_op_number(struct str *s)
{
	size_t v = 0, i = 0;

	while (i < s->n && s->p[i] >= '0' && s->p[i] <= '9' && v < 100000000)
		v = v * 10 + (size_t)(s->p[i++] - '0');
	*s = str_trim(str_sub(*s, i, s->n));
	return v;
}

static struct operation *text_op_add(struct reader *r, enum operation_kind kind)
{
	struct operation *op = operations_add(r->ops, kind, r->path);

	op->of = r->entries++;
	return op;
}

static bool read_replace(struct reader *r)
{
	struct operation *op = text_op_add(r, OPERATION_REPLACE);

	if (!block(r, &op->find))
		return false;
	do
		if (!next(r))
			return text_op_fail(r, "expected WITH:");
	while (!str_trim(r->line).n);
	if (!str_eq(str_trim(r->line), STR("WITH:")))
		return text_op_fail(r, "expected WITH:");
	if (!op->find.n)
		return text_op_fail(r, "REPLACE: is empty");
	return block(r, &op->with);
}

static bool read_insert(struct reader *r, struct str head)
{
	struct operation *op = text_op_add(r, OPERATION_INSERT);

	op->line = text_op_number(&head);
	op->count = 0;
	if (!op->line || !str_eq(head, STR(":")))
		return text_op_fail(r, "expected INSERT AT LINE n:");
	return block(r, &op->with);
}

static bool read_delete(struct reader *r, struct str head)
{
	struct operation *op = text_op_add(r, OPERATION_DELETE);
	size_t last;

	op->line = last = text_op_number(&head);
	if (str_skip(&head, STR("-"))) {
		head = str_trim(head);
		last = text_op_number(&head);
	}
	str_skip(&head, STR(":"));
	if (!op->line || last < op->line || head.n)
		return text_op_fail(r, "expected DELETE LINES a-b:");
	op->count = last - op->line + 1;
	return true;
}

static bool read_head(struct reader *r)
{
	struct str head = str_trim(r->line);

	if (!head.n)
		return true;
	if (str_skip(&head, STR("FILE:"))) {
		r->path = r->resolve(r->arg, &r->ops->parts, str_trim(head), r->e);
		return r->path || err_in(r->e, "edit_instructions line %zu", r->number);
	}
	if (!r->path)
		return text_op_fail(r, "expected FILE: first");
	if (str_eq(head, STR("REPLACE:")))
		return read_replace(r);
	if (str_skip(&head, STR("INSERT AT LINE")))
		return read_insert(r, str_trim(head));
	if (str_skip(&head, STR("DELETE LINES")) || str_skip(&head, STR("DELETE LINE")))
		return read_delete(r, str_trim(head));
	return text_op_fail(r, "expected FILE:, REPLACE:, INSERT AT LINE n: or DELETE LINES a-b:");
}

bool operations_from_text(struct operations *ops, struct str text, operation_path *path, void *arg,
			  struct err *e)
{
	struct reader r = { .ops = ops, .rest = text, .resolve = path, .arg = arg, .e = e };

	while (next(&r))
		if (!read_head(&r))
			return false;
	return ops->n || err_set(e, ERR_INVALID, "edit_instructions has no operations");
}
