#ifndef OX_TEST_WATCH_NEOVIM_H
#define OX_TEST_WATCH_NEOVIM_H

/* watch_rig.h with a Neovim that has the file "a" open, as far as lua/oxide/{buffers,reread}.lua
 * and nvim/nvim_buffers.c make it matter. What each side says reaches the other one in order, when
 * hears() and core_hears() say so: whatever happens in between is what is tested. Include cmocka's
 * headers first. */

#include <fcntl.h>

#include "core/disk_listener.h"
#include "io/tree.h"
#include "watch/watch_impl.h"
#include "watch_rig.h"

#define BUFFER 7

enum said_kind { SAID_LINES, SAID_OPEN, SAID_TEXT, SAID_INFO, SAID_SAVED, SAID_BEHIND, SAID_FATE };

struct said {
	STAILQ_ENTRY(said) all;
	enum said_kind kind;
	struct buf text;
	int64_t tick;
	bool modified;
	char stamp[64];
	enum reread_fate fate;
	editor_reread *fn;
	void *arg;
};

static struct neovim {
	struct buf text;
	int64_t tick;
	bool modified, attached, behind;
	char seen[64]; /* the file's stamp, when it was read or written last */
	/* from the core */
	bool asked_to_attach;
	struct asked {
		const struct buffer_reread *v; /* NULL: of none */
		editor_reread *fn;
		void *arg;
	} asked[4];
	size_t n_asked;
	STAILQ_HEAD(, said) said; /* to the core */
	size_t conflicts;
} nv;

static void whole_file(const char *name, struct buf *out)
{
	char path[4200];
	struct buf text;

	snprintf(path, sizeof(path), "%s/%s", project, name);
	text = read_all(path);
	assert_non_null(text.p);
	buf_add(out, buf_str(&text));
	buf_release(&text);
}

/* Whole at once, for a look may come in between; no two have the same time. */
static void write_file(const char *name, struct str text)
{
	static long writes;
	struct timespec t[2] = { { .tv_sec = 1000000000 + ++writes }, { .tv_sec = 1 } };
	char path[4200], part[4200];

	t[1] = t[0];
	put("../part", text.n ? text.p : "");
	snprintf(path, sizeof(path), "%s/%s", project, name);
	snprintf(part, sizeof(part), "%s/../part", project);
	assert_int_equal(utimensat(AT_FDCWD, part, t, 0), 0);
	assert_int_equal(rename(part, path), 0);
}

static void stamp_of_file(char out[64])
{
	struct tree_stat st;

	assert_true(tree_look(ox->root, "a", &st));
	watch_stamp(out, &st);
}

static bool disk_is_same(void)
{
	char now[64];

	stamp_of_file(now);
	return !strcmp(now, nv.seen);
}

static struct said *say(enum said_kind kind)
{
	struct said *s = mem_new(sizeof(*s));

	s->kind = kind;
	s->tick = nv.tick;
	s->modified = nv.modified;
	buf_add(&s->text, buf_str(&nv.text));
	snprintf(s->stamp, sizeof(s->stamp), "%s", nv.behind ? "" : nv.seen);
	STAILQ_INSERT_TAIL(&nv.said, s, all);
	return s;
}

static void has_text(struct str text, bool modified)
{
	struct buf own = BUF_INIT; /* it may lie in what it replaces */

	buf_add(&own, text);
	buf_clear(&nv.text);
	buf_add(&nv.text, buf_str(&own));
	buf_release(&own);
	nv.tick++;
	nv.modified = modified;
	if (nv.attached)
		say(SAID_LINES);
}

static void reads_file(void)
{
	struct buf disk = BUF_INIT;

	whole_file("a", &disk);
	nv.attached = false;
	has_text(buf_str(&disk), false);
	nv.behind = false;
	stamp_of_file(nv.seen);
	say(SAID_OPEN);
	buf_release(&disk);
}

/* The user says no where it asks. */
static bool writes_file(void)
{
	if (!disk_is_same() || nv.behind)
		return false;
	write_file("a", buf_str(&nv.text));
	stamp_of_file(nv.seen);
	nv.tick += nv.modified;
	nv.modified = false;
	say(SAID_SAVED);
	say(SAID_INFO);
	return true;
}

/* reread.lua: take() */
static enum reread_fate takes(const struct buffer_reread *v)
{
	bool modified = nv.modified;
	struct buf text = BUF_INIT;

