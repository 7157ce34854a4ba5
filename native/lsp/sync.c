#include "sync.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "../base/path.h"
#include "../base/utf.h"
#include "../code/lex.h"
#include "proto.h"

/* Bytes of changes that even a small text may collect. A server seeks the place of each in all of
 * the text: for clangd a text that is told in more changes than it is long is read sooner as a
 * whole. */
#define CHANGES_FREE 4096

struct sync_doc {
	struct sync *sync;
	struct doc *d;
	struct doc *trial; /* shown in its place; NULL: nothing is on trial */
	int64_t tried;	   /* the last version that was on trial and has been taken back */
	bool insist;	   /* the next one is to be spoken of, whatever comes soon behind it */
	char *language;
	int64_t version; /* last sent; of one that is not shown yet: what counting goes on from */
	bool shown;
	enum sync_work work;
	uint64_t readings;  /* sync_readings() */
	bool unread;	    /* what it includes is to be read again, and was not begun with */
	uint64_t rereads;   /* doc_rereads() of the text sent last */
	bool reads_alone;   /* at work on what it includes, and not on the text */
	bool by_text;	    /* sync_ended_with_text() */
	bool whole;	    /* the whole text must go out */
	struct buf changes; /* contentChanges, without the brackets */
};

void sync_init(struct sync *y, struct peer *peer, const struct caps *caps)
{
	*y = (struct sync){ .peer = peer, .caps = caps };
}

static bool dirty(const struct sync_doc *s)
{
	return s->whole || s->changes.n;
}

/* The one that the server sees, and that is listened to. */
static struct doc *seen(const struct sync_doc *s)
{
	return s->trial ? s->trial : s->d;
}

static void put_pos(struct buf *out, const char *name, struct pos pos)
{
	buf_addc(out, '"');
	buf_adds(out, name);
	buf_adds(out, "\":{\"line\":");
	buf_addn(out, pos.line);
	buf_adds(out, ",\"character\":");
	buf_addn(out, pos.col);
	buf_addc(out, '}');
}

#define BOM STR("\xef\xbb\xbf")

/* Whether the byte order mark comes, goes or moves. */
static bool moves_bom(struct str text, const struct doc_change *c)
{
	char head[3];
	size_t n = 0;

	if (c->was.at >= BOM.n)
		return false;
	for (size_t i = 0; i < c->was.at; i++)
		head[n++] = text.p[i];
	for (size_t i = 0; n < BOM.n && i < c->with.n; i++)
		head[n++] = c->with.p[i];
	for (size_t i = c->was.end; n < BOM.n && i < text.n; i++)
		head[n++] = text.p[i];
	return str_starts(text, BOM) || str_eq((struct str){ head, n }, BOM);
}

/* Whether a position can name this byte: not the middle of a CRLF or of a character. A stray middle
 * byte counts as well, since it may grow together with what comes to be before it. */
static bool sound_edge(struct str text, size_t at)
{
	if (at == text.n)
		return true;
	if (at && text.p[at - 1] == '\r' && text.p[at] == '\n')
		return false;
	return ((unsigned char)text.p[at] & 0xc0) != 0x80;
}

static bool can_tell(struct str text, const struct doc_change *c)
{
	char next = c->with.n ? c->with.p[0] : c->was.end < text.n ? text.p[c->was.end] : '\0';

	/* A CR that gets its LF ends its line later than other changes of the same set say. */
	if (c->was.at && text.p[c->was.at - 1] == '\r' && next == '\n')
		return false;
	return sound_edge(text, c->was.at) && sound_edge(text, c->was.end) && utf_clean(c->with) &&
	       !moves_bom(text, c);
}

static void on_change(void *arg, struct doc *d, const struct doc_change *c)
{
	struct sync_doc *s = arg;
	enum sync_kind kind = s->sync->caps->sync;
	enum pos_enc enc = s->sync->caps->enc;
	struct str text = doc_text(d);

	s->sync->news++;
	if (!s->shown || s->whole || kind == SYNC_NONE)
		return;
	if (kind == SYNC_FULL || !can_tell(text, c) || s->changes.n > text.n + CHANGES_FREE) {
		s->whole = true;
		buf_release(&s->changes);
		return;
	}
	buf_adds(&s->changes, s->changes.n ? ",{\"range\":{" : "{\"range\":{");
	put_pos(&s->changes, "start", doc_pos(d, c->was.at, enc));
	buf_addc(&s->changes, ',');
	put_pos(&s->changes, "end", doc_pos(d, c->was.end, enc));
	buf_adds(&s->changes, "},\"text\":");
	json_quote(&s->changes, c->with);
	buf_addc(&s->changes, '}');
}

static void sync_doc_free(struct sync_doc *s)
{
	doc_unlisten(seen(s), on_change, s);
	doc_free(s->trial);
	buf_release(&s->changes);
	free(s->language);
	free(s);
}

