#include "front.h"

#define RED    "\033[31m"
#define YELLOW "\033[33m"
#define BLUE   "\033[34m"
#define GREEN  "\033[32m"
#define BOLD   "\033[1m"
#define PLAIN  "\033[0m"

struct pen {
	struct buf *out;
	bool colour;
};

static void put(const struct pen *p, const char *colour, struct str s)
{
	if (p->colour && *colour)
		buf_adds(p->out, colour);
	buf_add(p->out, s);
	if (p->colour && *colour)
		buf_adds(p->out, PLAIN);
}

static const char *severity_colour(struct str severity)
{
	return str_eq(severity, STR("error"))	  ? RED
	       : str_eq(severity, STR("warning")) ? YELLOW
						  : BLUE;
}

/* What language servers found in a change: "main.c:5:18 error: message", a line each. */
static void found(const struct pen *p, const json *rows)
{
	json_each(d, rows)
	{
		struct str severity = json_get_str(d, "severity");

		put(p, BOLD, json_get_str(d, "file"));
		buf_addf(p->out, ":%d:%d ", (int)json_get_int(d, "line", 0),
			 (int)json_get_int(d, "column", 0));
		put(p, severity_colour(severity), severity);
		buf_addf(p->out, ": %s\n", json_get_str(d, "message").p);
	}
}

void text_error(struct buf *out, const struct err *e, const json *answer, bool colour)
{
	struct pen p = { out, colour };

	found(&p, json_get(answer, "new_errors"));
	put(&p, RED, STR("error"));
	buf_addf(out, ": %s (%s)\n", e->msg, err_name(e->code));
}

/* A mark on what has a fix: the only one, or the one that the server prefers, by its name. */
static void fixes(const struct pen *p, const json *list)
{
	const json *best = json_len(list) == 1 ? json_first(list) : NULL;

	json_each(f, list) if (!best && json_get_bool(f, "preferred", false)) best = f;
	if (!json_first(list))
		return;
	buf_addc(p->out, ' ');
	if (best) {
		put(p, GREEN, STR("fix"));
		buf_addf(p->out, ": %s", json_get_str(best, "title").p);
	} else {
		put(p, GREEN, STR("fixes"));
		buf_addf(p->out, ": %zu", json_len(list));
	}
}

/* Its other lines, as "candidate function not viable", stand under the first. */
static void message(const struct pen *p, struct str text)
{
	struct str line;
	bool more = false;

	while (str_line(&text, &line)) {
		if (more && !str_trim(line).n)
			continue;
		buf_addf(p->out, "%s%.*s", more ? "\n      " : "", STR_ARG(line));
		more = true;
	}
}

/* Grouped by file, a blank line between groups, the summary last. */
static void diagnostics(const struct pen *p, const json *answer)
{
	struct str file = STR("");

	json_each(d, json_get(answer, "diagnostics"))
	{
		struct str severity = json_get_str(d, "severity"), code = json_get_str(d, "code");

		if (!str_eq(file, json_get_str(d, "file"))) {
			if (file.n)
				buf_addc(p->out, '\n');
			file = json_get_str(d, "file");
			put(p, BOLD, file);
			buf_addc(p->out, '\n');
		}
		buf_addf(p->out, "  %d:%d ", (int)json_get_int(d, "line", 0),
			 (int)json_get_int(d, "column", 0));
		put(p, severity_colour(severity), severity);
		buf_adds(p->out, ": ");
		message(p, json_get_str(d, "message"));
		if (code.n)
			buf_addf(p->out, " [%s]", code.p);
		fixes(p, json_get(d, json_get(d, "fixes") ? "fixes" : "available_fixes"));
		buf_addc(p->out, '\n');
	}
	if (file.n)
		buf_addc(p->out, '\n');
	if (json_get(answer, "fixes_missing"))
		buf_addf(p->out, "perhaps not all fixes: %s\n",
			 json_get_str(answer, "fixes_missing").p);
	buf_addf(p->out, "%s%s\n", json_get_str(answer, "summary").p,
		 json_get_bool(answer, "complete", true) ? "" : " (perhaps not all)");
}

static void diff(const struct pen *p, struct str text)
{
	struct str line;

	while (str_line(&text, &line)) {
		char c = line.n ? line.p[0] : ' ';

		put(p, c == '+' ? GREEN : c == '-' ? RED : c == '@' ? BLUE : "", line);
		buf_addc(p->out, '\n');
	}
}

static void change(const struct pen *p, const json *answer)
{
	int files = (int)json_get_int(answer, "files_changed", 0);
	int edits = (int)json_get_int(answer, "edits", 0);

	diff(p, json_get_str(answer, "diff"));
	json_each(m, json_get(answer, "mentions"))
		buf_addf(p->out, "left as it is: %s:%d: %s\n", json_get_str(m, "file").p,
			 (int)json_get_int(m, "line", 0), json_get_str(m, "text").p);
	found(p, json_get(answer, "new_warnings"));
	json_each(f, json_get(answer, "not_verified"))
		buf_addf(p->out, "not verified: %s: %s\n", json_get_str(f, "file").p,
			 json_get_str(f, "reason").p);
	if (json_get(answer, "fallback"))
		buf_addf(p->out, "found in the text alone, not verified: %s\n",
			 json_get_str(answer, "fallback.reason").p);
	json_each(f, json_get(answer, "left_out"))
		buf_addf(p->out,
			 json_get(f, "hunks") ? "left out by the person: %s, %d of its hunks\n"
					      : "left out by the person: %s\n",
			 json_get_str(f, "file").p, (int)json_get_int(f, "hunks", 0));
	if (json_get_bool(answer, "needs_confirmation", false))
		buf_addf(p->out, "not applied: say --yes to apply it\n");
	buf_addf(p->out, "%d place%s in %d file%s", edits, edits == 1 ? "" : "s", files,
		 files == 1 ? "" : "s");
	if (json_get_str(answer, "transaction").n)
		buf_addf(p->out, "; transaction %s", json_get_str(answer, "transaction").p);
	buf_addc(p->out, '\n');
}

