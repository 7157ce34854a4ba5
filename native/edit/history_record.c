#include "history_record.h"

#include <inttypes.h>
#include <stdio.h>

#include "../base/hash.h"
#include "../base/jscan.h"
#include "../base/json.h"
#include "../base/path.h"

#define VERSION	 2
#define SUM_HEAD "{\"sum\":\""
#define SUM_BODY (sizeof(SUM_HEAD) - 1 + 16)

static void record_file_put_number(struct buf *head, size_t n)
{
	buf_addc(head, ',');
	buf_addn(head, n);
}

static void put_file(struct buf *head, struct buf *blobs, const struct plan_file *f, bool whole)
{
	struct str path = str_of(f->path), to = str_of(f->new_path);
	struct edits made SCOPED(edits_release) = EDITS_INIT;
	const struct edits *back = f->part ? &f->back : &made;
	struct str text = f->exists && !plan_file_links(f) ? STR("") : f->was;

	if (!f->part && f->edits.n)
		edits_invert(&f->edits, f->was, &made);
	buf_addf(head, "[%zu,%zu,%d,%d,%u,%u,\"%016" PRIx64 "\",\"%016" PRIx64 "\",%zu,%zu,%zu,%zu",
		 path.n, to.n, f->existed, f->exists, f->was_mode, f->now_mode, f->was_hash,
		 f->now_hash, f->lines_added, f->lines_removed, text.n, back->n);
	buf_add(blobs, path);
	buf_add(blobs, to);
	buf_add(blobs, text);
	for (size_t i = 0; i < back->n; i++) {
		const struct edit *v = &back->v[i];

		record_file_put_number(head, v->span.at);
		record_file_put_number(head, v->span.end);
		record_file_put_number(head, v->with.n);
		buf_add(blobs, v->with);
	}
	if (whole) {
		record_file_put_number(head, f->now.n);
		buf_add(blobs, f->now);
	}
	buf_addc(head, ']');
}

static void put_path(struct buf *head, struct buf *blobs, struct str path)
{
	buf_adds(head, str_ends(buf_str(head), STR("[")) ? "" : ",");
	buf_addn(head, path.n);
	buf_add(blobs, path);
}

/* What only a change has that is of more than one project. */
static void put_shared(struct buf *head, struct buf *blobs, const struct plan *p,
		       const struct history_about *about)
{
	struct exemptions exempt SCOPED(exempt_release) = EXEMPTIONS_INIT;
	const char *path;

	if (!about->n_projects)
		return;
	buf_adds(head, ",\"projects\":[");
	for (size_t i = 0; i < about->n_projects; i++)
		put_path(head, blobs, about->projects[i]);
	buf_adds(head, "],\"exempt\":[");
	plan_exempt_put(p, &exempt);
	for (size_t at = 0; (path = exempt_each(&exempt, &at));)
		put_path(head, blobs, str_of(path));
	buf_addc(head, ']');
}

const char *history_path_after(const struct history_file *f)
{
	return f->new_path.n ? f->new_path.p : f->path.p;
}

bool history_file_links(const struct history_file *f)
{
	return f->was_mode == MODE_LINK || f->now_mode == MODE_LINK;
}

/* It comes before the arrays, which may be long. */
bool record_is_shared(struct str raw)
{
	struct jscan s = jscan_of(raw, ERR_IGNORED);
	struct str key;

	for (jscan_object(&s); jscan_member(&s, &key) && !str_eq(key, STR("made"));)
		if (str_eq(key, STR("projects")))
			return true;
		else
			jscan_skip(&s);
	return false;
}

