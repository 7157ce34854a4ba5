#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "../base/mem.h"
#include "../base/path.h"
#include "../base/utf.h"
#include "../core/workspace.h"
#include "watch_impl.h"

#define BOM "\xef\xbb\xbf"

static void base_free(struct watch_base *b)
{
	buf_release(&b->text);
	buf_release(&b->disk.text);
	watch_merged_release(&b->last);
	free(b->conflict);
	free(b);
}

struct watch_base *watch_base_of(struct watched *p, const char *path)
{
	return map_get(&p->bases, str_of(path));
}

static bool ends_crlf(struct str text)
{
	size_t lines = str_count(text, '\n'), crlf = 0;

	for (size_t i = 1; i < text.n; i++)
		crlf += text.p[i] == '\n' && text.p[i - 1] == '\r';
	return lines && lines == crlf;
}

bool watch_as_buffer(struct str text, struct buf *out)
{
	bool crlf = ends_crlf(text);

	str_skip(&text, STR(BOM));
	if (!utf_clean(text) || (text.n && memchr(text.p, '\0', text.n)))
		return false;
	for (size_t at = 0; crlf && at < text.n;) {
		const char *lf = memchr(text.p + at, '\n', text.n - at);
		size_t end = lf ? (size_t)(lf - text.p) - 1 : text.n;

		buf_add(out, str_sub(text, at, end));
		if (lf)
			buf_addc(out, '\n');
		at = lf ? end + 2 : end;
	}
	if (!crlf)
		buf_add(out, text);
	return true;
}

const char *watch_reason(const struct err *e)
{
	return e->code == ERR_LIMIT ? "it is too large (agent.watch_file_bytes)" : e->msg;
}

/* The editor need not ask the user about the file any more; or, for the reason `why`, it has to. */
static void base_tell(struct watched *p, const char *path, bool on, const char *why)
{
	struct buffer *b = workspace_buffer_at(p->ox->workspace, path);

	if (b)
		p->ox->editor.follow(p->ox->editor.self, b->number, on, why);
}

static void base_drop(struct watched *p, const char *path, const char *why)
{
	struct watch_base *base = map_take(&p->bases, str_of(path));

	if (!base)
		return;
	base_tell(p, path, false, why);
	base_free(base);
}

void watch_bases_let_go(struct watched *p)
{
	struct str path;
	void *v;

	for (size_t i = 0; map_at(&p->bases, &i, &path, &v);) {
		struct watch_base *base = v;
		char *name SCOPED(mem_release) = NULL;

		i++;
		if (!*base->why)
			continue;
		name = mem_dup(path.p, path.n);
		base_drop(p, name, base->why);
		i = 0;
	}
}

void watch_bases_drop(struct watched *p)
{
	map_each(it, &p->bases) {
		base_tell(p, it.key.p, false, NULL);
		base_free(it.value);
	}
	map_release(&p->bases);
	p->bases = (struct map)MAP_INIT;
}

static void base_follow_dir(struct watched *p, const char *path)
{
	struct str dir = path_dir(str_of(path));
	char *name SCOPED(mem_release) = mem_dup(dir.p, dir.n);

	if (p->dirs)
		dir_watch_add(p->dirs, name);
}

void watch_stamp(char out[WATCH_STAMP], const struct tree_stat *st)
{
	snprintf(out, WATCH_STAMP, "%" PRId64 ".%09" PRId64 " %" PRIu64, st->mtime_ns / 1000000000,
		 st->mtime_ns % 1000000000, st->size);
}

static struct watch_base *base_make(struct watched *p, const char *path)
{
	struct watch_base *base = watch_base_of(p, path);

	if (base)
		return base;
	base = mem_new(sizeof(*base));
	map_put(&p->bases, str_of(path), base);
	base_follow_dir(p, path);
	return base;
}

void watch_base_note_form(struct watch_base *base, struct str disk)
{
	base->bom = str_starts(disk, STR(BOM));
	base->crlf = ends_crlf(disk);
}

enum base_fate { BASE_SET, BASE_OLD, BASE_NONE };

static enum base_fate base_take(struct watched *p, const struct buffer *b, bool begin,
				struct err *e)
{
	const char *path = doc_path(b->doc), *below = watch_below(p, path);
	enum base_fate fate = BASE_OLD;
	struct watch_text disk;
	struct tree_stat seen;
	struct buf text SCOPED(buf_release) = BUF_INIT;
	char stamp[WATCH_STAMP];

