#include "fuzz_operations.h"
#include "lsp/wsedit.h"

/*
 * A WorkspaceEdit from a server: refused with a reason, or a plan that does what it says, in each
 * encoding. The input: the edit, %%, the text of /r/a, which is open in version 5.
 */
static int64_t version(void *self, const char *path)
{
	(void)self;
	return strcmp(path, "/r/a") != 0 ? -1 : 5;
}

static void run(struct str raw, struct str text, enum pos_enc enc)
{
	struct wsedit_context ctx = { enc, "/r", NULL, version };
	struct wsedit_notes notes = { 0 };
	struct err e = ERR_INIT;
	struct plan_source src;
	struct memfs m;
	struct plan *p;

	src = fuzz_tree(&m, text);
	p = plan_new(&src);
	if (wsedit_add(p, raw, &ctx, &notes, &e) && plan_finish(p, &e))
		fuzz_check_plan(p, text);
	else
		must_say(&e);
	plan_free(p);
	wsedit_notes_release(&notes);
	memfs_release(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str rest = fuzz_input(data, size), raw = fuzz_section(&rest);

	run(raw, rest, POS_UTF8);
	run(raw, rest, POS_UTF16);
	run(raw, rest, POS_UTF32);
	return 0;
}