void history_record(struct buf *out, const struct plan *p, const struct history_about *about)
{
	struct buf blobs SCOPED(buf_release) = BUF_INIT;
	const char *const *made;
	size_t start = out->n, n_made = plan_made_dirs(p, &made);
	char sum[17];

	buf_adds(out, SUM_HEAD "0000000000000000\",");
	buf_addf(out, "\"version\":%d,\"time\":%" PRId64 ",\"origin\":", VERSION, about->time_ms);
	json_quote(out, str_of(about->origin));
	buf_adds(out, ",\"title\":");
	json_quote(out, str_of(about->title));
	if (about->turn) {
		buf_adds(out, ",\"turn\":");
		json_quote(out, str_of(about->turn));
	}
	buf_addf(out, ",\"root\":%zu", strlen(about->root));
	buf_adds(&blobs, about->root);
	put_shared(out, &blobs, p, about);
	buf_adds(out, ",\"made\":[");
	for (size_t i = 0; i < n_made; i++) {
		buf_addf(out, "%s%zu", i ? "," : "", strlen(made[i]));
		buf_adds(&blobs, made[i]);
	}
	buf_addf(out, "],\"count\":%zu,\"files\":[", plan_files(p));
	for (size_t i = 0; i < plan_files(p); i++) {
		if (i)
			buf_addc(out, ',');
		put_file(out, &blobs, plan_file(p, i), about->turn);
	}
	buf_adds(out, "]}\n");
	buf_add(out, buf_str(&blobs));
	start += SUM_BODY;
	snprintf(sum, sizeof(sum), "%016" PRIx64, hash_of(str_sub(buf_str(out), start, out->n)));
	memcpy(out->p + start - 16, sum, 16);
}

struct reading {
	struct jscan s;
	struct str blobs; /* those not taken yet */
	struct arena *arena;
	bool bad;
};

static int64_t record_file_number(struct reading *r)
{
	int64_t n = jscan_item(&r->s) ? jscan_int(&r->s) : -1;

	r->bad = r->bad || n < 0;
	return r->bad ? 0 : n;
}

static uint64_t hash_item(struct reading *r)
{
	struct str hex = jscan_item(&r->s) ? jscan_quoted(&r->s) : STR("");
	uint64_t n = 0;

	r->bad = r->bad || hex.n != 16;
	for (size_t i = 0; i < 16 && !r->bad; i++) {
		const char *digits = "0123456789abcdef";
		const char *at = memchr(digits, hex.p[i], 16);

		r->bad = !at;
		n = n << 4 | (at ? (uint64_t)(at - digits) : 0);
	}
	return n;
}

static struct str blob(struct reading *r, int64_t n)
{
	struct str v = { "", 0 };

	if (r->bad || n < 0 || (uint64_t)n > r->blobs.n) {
		r->bad = true;
		return v;
	}
	v = str_sub(r->blobs, 0, (size_t)n);
	r->blobs = str_sub(r->blobs, (size_t)n, r->blobs.n);
	return v;
}

/* A path is normalized and lies below the root; nothing else is ever acted on. */
static struct str path_blob(struct reading *r, int64_t n, struct str root, bool may_be_empty)
{
	struct str raw = blob(r, n);
	struct buf normal SCOPED(buf_release) = BUF_INIT;

	if (r->bad || (!raw.n && may_be_empty))
		return raw;
	path_normal(&normal, "/", raw);
	r->bad = !str_eq(buf_str(&normal), raw) || memchr(raw.p, '\0', raw.n) ||
		 !path_below(root, raw);
	return arena_str(r->arena, raw);
}

static void read_edits(struct reading *r, struct record_file *f)
{
	size_t end = 0;

	if (r->bad || f->edits > (size_t)(r->s.end - r->s.at)) {
		r->bad = true;
		return;
	}
	f->edit = arena_new(r->arena, (f->edits + 1) * sizeof(*f->edit));
	for (size_t i = 0; i < f->edits && !r->bad; i++) {
		struct record_edit *v = &f->edit[i];

		v->span.at = (size_t)record_file_number(r);
		v->span.end = (size_t)record_file_number(r);
		v->with = blob(r, record_file_number(r));
		r->bad = r->bad || v->span.at < end || v->span.end < v->span.at;
		end = v->span.end;
	}
}

static void record_file_read_file(struct reading *r, struct str root, struct history_file *h,
				  struct record_file *f)
{
	int64_t path_n, to_n, text_n;