	if (!tree_look(p->root, below, &seen))
		return BASE_OLD;
	if (!watch_text_read(p, below, &disk, e))
		return e->code == ERR_STALE ? BASE_OLD : BASE_NONE;
	watch_stamp(stamp, &seen);
	if (!watch_as_buffer(buf_str(&disk.text), &text)) {
		err_set(e, ERR_INVALID, WATCH_NO_TEXT);
		fate = BASE_NONE;
	} else if (disk.there &&
		   (str_eq(buf_str(&text), doc_text(b->doc)) || !strcmp(b->stamp, stamp))) {
		struct watch_base *base = base_make(p, path);

		watch_base_put(base, buf_str(&text));
		base->seen = seen;
		watch_base_note_form(base, buf_str(&disk.text));
		/* What the user has written since would have another stamp: the editor's word of
		 * that comes later than the text is there. */
		if (begin) {
			base->disk_known = false;
		} else if (!strcmp(b->stamp, stamp)) {
			base->disk_known = true;
			watch_text_copy(&base->disk, &disk);
		}
		fate = BASE_SET;
	}
	buf_release(&disk.text);
	return fate;
}

void watch_base_set(struct watched *p, const struct buffer *b, bool begin)
{
	const char *path = doc_path(b->doc);
	struct err e = ERR_INIT;

	if (!watch_below(p, path) || b->loading) /* what the document has is not the buffer's */
		return;
	if (base_take(p, b, begin, &e) == BASE_NONE)
		base_drop(p, path, watch_reason(&e));
	else if (watch_base_of(p, path))
		base_tell(p, path, true, NULL);
}

void watch_bases_forget_conflicts(struct watched *p)
{
	map_each(it, &p->bases) {
		struct watch_base *base = it.value;

		base->conflicts = 0;
		watch_merged_release(&base->last); /* what was marked in it stays */
	}
}

/* As Neovim writes a buffer to this file. */
static void base_bytes(const struct watch_base *base, struct str text, struct buf *out)
{
	if (base->bom)
		buf_add(out, STR(BOM));
	if (!base->crlf)
		buf_add(out, text);
	for (size_t i = 0; base->crlf && i < text.n; i++) {
		if (text.p[i] == '\n')
			buf_addc(out, '\r');
		buf_addc(out, text.p[i]);
	}
}

/* `disk`, which is what is there by now, becomes what the user has written: the buffer's text. */
static void base_correct(const struct watch_base *base, const struct buffer *b,
			 struct watch_text *disk)
{
	struct buf text SCOPED(buf_release) = BUF_INIT;

	if (!disk->there || !watch_as_buffer(buf_str(&disk->text), &text) ||
	    !str_eq(buf_str(&text), doc_text(b->doc))) {
		buf_clear(&disk->text);
		base_bytes(base, doc_text(b->doc), &disk->text);
		disk->mode = disk->there ? disk->mode : base->seen.mode;
		disk->there = true;
	}
}

/* What the user wrote, in `now`, which is what the file holds. Where that is not known, it is taken
 * for the user's, and the base is left. */
static void base_find_written(struct watched *p, struct watch_base *base, const struct buffer *b,
			      const char *below, struct watch_text *now)
{
	bool same = !base->written || base->written_tick == b->tick;
	struct buf text SCOPED(buf_release) = BUF_INIT;
	char stamp[WATCH_STAMP];
	struct tree_stat seen;

	base->disk_known = false;
	if (same) {
		base_correct(base, b, now);
		buf_add(&text, doc_text(b->doc));
	} else if (tree_look(p->root, below, &seen)) {
		watch_stamp(stamp, &seen);
		same = !strcmp(stamp, b->stamp) && watch_as_buffer(buf_str(&now->text), &text);
	}
	if (same) {
		watch_base_put(base, buf_str(&text));
	}
}

void watch_base_written(struct watched *p, const struct buffer *b)
{
	const char *path = doc_path(b->doc), *below = watch_below(p, path);
	struct watch_base *base = watch_base_of(p, path);
	struct watch_text now, was = { 0 };
	bool known = base && base->disk_known;

	if (!below || !watch_is_on(p))
		return;
	if (base && b->loading) { /* watch_base_read() */
		base->written = true;
		base->written_tick = b->tick;
		return;
	}
	if (known)
		watch_text_copy(&was, &base->disk);
	if (watch_text_read(p, below, &now, ERR_IGNORED)) {
		if (base)
			base_find_written(p, base, b, below, &now);
		watch_steps_add(p, below, &was, known, &now);
	}
	buf_release(&was.text);
	buf_release(&now.text);
	if (base)
		base->written = false;
	else
		watch_base_set(p, b, true);
}

void watch_base_read(struct watched *p, const struct buffer *b)
{
	const struct watch_base *base = watch_base_of(p, doc_path(b->doc));

	if (base && base->written)
		watch_base_written(p, b);
	watch_base_set(p, b, false);
}

static json *base_conflicts(const struct watch_base *base)
{
	json *list = json_array();

	for (size_t i = 0; i < base->conflicts; i++)
		json_push(list, json_list(json_int((int64_t)base->conflict[i].first),
					  json_int((int64_t)base->conflict[i].last)));
	return list;
}

json *watch_bases_conflicts(struct watched *p)
{
	json *list = json_array();

	map_each(it, &p->bases) {
		const struct watch_base *base = it.value;

		if (base->conflicts)
			json_push(list, json_of({ "file", json_strz(watch_below(p, it.key.p)) },
						{ "lines", base_conflicts(base) }));
	}
	return list;
}
