#include <stdlib.h>

#include "../base/mem.h"
#include "../base/path.h"
#include "../edit/swap_file.h"
#include "kept_lines.h"
#include "swap_scan.h"

#define DIRECTORIES_MOST 8 /* values of 'directory' that are remembered */

/* What it takes for Vim where nothing else is said, and for Neovim. */
static void default_places(struct buf *out)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	const char *app = getenv("NVIM_APPNAME");

	buf_adds(out, ".");
	if (state && *state == '/')
		buf_addf(out, ",%s", state);
	else if (home && *home == '/')
		buf_addf(out, ",%s/.local/state", home);
	else
		return;
	buf_addf(out, "/%s/swap//", app && *app ? app : "nvim");
}

static bool has_entry(struct str places, struct str wanted)
{
	struct buf entry SCOPED(buf_release) = BUF_INIT;

	while (swap_entry(&places, &entry))
		if (str_eq(buf_str(&entry), wanted))
			return true;
	return false;
}

static bool has_all(struct str places, struct str directory)
{
	struct buf entry SCOPED(buf_release) = BUF_INIT;

	while (swap_entry(&directory, &entry))
		if (!has_entry(places, buf_str(&entry)))
			return false;
	return true;
}

/* NULL: there is no state directory. */
static char *kept_directories(void)
{
	char *state SCOPED(mem_release) = oxide_state_dir();

	return state ? path_join(state, "swap-directories") : NULL;
}

static void add_place(struct buf *places, struct str directory)
{
	if (!has_all(buf_str(places), directory))
		buf_addf(places, ",%.*s", STR_ARG(directory));
}

void swap_scan_directory(struct oxide *ox, struct str directory)
{
	char *path SCOPED(mem_release) = kept_directories();
	struct buf kept SCOPED(buf_release) = BUF_INIT;
	struct str rest, line;

	buf_clear(&ox->swap_places);
	default_places(&ox->swap_places);
	if (path && !has_all(buf_str(&ox->swap_places), directory) &&
	    !memchr(directory.p, '\n', directory.n))
		kept_lines_add(path, directory, DIRECTORIES_MOST);
	add_place(&ox->swap_places, directory);
	if (path)
		kept_lines_read(path, &kept);
	for (rest = buf_str(&kept); str_line(&rest, &line);)
		add_place(&ox->swap_places, line);
}