	jscan_array(&r->s);
	path_n = record_file_number(r);
	to_n = record_file_number(r);
	h->existed = record_file_number(r) != 0;
	h->exists = record_file_number(r) != 0;
	h->was_mode = (unsigned)record_file_number(r);
	h->now_mode = (unsigned)record_file_number(r);
	f->was_hash = hash_item(r);
	f->now_hash = hash_item(r);
	h->lines_added = (size_t)record_file_number(r);
	h->lines_removed = (size_t)record_file_number(r);
	text_n = record_file_number(r);
	f->edits = (size_t)record_file_number(r);
	h->path = path_blob(r, path_n, root, false);
	h->new_path = path_blob(r, to_n, root, true);
	f->text = blob(r, text_n);
	read_edits(r, f);
	f->whole = !r->bad && jscan_item(&r->s);
	if (f->whole)
		f->now = blob(r, jscan_int(&r->s));
	if (f->whole && f->edits)
		r->bad = r->bad || f->edit[f->edits - 1].span.end > f->now.n;
	r->bad = r->bad || (f->whole && jscan_item(&r->s)) || (!h->existed && !h->exists) ||
		 (h->new_path.n && !(h->existed && h->exists));
}

/* An array of paths; each takes more than a byte of the line. */
static struct str *read_paths(struct reading *r, struct str root, size_t *n)
{
	size_t most = (size_t)(r->s.end - r->s.at);
	struct str *v = arena_new(r->arena, (most + 1) * sizeof(*v));

	*n = 0;
	for (jscan_array(&r->s); !r->bad && jscan_item(&r->s);)
		v[(*n)++] = path_blob(r, jscan_int(&r->s), root, false);
	return v;
}

static void read_files(struct reading *r, struct record *out, int64_t count)
{
	size_t n = 0;

	/* Each takes many bytes of the line, which bounds what is reserved. */
	if (count < 0 || count > r->s.end - r->s.at) {
		r->bad = true;
		return;
	}
	out->entry.file = arena_new(r->arena, ((size_t)count + 1) * sizeof(*out->entry.file));
	out->file = arena_new(r->arena, ((size_t)count + 1) * sizeof(*out->file));
	for (jscan_array(&r->s); !r->bad && jscan_item(&r->s); n++) {
		if (n == (size_t)count) {
			r->bad = true;
			return;
		}
		record_file_read_file(r, out->entry.root, &out->entry.file[n], &out->file[n]);
	}
	out->entry.files = n;
	r->bad = r->bad || n != (size_t)count;
}

static struct str string(struct reading *r)
{
	struct buf b SCOPED(buf_release) = BUF_INIT;

	r->bad = !jscan_str(&r->s, &b) || r->bad;
	return arena_str(r->arena, buf_str(&b));
}

static void read_members(struct reading *r, struct record *out)
{
	int64_t count = -1, version = 0;
	struct str key;

	for (jscan_object(&r->s); !r->bad && jscan_member(&r->s, &key);)
		if (str_eq(key, STR("version")))
			version = jscan_int(&r->s);
		else if (str_eq(key, STR("time")))
			out->entry.time_ms = jscan_int(&r->s);
		else if (str_eq(key, STR("origin")))
			out->entry.origin = string(r);
		else if (str_eq(key, STR("title")))
			out->entry.title = string(r);
		else if (str_eq(key, STR("turn")))
			out->entry.turn = string(r);
		else if (str_eq(key, STR("root")))
			out->entry.root = path_blob(r, jscan_int(&r->s), STR("/"), false);
		else if (str_eq(key, STR("projects")))
			out->entry.projects =
				read_paths(r, out->entry.root, &out->entry.n_projects);
		else if (str_eq(key, STR("exempt")))
			out->exempt = read_paths(r, out->entry.root, &out->n_exempt);
		else if (str_eq(key, STR("made")))
			out->entry.made = read_paths(r, out->entry.root, &out->entry.n_made);
		else if (str_eq(key, STR("count")))
			count = jscan_int(&r->s);
		else if (str_eq(key, STR("files")))
			read_files(r, out, count);
		else
			jscan_skip(&r->s);
	r->bad = r->bad || !jscan_ok(&r->s) || version != VERSION || r->blobs.n;
}

