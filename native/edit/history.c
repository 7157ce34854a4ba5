#include "history.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../base/hash.h"
#include "../base/mem.h"
#include "../base/path.h"
#include "history_impl.h"

/* An entry's file name: "0000000042-20261121-215930-1-<hash of the root>.entry", and ".undone" once
 * it was taken back, with the record of that beside it as ".redo"; zeros, where it says itself to
 * which projects it belongs. The running number orders them, whatever the clock does. */
#define SEQ_DIGITS  10
#define HASH_DIGITS 16

struct history *history_new(const struct fs *fs, const char *dir, size_t max_entries,
			    uint64_t max_bytes)
{
	struct history *h = mem_new(sizeof(*h));

	h->fs = fs;
	h->dir = mem_dup(dir, strlen(dir));
	h->max_entries = max_entries;
	h->max_bytes = max_bytes;
	return h;
}

void history_free(struct history *h)
{
	if (!h)
		return;
	free(h->dir);
	free(h->entry);
	arena_release(&h->arena);
	arena_release(&h->last_arena);
	free(h->last_name);
	buf_release(&h->names);
	free(h);
}

size_t history_damaged(const struct history *h)
{
	return h->damaged;
}

static bool history_digits(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
	return s.n;
}

static bool slot_parse(struct slot *s, const char *name)
{
	struct str rest = str_of(name), seq;

	*s = (struct slot){ .name = name, .undone = str_ends(rest, STR(SLOT_UNDONE)) };
	if (!s->undone && !str_ends(rest, STR(SLOT_LIVE)))
		return false;
	rest.n -= s->undone ? strlen(SLOT_UNDONE) : strlen(SLOT_LIVE);
	if (rest.n < SEQ_DIGITS + HASH_DIGITS + 3)
		return false;
	seq = str_sub(rest, 0, SEQ_DIGITS);
	s->root = str_sub(rest, rest.n - HASH_DIGITS, rest.n);
	s->id = str_sub(rest, SEQ_DIGITS + 1, rest.n - HASH_DIGITS - 1);
	s->seq = strtoull(name, NULL, 10);
	return history_digits(seq) && name[SEQ_DIGITS] == '-' && s->root.p[-1] == '-';
}

void slots_release(struct slots *s)
{
	buf_release(&s->names);
	free(s->v);
}

/* Not listed again where the directory is as it was. */
static bool read_names(struct history *h, struct buf *names, struct err *e)
{
	const struct fs *fs = h->fs;
	struct fs_stat st;

	if (!fs->stat(fs->self, h->dir, &st, e))
		return false;
	if (!h->settled || !fs_untouched(&st, &h->seen)) {
		h->seen = st;
		h->settled = st.kind == FS_DIR && fs->settled(fs->self, h->dir, &st);
		buf_clear(&h->names);
		if (!fs->list(fs->self, h->dir, &h->names, e)) {
			h->settled = false;
			return false;
		}
	}
	buf_add(names, buf_str(&h->names));
	return true;
}

void history_look(struct history *h)
{
	struct buf names SCOPED(buf_release) = BUF_INIT;

	read_names(h, &names, ERR_IGNORED);
}

bool slots_read(struct history *h, struct slots *s, struct err *e)
{
	*s = (struct slots){ .names = BUF_INIT };
	if (!read_names(h, &s->names, e))
		return e->code == ERR_NOT_FOUND;
	for (size_t at = 0; at < s->names.n; at += strlen(s->names.p + at) + 1) {
		s->v = mem_grow(s->v, &s->cap, s->n + 1, sizeof(*s->v));
		s->n += slot_parse(&s->v[s->n], s->names.p + at);
	}
	return true;
}

char *slot_path(const struct history *h, const struct slot *s)
{
	return path_join(h->dir, s->name);
}

char *slot_path_as(const struct history *h, const struct slot *s, const char *end)
{
	size_t n = strlen(s->name) - strlen(s->undone ? SLOT_UNDONE : SLOT_LIVE);
	struct buf name SCOPED(buf_release) = BUF_INIT;

	buf_add(&name, (struct str){ s->name, n });
	buf_adds(&name, end);
	return path_join(h->dir, name.p);
}

#define SHARED "0000000000000000"

static void root_hash(char out[HASH_DIGITS + 1], const char *root)
{
	snprintf(out, HASH_DIGITS + 1, "%016" PRIx64, hash_of(str_of(root)));
}

static bool make_dir(struct history *h, const char *dir, struct err *e)
{
	struct fs_stat st;
	char *above SCOPED(mem_release) = NULL;

	if (!h->fs->stat(h->fs->self, dir, &st, e))
		return false;
	if (st.kind == FS_DIR)
		return true;
	above = mem_dup(dir, path_dir(str_of(dir)).n);
	return make_dir(h, above, e) &&
	       (h->fs->mkdir(h->fs->self, dir, 0700, e) || e->code == ERR_CONFLICT);
}