void sync_release(struct sync *y)
{
	for (size_t i = 0; i < y->n; i++)
		sync_doc_free(y->v[i]);
	free(y->v);
	map_each(it, &y->counted)
		free(it.value);
	map_release(&y->counted);
	json_free(y->watched);
	sync_init(y, NULL, NULL);
}

static struct sync_doc *sync_find(const struct sync *y, const struct doc *d)
{
	for (size_t i = 0; i < y->n; i++)
		if (y->v[i]->d == d)
			return y->v[i];
	return NULL;
}

static bool sync_is_header(const struct doc *d)
{
	return language_header(str_of(doc_path(d)));
}

static void sync_insert(struct sync *y, struct sync_doc *s)
{
	size_t at = 0;

	while (at < y->n && (sync_is_header(y->v[at]->d) || !sync_is_header(s->d)))
		at++;
	y->v = mem_grow(y->v, &y->cap, y->n + 1, sizeof(struct sync_doc *));
	memmove(&y->v[at + 1], &y->v[at], (y->n++ - at) * sizeof(struct sync_doc *));
	y->v[at] = s;
}

void sync_open(struct sync *y, struct doc *d, struct str language)
{
	const int64_t *counted = map_get(&y->counted, str_of(doc_path(d)));
	struct sync_doc *s;

	if (sync_find(y, d))
		return;
	s = mem_new(sizeof(*s));
	s->sync = y;
	s->d = d;
	s->language = mem_dup(language.p, language.n);
	s->version = counted ? *counted : 0;
	s->tried = -1;
	sync_insert(y, s);
	doc_listen(d, on_change, s);
	y->news++;
}

bool sync_has(const struct sync *y, const struct doc *d)
{
	return sync_find(y, d);
}

static struct sync_doc *shown_at(const struct sync *y, const char *path)
{
	for (size_t i = 0; i < y->n; i++)
		if (y->v[i]->shown && !strcmp(doc_path(y->v[i]->d), path))
			return y->v[i];
	return NULL;
}

int64_t sync_version(const struct sync *y, const char *path)
{
	const struct sync_doc *s = shown_at(y, path);

	return s ? s->version + dirty(s) : -1;
}

bool sync_reopened(const struct sync *y, const char *path)
{
	return shown_at(y, path) && map_get(&y->counted, str_of(path));
}

void sync_working(struct sync *y, const char *path, struct str state)
{
	struct sync_doc *s = shown_at(y, path);

	if (!s)
		return;
	if (s->work != WORK_DONE)
		s->by_text = !s->reads_alone;
	s->reads_alone =
		str_eq(state, STR("parsing includes")) || str_eq(state, STR("includes are queued"));
	s->work = str_eq(state, STR("idle")) ? WORK_DONE : WORK_BUSY;
	s->readings += s->work == WORK_BUSY && !str_eq(state, STR("file is queued"));
	s->unread = s->unread && !str_starts(state, STR("parsing includes"));
}

bool sync_ended_with_text(const struct sync *y, const char *path)
{
	const struct sync_doc *s = shown_at(y, path);

	return s && s->work == WORK_DONE && s->by_text;
}

uint64_t sync_readings(const struct sync *y, const char *path)
{
	const struct sync_doc *s = shown_at(y, path);

	return s ? s->readings : 0;
}

enum sync_work sync_work_on(const struct sync *y, const char *path)
{
	const struct sync_doc *s = shown_at(y, path);

	if (s && s->work == WORK_DONE && s->unread)
		return WORK_BUSY;
	return s ? s->work : WORK_UNKNOWN;
}

bool sync_try(struct sync *y, struct doc *d, struct str text, const struct edits *edits, bool among)
{
	struct sync_doc *s = sync_find(y, d);
	bool same = str_eq(text, doc_text(d));

	if (!s || !s->shown || s->trial || y->caps->sync == SYNC_NONE)
		return false;
	doc_unlisten(d, on_change, s);
	s->trial = doc_lent_of(d); /* for now: it changes */
	doc_listen(s->trial, on_change, s);
	if (!same && edits)
		doc_edit_to(s->trial, edits, text);
	else if (!same)
		doc_set(s->trial, text);
	if (same || (text.n == doc_text(d).n && (among || sync_is_header(d))))
		doc_splice(s->trial, (struct span){ text.n, text.n }, STR("\n"));
	return true;
}

bool sync_untry(struct sync *y, struct doc *d)
{
	struct sync_doc *s = sync_find(y, d);

	if (!s || !s->trial)
		return false;
	doc_set(s->trial, doc_text(d));
	doc_unlisten(s->trial, on_change, s);
	doc_free(s->trial);
	s->trial = NULL;
	doc_listen(d, on_change, s);
	s->insist = dirty(s);
	y->news++;
	if (dirty(s))
		s->tried = s->version;
	else if (y->names_trials)
		peer_notify(y->peer, SYNC_TRIAL, proto_doc(doc_path(d)));
	return dirty(s);
}

bool sync_tried(const struct sync *y, const char *path, int64_t version)
{
	const struct sync_doc *s = shown_at(y, path);

	return s && version >= 0 && version == s->tried;
}

