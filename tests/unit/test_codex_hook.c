// links: full
/* What the patches of Codex make of files, the patches that lead to other texts instead, and what
 * makes it call us. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cut.h"
#include "gen.h"
#include "hook/hook_event.h"

static json *patch_event(const char *patch)
{
	return json_of({ "hook_event_name", json_strz("PreToolUse") }, { "cwd", json_strz("/p") },
		       { "tool_name", json_strz("apply_patch") },
		       { "tool_input", json_of({ "command", json_strz(patch) }) });
}

#define BEGIN "*** Begin Patch\n"
#define END   "*** End Patch\n"

static void put_disk(struct hook_file *f, const char *disk)
{
	f->there = disk;
	buf_adds(&f->disk, disk ? disk : "");
}

/* The file's text after it; where it is refused, what the message has. */
static void assert_patched(const char *patch, const char *disk, const char *want)
{
	struct hook_files files = { 0 };
	struct hook_event ev = { 0 };
	struct err e = ERR_INIT;
	json *v = patch_event(patch);

	assert_true(hook_event_read(&ev, v, &e));
	if (hook_event_files(&ev, &files, &e)) {
		put_disk(&files.v[0], disk);
		if (ev.tool->edit(&ev, &files, &e))
			assert_string_equal(buf_str(&files.v[0].asked).p, want);
	}
	if (e.code && !strstr(e.msg, want))
		fail_msg("%s, not %s", e.msg, want);
	hook_files_release(&files);
	json_free(v);
}

static void a_patch_is_worked_out(void **state)
{
	(void)state;
	assert_patched(BEGIN "*** Update File: a\n@@\n a\n-b\n+B\n" END, "a\nb\nc\n", "a\nB\nc\n");
	assert_patched(BEGIN "*** Update File: a\n@@ a\n-b\n+B\n" END, "b\na\nb\n", "b\na\nB\n");
	assert_patched(BEGIN "*** Update File: a\n@@\n-a\n+b\n" END, "a", "b\n");
	assert_patched(BEGIN "*** Add File: a\n+one\n+two\n" END, NULL, "one\ntwo\n");
	assert_patched(BEGIN "*** Update File: a\n@@\n-x\n+y\n" END, "a\n", "not found");
	assert_patched(BEGIN "*** Update File: a\n@@\n-x\n+y\n" END, NULL, "a does not exist");
	assert_patched(BEGIN "*** Delete File: a\n" END, NULL, "a does not exist");
	assert_patched(BEGIN "*** Delete File: a\n*** Add File: ./a\n+a\n" END, "a\n",
		       "names ./a twice");
	assert_patched("--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\n", "a\n",
		       "has to begin with \"*** Begin Patch\"");
	assert_patched("anything", "a\n", "*** Begin Patch");
}

static void the_patch_instead_has_what_was_accepted(void **state)
{
	struct hook_files files = { 0 };
	struct hook_event ev = { 0 };
	struct err e = ERR_INIT;
	json *v = patch_event(BEGIN "*** Update File: a\n@@\n-a\n+A\n*** Add File: new\n+one\n"
				    "*** Delete File: old\n*** Update File: b\n*** Move to: c\n"
				    "@@\n-b\n+B\n*** Add File: left\n+x\n" END),
	     *instead;

	(void)state;
	assert_true(hook_event_read(&ev, v, &e) && hook_event_files(&ev, &files, &e));
	put_disk(&files.v[0], "x\na\nx\n");
	put_disk(&files.v[1], NULL);
	put_disk(&files.v[2], "old\n");
	put_disk(&files.v[3], "b\nb2\n");
	put_disk(&files.v[4], NULL);
	buf_adds(&files.v[0].written, "x\na!\nx\n");
	buf_adds(&files.v[1].written, "one!\n");
	buf_adds(&files.v[3].written, "b\nb2\n"); /* the move alone */
	files.v[4].left = true;
	instead = ev.tool->instead(&ev, &files);
	assert_string_equal(json_get_str(instead, "command").p,
			    BEGIN "*** Update File: a\n@@\n-a\n+a!\n*** Add File: new\n+one!\n"
				  "*** Delete File: old\n*** Update File: b\n*** Move to: c\n@@\n"
				  " b\n" END);
	json_free(instead);
	hook_files_release(&files);
	json_free(v);
}

