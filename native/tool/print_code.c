#include "print.h"

/* The text alone, as cat has it; hashes in front of their lines. */
void print_file(const struct pen *p, const json *answer)
{
	struct str text = json_get_str(answer, "content"), line;
	const json *hash = json_first(json_get(answer, "line_hashes"));

	while (str_line(&text, &line)) {
		if (hash)
			pen_addf(p, "%s ", json_text(hash).p);
		pen_put(p, "", line);
		pen_addf(p, "\n");
		hash = hash ? json_next(hash) : NULL;
	}
	if (!json_get_int(answer, "total_lines", 0))
		pen_addf(p, "%s is empty\n", json_get_str(answer, "file").p);
}

static void kind_and_server(const struct pen *p, const json *answer)
{
	pen_put(p, PEN_BOLD, json_get_str(answer, "symbol"));
	if (json_get_str(answer, "kind").n)
		pen_addf(p, ", %s", json_get_str(answer, "kind").p);
}

static void others(const struct pen *p, const json *answer)
{
	json_each(o, json_get(answer, "others"))
		pen_addf(p, "of the same name: %s in %s:%d\n", json_get_str(o, "symbol_name").p,
			 json_get_str(o, "file").p, pen_int(o, "line"));
}

void print_symbol(const struct pen *p, const json *answer)
{
	const json *at = json_get(answer, "position");

	kind_and_server(p, answer);
	pen_addf(p, ": %s:%d", json_get_str(answer, "file_path").p, pen_int(at, "start_line"));
	if (pen_int(at, "end_line") > pen_int(at, "start_line"))
		pen_addf(p, "-%d", pen_int(at, "end_line"));
	pen_addf(p, "\n\n");
	pen_text(p, json_get_str(answer, "documentation"));
	if (json_get_str(answer, "documentation").n)
		pen_addf(p, "\n");
	pen_text(p, json_get_str(answer, "definition_code"));
	if (json_get(answer, "cut"))
		pen_addf(p, "[cut here: %s]\n", json_get_str(answer, "cut").p);
	others(p, answer);
}

static void print_code_place(const struct pen *p, const json *l, enum print_from from)
{
	int more = from == PRINT_FROM_0;

	pen_put(p, PEN_BOLD, json_get_str(l, "file"));
	pen_addf(p, ":%d:%d: ", pen_int(l, "line") + more,
		 pen_int(l, more ? "character" : "column") + more);
}

/* That no server said so, where that is so. */
static void by_text(const struct pen *p, const json *answer)
{
	if (json_get(answer, "fallback"))
		pen_addf(p, "from the text alone: %s\n", json_get_str(answer, "fallback.reason").p);
}

/* Why a list is not all there is, where it says so. */
static void completeness(const struct pen *p, const json *answer)
{
	if (json_get_bool(answer, "complete", true))
		return;
	if (!json_len(json_get(answer, "reasons")))
		pen_addf(p, "perhaps not all\n");
	json_each(why, json_get(answer, "reasons"))
		pen_addf(p, "perhaps not all: %s\n", json_text(why).p);
}

static void places(const struct pen *p, const json *answer, const char *member,
		   enum print_from from, const char *one, const char *many)
{
	const json *list = json_get(answer, member);
	size_t n = (size_t)json_get_int(answer, "total", (int64_t)json_len(list));

	json_each(l, list) {
		print_code_place(p, l, from);
		pen_addf(p, "%s\n", json_get_str(l, "snippet").p);
		if (json_get_str(l, "code").n)
			pen_text(p, json_get_str(l, "code"));
	}
	by_text(p, answer);
	completeness(p, answer);
	if (n)
		pen_count(p, n, one, many);
	else
		pen_addf(p, "no %s", many);
	if (json_get_int(answer, "files", 0) > 1)
		pen_addf(p, " in %d files", pen_int(answer, "files"));
	pen_addf(p, "\n");
}

