#include <inttypes.h>

#include "../base/mem.h"
#include "../base/path.h"
#include "../text/line_numbers.h"
#include "batch_impl.h"

static struct candidates *nears_of(struct batch *b, struct outcome *o)
{
	o->near = arena_new(&b->texts, sizeof(*o->near));
	return o->near;
}

static void batch_find_put(struct target *t, const struct place *p, struct span span,
			   struct str with)
{
	edits_lend(&t->found, span, with, (int)p->nth);
}

static bool is_line_end(char c)
{
	return c == '\n';
}

/* The whole lines [from, from + n) of the base, their ends included. */
static struct span line_span(const struct target *t, size_t from, size_t n)
{
	size_t end = from + n;

	return (struct span){ from < t->lines.n && from < t->n_lines ? t->lines.at[from]
								     : t->base.n,
			      end < t->n_lines ? t->lines.at[end] : t->base.n };
}

static struct str without_end(struct str with)
{
	if (with.n && with.p[with.n - 1] == '\n')
		with.n--;
	if (with.n && with.p[with.n - 1] == '\r')
		with.n--;
	return with;
}

/* What goes in the place of lines: each with its end, as the place wants it. */
static void as_lines(struct target *t, struct str with, struct span where, struct buf *out)
{
	const char *eol = t->crlf ? "\r\n" : "\n";
	bool at_end = where.end == t->base.n;
	bool open = t->base.n && !is_line_end(t->base.p[t->base.n - 1]);

	with = without_end(with);
	if (where.at == t->base.n && open) /* behind a last line without an end */
		buf_adds(out, eol);
	buf_add(out, with);
	/* an empty last line is none without its end */
	if (!at_end || !open || !with.n || is_line_end(with.p[with.n - 1]))
		buf_adds(out, eol);
}

/* A model that was shown numbers may send them back. */
static struct str without_numbers(struct batch *b, const struct operation *op, struct outcome *o)
{
	struct buf bare SCOPED(buf_release) = BUF_INIT;
	struct str with = op->with;

	if (number_strip(&bare, with, op->said ? op->said : op->line)) {
		with = arena_str(&b->texts, buf_str(&bare));
		o->stripped = true;
	}
	return with;
}

static bool hash_fits(const struct target *t, size_t line, struct str hash)
{
	char got[LINE_HASH_SIZE];
	struct span s = lines_span(&t->lines, t->base, line);

	line_hash(got, str_sub(t->base, s.at, s.end));
	return str_eq(hash, str_of(got));
}

/* The one other line with this hash; LINEMAP_GONE when there is none, or several. */
static size_t by_hash(const struct target *t, struct str hash)
{
	size_t found = LINEMAP_GONE;

	for (size_t i = 0; i < t->n_lines; i++) {
		if (!hash_fits(t, i, hash))
			continue;
		if (found != LINEMAP_GONE)
			return LINEMAP_GONE;
		found = i;
	}
	return found;
}

static bool moved(struct outcome *o, size_t from, size_t to)
{
	o->match = MATCH_RELOCATED;
	o->moved_from = from + 1;
	o->moved_to = to + 1;
	return true;
}

/* The only place that has what the caller says is there. */
static bool by_text_alone(const struct target *t, const struct operation *op, size_t *line,
			  struct outcome *o, struct err *e)
{
	*line = op->hash.p ? by_hash(t, op->hash) : LINEMAP_GONE;
	if (!op->hash.p) {
		struct found f = find_lines(t->base, t->n_lines + 1, op->expect);

		if (f.how != MATCH_NONE)
			*line = f.line;
	}
	if (*line == LINEMAP_GONE || *line + op->count > t->n_lines)
		return err_set(e, ERR_STALE,
			       "line %zu has changed since it was read, and its old text is not "
			       "in exactly one place",
			       op->said);
	return moved(o, op->said - 1, *line);
}

/* Holds the line against what the caller says is there; *line follows it where it moved. */
static bool still_there(struct batch *b, struct target *t, const struct operation *op, size_t *line,
			struct outcome *o, struct err *e)
{
	size_t was = *line, now;

	if (op->hash.p) {
		now = was < t->n_lines && hash_fits(t, was, op->hash) ? was : by_hash(t, op->hash);
		if (now == LINEMAP_GONE)
			return err_set(e, ERR_STALE,
				       "line %zu has changed: its hash is not %.*s, and not "
				       "exactly one other line has that hash",
				       op->line, STR_ARG(op->hash));
		*line = now;
		return now == was || moved(o, was, now);
	}
	if (op->expect.p) {
		struct found f = find_lines(t->base, was, op->expect);

		if (f.how == MATCH_NONE) {
			if (b->explained++ < BATCH_EXPLAINED)
				find_lines_candidates(t->base, was, op->expect, nears_of(b, o));
			return err_set(e, ERR_STALE, "line %zu does not have the expected text",
				       op->line);
		}
		o->match = f.how;
		*line = f.line;
		return *line == was || moved(o, was, *line);
	}
	return true;
}

