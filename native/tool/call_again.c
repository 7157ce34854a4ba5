#include <stdlib.h>

#include "../base/mem.h"
#include "../core/own_changes.h"
#include "../core/workspace.h"
#include "call_impl.h"
#include "call_lines.h"

/*
 * A call that was refused as stale, or for what texts were that changed meanwhile, is made again
 * where all that has changed since it came is Oxide's own doing, or it only asks, and what it is
 * about can still be told: a symbol by its name, or by a line that is the same one beyond doubt.
 * call_again -> settled -> call_run.
 */
void call_may_again(struct call *c)
{
	c->again.begun = workspace_moves(c->ox->workspace);
	if (!c->again.may)
		c->again.since = c->again.begun;
	c->again.may = true;
}

void call_not_again(struct call *c)
{
	c->again.may = false;
}

bool call_is_again(const struct call *c)
{
	return c->again.tries;
}

void call_permit(struct call *c)
{
	c->permitted = true;
}

bool call_is_permitted(const struct call *c)
{
	return c->permitted;
}

void call_saw(struct call *c, const struct plan *p)
{
	if (c->again.may)
		read_set_add_plan(&c->again.seen, p);
}

void call_again_release(struct call *c)
{
	read_set_release(&c->again.seen);
	buf_release(&c->again.text);
	buf_release(&c->again.about);
	free(c->again.path);
}

/* The bytes of a line from 1 on, its end included. False: there is none. */
static bool call_again_line_at(struct str text, size_t line, struct span *out)
{
	size_t at = 0;

	for (; line > 1 && at < text.n; line--) {
		const char *end = memchr(text.p + at, '\n', text.n - at);

		at = end ? (size_t)(end - text.p) + 1 : text.n;
	}
	if (at >= text.n)
		return false;
	*out = (struct span){ at, at };
	while (out->end < text.n && text.p[out->end++] != '\n')
		;
	return true;
}

/* How many lines are this one; *last is the number of the last of them. */
static size_t call_again_count_lines(struct str text, struct str line, size_t *last)
{
	size_t n = 0, number = 0;
	struct str one;

	while (str_line(&text, &one)) {
		number++;
		if (!str_eq(one, line))
			continue;
		n++;
		*last = number;
	}
	return n;
}

/* Where a line is now: before or behind all that differs, or the only one of its text. */
static bool call_again_line_now(struct str was, struct str now, size_t *line)
{
	struct span at;
	struct str only, rest;
	size_t found = 0;

	if (!call_again_line_at(was, *line, &at))
		return false;
	if (at.end <= str_common(was, now))
		return true;
	if (at.at >= was.n - str_common_end(was, now) && at.at && was.p[at.at - 1] == '\n') {
		*line += str_lines(now) - str_lines(was);
		return true;
	}
	rest = str_sub(was, at.at, at.end);
	if (!str_line(&rest, &only) || !str_trim(only).n ||
	    call_again_count_lines(was, only, &found) != 1 ||
	    call_again_count_lines(now, only, &found) != 1)
		return false;
	*line = found;
	return true;
}

static const char *const names[] = { "line", "start_line", "end_line" };
#define NAMES (sizeof(names) / sizeof(*names))

/* Whether the arguments name lines of the text that they came for. */
static bool call_again_has_lines(const struct call *c)
{
	for (size_t i = 0; i < NAMES; i++)
		if (json_get(c->args, names[i]))
			return true;
	return json_get(c->args, "line_ranges");
}

/* Moves the lines that the arguments name to where they are now. */
static bool move_lines(struct call *c, struct str was, struct str now)
{
	int64_t by = 0;
	bool any = false;

	if (json_get(c->args, "line_ranges"))
		return false;
	for (size_t i = 0; i < NAMES; i++) {
		int64_t from = call_counts_from(c->tool, names[i]), shift;
		int64_t asked = json_get_int(c->args, names[i], -1) + 1 - from;
		size_t line = (size_t)asked;

		if (from < 0 || asked < 1)
			continue;
		if (!call_again_line_now(was, now, &line))
			return false;
		shift = (int64_t)line - asked;
		if (any && shift != by) /* what is between is not what it was */
			return false;
		any = true;
		by = shift;
		json_put(c->args, names[i], json_int((int64_t)line - 1 + from));
	}
	return true;
}

bool call_placed(struct call *c, const char *path, struct doc *d, struct err *e)
{
	struct again *a = &c->again;
	struct str text = doc_text(d);
	bool lines = call_again_has_lines(c);

	if (!call_lines_now(c, path, d, e))
		return false;
	if (!a->may)
		return true;
	read_set_add(&a->seen, path, doc_hash(d));
	if (a->path && strcmp(a->path, path) != 0)
		return err_set(e, ERR_STALE, "%s is a different file now; try again", path);
	if (a->path && lines && !str_eq(text, buf_str(&a->text)) &&
	    !move_lines(c, buf_str(&a->text), text)) {
		call_not_again(c);
		return err_set(e, ERR_STALE,
			       "%.*s: another change was applied first, and the line may be a "
			       "different one now; try again",
			       STR_ARG(call_shown(c, path)));
	}
	if (!a->path)
		a->path = mem_dup(path, strlen(path));
	buf_clear(&a->text);
	if (lines)
		buf_add(&a->text, text);
	return true;
}

bool call_about(struct call *c, struct str text, struct err *e)
{
	struct again *a = &c->again;

	if (!a->about.n)
		buf_add(&a->about, text);
	if (str_eq(text, buf_str(&a->about)))
		return true;
	call_not_again(c);
	return err_set(e, ERR_STALE, "another change was applied first; read it again");
}

/* The answer to a question may rest on what anybody has written. */
static bool only_asks(const struct call *c)
{
	return !(c->tool->flags & TOOL_WRITES);
}

static void settled(void *arg)
{
	struct call *c = arg;
	struct again *a = &c->again;
	struct err e = ERR_INIT;

	if (c->cancelled) {
		err_set(&a->stale, ERR_CANCELLED, "cancelled; nothing was changed");
		call_answered(c, a->object, &a->stale);
	} else if (only_asks(c) || (workspace_only_own(c->ox->workspace, a->since) &&
				    read_set_only_own(&a->seen, c, NULL, NULL, &e))) {
		json_free(a->object);
		a->object = NULL;
		call_run(c);
	} else if (a->waits++ < READ_SET_WAITS_MOST) {
		read_set_settle(&a->seen, c, settled, c);
	} else {
		call_answered(c, a->object, &a->stale);
	}
}

/* What is said of texts that change meanwhile is not said of what they are now: a server that
 * speaks of one that is gone finds no symbol, or another one. */
static bool call_again_overtaken(const struct call *c, enum err_code code)
{
	switch (code) {
	case ERR_STALE:
		return true;
	case ERR_INVALID:
	case ERR_NOT_FOUND:
	case ERR_AMBIGUOUS:
	case ERR_CONFLICT:
	case ERR_INCOMPLETE:
	case ERR_UNSUPPORTED:
	case ERR_PEER:
		return workspace_moves(c->ox->workspace) != c->again.begun;
	default:
		return false;
	}
}

bool call_again(struct call *c, const struct err *e, json *object)
{
	struct again *a = &c->again;
	int64_t most = config_get(&c->ox->config, CFG_EDIT_TRIES);

	if (!a->may || !call_again_overtaken(c, e->code) || a->tries >= most)
		return false;
	a->tries++;
	a->waits = 0;
	a->stale = *e;
	a->object = object;
	call_on_cancel(c, NULL, NULL);
	read_set_settle(&a->seen, c, settled, c);
	return true;
}
