#include "style_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/mem.h"
#include "../base/path.h"

bool style_file_above(const char *path)
{
	static const char *const names[] = { ".clang-format", "_clang-format" };
	char *dir SCOPED(mem_release) = mem_dup(path, strlen(path)), *slash;
	bool found = false;

	while (!found && (slash = strrchr(dir, '/'))) {
		*slash = '\0';
		for (size_t i = 0; i < 2 && !found; i++) {
			char *file SCOPED(mem_release) = path_join(*dir ? dir : "/", names[i]);

			found = !access(file, F_OK);
		}
	}
	return found;
}

/* What an .editorconfig says, in clang-format's words; the rest is what clangd does by itself. */
static void style_file_describe(const struct format_style *s, FILE *out)
{
	unsigned tab = s->tab_width ? s->tab_width : s->tab_size;
	unsigned more = s->spaces && s->tab_size < 4 ? 4 : s->tab_size;

	fprintf(out,
		"BasedOnStyle: LLVM\nIndentWidth: %u\nTabWidth: %u\nUseTab: %s\n"
		"ContinuationIndentWidth: %u\nAccessModifierOffset: -%u\n",
		s->tab_size, tab, s->spaces ? "Never" : "ForContinuationAndIndentation", more,
		s->tab_size);
}

static bool write_style(const char *folder, const struct format_style *s)
{
	char *file SCOPED(mem_release) = path_join(folder, ".clang-format");
	FILE *out = fopen(file, "wxe");
	bool ok = out;

	if (out) {
		style_file_describe(s, out);
		ok = !ferror(out);
		ok = !fclose(out) && ok;
	}
	return ok;
}

char *style_folder_make(const struct format_style *s, struct err *e)
{
	const char *tmp = getenv("TMPDIR");
	char *folder = path_join(tmp && *tmp == '/' ? tmp : "/tmp", "oxide-style-XXXXXX");

	if (!mkdtemp(folder)) {
		err_set(e, ERR_IO, "cannot create %s: %s", folder, strerror(errno));
		free(folder);
		return NULL;
	}
	if (write_style(folder, s))
		return folder;
	err_set(e, ERR_IO, "cannot write %s/.clang-format: %s", folder, strerror(errno));
	style_folder_drop(folder);
	return NULL;
}

void style_folder_drop(char *folder)
{
	char *file SCOPED(mem_release) = NULL;

	if (!folder)
		return;
	file = path_join(folder, ".clang-format");
	unlink(file);
	rmdir(folder);
	free(folder);
}
