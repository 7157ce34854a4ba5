#include "journal.h"

#include <inttypes.h>

#include "../base/hash.h"
#include "../base/path.h"

#define MAGIC	"OXJOURN3"
#define MARK_AT 8
/* magic, mark, length and hash of the meta, length of the images, hash of the head */
#define META_LEN 16
#define META_SUM 24
#define IMAGES	 32
#define HEAD_SUM 40

char *journal_temp(const char *path, uint64_t number)
{
	struct str dir = path_dir(str_of(path));
	struct buf name = BUF_INIT;

	buf_add(&name, dir);
	buf_addf(&name, "%s" JOURNAL_TEMP "%016" PRIx64, dir.n > 1 ? "/" : "", number);
	return buf_detach(&name);
}

static void set_number(char *p, uint64_t v)
{
	for (int i = 0; i < 8; i++)
		p[i] = (char)(v >> (8 * i));
}

static uint64_t number_at(const char *p)
{
	uint64_t v = 0;

	for (int i = 8; i--;)
		v = v << 8 | (unsigned char)p[i];
	return v;
}

static void journal_put(struct buf *out, uint64_t v)
{
	set_number(buf_room(out, 8), v);
	out->n += 8;
	buf_end(out);
}

static void put_str(struct buf *out, struct str s)
{
	journal_put(out, s.n);
	buf_add(out, s);
}

static void put_dirs(struct buf *out, const struct journal_dir *v, size_t n)
{
	journal_put(out, n);
	for (size_t i = 0; i < n; i++) {
		journal_put(out, v[i].mode);
		put_str(out, v[i].path);
	}
}

static uint64_t what_of(const struct journal_file *f)
{
	return (uint64_t)f->way | (uint64_t)f->was_link << 8 | (uint64_t)f->now_link << 9 |
	       (uint64_t)f->sets_mode << 10 | (uint64_t)f->mode << 16 | (uint64_t)f->was_mode << 32;
}

void journal_meta(struct buf *meta, const struct journal *j)
{
	journal_put(meta, j->here.user);
	journal_put(meta, j->here.boot);
	journal_put(meta, j->here.unique);
	put_str(meta, j->root);
	journal_put(meta, j->editor.process.pid);
	journal_put(meta, j->editor.process.born);
	journal_put(meta, j->editor.alone);
	journal_put(meta, (uint64_t)j->editor.time_ms);
	put_dirs(meta, j->made, j->n_made);
	put_dirs(meta, j->gone, j->n_gone);
	journal_put(meta, j->files);
	for (size_t i = 0; i < j->files; i++) {
		const struct journal_file *f = &j->file[i];

		journal_put(meta, what_of(f));
		journal_put(meta, f->was_hash);
		journal_put(meta, f->now_hash);
		journal_put(meta, f->was.n);
		journal_put(meta, f->now.n);
		journal_put(meta, f->like_file);
		put_str(meta, f->path);
		put_str(meta, f->like_path);
	}
}

static uint64_t head_sum(const char *head)
{
	char v[JOURNAL_HEAD];

	memcpy(v, head, HEAD_SUM);
	memset(v + MARK_AT, 0, 8);
	return hash_of((struct str){ v, HEAD_SUM });
}

void journal_head(char head[JOURNAL_HEAD], enum journal_mark mark, struct str meta, uint64_t images)
{
	memcpy(head, MAGIC, 8);
	set_number(head + MARK_AT, mark);
	set_number(head + META_LEN, meta.n);
	set_number(head + META_SUM, hash_of(meta));
	set_number(head + IMAGES, images);
	set_number(head + HEAD_SUM, head_sum(head));
}

uint64_t journal_mark(char bytes[8], enum journal_mark mark)
{
	set_number(bytes, mark);
	return MARK_AT;
}

static bool is_head(const char *head)
{
	return memcmp(head, MAGIC, 8) == 0 && number_at(head + MARK_AT) <= MARK_EDITOR &&
	       head_sum(head) == number_at(head + HEAD_SUM);
}

static bool is_other_version(const char *head)
{
	return memcmp(head, MAGIC, 7) == 0 && head[7] != MAGIC[7];
}

#define BOOT	   JOURNAL_HEAD
#define SECOND_SUM (JOURNAL_HEAD + 8)

void journal_second(char second[JOURNAL_SECOND], const char head[JOURNAL_HEAD], uint64_t boot)
{
	memcpy(second, head, JOURNAL_HEAD);
	set_number(second + BOOT, boot);
	set_number(second + SECOND_SUM, hash_of((struct str){ second, SECOND_SUM }));
}

static bool zero(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i])
			return false;
	return true;
}

static bool is_second(struct str s)
{
	return s.n == JOURNAL_SECOND && is_head(s.p) &&
	       number_at(s.p + SECOND_SUM) == hash_of(str_sub(s, 0, SECOND_SUM));
}