	if (nv.tick != v->tick)
		return REREAD_STALE;
	buf_add(&text, buf_str(&nv.text));
	if (!disk_is_same()) {
		reads_file();
		if (modified) {
			has_text(buf_str(&text), true);
			nv.behind = true;
			say(SAID_INFO);
			say(SAID_BEHIND);
		}
	}
	buf_release(&text);
	if (modified || nv.tick == v->tick) {
		if (v->edits->n)
			has_text(v->now, true);
		nv.modified = nv.modified && !v->plain;
		nv.behind = nv.behind && strcmp(v->stamp, nv.seen) != 0;
		say(SAID_INFO);
		nv.conflicts += v->clashes;
	}
	return REREAD_DONE;
}

/* Something that the core wants of it. */
static void hears(void)
{
	if (nv.asked_to_attach) {
		nv.asked_to_attach = false;
		nv.attached = true;
		say(SAID_TEXT);
	} else if (nv.n_asked) {
		struct asked a = nv.asked[0];
		enum reread_fate fate = a.v ? takes(a.v) : REREAD_DONE;
		struct said *s = say(SAID_FATE);

		memmove(nv.asked, nv.asked + 1, --nv.n_asked * sizeof(a));
		s->fate = fate;
		s->fn = a.fn;
		s->arg = a.arg;
	}
}

static void core_has_buffer(const struct said *s)
{
	struct buffer_info info = { .number = BUFFER, .filetype = "text" };
	char path[4200];
	struct err e = ERR_INIT;

	snprintf(path, sizeof(path), "%s/a", ox->root);
	info.path = path;
	info.modified = s->modified;
	info.stamp = *s->stamp ? s->stamp : NULL;
	if (s->kind == SAID_OPEN)
		workspace_buffer_close(ox->workspace, BUFFER);
	assert_non_null(workspace_buffer_info(ox->workspace, &info, &e));
}

static void core_has_text(const struct said *s, bool whole)
{
	struct buffer *b = workspace_buffer(ox->workspace, BUFFER);

	if (!whole && b->loading)
		return;
	doc_set(b->doc, buf_str(&s->text));
	b->tick = s->tick;
	b->loading = false;
	if (whole)
		disk_listeners_buffer(ox, b, DISK_READ);
}

/* The next that Neovim has said; false: nothing. */
static bool core_hears(void)
{
	struct said *s = STAILQ_FIRST(&nv.said);
	struct buffer *b;

	if (!s)
		return false;
	STAILQ_REMOVE_HEAD(&nv.said, all);
	if (s->kind == SAID_OPEN || s->kind == SAID_INFO)
		core_has_buffer(s);
	b = workspace_buffer(ox->workspace, BUFFER);
	if (s->kind == SAID_OPEN) {
		b->loading = true;
		nv.asked_to_attach = true;
	} else if (s->kind == SAID_LINES || s->kind == SAID_TEXT) {
		core_has_text(s, s->kind == SAID_TEXT);
	} else if (s->kind == SAID_SAVED) {
		b->modified = false;
		b->tick = s->tick;
		disk_listeners_buffer(ox, b, DISK_WRITTEN);
	} else if (s->kind == SAID_BEHIND) {
		disk_listeners_buffer(ox, b, DISK_BEHIND);
	} else if (s->kind == SAID_FATE) {
		s->fn(s->arg, &s->fate);
	}
	buf_release(&s->text);
	free(s);
	return true;
}

static void neovim_reread(void *self, const struct buffer_reread *v, size_t n, editor_reread *fn,
			  void *arg)
{
	(void)self;
	assert_true(nv.n_asked < 4 && n < 2);
	nv.asked[nv.n_asked++] = (struct asked){ v, fn, arg };
}

static void neovim_follow(void *self, long buf, bool on, const char *why)
{
	(void)self;
	(void)buf;
	(void)on;
	if (why)
		fail_msg("not followed: %s", why);
}

static void all_is_heard(void)
{
	while (core_hears() || nv.asked_to_attach || nv.n_asked)
		hears();
}

static void neovim_begin(void)
{
	STAILQ_INIT(&nv.said);
	ox->editor.reread = neovim_reread;
	ox->editor.follow = neovim_follow;
	reads_file();
	all_is_heard();
}

static void neovim_end(void)
{
	all_is_heard();
	buf_release(&nv.text);
}

#endif