static bool batch_find_line_now(struct target *t, const struct operation *op, size_t *line,
				struct err *e)
{
	size_t last = op->count ? op->count - 1 : 0;

	if (op->line - 1 + op->count > t->first_lines && !t->first_lines)
		return err_set(e, ERR_INVALID, "line %zu is past the end: the file is empty",
			       op->line + last);
	if (op->line - 1 + op->count > t->first_lines)
		return err_set(e, ERR_INVALID, "line %zu is past the end: the file has %zu line%s",
			       op->line + last, t->first_lines, t->first_lines == 1 ? "" : "s");
	*line = linemap_now(t->map, op->line - 1);
	if (*line == LINEMAP_GONE)
		return err_set(e, ERR_CONFLICT, "an earlier operation removed line %zu", op->line);
	if (linemap_now(t->map, op->line - 1 + last) != *line + last)
		return err_set(e, ERR_CONFLICT,
			       "an earlier operation changed which lines come after line %zu",
			       op->line);
	return true;
}

/* The last line, without an end, goes: so does the end before it, so that none is left over, unless
 * it is all that there is of the line before. */
static size_t end_before(const struct target *t, size_t line)
{
	size_t at = line_span(t, line, 0).at;
	struct span s = { at, at };

	if (line)
		s = lines_span(&t->lines, t->base, line - 1);
	return s.at == s.end ? at : s.end;
}

static bool locate_lines(struct batch *b, struct target *t, const struct operation *op,
			 struct place *p, struct outcome *o, struct err *e)
{
	struct buf with SCOPED(buf_release) = BUF_INIT;
	struct span where;
	size_t line = 0;

	if (op->refused) {
		*e = *op->refused;
		return false;
	}
	if (op->lineless
		    ? !by_text_alone(t, op, &line, o, e)
		    : !batch_find_line_now(t, op, &line, e) || !still_there(b, t, op, &line, o, e))
		return false;
	if (op->said) {
		o->moved_from = op->said;
		o->moved_to = line + 1;
	}
	p->line = line;
	where = line_span(t, line, op->count);
	if (op->kind != OPERATION_DELETE) {
		as_lines(t, without_numbers(b, op, o), where, &with);
	} else if (where.end == t->base.n && !is_line_end(t->base.p[t->base.n - 1])) {
		where.at = end_before(t, line);
	}
	batch_find_put(t, p, where, arena_str(&b->texts, buf_str(&with)));
	return true;
}

static struct str line_before(const struct target *t, size_t byte)
{
	size_t line = lines_find(&t->lines, byte);
	struct span s = line ? lines_span(&t->lines, t->base, line - 1) : (struct span){ 0, 0 };

	return str_sub(t->base, s.at, s.end);
}

/* Whether the lines right before or behind the place are those that the caller named. */
static bool context_fits(const struct target *t, const struct operation *op, struct span s)
{
	struct str before = str_trim(op->before), after = str_trim(op->after), line;
	size_t last = lines_find(&t->lines, s.end > s.at ? s.end - 1 : s.end);

	if (before.n) {
		while (str_line(&before, &line))
			; /* the last line of the context is the one next to the place */
		if (!str_eq(str_trim(line_before(t, s.at)), str_trim(line)))
			return false;
	}
	if (after.n && str_line(&after, &line)) {
		struct span n = last + 1 < t->lines.n ? lines_span(&t->lines, t->base, last + 1)
						      : (struct span){ 0, 0 };

		if (!str_eq(str_trim(str_sub(t->base, n.at, n.end)), str_trim(line)))
			return false;
	}
	return true;
}

static bool batch_find_not_found(struct batch *b, struct target *t, const struct operation *op,
				 size_t times, struct outcome *o, struct err *e)
{
	if (b->explained++ < BATCH_EXPLAINED)
		find_candidates(t->base, op->find, nears_of(b, o));
	if (times > 1)
		return err_set(
			e, ERR_AMBIGUOUS,
			"old_string was found %zu times; add surrounding text to make it unique, "
			"or pass replace_all",
			times);
	return err_set(e, ERR_NOT_FOUND, "old_string was not found");
}

