#include "print.h"

/* A mark on what has a fix: the only one, or the one that the server prefers, by its name. */
static void fixes(const struct pen *p, const json *list)
{
	const json *best = json_len(list) == 1 ? json_first(list) : NULL;

	json_each(f, list)
		if (!best && json_get_bool(f, "preferred", false))
			best = f;
	if (!json_first(list))
		return;
	pen_addf(p, " ");
	if (best) {
		pen_put(p, PEN_GREEN, STR("fix"));
		pen_addf(p, ": %s", json_get_str(best, "title").p);
	} else {
		pen_put(p, PEN_GREEN, STR("fixes"));
		pen_addf(p, ": %zu", json_len(list));
	}
}

/* Its other lines, as "candidate function not viable", are under the first. */
static void message(const struct pen *p, struct str text)
{
	struct str line;
	bool more = false;

	while (str_line(&text, &line)) {
		if (more && !str_trim(line).n)
			continue;
		pen_addf(p, "%s%.*s", more ? "\n      " : "", STR_ARG(line));
		more = true;
	}
}

/* What a list of them is like. */
struct listing {
	enum print_from from;
	const char *fixes; /* how its rows call them */
};

static void row(const struct pen *p, const struct listing *l, const json *d)
{
	const char *column = l->from ? "character" : "column";
	int more = l->from == PRINT_FROM_0;
	struct str code = json_get_str(d, "code");

	pen_addf(p, "  ");
	if (json_get(d, "line"))
		pen_addf(p, "%d:%d ", pen_int(d, "line") + more, pen_int(d, column) + more);
	print_severity(p, json_get_str(d, more ? "severity_name" : "severity"));
	pen_addf(p, ": ");
	message(p, json_get_str(d, "message"));
	if (code.n)
		pen_addf(p, " [%s]", code.p);
	fixes(p, json_get(d, l->fixes));
	pen_addf(p, "\n");
}

/* Grouped by file, a blank line between groups. */
static void print_checks_list(const struct pen *p, const struct listing *l, const json *answer)
{
	struct str file = STR("");

	json_each(d, json_get(answer, "diagnostics")) {
		if (!str_eq(file, json_get_str(d, "file"))) {
			if (file.n)
				pen_addf(p, "\n");
			file = json_get_str(d, "file");
			pen_put(p, PEN_BOLD, file);
			pen_addf(p, "\n");
		}
		row(p, l, d);
	}
	if (file.n)
		pen_addf(p, "\n");
	if (json_get(answer, "fixes_missing"))
		pen_addf(p, "perhaps not all fixes: %s\n", json_get_str(answer, "fixes_missing").p);
}

static const struct listing of_checkers = { PRINT_FROM_1, "available_fixes" };

void print_problems(const struct pen *p, const json *answer, enum print_from from)
{
	const struct listing l = { from, "fixes" };

	print_checks_list(p, &l, answer);
	json_each(f, json_get(answer, "missing"))
		pen_addf(p, "not checked: %s: %s\n", json_get_str(f, "file").p,
			 json_get_str(f, "reason").p);
	pen_addf(p, "%s%s\n", json_get_str(answer, "summary").p,
		 json_get_bool(answer, "complete", true) ? "" : " (perhaps not all)");
}

/* With fix_errors, what was done about them. */
static void fixed(const struct pen *p, const json *answer)
{
	json_each(f, json_get(answer, "not_applied"))
		pen_addf(p, "not applied: %s:%d: %s: %s\n", json_get_str(f, "file").p,
			 pen_int(f, "line"), json_get_str(f, "title").p,
			 json_get_str(f, "reason").p);
	if (json_get(answer, "stopped"))
		pen_addf(p, "stopped: %s\n", json_get_str(answer, "stopped").p);
	if (json_get(answer, "fixes_applied"))
		pen_addf(p, "%d applied, %d resolved, %d remaining\n",
			 pen_int(answer, "fixes_applied"), pen_int(answer, "resolved"),
			 pen_int(answer, "remaining"));
}