static bool is_since(const char *second, uint64_t boot)
{
	return boot && number_at(second + BOOT) == boot;
}

static bool has_begun(const char *head)
{
	return number_at(head + MARK_AT) > MARK_ASKING;
}

/* No journal was ever written there: what one leaves behind once it is free is its meta. */
static bool journal_is_blank(struct str bytes)
{
	return bytes.n < JOURNAL_LOOK || zero(str_sub(bytes, JOURNAL_BODY, JOURNAL_LOOK));
}

/* Before there was a copy, a text could come to lie in its place, behind a meta. */
static bool copy_counts(struct str bytes, uint64_t boot)
{
	const char *copy = bytes.p + JOURNAL_COPY;

	return (has_begun(copy) || !is_since(copy, boot)) &&
	       (!zero(str_sub(bytes, 0, JOURNAL_HEAD)) || zero(str_sub(bytes, 0, JOURNAL_COPY)));
}

static bool second_counts(const char *second, struct str bytes, const char *own, const char *copy,
			  uint64_t boot)
{
	const char *known = own ? own : copy;
	bool since = is_since(second, boot);

	/* After a restart of the machine it may be behind what was synced. */
	if (known && number_at(known + HEAD_SUM) == number_at(second + HEAD_SUM))
		return since || !has_begun(known);
	return !own && (since || journal_is_blank(bytes));
}

bool journal_has_copy(struct str bytes)
{
	return bytes.n >= JOURNAL_BODY && is_second(str_sub(bytes, JOURNAL_COPY, JOURNAL_BODY));
}

static const char *other_head(struct str bytes, struct str second, uint64_t boot)
{
	const char *own = NULL, *copy = NULL;

	if (bytes.n >= JOURNAL_HEAD && is_other_version(bytes.p))
		return NULL;
	if (bytes.n >= JOURNAL_HEAD && is_head(bytes.p))
		own = bytes.p;
	if (journal_has_copy(bytes))
		copy = bytes.p + JOURNAL_COPY;
	if (is_second(second) && second_counts(second.p, bytes, own, copy, boot))
		return second.p;
	return !own && copy && copy_counts(bytes, boot) ? copy : NULL;
}

bool journal_has_other(struct str bytes, struct str second, uint64_t boot)
{
	return other_head(bytes, second, boot) != NULL;
}

bool journal_mend(struct buf *bytes, struct str second, uint64_t boot)
{
	const char *other = other_head(buf_str(bytes), second, boot);
	char head[JOURNAL_HEAD];

	if (!other || (bytes->n >= JOURNAL_HEAD && !memcmp(bytes->p, other, JOURNAL_HEAD)))
		return false;
	memcpy(head, other, JOURNAL_HEAD);
	if (bytes->n < JOURNAL_HEAD) {
		buf_clear(bytes);
		buf_add(bytes, (struct str){ head, JOURNAL_HEAD });
	}
	memcpy(bytes->p, head, JOURNAL_HEAD);
	return true;
}

bool journal_is_free(struct str bytes)
{
	return !bytes.n || (bytes.n >= JOURNAL_HEAD && zero(str_sub(bytes, 0, JOURNAL_HEAD)));
}

struct reading {
	struct str meta, images;
	struct arena *arena;
	bool bad;
};

static uint64_t get(struct reading *r)
{
	uint64_t v;

	if (r->meta.n < 8)
		r->bad = true;
	if (r->bad)
		return 0;
	v = number_at(r->meta.p);
	r->meta = str_sub(r->meta, 8, r->meta.n);
	return v;
}

static struct str journal_cut(struct reading *r, struct str *from, uint64_t n)
{
	struct str v = STR("");

	if (n > from->n)
		r->bad = true;
	if (r->bad)
		return v;
	v = str_sub(*from, 0, (size_t)n);
	*from = str_sub(*from, (size_t)n, from->n);
	return v;
}

static struct str get_str(struct reading *r)
{
	return journal_cut(r, &r->meta, get(r));
}

/* How many come: each takes at least so many bytes, so that no lie makes us take memory. */
static size_t get_count(struct reading *r, size_t each)
{
	uint64_t n = get(r);

	if (n > r->meta.n / each)
		r->bad = true;
	return r->bad ? 0 : (size_t)n;
}

/* Names with a slash between, none of them empty, "." or "..". */
static bool is_relative(struct str path)
{
	struct buf whole SCOPED(buf_release) = BUF_INIT, normal SCOPED(buf_release) = BUF_INIT;

	if (!path.n || memchr(path.p, '\0', path.n))
		return false;
	buf_addc(&whole, '/');
	buf_add(&whole, path);
	path_normal(&normal, "/", buf_str(&whole));
	return str_eq(buf_str(&whole), buf_str(&normal));
}

static struct str get_path(struct reading *r, bool may_be_empty)
{
	struct str path = get_str(r);

	if (!r->bad && !(may_be_empty && !path.n) && !is_relative(path))
		r->bad = true;
	return path;
}