void print_usages(const struct pen *p, const json *answer)
{
	kind_and_server(p, answer);
	pen_addf(p, ": %s\n", json_get_str(answer, "file_path").p);
	places(p, answer, "usages", PRINT_FROM_1, "usage", "usages");
	others(p, answer);
}

static void symbols(const struct pen *p, const json *list, enum print_from from)
{
	json_each(s, list) {
		pen_addf(p, "%*s", 2 * pen_int(s, "depth"), "");
		pen_put(p, PEN_BOLD, json_get_str(s, "name"));
		pen_addf(p, " (%s) %s:%d\n", json_get_str(s, "kind").p, json_get_str(s, "file").p,
			 pen_int(s, "line") + (from == PRINT_FROM_0));
	}
}

void print_hover(const struct pen *p, const json *answer)
{
	struct str text = json_get_str(answer, "hover");

	pen_text(p, text.n ? text : STR("nothing is known about it"));
}

void print_symbols(const struct pen *p, const json *answer)
{
	struct str query = json_get_str(answer, "query");

	if (str_eq(query, STR("hover"))) {
		print_hover(p, answer);
	} else if (str_ends(query, STR("_symbols"))) {
		symbols(p, json_get(answer, "symbols"), PRINT_FROM_1);
		by_text(p, answer);
		completeness(p, answer);
		pen_count(p, (size_t)json_get_int(answer, "total", 0), "symbol", "symbols");
		pen_addf(p, "\n");
	} else {
		pen_text(p, json_get_str(answer, "type"));
		places(p, answer, "locations", PRINT_FROM_1, "place", "places");
	}
}

void print_definitions(const struct pen *p, const json *answer)
{
	places(p, answer, "definitions", PRINT_FROM_0, "definition", "definitions");
}

void print_references(const struct pen *p, const json *answer)
{
	places(p, answer, "references", PRINT_FROM_0, "reference", "references");
}

void print_analysis(const struct pen *p, const json *answer)
{
	pen_put(p, PEN_BOLD, json_get_str(answer, "file"));
	pen_addf(p, ": ");
	pen_count(p, (size_t)json_get_int(answer, "lines", 0), "line", "lines");
	pen_addf(p, ", ");
	pen_count(p, (size_t)json_get_int(answer, "bytes", 0), "byte", "bytes");
	pen_addf(p, "\n\n");
	symbols(p, json_get(answer, "symbols"), PRINT_FROM_0);
	by_text(p, answer);
	if (json_get(answer, "no_symbols"))
		pen_addf(p, "no symbols: %s\n", json_get_str(answer, "no_symbols").p);
	pen_addf(p, "\n");
	if (json_get(answer, "no_diagnostics"))
		pen_addf(p, "no diagnostics: %s\n", json_get_str(answer, "no_diagnostics").p);
	else
		print_problems(p, answer, PRINT_FROM_0);
}

static void print_code_names(const struct pen *p, const char *before, const json *list)
{
	json_each(n, list) {
		pen_addf(p, "%s%s", before,
			 json_is(n, JSON_STRING) ? json_text(n).p : json_get_str(n, "name").p);
		if (json_get_bool(n, "indexing", false))
			pen_addf(p, " (indexing)");
		before = ", ";
	}
}

/* The one that calls work in has a star. */
void print_projects(const struct pen *p, const json *answer)
{
	json_each(m, json_get(answer, "messages"))
		pen_addf(p, "%s\n", json_text(m).p);
	json_each(project, json_get(answer, "projects")) {
		pen_addf(p, "%s ", json_get_bool(project, "last", false) ? "*" : " ");
		pen_put(p, PEN_BOLD, json_get_str(project, "name"));
		pen_addf(p, " %s", json_get_str(project, "root").p);
		print_code_names(p, "; ", json_get(project, "kinds"));
		print_code_names(p, "; servers: ", json_get(project, "servers"));
		pen_addf(p, "\n");
	}
}
