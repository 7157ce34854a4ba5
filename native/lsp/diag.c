#include "diag_impl.h"

#include <stdlib.h>

#include "../base/map.h"
#include "../base/mem.h"
#include "../base/path.h"
#include "scan.h"

/* What one server said of one file, in one of the two ways. */
struct said {
	char *server;
	bool pulled;
	struct diag *v;
	size_t n, cap;
	struct arena texts;
	uint64_t seen, last; /* last: the store's clock when it spoke */
	int64_t version;
	char *result_id; /* its name for this, where it was asked about the project; else NULL */
	struct said *next;
};

struct file {
	char *path;
	struct said *said;
};

struct diag_store {
	struct map files; /* path -> struct file */
	uint64_t clock;	  /* rises with every report and diagnostic */
};

struct diag_store *diag_new(void)
{
	return mem_new(sizeof(struct diag_store));
}

static void empty(struct said *said)
{
	free(said->v);
	arena_release(&said->texts);
	said->v = NULL;
	said->n = said->cap = 0;
}

void diag_free(struct diag_store *s)
{
	if (!s)
		return;
	map_each(it, &s->files) {
		struct file *f = it.value;

		while (f->said) {
			struct said *said = f->said;

			f->said = said->next;
			empty(said);
			free(said->result_id);
			free(said->server);
			free(said);
		}
		free(f->path);
		free(f);
	}
	map_release(&s->files);
	free(s);
}

static struct said *slot(struct diag_store *s, const char *server, const char *path, bool pulled)
{
	struct file *f = map_get(&s->files, str_of(path));
	struct said **at;

	if (!f) {
		f = mem_new(sizeof(*f));
		f->path = mem_dup(path, strlen(path));
		map_put(&s->files, str_of(path), f);
	}
	for (at = &f->said; *at; at = &(*at)->next)
		if ((*at)->pulled == pulled && !strcmp((*at)->server, server))
			return *at;
	*at = mem_new(sizeof(**at));
	(*at)->server = mem_dup(server, strlen(server));
	(*at)->pulled = pulled;
	(*at)->version = -1;
	return *at;
}

/* Borrowed from the list where it can be: the list itself is kept. */
static struct str diag_read_text(struct jscan *s, struct arena *texts, struct buf *tmp)
{
	struct str text = scan_str(s, tmp);

	return text.p == tmp->p ? arena_str(texts, text) : text;
}

/* A string, or MarkupContent as LSP 3.18 allows. */
static struct str read_message(struct jscan *s, struct arena *texts, struct buf *tmp)
{
	struct str key, message = STR("");

	if (jscan_peek(s) != '{')
		return diag_read_text(s, texts, tmp);
	for (jscan_object(s); jscan_member(s, &key);)
		if (str_eq(key, STR("value")))
			message = diag_read_text(s, texts, tmp);
		else
			jscan_skip(s);
	return message;
}

static enum diag_severity read_severity(struct jscan *s)
{
	int64_t n = scan_null(s) ? 0 : jscan_int(s);

	return n < DIAG_ERROR ? DIAG_ERROR : n > DIAG_HINT ? DIAG_HINT : (enum diag_severity)n;
}

static void read_diag(struct jscan *s, struct diag *d, struct arena *texts, struct buf *tmp)
{
	enum { RANGE = 1, MESSAGE = 2 };
	const char *start;
	struct str key;
	int seen = 0;

	jscan_peek(s); /* steps over white space */
	start = s->at;
	for (jscan_object(s); jscan_member(s, &key);)
		if (str_eq(key, STR("range"))) {
			d->range = scan_range_loose(s);
			seen |= RANGE;
		} else if (str_eq(key, STR("message"))) {
			d->message = read_message(s, texts, tmp);
			seen |= MESSAGE;
		} else if (str_eq(key, STR("severity"))) {
			d->severity = read_severity(s);
		} else if (str_eq(key, STR("source")) && !scan_null(s)) {
			d->source = diag_read_text(s, texts, tmp);
		} else if (str_eq(key, STR("code")) && !scan_null(s)) {
			d->code =
				jscan_peek(s) == '"' ? diag_read_text(s, texts, tmp) : jscan_raw(s);
		} else if (!str_eq(key, STR("source")) && !str_eq(key, STR("code"))) {
			jscan_skip(s);
		}
	if (seen != (RANGE | MESSAGE))
		scan_fail(s, ERR_PROTOCOL, "a diagnostic has no %s",
			  seen & RANGE ? "message" : "range");
	d->raw = (struct str){ start, (size_t)(s->at - start) };
}