static bool read_patch(struct str raw, struct err *e)
{
	struct hook_files files = { 0 };
	struct hook_event ev;
	json *v = json_parse(raw, e);
	bool ok = v && hook_event_read(&ev, v, e) && hook_event_files(&ev, &files, e);

	hook_files_release(&files);
	json_free(v);
	return ok;
}

static void an_event_that_breaks_off_is_refused(void **state)
{
	static const char event[] =
		"{\"cwd\":\"/p\",\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"apply_patch\","
		"\"tool_input\":{\"command\":\"*** Begin Patch\\n*** Add File: a\\n+a\\n*** End "
		"Patch\"}}";

	(void)state;
	assert_cut(event, read_patch);
	assert_garbled(event, read_patch);
}

static void put_lines(struct gen *g, struct buf *out)
{
	for (size_t n = 1 + gen_below(g, 8); n; n--)
		buf_adds(out, (const char *[]){ "a\n", "b\n", "ab\n", "\n" }[gen_below(g, 4)]);
}

/* Any text leads to any other by the patch that is sent back. */
static void a_patch_leads_to_what_was_accepted(void **state)
{
	struct gen g = { 7 };

	(void)state;
	for (int round = 0; round < 5000; round++) {
		struct buf now = BUF_INIT;
		struct hook_files files = { 0 };
		struct hook_event ev = { 0 };
		struct err e = ERR_INIT;
		json *v = patch_event(BEGIN "*** Update File: a\n@@\n-x\n+y\n" END), *instead;

		put_lines(&g, &now);
		assert_true(hook_event_read(&ev, v, &e) && hook_event_files(&ev, &files, &e));
		put_disk(&files.v[0], "");
		put_lines(&g, &files.v[0].disk);
		buf_add(&files.v[0].written, buf_str(&now));
		if (!str_eq(buf_str(&files.v[0].disk), buf_str(&now))) {
			instead = ev.tool->instead(&ev, &files);
			assert_patched(json_get_str(instead, "command").p,
				       buf_str(&files.v[0].disk).p, now.p);
			json_free(instead);
		}
		hook_files_release(&files);
		buf_release(&now);
		json_free(v);
	}
}

static void add_line_of(void *arg, struct str word)
{
	buf_addf(arg, "%.*s\n", STR_ARG(word));
}

/* The digests are those that Codex 0.169.0 shows of these hooks (hooks/list of its app server). */
static void its_hooks_are_trusted(void **state)
{
	struct buf words = BUF_INIT;

	(void)state;
	hook_codex.hooks("/it's here/oxide", 600, add_line_of, &words);
	assert_non_null(
		strstr(words.p,
		       "-c\nhooks.Stop=[{\"hooks\"=[{\"type\"=\"command\",\"command\"="
		       "\"exec '/it'\\\\''s here/oxide' hook codex\",\"timeout\"=600}]}]\n"));
	assert_non_null(strstr(
		words.p,
		"config.toml:stop:0:0\"={\"trusted_hash\"=\"sha256:b403ad306096bf14b642226a45692276e009cad9968209e49c800a3a320e57c6"));
	buf_release(&words);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_patch_is_worked_out),
		cmocka_unit_test(the_patch_instead_has_what_was_accepted),
		cmocka_unit_test(an_event_that_breaks_off_is_refused),
		cmocka_unit_test(a_patch_leads_to_what_was_accepted),
		cmocka_unit_test(its_hooks_are_trusted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