void print_diagnostics(const struct pen *p, const json *answer)
{
	if (json_get(answer, "files_changed")) {
		print_change(p, answer);
		pen_addf(p, "\n");
	}
	print_problems(p, answer, PRINT_FROM_1);
	fixed(p, answer);
}

void print_get_diagnostics(const struct pen *p, const json *answer)
{
	print_problems(p, answer, PRINT_FROM_0);
}

/* Each with the name to make it by. */
void print_actions(const struct pen *p, const json *answer)
{
	size_t n = (size_t)json_get_int(answer, "count", 0);

	json_each(a, json_get(answer, "code_actions")) {
		pen_put(p, PEN_BOLD, json_get_str(a, "title"));
		pen_addf(p, "\n  %s\n  ", json_get_str(a, "description").p);
		pen_put(p, PEN_GREEN, json_get_str(a, "id"));
		pen_addf(p, "\n");
		print_diff(p, json_get_str(a, "diff"));
		pen_addf(p, "\n");
	}
	json_each(a, json_get(answer, "left_out"))
		pen_addf(p, "left out: %s: %s\n", json_get_str(a, "title").p,
			 json_get_str(a, "reason").p);
	if (n)
		pen_count(p, n, "action", "actions");
	else
		pen_addf(p, "no actions");
	pen_addf(p, "\n");
}

void print_refreshed(const struct pen *p, const json *answer)
{
	json_each(project, json_get(answer, "projects")) {
		pen_put(p, PEN_BOLD, json_get_str(project, "name"));
		pen_addf(p, ": %s%s\n", json_get_str(project, "summary").p,
			 json_get_bool(project, "complete", true) ? "" : " (perhaps not all)");
	}
	pen_count(p, (size_t)json_get_int(answer, "count", 0), "action can be", "actions can be");
	pen_addf(p, " applied by id: list_code_actions\n");
}

/* Where a test failed, and what it printed. */
static void failure(const struct pen *p, const json *f)
{
	struct str line, output = json_get_str(f, "output");

	pen_put(p, PEN_RED, STR("failed"));
	pen_addf(p, " ");
	pen_put(p, PEN_BOLD, json_get_str(f, "name"));
	if (json_get(f, "file") && json_get(f, "line"))
		pen_addf(p, " %s:%d", json_get_str(f, "file").p, pen_int(f, "line"));
	else if (json_get(f, "file"))
		pen_addf(p, " %s", json_get_str(f, "file").p);
	if (json_get_str(f, "message").n)
		pen_addf(p, ": %s", json_get_str(f, "message").p);
	pen_addf(p, "\n");
	while (str_line(&output, &line))
		pen_addf(p, "    %.*s\n", STR_ARG(line));
}

/* What a run of programs has to say besides. */
static void run_notes(const struct pen *p, const json *answer)
{
	json_each(w, json_get(answer, "warnings"))
		pen_addf(p, "%s\n", json_text(w).p);
	json_each(file, json_get(answer, "unsaved"))
		pen_addf(p, "unsaved changes were not looked at: %s\n", json_text(file).p);
	json_each(file, json_get(answer, "not_compiled"))
		pen_addf(p, "last compile not known: %s\n", json_text(file).p);
}

void print_tests(const struct pen *p, const json *answer)
{
	print_checks_list(p, &of_checkers, answer);
	json_each(f, json_get(answer, "failures"))
		failure(p, f);
	if (!json_get_bool(answer, "success", false) && !json_len(json_get(answer, "failures")))
		pen_text(p, json_get_str(answer, "output"));
	run_notes(p, answer);
	pen_addf(p, "%s\n", json_get_str(answer, "summary").p);
}

void print_check(const struct pen *p, const json *answer)
{
	print_checks_list(p, &of_checkers, answer);
	pen_text(p, json_get_str(answer, "output"));
	run_notes(p, answer);
	pen_addf(p, "%s\n", json_get_str(answer, "message").p);
}

void print_unfinished(const struct pen *p, const json *answer)
{
	if (!json_get(answer, "diagnostics"))
		return;
	print_found(p, json_get(answer, "diagnostics"));
	pen_text(p, json_get_str(answer, "output"));
}