/* Replaces what `said` holds by the list; leaves it alone when the list is malformed. */
static bool take_list(struct diag_store *store, struct said *said, const char *path,
		      enum pos_enc enc, struct str list, struct err *e)
{
	struct said fresh = { 0 };
	struct buf tmp SCOPED(buf_release) = BUF_INIT;
	struct jscan s = jscan_of(arena_str(&fresh.texts, list), e);

	for (bool any = !scan_null(&s) && jscan_array(&s); any && jscan_item(&s);) {
		struct diag d = { .path = path,
				  .server = said->server,
				  .enc = enc,
				  .severity = DIAG_ERROR,
				  .message = STR(""),
				  .source = STR(""),
				  .code = STR(""),
				  .order = store->clock++ };

		read_diag(&s, &d, &fresh.texts, &tmp);
		mem_add(fresh.v, fresh.n, fresh.cap, d);
	}
	if (!scan_end(&s)) {
		empty(&fresh);
		return err_in(e, "%s: diagnostics from %s", path, said->server);
	}
	empty(said);
	said->v = fresh.v;
	said->n = fresh.n;
	said->cap = fresh.cap;
	said->texts = fresh.texts;
	return true;
}

bool diag_speak(struct diag_store *s, const struct speech *sp, struct err *e)
{
	struct said *said = slot(s, sp->server, sp->path, sp->pulled);
	struct file *f = map_get(&s->files, str_of(sp->path));

	if (sp->list && !take_list(s, said, f->path, sp->enc, *sp->list, e))
		return false;
	free(said->result_id);
	said->result_id = sp->result_id.n ? mem_dup(sp->result_id.p, sp->result_id.n) : NULL;
	said->seen++;
	said->last = ++s->clock;
	said->version = sp->version;
	return true;
}

bool diag_publish(struct diag_store *s, const char *server, const char *path, enum pos_enc enc,
		  int64_t version, struct str list, struct err *e)
{
	struct speech sp = { server, path, false, enc, version, &list, STR("") };

	return diag_speak(s, &sp, e);
}

static void forget(struct said *said)
{
	empty(said);
	free(said->result_id);
	said->result_id = NULL;
	said->version = -1;
}

void diag_forget(struct diag_store *s, const char *server)
{
	map_each(it, &s->files)
		for (struct said *said = ((struct file *)it.value)->said; said; said = said->next)
			if (!strcmp(said->server, server))
				forget(said);
}

static void move(struct said *into, const char *path, struct said *from)
{
	empty(into);
	into->v = from->v;
	into->n = from->n;
	into->cap = from->cap;
	into->texts = from->texts;
	into->version = from->version;
	for (size_t i = 0; i < into->n; i++) {
		into->v[i].path = path;
		into->v[i].server = into->server;
	}
	from->v = NULL;
	from->n = from->cap = 0;
	from->texts = (struct arena){ 0 };
}

/* Of one file. What it was said of is another's to know. */
static void adopt(struct diag_store *to, const char *path, struct said *from)
{
	struct said *into = slot(to, from->server, path, from->pulled);
	const struct file *at = map_get(&to->files, str_of(path));

	move(into, at->path, from);
	into->seen++;
	into->last = ++to->clock;
}

void diag_take(struct diag_store *to, struct diag_store *from, const char *server, const char *path)
{
	struct file *old = map_get(&to->files, str_of(path));
	struct file *f = map_get(&from->files, str_of(path));

	for (struct said *said = old ? old->said : NULL; said; said = said->next)
		if (!strcmp(said->server, server))
			forget(said);
	for (struct said *said = f ? f->said : NULL; said; said = said->next)
		if (!strcmp(said->server, server)) {
			adopt(to, path, said);
			forget(said);
		}
}

void diag_keep(struct diag_store *to, const struct diag_store *from, const char *server,
	       const char *path)
{
	const struct file *f = map_get(&from->files, str_of(path));

	for (const struct said *said = f ? f->said : NULL; said; said = said->next) {
		struct said *into;

		if (strcmp(said->server, server) != 0)
			continue;
		into = slot(to, server, path, said->pulled);
		for (size_t i = 0; i < said->n; i++) {
			mem_add(into->v, into->n, into->cap, diag_copy(&into->texts, &said->v[i]));
		}
	}
}