/* The local time, and the next number of those that have this second. */
static void new_id(const struct slots *s, int64_t time_ms, unsigned skip, struct buf *id)
{
	time_t t = (time_t)(time_ms / 1000);
	unsigned long most = 0;
	char second[32];
	struct tm tm;

	localtime_r(&t, &tm);
	strftime(second, sizeof(second), "%Y%m%d-%H%M%S-", &tm);
	for (size_t i = 0; i < s->n; i++)
		if (str_starts(s->v[i].id, str_of(second))) {
			unsigned long n = strtoul(s->v[i].id.p + strlen(second), NULL, 10);

			most = n > most ? n : most;
		}
	buf_addf(id, "%s%lu", second, most + 1 + skip);
}

/* Another process may take the same name at the same time; then the next one is free. */
static bool write_entry(struct history *h, const struct slots *s, const char *root, int64_t time_ms,
			struct str bytes, struct buf *id, struct err *e)
{
	uint64_t seq = s->n ? s->v[s->n - 1].seq : 0;
	char hash[HASH_DIGITS + 1];
	bool ok = false;

	if (record_is_shared(bytes))
		memcpy(hash, SHARED, sizeof(hash));
	else
		root_hash(hash, root);
	for (unsigned tries = 0; tries < 100 && !ok; tries++) {
		struct buf fresh SCOPED(buf_release) = BUF_INIT;
		struct buf name SCOPED(buf_release) = BUF_INIT;
		char *path SCOPED(mem_release) = NULL;

		new_id(s, time_ms, tries, &fresh);
		buf_addf(&name, "%010" PRIu64 "-%s-%s" SLOT_LIVE, seq + 1 + tries, fresh.p, hash);
		path = path_join(h->dir, name.p);
		ok = h->fs->create(h->fs->self, path, bytes, 0600, e);
		if (ok)
			buf_add(id, buf_str(&fresh));
		if (!ok && e->code != ERR_CONFLICT)
			return false;
	}
	return ok;
}

/* Counts a file; goes on to remove it, too, where there is no room for it. */
static void prune_file(struct history *h, char *path, bool full, uint64_t *bytes)
{
	struct fs_stat st;

	if (h->fs->stat(h->fs->self, path, &st, ERR_IGNORED) && st.kind == FS_FILE) {
		*bytes += st.size;
		if (full || *bytes > h->max_bytes)
			h->fs->remove(h->fs->self, path, ERR_IGNORED);
	}
	free(path);
}

void history_prune(struct history *h)
{
	struct slots s SCOPED(slots_release) = { .names = BUF_INIT };
	size_t entries = 0;
	uint64_t bytes = 0;

	slots_read(h, &s, ERR_IGNORED);
	for (size_t i = s.n; i--;) {
		bool full = ++entries > h->max_entries;

		prune_file(h, slot_path(h, &s.v[i]), full, &bytes);
		if (s.v[i].undone)
			prune_file(h, slot_path_as(h, &s.v[i], SLOT_REDO), full, &bytes);
	}
}

bool history_add(struct history *h, struct str record, const char *root, int64_t time_ms,
		 struct buf *id, struct err *e)
{
	struct slots s SCOPED(slots_release) = { .names = BUF_INIT };

	if (record.n > h->max_bytes)
		return err_set(e, ERR_LIMIT,
			       "the change cannot be kept for undo: it takes %zu bytes, more than "
			       "%" PRIu64 " (history.bytes)",
			       record.n, h->max_bytes);
	return make_dir(h, h->dir, e) && slots_read(h, &s, e) &&
	       write_entry(h, &s, root, time_ms, record, id, e);
}

/* Reads an entry of any root. */
static bool read_any(struct history *h, const struct slot *s, struct buf *raw, struct record *r,
		     struct arena *a)
{
	char *path SCOPED(mem_release) = slot_path(h, s);

	buf_clear(raw);
	return h->fs->read(h->fs->self, path, raw, NULL, ERR_IGNORED) &&
	       record_decode(r, buf_str(raw), a, ERR_IGNORED);
}

static bool history_is_of(const struct history_entry *entry, struct str root)
{
	for (size_t i = 0; i < entry->n_projects; i++)
		if (str_eq(entry->projects[i], root))
			return true;
	return str_eq(entry->root, root);
}

bool slot_read(struct history *h, const struct slot *s, const char *root, struct buf *raw,
	       struct record *r, struct arena *a)
{
	if (!read_any(h, s, raw, r, a)) {
		h->damaged++;
		return false;
	}
	r->entry.id = arena_str(a, s->id);
	r->entry.undone = s->undone;
	return history_is_of(&r->entry, str_of(root));
}

bool slot_is_of(const struct slot *s, const char *root)
{
	char hash[HASH_DIGITS + 1];

	root_hash(hash, root);
	return str_eq(s->root, str_of(hash)) || str_eq(s->root, STR(SHARED));
}