/* Every place, or those that have the context asked for. */
static bool batch_locate_several(struct batch *b, struct target *t, const struct operation *op,
				 const struct place *p, struct outcome *o, struct err *e)
{
	struct span *v SCOPED(mem_release) = NULL;
	size_t n = find_all(t->base, op->find, &v), kept = 0;
	bool context = op->before.n || op->after.n;

	for (size_t i = 0; i < n; i++)
		if (!context || context_fits(t, op, v[i]))
			v[kept++] = v[i];
	if (op->all || kept == 1)
		for (size_t i = 0; i < kept; i++)
			batch_find_put(t, p, v[i], op->with);
	o->match = MATCH_EXACT;
	if (kept && (op->all || kept == 1))
		return true;
	if (n && !kept)
		return err_set(e, ERR_STALE,
			       "old_string was found, but not next to context_before or "
			       "context_after");
	return batch_find_not_found(b, t, op, kept, o, e);
}

static bool locate_replace(struct batch *b, struct target *t, const struct operation *op,
			   const struct sought *s, const struct place *p, struct outcome *o,
			   struct err *e)
{
	struct found f;

	if (str_eq(op->find, op->with))
		return err_set(e, ERR_INVALID, "old_string and new_string are the same");
	if (op->all || op->before.n || op->after.n)
		return batch_locate_several(b, t, op, p, o, e);
	if (s->times == 1) {
		struct span where = { s->at, s->at + op->find.n };

		/* a line end is sought, and one of two bytes is found */
		where.at -= op->find.p[0] == '\n' && where.at && t->base.p[where.at - 1] == '\r';
		o->match = MATCH_EXACT;
		batch_find_put(t, p, where, op->with);
		return true;
	}
	f = find_text(t->base, op->find);
	if (f.how == MATCH_NONE)
		return batch_find_not_found(b, t, op, f.times, o, e);
	o->match = f.how;
	batch_find_put(t, p, f.span, f.open_end ? without_end(op->with) : op->with);
	return true;
}

static bool locate_hunks(struct batch *b, struct target *t, const struct operation *op,
			 const struct place *p, struct outcome *o, struct err *e)
{
	struct patch_failure why = { 0 };
	struct edits set SCOPED(edits_release) = EDITS_INIT;
	bool ok = patch_locate(op->patch, op->hunks, t->base, &set, &o->match, &why, e);

	for (size_t i = 0; ok && i < set.n; i++)
		batch_find_put(t, p, set.v[i].span, arena_str(&b->texts, set.v[i].with));
	if (!ok)
		*nears_of(b, o) = why.near;
	return ok;
}

static bool locate(struct batch *b, struct target *t, const struct operation *op,
		   const struct sought *s, struct place *p, struct outcome *o, struct err *e)
{
	switch (op->kind) {
	case OPERATION_REPLACE:
		return locate_replace(b, t, op, s, p, o, e);
	case OPERATION_HUNKS:
		return locate_hunks(b, t, op, p, o, e);
	case OPERATION_INSERT:
	case OPERATION_DELETE:
	case OPERATION_LINES:
		return locate_lines(b, t, op, p, o, e);
	default:
		BUG("%s cannot be applied to the text of a file", operation_name(op->kind));
	}
}

static void locate_one(struct batch *b, struct target *t, size_t i, const struct sought *s)
{
	struct outcome *o = &b->outcome[i];
	struct place *p = &b->place[i];
	struct err e = ERR_INIT;

	if (o->near)
		candidates_release(o->near);
	*o = (struct outcome){ .clash = -1 };
	p->depends = false;
	p->first = t->found.n;
	p->known = locate(b, t, &b->ops->v[i], s, p, o, &e);
	p->n = t->found.n - p->first;
	if (!p->known) {
		err_in(&e, "%s", path_shown(b->root, str_of(t->path)).p);
		p->why = batch_keep_err(b, &e);
	}
}

void batch_locate(struct batch *b, struct target *t, size_t from)
{
	size_t n = t->n - from, strings = 0;
	struct sought *needles SCOPED(mem_release) = mem_new((n + 1) * sizeof(*needles));
	struct finder finder SCOPED(finder_release) = { 0 };

	for (size_t i = 0; i < n; i++) {
		const struct operation *op = &b->ops->v[t->op[from + i]];

		if (op->kind == OPERATION_REPLACE) {
			needles[i].needle = op->find;
			strings++;
		}
	}
	if (strings) {
		finder_init(&finder, needles, n);
		finder_count(&finder, t->base);
	}
	edits_release(&t->found);
	for (size_t i = 0; i < n; i++)
		locate_one(b, t, t->op[from + i], &needles[i]);
	batch_depend(b, t, from, strings ? &finder : NULL);
}
