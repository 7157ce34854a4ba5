#include "call_line.h"

#define WORD_MOST 60 /* bytes of an argument that is not a path */

/* The line of `line_number`, `start_line` or `line_range`; 0: it names none. */
static int64_t call_line_line_of(const json *args)
{
	int64_t line = json_get_int(args, "line_number", 0);

	line = line ? line : json_get_int(args, "start_line", 0);
	return line ? line : json_number(json_first(json_get(args, "line_range")));
}

/* The first argument that is a short text: a name, a question. */
static struct str first_word(const json *args)
{
	struct str word = STR("");

	json_each(v, args) {
		if (json_is(v, JSON_STRING) && json_text(v).n) {
			struct str rest = json_text(v);

			str_line(&rest, &word);
			break;
		}
	}
	return word.n > WORD_MOST ? str_sub(word, 0, WORD_MOST) : word;
}

static void put_subject(struct buf *out, const json *args)
{
	struct str path = json_get_str(args, "file_path"), word = first_word(args);

	if (path.n)
		buf_addf(out, " %.*s", STR_ARG(path));
	else if (word.n)
		buf_addf(out, " %.*s", STR_ARG(word));
	if (path.n && call_line_line_of(args))
		buf_addf(out, ":%lld", (long long)call_line_line_of(args));
}

/* Where the first change of a unified diff is in the new text; 0: it has none. */
static long first_changed(struct str diff)
{
	struct str line;
	long at = 0;

	while (str_line(&diff, &line)) {
		ptrdiff_t plus = str_starts(line, STR("@@ ")) ? str_find(line, STR(" +")) : -1;

		if (plus >= 0) {
			for (at = 0, plus += 2;
			     (size_t)plus < line.n && line.p[plus] >= '0' && line.p[plus] <= '9';
			     plus++)
				at = at * 10 + (line.p[plus] - '0');
		} else if (at && line.n && (line.p[0] == '+' || line.p[0] == '-')) {
			return at ? at : 1;
		} else if (at) {
			at++;
		}
	}
	return 0;
}

/* " src/a.c:12 +3 -1" */
static void put_change(struct buf *out, const json *answer)
{
	const json *files = json_get(answer, "files"), *only = json_first(files);
	long line = first_changed(json_get_str(answer, "diff"));
	int64_t added = 0, removed = 0;

	json_each(f, files) {
		added += json_get_int(f, "lines_added", 0);
		removed += json_get_int(f, "lines_removed", 0);
	}
	if (json_len(files) > 1)
		buf_addf(out, " %zu files", json_len(files));
	else
		buf_addf(out, " %.*s", STR_ARG(json_get_str(only, "file")));
	if (json_len(files) == 1 && line)
		buf_addf(out, ":%ld", line);
	buf_addf(out, " +%lld -%lld", (long long)added, (long long)removed);
}

void call_line(struct buf *out, const struct chat_part *call)
{
	json *args SCOPED(json_release) = json_parse(call->text, ERR_IGNORED);

	buf_add(out, call->name);
	put_subject(out, args);
}

/* The first line of a text that says something: some agents put it between fences. */
static struct str first_said(struct str text)
{
	struct str line = STR("");

	while (str_line(&text, &line) && (!str_trim(line).n || str_starts(line, STR("```"))))
		;
	return str_trim(line);
}

void call_line_ended(struct buf *out, const struct chat_part *call, const json *answer,
		     struct str text, bool failed)
{
	struct str line = failed ? first_said(text) : STR("");

	if (!failed && json_len(json_get(answer, "files")) && json_get(answer, "diff")) {
		buf_add(out, call->name);
		put_change(out, answer);
	} else {
		call_line(out, call);
	}
	if (line.n)
		buf_addf(out, ": %.*s", STR_ARG(line));
	else if (json_get_bool(answer, "needs_confirmation", false))
		buf_adds(out, ": not confirmed");
}
