#include "print.h"

#include <stdarg.h>
#include <stdio.h>

#include "../base/utf.h"
#include "../edit/plan_sum.h"

#define PLAIN "\033[0m"

static bool is_control(struct utf c)
{
	return c.ok && c.code != '\n' && c.code != '\t' &&
	       (c.code < 0x20 || (c.code >= 0x7f && c.code < 0xa0));
}

static void add_safe(struct buf *out, struct str s)
{
	for (size_t i = 0; i < s.n;) {
		struct utf c = utf_at(s, i);

		if (is_control(c))
			buf_addf(out, "<%02x>", c.code);
		else if (c.ok)
			buf_add(out, str_sub(s, i, i + c.n));
		else
			buf_adds(out, UTF_BAD);
		i += c.n;
	}
}

void pen_put(const struct pen *p, const char *colour, struct str s)
{
	if (p->colour && *colour)
		buf_adds(p->out, colour);
	add_safe(p->out, s);
	if (p->colour && *colour)
		buf_adds(p->out, PLAIN);
}

void pen_addf(const struct pen *p, const char *fmt, ...)
{
	struct buf text SCOPED(buf_release) = BUF_INIT;
	va_list args, again;
	int n;

	va_start(args, fmt);
	va_copy(again, args);
	n = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	if (n > 0) {
		vsnprintf(buf_room(&text, (size_t)n + 1), (size_t)n + 1, fmt, again);
		text.n = (size_t)n;
		add_safe(p->out, buf_str(&text));
	}
	va_end(again);
}

void pen_text(const struct pen *p, struct str s)
{
	add_safe(p->out, s);
	if (s.n && s.p[s.n - 1] != '\n')
		buf_addc(p->out, '\n');
}

void pen_count(const struct pen *p, size_t n, const char *one, const char *many)
{
	pen_addf(p, "%zu %s", n, n == 1 ? one : many);
}

int pen_int(const json *row, const char *member)
{
	return (int)json_get_int(row, member, 0);
}

void print_severity(const struct pen *p, struct str severity)
{
	pen_put(p,
		str_eq(severity, STR("error"))	   ? PEN_RED
		: str_eq(severity, STR("warning")) ? PEN_YELLOW
						   : PEN_BLUE,
		severity);
}

void print_found(const struct pen *p, const json *rows)
{
	json_each(d, rows) {
		pen_put(p, PEN_BOLD, json_get_str(d, "file"));
		pen_addf(p, ":%d:%d ", pen_int(d, "line"), pen_int(d, "column"));
		print_severity(p, json_get_str(d, "severity"));
		pen_addf(p, ": %s\n", json_get_str(d, "message").p);
	}
}

/* What may have been meant: "  main.c:5: text (why)". */
static void candidates(const struct pen *p, const json *list)
{
	json_each(c, list) {
		struct str name = json_get_str(c, "symbol_name"), why = json_get_str(c, "why");
		struct str text = json_get_str(c, "text");
		struct buf line SCOPED(buf_release) = BUF_INIT;

		buf_addf(&line, "line %d: ", pen_int(c, "line"));
		if (str_skip(&why, buf_str(&line))) { /* it quotes the text */
			text = why;
			why = STR("");
		}
		pen_addf(p, "  ");
		pen_put(p, PEN_BOLD, json_get_str(c, "file"));
		pen_addf(p, "%s%d: ", json_get_str(c, "file").n ? ":" : "line ",
			 pen_int(c, "line"));
		pen_addf(p, "%s%s", name.p, name.n && json_get_str(c, "kind").n ? ", a " : "");
		if (name.n)
			pen_addf(p, "%s", json_get_str(c, "kind").p);
		pen_addf(p, "%s%s%s%s\n", text.p, why.n ? " (" : "", why.p, why.n ? ")" : "");
	}
}

/* One of several operations that failed, and why, with what is near. */
static void details(const struct pen *p, const json *list)
{
	json_each(d, list) {
		if (json_get_bool(d, "success", false))
			continue;
		pen_put(p, PEN_RED, STR("failed"));
		pen_addf(p, " %s %s: %s\n", json_get_str(d, "type").p, json_get_str(d, "file").p,
			 json_get_str(d, "message").p);
		candidates(p, json_get(d, "candidates"));
	}
}

void print_refusal(const struct pen *p, const struct err *e, const json *answer)
{
	const json *list = json_get(answer, "details");

	print_found(p, json_get(answer, "new_errors"));
	if (json_len(list) > 1)
		details(p, list);
	pen_put(p, PEN_RED, STR("error"));
	pen_addf(p, ": %s (%s)\n", e->msg, err_name(e->code));
	if (json_len(list) <= 1)
		candidates(p, json_get(answer, "error.candidates"));
	json_each(s, json_get(answer, "error.sites"))
		pen_addf(p, "  %s:%d: %s (%s)\n", json_get_str(s, "file").p, pen_int(s, "line"),
			 json_get_str(s, "text").p, json_get_str(s, "why").p);
}

void print_diff(const struct pen *p, struct str text)
{
	struct str line;

	while (str_line(&text, &line)) {
		char c = line.n ? line.p[0] : ' ';

		pen_put(p,
			c == '+'   ? PEN_GREEN
			: c == '-' ? PEN_RED
			: c == '@' ? PEN_BLUE
				   : "",
			line);
		buf_addc(p->out, '\n');
	}
}

