#include "hover.h"

static struct str hover_last_line(struct str text, size_t *at)
{
	*at = text.n;
	while (*at && text.p[*at - 1] != '\n')
		--*at;
	return str_trim(str_sub(text, *at, text.n));
}

static bool is_rule(struct str line)
{
	return line.n >= 3 && str_count(line, line.p[0]) == line.n && str_any("-*_", line.p[0]);
}

/* Eats blocks of code and rules; whether there were any blocks. */
static bool skip_code(struct str *text)
{
	bool any = false;

	for (;;) {
		struct str rest = *text = str_trim(*text), line = STR("");

		str_line(&rest, &line);
		line = str_trim(line);
		if (is_rule(line)) {
			*text = rest;
			continue;
		}
		if (!str_starts(line, STR("```")))
			return any;
		any = true;
		do
			line = STR("");
		while (str_line(&rest, &line) && !str_eq(str_trim(line), STR("```")));
		*text = rest;
	}
}

/* The block of code at the end, where a rule is before it. */
static struct str drop_code(struct str text)
{
	size_t at;
	struct str rest = text, line = hover_last_line(rest, &at);

	if (!str_eq(line, STR("```")))
		return text;
	do {
		if (!at)
			return text;
		rest.n = at - 1;
		line = hover_last_line(rest, &at);
	} while (!str_starts(line, STR("```")));
	rest = str_trim(str_sub(rest, 0, at));
	line = hover_last_line(rest, &at);
	return is_rule(line) ? str_trim(str_sub(rest, 0, at)) : text;
}

struct str hover_documentation(struct str hover)
{
	if (!skip_code(&hover))
		hover = drop_code(hover);
	return hover;
}
