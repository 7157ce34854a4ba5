#ifndef OX_TEST_WATCH_EDITOR_H
#define OX_TEST_WATCH_EDITOR_H

/* watch_rig.h with an editor that has one of the project's files open, and does what Neovim does,
 * in memory. Include cmocka's headers first. */

#include <inttypes.h>

#include "core/disk_listener.h"
#include "io/tree.h"
#include "watch_rig.h"

#define BUFFER 7

static struct {
	const struct buffer_reread *v;
	size_t n;
	editor_reread *fn;
	void *arg;
	size_t conflicts;
	bool follows;
	char why[200];
	void (*first)(void); /* the user is quicker than the request */
	void (*read)(void);  /* it reads the file */
} editor;

static struct buffer *buffer_here(void)
{
	return workspace_buffer(ox->workspace, BUFFER);
}

static void set_text(struct str text, bool modified)
{
	struct buffer *b = buffer_here();

	doc_set(b->doc, text);
	b->tick++;
	b->modified = modified;
}

static void answer(void *arg)
{
	enum reread_fate fate = REREAD_DONE;
	struct buffer *b = buffer_here();

	(void)arg;
	if (editor.first)
		editor.first();
	editor.first = NULL;
	if (editor.v->tick != b->tick)
		fate = REREAD_STALE;
	else if (editor.read)
		editor.read();
	if (fate == REREAD_DONE) {
		set_text(editor.v->now, !editor.v->plain);
		snprintf(b->stamp, sizeof(b->stamp), "%s", editor.v->stamp);
	}
	editor.conflicts += fate == REREAD_DONE ? editor.v->clashes : 0;
	editor.fn(editor.arg, &fate);
}

static void reread(void *self, const struct buffer_reread *v, size_t n, editor_reread *fn,
		   void *arg)
{
	(void)self;
	if (!n) {
		fn(arg, NULL);
		return;
	}
	assert_int_equal(n, 1);
	editor.v = v;
	editor.fn = fn;
	editor.arg = arg;
	loop_soon(ox->loop, answer, NULL);
}

static void follow(void *self, long buf, bool on, const char *why)
{
	(void)self;
	assert_int_equal(buf, BUFFER);
	editor.follows = on;
	snprintf(editor.why, sizeof(editor.why), "%s", why ? why : "");
}

static void open_buffer(const char *name)
{
	char path[4200];
	struct buffer_info info = { BUFFER, path, "text", false, false, NULL };
	struct err e = ERR_INIT;

	snprintf(path, sizeof(path), "%s/%s", ox->root, name);
	assert_non_null(workspace_buffer_info(ox->workspace, &info, &e));
	ox->editor.reread = reread;
	ox->editor.follow = follow;
}

__attribute__((unused)) static void save(const char *name)
{
	struct buffer *b = buffer_here();

	put(name, doc_text(b->doc).p);
	b->modified = false;
	disk_listeners_buffer(ox, b, DISK_WRITTEN);
}

__attribute__((unused)) static void assert_buffer(const char *text)
{
	assert_string_equal(doc_text(buffer_here()->doc).p, text);
}

__attribute__((unused)) static void stamp_here(const char *name)
{
	struct tree_stat st;

	assert_true(tree_look(ox->root, name, &st));
	snprintf(buffer_here()->stamp, sizeof(buffer_here()->stamp),
		 "%" PRId64 ".%09" PRId64 " %" PRIu64, st.mtime_ns / 1000000000,
		 st.mtime_ns % 1000000000, st.size);
}

#endif