/* Why it may be incomplete, but for what is said as that it was not verified. */
static void reasons(const struct pen *p, const json *answer, struct str said)
{
	bool any = json_get_bool(answer, "complete", true) || json_get(answer, "not_verified");

	json_each(why, json_get(answer, "reasons")) {
		any = true;
		if (!said.n || str_find(json_text(why), said) < 0)
			pen_addf(p, "may be incomplete: %s\n", json_text(why).p);
	}
	if (!any)
		pen_addf(p, "may be incomplete\n");
}

/* What the change is not, or not wholly. */
static void reservations(const struct pen *p, const json *answer)
{
	struct str why = json_get_str(answer, "syntax_check");
	bool skipped =
		str_skip(&why, STR("skipped: ")) && !str_eq(why, STR("the server was not asked"));

	json_each(m, json_get(answer, "mentions"))
		pen_addf(p, "left as it is: %s:%d: %s\n", json_get_str(m, "file").p,
			 pen_int(m, "line"), json_get_str(m, "text").p);
	print_found(p, json_get(answer, "new_warnings"));
	json_each(f, json_get(answer, "not_verified"))
		pen_addf(p, "not verified: %s: %s\n", json_get_str(f, "file").p,
			 json_get_str(f, "reason").p);
	if (json_get(answer, "fallback"))
		pen_addf(p, "found in the text alone, not verified: %s\n",
			 json_get_str(answer, "fallback.reason").p);
	else if (skipped)
		pen_addf(p, "not verified: %s\n", why.p);
	reasons(p, answer, skipped ? why : STR(""));
	json_each(f, json_get(answer, "left_out"))
		pen_addf(p,
			 json_get(f, "hunks") ? "left out by the user: %s, %d of its hunks\n"
					      : "left out by the user: %s\n",
			 json_get_str(f, "file").p, pen_int(f, "hunks"));
	if (json_get_str(answer, "changed_by_user").n) {
		pen_addf(p, "changed by the user, from what was proposed:\n");
		print_diff(p, json_get_str(answer, "changed_by_user"));
	}
	json_each(w, json_get(answer, "warnings"))
		pen_addf(p, "%s\n",
			 json_is(w, JSON_STRING) ? json_text(w).p : json_get_str(w, "message").p);
	if (json_get(answer, "relocated"))
		pen_addf(p, "line %d is now line %d\n", pen_int(answer, "relocated.from"),
			 pen_int(answer, "relocated.to"));
}

/* Files that come or go, or get another name: no places in them. */
static void moved(const struct pen *p, const json *files)
{
	static const struct {
		const char *kind, *said;
	} kinds[] = { { "create", "new file" },
		      { "delete", "deleted" },
		      { "rename", "renamed" },
		      { "mode", "its mode" },
		      { "link", "link" } };

	json_each(f, files) {
		struct str kind = json_get_str(f, "kind");

		for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
			if (str_eq(kind, str_of(kinds[i].kind)))
				pen_addf(p, "%s: %s\n", kinds[i].said, json_get_str(f, "file").p);
	}
}

static void totals(const struct pen *p, const json *answer)
{
	struct plan_sum sum = { 0 };

	json_each(f, json_get(answer, "files"))
		plan_sum_add(&sum, json_get_str(f, "kind"), (size_t)json_get_int(f, "edits", 0));
	if (sum.places) /* of a signature a place may have several */
		sum.places = (size_t)json_get_int(answer, "sites", (int64_t)sum.places);
	if (!json_get_int(answer, "files_changed", 0))
		pen_addf(p, "nothing to change");
	else if (sum.places && json_get(answer, "sites_changed"))
		pen_addf(p, "%d of ", pen_int(answer, "sites_changed"));
	plan_sum_put(&sum, p->out);
	if (json_get_str(answer, "transaction").n)
		pen_addf(p, "; transaction %s", json_get_str(answer, "transaction").p);
	buf_addc(p->out, '\n');
}

void print_change(const struct pen *p, const json *answer)
{
	print_diff(p, json_get_str(answer, "diff"));
	details(p, json_get(answer, "details"));
	reservations(p, answer);
	moved(p, json_get(answer, "files"));
	if (json_get(answer, "parameters") && json_get_str(answer, "signature").n)
		pen_addf(p, "%s:%d: %s\n", json_get_str(answer, "file").p, pen_int(answer, "line"),
			 json_get_str(answer, "signature").p);
	if (json_get_bool(answer, "needs_confirmation", false))
		pen_addf(p, "not applied: use --yes to apply it\n");
	else if (json_get_str(answer, "action_id").n && !json_get_str(answer, "transaction").n)
		pen_addf(p, "not applied: execute_code_action with %s applies it\n",
			 json_get_str(answer, "action_id").p);
	totals(p, answer);
}

void print_undo(const struct pen *p, const json *answer)
{
	print_change(p, answer);
	if (json_get_str(answer, "title").n)
		pen_addf(p, "%s: %s\n",
			 json_get_bool(answer, "redone", false) ? "made again" : "taken back",
			 json_get_str(answer, "title").p);
}

void print_turn(const struct pen *p, const json *answer)
{
	if (json_get_bool(answer, "rejected", false))
		pen_addf(p, "rejected: ");
	else if (json_get(answer, "applied"))
		print_diff(p, json_get_str(answer, "diff"));
	else
		print_change(p, answer);
	pen_addf(p, "%s\n", json_get_str(answer, "title").p);
}