void diag_adopt(struct diag_store *to, struct diag_store *from, const char *server,
		void (*heard)(void *arg, const char *path), void *arg)
{
	map_each(it, &from->files) {
		struct file *f = it.value;

		for (struct said *said = f->said; said; said = said->next) {
			if (!said->seen || strcmp(said->server, server) != 0)
				continue;
			adopt(to, f->path, said);
			heard(arg, f->path);
		}
	}
}

uint64_t diag_seen(const struct diag_store *s, const char *server, const char *path,
		   int64_t *version)
{
	const struct file *f = map_get(&s->files, str_of(path));
	uint64_t seen = 0, last = 0;

	*version = -1;
	for (const struct said *said = f ? f->said : NULL; said; said = said->next) {
		if (strcmp(said->server, server) != 0)
			continue;
		seen += said->seen;
		if (said->last > last)
			*version = said->version;
		if (said->last > last)
			last = said->last;
	}
	return seen;
}

json *diag_result_ids(const struct diag_store *s, const char *server)
{
	json *list = json_array();

	map_each(it, &s->files)
		for (struct said *said = ((struct file *)it.value)->said; said; said = said->next)
			if (said->result_id && !strcmp(said->server, server)) {
				json *row = json_push(list, json_object());
				struct buf uri = BUF_INIT;

				uri_from_path(&uri, it.key);
				json_put(row, "uri", json_take(&uri));
				json_put(row, "value", json_strz(said->result_id));
			}
	return list;
}

struct diag diag_copy(struct arena *texts, const struct diag *d)
{
	struct diag copy = *d;

	copy.path = arena_str(texts, str_of(d->path)).p;
	copy.server = arena_str(texts, str_of(d->server)).p;
	copy.message = arena_str(texts, d->message);
	copy.source = arena_str(texts, d->source);
	copy.code = arena_str(texts, d->code);
	copy.raw = arena_str(texts, d->raw);
	return copy;
}

static int diag_by_place(const void *x, const void *y)
{
	const struct diag *a = *(const struct diag *const *)x;
	const struct diag *b = *(const struct diag *const *)y;
	int files = a->path == b->path ? 0 : strcmp(a->path, b->path);

	if (files)
		return files;
	if (a->severity != b->severity)
		return a->severity < b->severity ? -1 : 1;
	if (a->range.from.line != b->range.from.line)
		return a->range.from.line < b->range.from.line ? -1 : 1;
	if (a->range.from.col != b->range.from.col)
		return a->range.from.col < b->range.from.col ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

void diag_sort(const struct diag **v, size_t n)
{
	if (n)
		qsort(v, n, sizeof(*v), diag_by_place);
}

size_t diag_list(const struct diag_store *s, const char *path, enum diag_severity worst,
		 const struct diag ***out)
{
	size_t n = 0, cap = 0;

	*out = NULL;
	map_each(it, &s->files) {
		const struct file *f = it.value;

		if (path && strcmp(path, f->path) != 0)
			continue;
		for (const struct said *said = f->said; said; said = said->next)
			for (size_t k = 0; k < said->n; k++)
				if (said->v[k].severity <= worst) {
					*out = mem_grow(*out, &cap, n + 1, sizeof(**out));
					(*out)[n++] = &said->v[k];
				}
	}
	diag_sort(*out, n);
	return n;
}

void diag_count(const struct diag *const *v, size_t n, struct diag_counts *out)
{
	*out = (struct diag_counts){ { 0 }, 0 };
	for (size_t i = 0; i < n; i++) {
		out->of[v[i]->severity]++;
		out->files += !i || strcmp(v[i]->path, v[i - 1]->path) != 0;
	}
}

void diag_summary(const struct diag_counts *c, struct buf *out)
{
	static const char *const plural[] = { "", "errors", "warnings", "infos", "hints" };
	bool any = false;

	for (int i = DIAG_ERROR; i <= DIAG_HINT; i++) {
		if (!c->of[i])
			continue;
		buf_addf(out, "%s%zu %s", any ? ", " : "", c->of[i],
			 c->of[i] == 1 ? diag_severity_name((enum diag_severity)i) : plural[i]);
		any = true;
	}
	if (!any)
		buf_adds(out, "no problems");
}

const char *diag_severity_name(enum diag_severity s)
{
	static const char *const names[] = { "", "error", "warning", "info", "hint" };

	if (s < DIAG_ERROR || s > DIAG_HINT)
		BUG("unknown severity: %d", (int)s);
	return names[s];
}
