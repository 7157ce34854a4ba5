#include "operation_lines.h"

#include <stdlib.h>

#include "../core/workspace.h"
#include "call_impl.h"
#include "call_lines.h"

/* The text that the operations will be worked out for; false: there is none. */
static bool op_lines_read_text(struct call *c, const char *path, struct buf *text)
{
	const struct plan_source *src = call_source(c);

	buf_clear(text);
	return src->read(src->self, path, text, NULL, ERR_IGNORED);
}

static const struct err *op_lines_keep(struct arena *a, const struct err *e)
{
	struct err *kept = arena_new(a, sizeof(*kept));

	*kept = *e;
	return kept;
}

static void carry_operation(struct call *c, struct operations *ops, struct operation *op,
			    const char *path, struct str now)
{
	struct shown_lines l = { .line = op->said ? op->said : op->line, .count = op->count };
	size_t said = l.line;
	struct err e = ERR_INIT;

	op->refused = NULL;
	op->lineless = op->shown = false;
	if (shown_texts_carry(call_shown_texts(c), c->moment, path, now, &l, &e)) {
		op->line = l.line;
		op->said = l.line == said ? 0 : said;
		op->shown = l.shown;
		return;
	}
	op->said = said;
	op->lineless = op->expect.p || (op->hash.p && op->count < 2);
	if (!op->lineless)
		op->refused = op_lines_keep(&ops->parts, &e);
}

void operation_lines_carry(struct call *c, struct operations *ops)
{
	struct workspace *w = call_oxide(c)->workspace;
	const char *path = NULL;
	struct buf text SCOPED(buf_release) = BUF_INIT;
	char *real = NULL;
	bool known = false;

	for (size_t i = 0; i < ops->n && call_shown_texts(c); i++) {
		struct operation *op = &ops->v[i];

		if (!operation_by_line(op))
			continue;
		if (!path || strcmp(path, op->path) != 0) {
			free(real);
			path = op->path;
			real = workspace_named(w, path);
			known = op_lines_read_text(c, path, &text);
		}
		if (known)
			carry_operation(c, ops, op, real, buf_str(&text));
	}
	free(real);
}

void operation_lines_explain(struct call *c, const struct operation *op, json *refusal)
{
	struct shown_lines l = { .line = op->said ? op->said : op->line, .count = op->count };
	json *more SCOPED(json_release) = json_object();
	struct buf text SCOPED(buf_release) = BUF_INIT;
	char *real SCOPED(mem_release) = NULL;

	if (!call_shown_texts(c) || !op_lines_read_text(c, op->path, &text))
		return;
	real = workspace_named(call_oxide(c)->workspace, op->path);
	if (op->refused || op->lineless)
		call_explain(c, real, buf_str(&text), &l, more);
	else /* the candidates name lines of this text */
		call_shows(c, real, buf_str(&text), SHOWN_NONE);
	json_each(v, more)
		error_put(refusal, json_key(v), json_copy(v));
}