bool history_list(struct history *h, const char *root, const struct history_entry **v, size_t *n,
		  struct err *e)
{
	struct buf raw SCOPED(buf_release) = BUF_INIT;
	struct slots s SCOPED(slots_release) = { 0 };
	bool ok = slots_read(h, &s, e);

	arena_release(&h->arena);
	h->damaged = 0;
	*n = 0;
	for (size_t i = s.n; ok && i--;) {
		struct record r;

		if (!slot_is_of(&s.v[i], root) || !slot_read(h, &s.v[i], root, &raw, &r, &h->arena))
			continue;
		mem_add(h->entry, *n, h->cap, r.entry);
	}
	*v = h->entry;
	return ok;
}

static bool read_last(struct history *h, const struct slot *s, const char *root)
{
	struct buf raw SCOPED(buf_release) = BUF_INIT;
	struct record r;

	if (h->last_name && !strcmp(h->last_name, s->name))
		return history_is_of(&h->last, str_of(root));
	arena_release(&h->last_arena);
	free(h->last_name);
	h->last_name = NULL;
	if (!slot_read(h, s, root, &raw, &r, &h->last_arena))
		return false;
	h->last = r.entry;
	h->last_name = mem_dup(s->name, strlen(s->name));
	return true;
}

const struct history_entry *history_last(struct history *h, const char *root)
{
	struct slots s SCOPED(slots_release) = { 0 };
	bool found = false;

	if (slots_read(h, &s, ERR_IGNORED))
		for (size_t i = s.n; i-- && !found;)
			found = !s.v[i].undone && slot_is_of(&s.v[i], root) &&
				read_last(h, &s.v[i], root);
	return found ? &h->last : NULL;
}

/* Looks for the entry and takes it back. */
static bool undo_in(struct history *h, const struct slots *s, const char *root, struct str id,
		    struct plan *p, struct buf *found, struct buf *title, struct err *e)
{
	struct arena a SCOPED(arena_release) = { 0 };
	struct buf raw SCOPED(buf_release) = BUF_INIT;
	struct record r;
	bool ok = false, tried = false;
	size_t damaged;

	for (size_t i = s->n; i--;) {
		const struct slot *v = &s->v[i];

		if (!slot_is_of(v, root) || (id.n ? !str_eq(v->id, id) : v->undone))
			continue;
		damaged = h->damaged;
		if (!slot_read(h, v, root, &raw, &r, &a)) {
			if (id.n && h->damaged > damaged)
				tried = !err_set(e, ERR_IO, "%s/%s: the entry is damaged", h->dir,
						 v->name);
			continue;
		}
		tried = true;
		ok = v->undone ? err_set(e, ERR_CONFLICT, "%.*s is already undone", STR_ARG(v->id))
			       : record_undo(&r, p, NULL, e);
		if (ok) {
			buf_add(found, v->id);
			buf_add(title, r.entry.title);
		}
		break;
	}
	if (!tried)
		err_set(e, ERR_NOT_FOUND, "nothing to undo%s%.*s in %s", id.n ? " named " : "",
			STR_ARG(id), root);
	return ok;
}

bool history_undo(struct history *h, const char *root, struct str id, struct plan *p,
		  struct buf *found, struct buf *title, struct err *e)
{
	struct slots s SCOPED(slots_release) = { 0 };

	h->damaged = 0;
	return slots_read(h, &s, e) && undo_in(h, &s, root, id, p, found, title, e);
}

static void step_through(const struct record *r, bool back, history_step *fn, void *arg)
{
	for (size_t i = 0; i < r->entry.files; i++) {
		const struct history_file *f = &r->entry.file[i];
		uint64_t was = f->existed ? r->file[i].was_hash : 0;
		uint64_t now = f->exists ? r->file[i].now_hash : 0;

		if (!back)
			fn(arg, f->path, f->new_path, was, now);
		else if (f->new_path.n)
			fn(arg, f->new_path, f->path, now, was);
		else
			fn(arg, f->path, f->new_path, now, was);
	}
}

void history_since(struct history *h, uint64_t *seq, int64_t since_ms, history_step *fn, void *arg)
{
	struct buf raw SCOPED(buf_release) = BUF_INIT;
	struct slots s SCOPED(slots_release) = { 0 };
	uint64_t known = *seq, last;
	bool old = false;

	if (!slots_read(h, &s, ERR_IGNORED))
		s.n = 0;
	last = s.n && s.v[s.n - 1].seq > known ? s.v[s.n - 1].seq : known;
	/* From the last one back to what is known, or too old. */
	for (size_t i = s.n; i-- && s.v[i].seq > known && !old;) {
		struct arena a SCOPED(arena_release) = { 0 };
		struct record r;

		if (!read_any(h, &s.v[i], &raw, &r, &a)) {
			last = s.v[i].seq - 1; /* it is being written, perhaps */
		} else if (r.entry.time_ms < since_ms) {
			old = true;
		} else {
			step_through(&r, false, fn, arg);
			if (s.v[i].undone)
				step_through(&r, true, fn, arg);
		}
	}
	*seq = last;
}
