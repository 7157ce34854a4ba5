#include <stdlib.h>

#include "../base/hash.h"
#include "../base/mem.h"
#include "call_impl.h"
#include "call_lines.h"
#include "target.h"

/*
 * Where the lines are that the arguments of a call name, while the text that they came for changes.
 * Through each change of this core they are followed by its edits, as it is made: call_placed ->
 * own_changes_follow -> call_place_follow. What others have written shows in the texts alone.
 */

/* The bytes of a line from 1 on, its end included. False: there is none. */
static bool call_place_line_at(struct str text, size_t line, struct span *out)
{
	size_t at = str_starts(text, STR("\xef\xbb\xbf")) ? 3 : 0;

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
static size_t call_place_count_lines(struct str text, struct str line, size_t *last)
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
static bool call_place_line_now(struct str was, struct str now, size_t *line)
{
	struct span at;
	struct str only, rest;
	size_t found = 0;

	if (!call_place_line_at(was, *line, &at))
		return false;
	if (at.end <= str_common(was, now))
		return true;
	if (at.at && at.at > was.n - str_common_end(was, now)) {
		*line += str_lines(now) - str_lines(was);
		return true;
	}
	rest = str_sub(was, at.at, at.end);
	if (!str_line(&rest, &only) || !str_trim(only).n ||
	    call_place_count_lines(was, only, &found) != 1 ||
	    call_place_count_lines(now, only, &found) != 1)
		return false;
	*line = found;
	return true;
}

static const char *const names[] = { "line", "start_line", "end_line" };
#define NAMES (sizeof(names) / sizeof(*names))

/* Whether the arguments name lines of the text that they came for. */
static bool call_place_has_lines(const struct call *c)
{
	for (size_t i = 0; i < NAMES; i++)
		if (json_get(c->args, names[i]))
			return true;
	return json_get(c->args, "line_ranges");
}

/* Moves the lines that the arguments name to where they are now: all of them, or none. */
static bool move_lines(struct call *c, struct str was, struct str now)
{
	int64_t moved[NAMES] = { 0 }, by = 0;
	bool any = false;

	if (json_get(c->args, "line_ranges"))
		return false;
	for (size_t i = 0; i < NAMES; i++) {
		int64_t from = call_counts_from(c->tool, names[i]), shift;
		int64_t asked = json_get_int(c->args, names[i], -1) + 1 - from;
		size_t line = (size_t)asked;

		if (from < 0 || asked < 1)
			continue;
		if (!call_place_line_now(was, now, &line))
			return false;
		shift = (int64_t)line - asked;
		if (any && shift != by) /* what is between is not what it was */
			return false;
		any = true;
		by = shift;
		moved[i] = (int64_t)line;
	}
	for (size_t i = 0; i < NAMES; i++)
		if (moved[i])
			json_put(c->args, names[i],
				 json_int(moved[i] - 1 + call_counts_from(c->tool, names[i])));
	return true;
}

static bool changes_lines(const struct edits *set, struct str text)
{
	for (size_t i = 0; i < set->n; i++)
		if (str_count(str_sub(text, set->v[i].span.at, set->v[i].span.end), '\n') ||
		    str_count(set->v[i].with, '\n'))
			return true;
	return false;
}

/* The name on the line that the arguments mean, from its start on; empty: the line alone. */
static struct span name_meant(const struct call *c, struct str line)
{
	int64_t column = json_get_int(c->args, "column", 0);
	struct str symbol = json_get_str(c->args, "symbol");
	size_t at = 0;

	if (json_get(c->args, "character"))
		return (struct span){ 0, 0 };
	if (column > 0)
		return target_word(line, (size_t)column > line.n ? line.n : (size_t)column - 1);
	if (symbol.n && str_find_name(line, symbol, &at))
		return (struct span){ at, at + symbol.n };
	return (struct span){ 0, 0 };
}

/* The line has another text now, and is the same one: so is the name, where nothing touches it. */
static bool follow_name(struct call *c, const struct edits *set, struct str was, struct str now)
{
	int64_t from = call_counts_from(c->tool, "line"),
		column = json_get_int(c->args, "column", 0);
	size_t line = (size_t)(json_get_int(c->args, "line", from) + 1 - from);
	struct span old, new, name, kept, word;
	struct str text;

	if (!call_place_line_at(was, line, &old) || !call_place_line_at(now, line, &new))
		return false;
	text = str_sub(now, new.at, new.end);
	if (str_eq(str_sub(was, old.at, old.end), text))
		return true;
	name = name_meant(c, str_sub(was, old.at, old.end));
	if (name.at == name.end ||
	    !edits_keep(set, (struct span){ old.at + name.at, old.at + name.end }, &kept))
		return false;
	kept = (struct span){ kept.at - new.at, kept.end - new.at };
	if (column <= 0)
		return name_meant(c, text).at == kept.at;
	word = target_word(text, kept.at);
	if (word.at != kept.at || word.end != kept.end)
		return false;
	json_put(c->args, "column", json_int(column + (int64_t)kept.at - (int64_t)name.at));
	return true;
}

/* One that cannot be followed is looked for when the call needs it. */
static void call_place_follow(void *arg, const struct plan_file *f)
{
	struct call *c = arg;
	struct buf *text = &c->again.text, now = BUF_INIT;
	bool follows = hash_of(buf_str(text)) == f->was_hash;

	if (follows)
		edits_apply(&f->edits, buf_str(text), &now);
	follows = follows && hash_of(buf_str(&now)) == f->now_hash;
	if (follows && changes_lines(&f->edits, buf_str(text)))
		follows = move_lines(c, buf_str(text), buf_str(&now));
	else if (follows && json_get(c->args, "line"))
		follows = follow_name(c, &f->edits, buf_str(text), buf_str(&now));
	if (follows) {
		buf_release(text);
		*text = now;
	} else {
		buf_release(&now);
	}
}

static void call_place_keep(struct call *c, struct str text)
{
	struct again *a = &c->again;

	buf_clear(&a->text);
	buf_add(&a->text, text);
	a->follower.path = a->path;
	a->follower.fn = call_place_follow;
	a->follower.arg = c;
	own_changes_follow(c->ox->own, &a->follower);
}

/* A change of ours is in the texts a moment before it is told of. */
static bool is_in_the_making(const struct call *c, uint64_t now)
{
	const struct again *a = &c->again;

	return !STAILQ_EMPTY(&c->ox->applying) &&
	       !own_changes_lead(c->ox->own, a->path, hash_of(buf_str(&a->text)), now);
}

bool call_placed(struct call *c, const char *path, struct doc *d, struct err *e)
{
	struct again *a = &c->again;
	struct str text = doc_text(d);
	bool lines = call_place_has_lines(c);

	if (!call_lines_now(c, path, d, e))
		return false;
	if (!a->may)
		return true;
	read_set_add(&a->seen, path, doc_hash(d));
	if (a->path && strcmp(a->path, path) != 0)
		return err_set(e, ERR_STALE, "%s is a different file now; try again", path);
	if (a->path && lines && !str_eq(text, buf_str(&a->text)) &&
	    !move_lines(c, buf_str(&a->text), text)) {
		a->lost = !is_in_the_making(c, doc_hash(d));
		if (a->lost)
			call_not_again(c);
		return err_set(e, ERR_STALE,
			       "%.*s: another change was applied first, and the line may be a "
			       "different one now; try again",
			       STR_ARG(call_shown(c, path)));
	}
	if (!a->path)
		a->path = mem_dup(path, strlen(path));
	if (lines)
		call_place_keep(c, text);
	return true;
}

bool call_lost_place(const struct call *c)
{
	return c->again.lost;
}