void sync_watched(struct sync *y, const char *path, int type)
{
	y->news++;
	if (!y->caps->watches)
		return;
	if (!y->watched)
		y->watched = json_array();
	json_push(y->watched, json_of({ "uri", proto_uri(path) }, { "type", json_int(type) }));
}

/* A long text as a member; it is escaped once and printed as it is. */
static void sync_put_text(json *obj, const struct doc *d)
{
	struct buf quoted = BUF_INIT;
	struct str text = doc_text(d);

	str_skip(&text, BOM);
	json_quote(&quoted, text);
	json_put(obj, "text", json_raw(&quoted));
}

/* { textDocument: { uri, version } }; *id is the inner one. */
static json *versioned(const struct sync_doc *s, json **id)
{
	json *params = proto_doc(doc_path(s->d));

	*id = (json *)json_get(params, "textDocument");
	json_put(*id, "version", json_int(s->version));
	return params;
}

static void sync_show(struct sync *y, struct sync_doc *s)
{
	json *params, *id;

	s->version++;
	s->shown = true;
	s->rereads = doc_rereads(s->d);
	params = versioned(s, &id);
	json_put(id, "languageId", json_strz(s->language));
	sync_put_text(id, seen(s));
	peer_notify(y->peer, "textDocument/didOpen", params);
}

/* Whether a header is another one than it was, or is about to be. */
static bool header_moves(const struct sync *y)
{
	for (size_t i = 0; i < y->n && sync_is_header(y->v[i]->d); i++)
		if (y->v[i]->trial || (y->v[i]->shown && dirty(y->v[i])))
			return true;
	return false;
}

static void send_changes(struct sync *y, struct sync_doc *s, bool header)
{
	bool named = s->trial && y->names_trials;
	json *params, *id;

	s->version++;
	params = versioned(s, &id);
	if (s->whole || named) {
		sync_put_text(json_push(json_put(params, "contentChanges", json_array()),
					json_object()),
			      seen(s));
	} else {
		struct buf list = BUF_INIT;

		buf_addc(&list, '[');
		buf_add(&list, buf_str(&s->changes));
		buf_addc(&list, ']');
		json_put(params, "contentChanges", json_raw(&list));
	}
	s->whole = false;
	buf_release(&s->changes);
	/* clangd takes texts that come in quick succession for one, and of one that it knows
	 * already it says nothing. What was on trial must not be the last that it has spoken of. */
	if (s->insist && s->work != WORK_UNKNOWN)
		json_put(params, "wantDiagnostics", json_bool(true));
	s->insist = false;
	/* It takes a header for the same that has the length and the second of the one before; and
	 * of texts that come in quick succession it looks at the last alone. */
	if ((header || s->unread) && !sync_is_header(s->d) && s->work != WORK_UNKNOWN) {
		json_put(params, "forceRebuild", json_bool(true));
		s->unread = true;
	}
	/* It always looks whether what a text includes has changed, on a thread that may come late:
	 * until then it speaks of the text with headers as they were, and rests. */
	s->unread |= s->rereads != doc_rereads(s->d) && s->work != WORK_UNKNOWN;
	s->rereads = doc_rereads(s->d);
	if (s->work == WORK_DONE)
		s->work = WORK_BUSY; /* with the text before */
	s->readings++;
	peer_notify(y->peer, named ? SYNC_TRIAL : "textDocument/didChange", params);
}

void sync_flush(struct sync *y)
{
	bool header = header_moves(y);

	for (size_t i = 0; i < y->n; i++)
		if (!y->v[i]->shown && y->caps->open_close)
			sync_show(y, y->v[i]);
		else if (dirty(y->v[i]))
			send_changes(y, y->v[i], header);
	if (y->watched) {
		peer_notify(y->peer, "workspace/didChangeWatchedFiles",
			    json_of({ "changes", y->watched }));
		y->watched = NULL;
	}
}

void sync_saved(struct sync *y, struct doc *d)
{
	struct sync_doc *s = sync_find(y, d);
	json *params;

	y->news++;
	if (!s || !s->shown || !y->caps->save)
		return;
	params = proto_doc(doc_path(d));
	if (y->caps->save_text)
		sync_put_text(params, seen(s));
	peer_notify(y->peer, "textDocument/didSave", params);
}

void sync_close(struct sync *y, struct doc *d, bool tell)
{
	struct sync_doc *s = sync_find(y, d);

	if (!s)
		return;
	y->news++;
	if (tell && s->shown)
		peer_notify(y->peer, "textDocument/didClose", proto_doc(doc_path(d)));
	if (s->version)
		free(map_put(&y->counted, str_of(doc_path(d)),
			     mem_copy(&s->version, sizeof(s->version))));
	for (size_t i = 0; i < y->n; i++)
		if (y->v[i] == s) {
			memmove(&y->v[i], &y->v[i + 1], (--y->n - i) * sizeof(struct sync_doc *));
			break;
		}
	sync_doc_free(s);
}
