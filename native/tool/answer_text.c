#include "answer_text.h"

static bool answer_text_is_text(const json *v)
{
	return json_is(v, JSON_STRING) && memchr(json_text(v).p, '\n', json_text(v).n);
}

static bool is_list(const json *v)
{
	return json_is(v, JSON_ARRAY) && json_is(json_first(v), JSON_OBJECT);
}

static bool is_short(const json *v)
{
	return !answer_text_is_text(v) && !is_list(v);
}

static void put_value(struct buf *out, const json *v)
{
	if (json_is(v, JSON_STRING) && !answer_text_is_text(v))
		buf_add(out, json_text(v));
	else
		json_print(out, v);
}

static void put_member(struct buf *out, const json *v, const char **between)
{
	buf_adds(out, *between);
	buf_addf(out, "%s: ", json_key(v));
	put_value(out, v);
	*between = ", ";
}

/* The members that say where a row is, in front of it. */
static bool is_place(const json *row, const json *v)
{
	static const char *const places[] = { "file", "line", "column", "end_line", "end_column" };

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (!strcmp(json_key(v), places[i]))
			return json_get(row, "file") && (!i || json_get(row, "column"));
	return false;
}

/* a.c:3:5-3:9 */
static void put_place(struct buf *out, const json *row)
{
	buf_add(out, json_get_str(row, "file"));
	if (json_get(row, "column"))
		buf_addf(out, ":%d:%d", (int)json_get_int(row, "line", 0),
			 (int)json_get_int(row, "column", 0));
	if (json_get(row, "column") && json_get(row, "end_column"))
		buf_addf(out, "-%d:%d", (int)json_get_int(row, "end_line", 0),
			 (int)json_get_int(row, "end_column", 0));
}

static void put_row(struct buf *out, const json *row)
{
	const char *between = "";

	if (json_get_str(row, "file").n) {
		put_place(out, row);
		between = " ";
	}
	json_each(v, row)
		if (!is_place(row, v))
			put_member(out, v, &between);
	buf_addc(out, '\n');
}

static void put_list(struct buf *out, const json *list)
{
	buf_addf(out, "%s:\n", json_key(list));
	json_each(row, list) {
		if (json_is(row, JSON_OBJECT)) {
			put_row(out, row);
		} else {
			put_value(out, row);
			buf_addc(out, '\n');
		}
	}
}

static void answer_text_put_text(struct buf *out, const json *v)
{
	struct str s = json_text(v);

	buf_addf(out, "%s:\n", json_key(v));
	buf_add(out, s);
	buf_adds(out, str_ends(s, STR("\n")) ? "" : "\n");
}

static bool has_printed(const json *object)
{
	json_each(member, object)
		if (json_is_raw(member) || (json_is(member, JSON_OBJECT) && has_printed(member)))
			return true;
	return false;
}

json *answer_opened(const json *answer)
{
	struct buf text SCOPED(buf_release) = BUF_INIT;

	if (!has_printed(answer))
		return NULL;
	json_print(&text, answer);
	return json_parse(buf_str(&text), ERR_IGNORED);
}

static void put_members(struct buf *out, const json *answer)
{
	const char *between = "";

	json_each(v, answer)
		if (is_short(v))
			put_member(out, v, &between);
	if (*between)
		buf_addc(out, '\n');
	json_each(v, answer)
		if (is_list(v))
			put_list(out, v);
	json_each(v, answer)
		if (answer_text_is_text(v))
			answer_text_put_text(out, v);
}

void answer_text_result(struct buf *out, const json *answer)
{
	json *plain SCOPED(json_release) = answer_opened(answer);

	put_members(out, plain ? plain : answer);
}

void answer_text_error(struct buf *out, const struct err *e, const json *answer)
{
	json *rest SCOPED(json_release) = json_copy(answer), *more SCOPED(json_release) = NULL;

	buf_addf(out, "error: %s (%s)\n", e->msg, err_name(e->code));
	if (!rest)
		return;
	more = json_copy(json_get(rest, "error"));
	json_drop(rest, "error");
	json_drop(more, "code");
	json_drop(more, "message");
	answer_text_result(out, more);
	answer_text_result(out, rest);
}

void answer_text_cut(struct buf *text, size_t most, const char *rest)
{
	struct str all = buf_str(text), kept;
	size_t lines = str_count(all, '\n'), end = most;

	if (all.n <= most)
		return;
	while (end && all.p[end - 1] != '\n')
		end--;
	kept = end ? str_sub(all, 0, end) : str_cut(all, most); /* in one long line */
	text->n = kept.n;
	buf_end(text);
	buf_addf(text, "%s[cut here: %zu of %zu lines, %zu of %zu bytes%s%s]\n", end ? "" : "\n",
		 str_count(kept, '\n'), lines, kept.n, all.n, rest ? "; " : "", rest ? rest : "");
}

void answer_text(struct buf *out, const struct tool *t, const json *answer, const struct err *e,
		 size_t most)
{
	if (e->code)
		answer_text_error(out, e, answer);
	else
		answer_text_result(out, answer);
	answer_text_cut(out, most, t ? t->less : NULL);
}