static bool sum_holds(struct str raw)
{
	char sum[17];

	if (raw.n < SUM_BODY || !str_starts(raw, STR(SUM_HEAD)))
		return false;
	snprintf(sum, sizeof(sum), "%016" PRIx64, hash_of(str_sub(raw, SUM_BODY, raw.n)));
	return !memcmp(raw.p + SUM_BODY - 16, sum, 16);
}

bool record_decode(struct record *out, struct str raw, struct arena *a, struct err *e)
{
	const char *lf = raw.n ? memchr(raw.p, '\n', raw.n) : NULL;
	struct reading r = { .arena = a };
	struct err why;

	*out = (struct record){ 0 };
	if (!lf || !sum_holds(raw))
		return err_set(e, ERR_IO, "the entry is damaged");
	r.s = jscan_of((struct str){ raw.p, (size_t)(lf - raw.p) }, &why);
	r.blobs = str_sub(raw, (size_t)(lf - raw.p) + 1, raw.n);
	read_members(&r, out);
	return !r.bad || err_set(e, ERR_IO, "the entry was written by another version of Oxide");
}

static void edits_of(const struct record_file *f, struct edits *set)
{
	struct edit_clash none;

	for (size_t i = 0; i < f->edits; i++)
		edits_lend(set, f->edit[i].span, f->edit[i].with, 0);
	edits_check(set, f->now.n, &none);
}

struct str record_was(const struct record *r, size_t i, struct arena *a)
{
	const struct history_file *h = &r->entry.file[i];
	const struct record_file *f = &r->file[i];
	struct edits set SCOPED(edits_release) = EDITS_INIT;
	struct buf was SCOPED(buf_release) = BUF_INIT;

	if (!h->exists || f->text.n)
		return f->text;
	edits_of(f, &set);
	edits_apply(&set, f->now, &was);
	return arena_str(a, h->existed ? buf_str(&was) : STR(""));
}

static void reverse_edits(const struct record_file *f, struct record_file *to, struct arena *a)
{
	struct edits back SCOPED(edits_release) = EDITS_INIT;
	struct edits forth SCOPED(edits_release) = EDITS_INIT;

	edits_of(f, &back);
	edits_invert(&back, f->now, &forth);
	to->edits = forth.n;
	to->edit = arena_new(a, (forth.n + 1) * sizeof(*to->edit));
	for (size_t i = 0; i < forth.n; i++)
		to->edit[i] =
			(struct record_edit){ forth.v[i].span, arena_str(a, forth.v[i].with) };
}

static void reverse_file(const struct record *r, size_t i, struct history_file *h,
			 struct record_file *f, struct arena *a)
{
	const struct history_file *was = &r->entry.file[i];
	const struct record_file *old = &r->file[i];
	bool link = history_file_links(was);

	*h = (struct history_file){
		.path = was->new_path.n ? was->new_path : was->path,
		.new_path = was->new_path.n ? was->path : STR(""),
		.existed = was->exists,
		.exists = was->existed,
		.was_mode = was->now_mode,
		.now_mode = was->was_mode,
		.lines_added = was->lines_removed,
		.lines_removed = was->lines_added,
	};
	*f = (struct record_file){
		.was_hash = old->now_hash,
		.now_hash = old->was_hash,
		.text = was->exists && (link || !was->existed) ? old->now : STR(""),
		.now = record_was(r, i, a),
		.whole = true,
	};
	if (was->existed && was->exists && !link)
		reverse_edits(old, f, a);
}

bool record_reverse(struct record *out, const struct record *r, struct arena *a, struct err *e)
{
	size_t n = r->entry.files;

	*out = (struct record){ .entry = r->entry, .exempt = r->exempt, .n_exempt = r->n_exempt };
	out->entry.made = NULL;
	out->entry.n_made = 0;
	out->entry.file = arena_new(a, (n + 1) * sizeof(*out->entry.file));
	out->file = arena_new(a, (n + 1) * sizeof(*out->file));
	for (size_t i = 0; i < n; i++) {
		if (!r->file[i].whole)
			return err_set(e, ERR_UNSUPPORTED,
				       "%.*s was not kept whole, so it cannot be redone",
				       STR_ARG(r->entry.file[i].path));
		reverse_file(r, i, &out->entry.file[i], &out->file[i], a);
	}
	return true;
}
