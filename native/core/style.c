#include "style.h"

#include <editorconfig/editorconfig.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../base/log.h"
#include "../base/path.h"

static int yes_no(const char *value)
{
	return !strcmp(value, "true") ? 1 : !strcmp(value, "false") ? 0 : -1;
}

static void style_take(const char *name, const char *value, struct format_style *out, bool *by_tab)
{
	int n = atoi(value);

	if (!strcmp(name, "indent_style"))
		out->spaces = !strcmp(value, "space");
	else if (!strcmp(name, "indent_size") && !strcmp(value, "tab"))
		*by_tab = true;
	else if (!strcmp(name, "indent_size") && n > 0)
		out->tab_size = (unsigned)n;
	else if (!strcmp(name, "trim_trailing_whitespace"))
		out->trim = yes_no(value);
	else if (!strcmp(name, "insert_final_newline"))
		out->final_newline = yes_no(value);
}

#define CONFIG_MOST 262144 /* bytes of one .editorconfig: no project has a use for more */

/* The library opens whatever has the name, and reads to its end: a FIFO, /dev/zero, a disk full of
 * text. A directory's is fit if there is none, or it is a regular file of a sensible size. */
static bool is_fit(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return true; /* nor can the library open it */
	if (S_ISREG(st.st_mode) && st.st_size <= CONFIG_MOST)
		return true;
	log_line(LOG_WARN, ".editorconfig is ignored: %s is %s", path,
		 S_ISREG(st.st_mode) ? "too large" : "not a regular file");
	return false;
}

/* It reads those of all directories above the file. */
static bool all_fit(const char *path)
{
	struct str dir = path_dir(str_of(path));
	struct buf name SCOPED(buf_release) = BUF_INIT;
	bool fit = true;

	for (; fit; dir = path_dir(dir)) {
		buf_clear(&name);
		buf_addf(&name, "%.*s/.editorconfig", STR_ARG(dir));
		fit = is_fit(name.p);
		if (dir.n <= 1)
			break;
	}
	return fit;
}

void style_for(const char *path, const struct format_style *editor, struct format_style *out)
{
	editorconfig_handle h = editorconfig_handle_init();
	bool by_tab = false, sized = false;
	unsigned tab_width = 0;

	*out = *editor;
	if (!h)
		return;
	if (all_fit(path) && !editorconfig_parse(path, h)) {
		for (int i = 0; i < editorconfig_handle_get_name_value_count(h); i++) {
			const char *name, *value;

			editorconfig_handle_get_name_value(h, i, &name, &value);
			style_take(name, value, out, &by_tab);
			sized |= !strcmp(name, "indent_size") && !by_tab;
			out->told |= sized || !strcmp(name, "indent_style") ||
				     !strcmp(name, "tab_width");
			if (!strcmp(name, "tab_width") && atoi(value) > 0)
				tab_width = (unsigned)atoi(value);
		}
		out->tab_width = tab_width;
		if (tab_width && !sized)
			out->tab_size = tab_width;
	}
	editorconfig_handle_destroy(h);
}

void style_guess(struct str text, struct format_style *out)
{
	size_t tabs = 0, spaced = 0, by[9] = { 0 };
	struct str line;

	*out = (struct format_style){ 4, true, -1, -1, -1, 0, false };
	while (str_line(&text, &line)) {
		size_t n = 0;

		while (n < line.n && line.p[n] == ' ')
			n++;
		if (line.n && line.p[0] == '\t')
			tabs++;
		else if (n && n < line.n && line.p[n] != '*') {
			spaced++;
			for (size_t width = 2; width <= 8; width *= 2)
				by[width] += n % width == 0;
		}
	}
	if (tabs > spaced) {
		*out = (struct format_style){ 8, false, -1, -1, -1, 0, false };
	} else if (spaced) {
		/* the widest step that nearly all lines agree with */
		out->tab_size = by[8] * 10 > spaced * 9 ? 8 : by[4] * 10 > spaced * 9 ? 4 : 2;
	}
}