static void places(const struct pen *p, const json *answer)
{
	json_each(l, json_get(answer, "locations"))
	{
		put(p, BOLD, json_get_str(l, "file"));
		buf_addf(p->out, ":%d:%d: %s\n", (int)json_get_int(l, "line", 0),
			 (int)json_get_int(l, "column", 0), json_get_str(l, "snippet").p);
	}
	json_each(s, json_get(answer, "symbols"))
	{
		buf_addf(p->out, "%*s", 2 * (int)json_get_int(s, "depth", 0), "");
		put(p, BOLD, json_get_str(s, "name"));
		buf_addf(p->out, " (%s) %s:%d\n", json_get_str(s, "kind").p,
			 json_get_str(s, "file").p, (int)json_get_int(s, "line", 0));
	}
	if (json_get(answer, "type"))
		buf_addf(p->out, "%s\n", json_get_str(answer, "type").p);
	if (json_get(answer, "hover"))
		buf_addf(p->out, "%s\n", json_get_str(answer, "hover").p);
	else
		buf_addf(p->out, "%d in all\n", (int)json_get_int(answer, "total", 0));
}

/* What was done about diagnostics, and what is left of them. */
static void fixed(const struct pen *p, const json *answer)
{
	if (json_get(answer, "files_changed")) {
		change(p, answer);
		buf_addc(p->out, '\n');
	}
	diagnostics(p, answer);
	json_each(f, json_get(answer, "not_applied"))
		buf_addf(p->out, "not applied: %s:%d: %s: %s\n", json_get_str(f, "file").p,
			 (int)json_get_int(f, "line", 0), json_get_str(f, "title").p,
			 json_get_str(f, "reason").p);
	if (json_get(answer, "stopped"))
		buf_addf(p->out, "stopped: %s\n", json_get_str(answer, "stopped").p);
	buf_addf(p->out, "%d applied, %d resolved, %d remaining\n",
		 (int)json_get_int(answer, "fixes_applied", 0),
		 (int)json_get_int(answer, "resolved", 0),
		 (int)json_get_int(answer, "remaining", 0));
}

/* Each with the name to make it by. */
static void actions(const struct pen *p, const json *answer)
{
	json_each(a, json_get(answer, "code_actions"))
	{
		put(p, BOLD, json_get_str(a, "title"));
		buf_addf(p->out, "\n  %s\n  ", json_get_str(a, "description").p);
		put(p, GREEN, json_get_str(a, "id"));
		buf_addc(p->out, '\n');
		diff(p, json_get_str(a, "diff"));
		buf_addc(p->out, '\n');
	}
	json_each(a, json_get(answer, "left_out"))
		buf_addf(p->out, "left out: %s: %s\n", json_get_str(a, "title").p,
			 json_get_str(a, "reason").p);
	buf_addf(p->out, "%d in all\n", (int)json_get_int(answer, "count", 0));
}

/* Where a test failed, and what it printed. */
static void failure(const struct pen *p, const json *f)
{
	struct str line, output = json_get_str(f, "output");

	put(p, RED, STR("failed"));
	buf_addc(p->out, ' ');
	put(p, BOLD, json_get_str(f, "name"));
	if (json_get(f, "file"))
		buf_addf(p->out, " %s:%d", json_get_str(f, "file").p,
			 (int)json_get_int(f, "line", 0));
	if (json_get_str(f, "message").n)
		buf_addf(p->out, ": %s", json_get_str(f, "message").p);
	buf_addc(p->out, '\n');
	while (str_line(&output, &line))
		buf_addf(p->out, "    %.*s\n", STR_ARG(line));
}

/* What a run of programs has to say besides. */
static void run_notes(const struct pen *p, const json *answer)
{
	json_each(w, json_get(answer, "warnings")) buf_addf(p->out, "%s\n", json_text(w).p);
	json_each(file, json_get(answer, "unsaved"))
		buf_addf(p->out, "not saved, so not seen: %s\n", json_text(file).p);
}

static void tests(const struct pen *p, const json *answer)
{
	if (json_get(answer, "diagnostics"))
		diagnostics(p, answer);
	json_each(f, json_get(answer, "failures")) failure(p, f);
	if (!json_get_bool(answer, "success", false) && !json_len(json_get(answer, "failures")))
		buf_add(p->out, json_get_str(answer, "output"));
	run_notes(p, answer);
	buf_addf(p->out, "%s\n", json_get_str(answer, "summary").p);
}

static void checks(const struct pen *p, const json *answer)
{
	diagnostics(p, answer);
	buf_add(p->out, json_get_str(answer, "output"));
	run_notes(p, answer);
	buf_addf(p->out, "%s\n", json_get_str(answer, "message").p);
}

void text_answer(struct buf *out, const json *answer, bool colour)
{
	struct pen p = { out, colour };

	if (json_get(answer, "fixes_applied"))
		fixed(&p, answer);
	else if (json_get(answer, "code_actions"))
		actions(&p, answer);
	else if (json_get(answer, "failures"))
		tests(&p, answer);
	else if (json_get(answer, "runs"))
		checks(&p, answer);
	else if (json_get(answer, "diagnostics"))
		diagnostics(&p, answer);
	else if (json_get(answer, "files_changed"))
		change(&p, answer);
	else
		places(&p, answer);
}