static struct journal_dir *get_dirs(struct reading *r, size_t *n)
{
	size_t many = get_count(r, 16);
	struct journal_dir *v = arena_new(r->arena, (many + 1) * sizeof(*v));

	for (*n = 0; *n < many && !r->bad; ++*n) {
		uint64_t mode = get(r);

		r->bad |= mode > 07777;
		v[*n].mode = (unsigned)mode;
		v[*n].path = get_path(r, false);
	}
	return v;
}

static void get_file(struct reading *r, struct journal_file *f, size_t files)
{
	uint64_t what = get(r), was, now;

	f->way = (enum journal_way)(what & 0xff);
	f->was_link = what >> 8 & 1;
	f->now_link = what >> 9 & 1;
	f->sets_mode = what >> 10 & 1;
	f->mode = (unsigned)(what >> 16) & 07777;
	f->was_mode = (unsigned)(what >> 32) & 07777;
	f->was_hash = get(r);
	f->now_hash = get(r);
	was = get(r);
	now = get(r);
	f->like_file = (size_t)get(r);
	f->path = get_path(r, false);
	f->like_path = get_path(r, true);
	f->was = journal_cut(r, &r->images, was);
	f->now = journal_cut(r, &r->images, now);
	if (what != what_of(f) || f->way > WAY_EDITOR || f->like_file > files)
		r->bad = true;
	if (!r->bad && (f->way == WAY_INSIDE || f->way == WAY_EDITOR) &&
	    hash_of(f->was) != f->was_hash)
		r->bad = true;
	if (!r->bad && f->way != WAY_REMOVE && hash_of(f->now) != f->now_hash)
		r->bad = true;
}

static bool get_all(struct reading *r, struct journal *j)
{
	struct str slash = STR("/");
	uint64_t alone;

	j->here.user = get(r);
	j->here.boot = get(r);
	j->here.unique = get(r);
	j->root = get_str(r);
	j->editor.process.pid = get(r);
	j->editor.process.born = get(r);
	alone = get(r);
	j->editor.alone = alone == 1;
	r->bad |= alone > 1;
	j->editor.time_ms = (int64_t)get(r);
	if (!r->bad && !str_eq(j->root, slash))
		r->bad = !str_skip(&(struct str){ j->root.p, j->root.n }, slash) ||
			 !is_relative(str_sub(j->root, 1, j->root.n));
	j->made = get_dirs(r, &j->n_made);
	j->gone = get_dirs(r, &j->n_gone);
	j->files = get_count(r, 64);
	j->file = arena_new(r->arena, (j->files + 1) * sizeof(*j->file));
	for (size_t i = 0; i < j->files && !r->bad; i++)
		get_file(r, &j->file[i], j->files);
	return !r->bad && !r->meta.n && !r->images.n;
}

/* A journal in which nothing had begun is as good as none; in another one something is at stake. */
static enum journal_verdict unfit(uint64_t mark, const char *what, struct err *e)
{
	err_set(e, ERR_IO, "the journal %s", what);
	return mark <= MARK_ASKING ? JOURNAL_TORN : JOURNAL_DAMAGED;
}

enum journal_verdict journal_decode(struct journal *j, struct str bytes, struct arena *a,
				    enum journal_mark *mark, struct err *e)
{
	struct reading r = { .arena = a };
	uint64_t is, meta, images;
	bool whole;

	*mark = MARK_WRITTEN;
	if (journal_is_free(bytes))
		return JOURNAL_FREE;
	if (bytes.n < JOURNAL_HEAD)
		return unfit(MARK_WRITTEN, "is truncated", e);
	is = number_at(bytes.p + MARK_AT);
	if (is_other_version(bytes.p))
		return unfit(MARK_BEGUN, "was written by another version of Oxide, or is damaged",
			     e);
	if (!is_head(bytes.p))
		return unfit(is, "has a damaged header", e);
	meta = number_at(bytes.p + META_LEN);
	images = number_at(bytes.p + IMAGES);
	if (bytes.n >= JOURNAL_BODY)
		r.meta = str_sub(bytes, JOURNAL_BODY, bytes.n);
	if (bytes.n < JOURNAL_BODY || meta > r.meta.n)
		return unfit(is, "is truncated", e);
	r.images = str_sub(r.meta, (size_t)meta, r.meta.n);
	r.meta = str_sub(r.meta, 0, (size_t)meta);
	if (hash_of(r.meta) != number_at(bytes.p + META_SUM))
		return unfit(is, "is damaged", e);
	whole = images <= r.images.n;
	if (whole)
		r.images = str_sub(r.images, 0, (size_t)images);
	if (!get_all(&r, j) || !whole)
		return unfit(is,
			     whole ? "is damaged, or names a file outside of its root"
				   : "is truncated",
			     e);
	*mark = (enum journal_mark)is;
	return JOURNAL_LIVE;
}
