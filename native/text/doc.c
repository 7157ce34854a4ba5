#include "doc.h"

#include <stdlib.h>

#include "../base/hash.h"
#include "../base/mem.h"
#include "../base/utf.h"
#include "diff.h"

struct listener {
	doc_listener *fn;
	void *arg;
};

struct doc {
	char *path;
	struct buf text;
	int64_t version;
	uint64_t rereads;
	uint64_t hash;
	bool hashed;
	void *kept; /* of this text */
	doc_release_kept *release_kept;
	struct line_table lines[2]; /* by enum line_rule; without an entry until asked for */
	struct listener *listeners;
	size_t n, cap;
	bool telling;
	bool lent; /* `text` is somebody else's */
};

struct doc *doc_lent(const char *path, struct str text)
{
	struct doc *d = mem_new(sizeof(*d));

	d->path = mem_dup(path, strlen(path));
	d->text = (struct buf){ .p = (char *)(text.n ? text.p : ""), .n = text.n };
	d->lent = true;
	d->version = 1;
	return d;
}

struct doc *doc_lent_of(const struct doc *d)
{
	struct doc *made = doc_lent(d->path, doc_text(d));

	for (int rule = LINES_VIM; rule <= LINES_LSP; rule++) {
		const struct line_table *t = &d->lines[rule];

		if (t->n)
			made->lines[rule] =
				(struct line_table){ mem_copy(t->at, t->n * sizeof(*t->at)), t->n,
						     t->n };
	}
	return made;
}

/* The text is this one from here on, taken. */
static void doc_put(struct doc *d, struct buf *text)
{
	if (!d->lent)
		buf_release(&d->text);
	d->text = *text;
	d->lent = false;
}

void doc_own(struct doc *d)
{
	struct buf copy = BUF_INIT;

	if (!d->lent)
		return;
	buf_add(&copy, doc_text(d));
	doc_put(d, &copy);
}

struct doc *doc_new(const char *path, struct str text)
{
	struct doc *d = doc_lent(path, text);

	doc_own(d);
	return d;
}

/* What was known of a text that is gone. */
static void doc_forget(struct doc *d)
{
	d->hashed = false;
	if (d->kept)
		d->release_kept(d->kept);
	d->kept = NULL;
}

void doc_free(struct doc *d)
{
	if (!d)
		return;
	doc_forget(d);
	free(d->path);
	if (!d->lent)
		buf_release(&d->text);
	lines_release(&d->lines[LINES_VIM]);
	lines_release(&d->lines[LINES_LSP]);
	free(d->listeners);
	free(d);
}

const char *doc_path(const struct doc *d)
{
	return d->path;
}

struct str doc_text(const struct doc *d)
{
	return buf_str(&d->text);
}

int64_t doc_version(const struct doc *d)
{
	return d->version;
}

uint64_t doc_hash(struct doc *d)
{
	if (!d->hashed)
		d->hash = hash_of(doc_text(d));
	d->hashed = true;
	return d->hash;
}

void doc_keep(struct doc *d, void *thing, doc_release_kept *release)
{
	if (d->kept)
		d->release_kept(d->kept);
	d->kept = thing;
	d->release_kept = release;
}

void *doc_kept(const struct doc *d, doc_release_kept *release)
{
	return d->kept && d->release_kept == release ? d->kept : NULL;
}

const struct line_table *doc_lines(struct doc *d, enum line_rule rule)
{
	if (!d->lines[rule].n)
		lines_init(&d->lines[rule], doc_text(d), rule);
	return &d->lines[rule];
}

size_t doc_line_count(struct doc *d)
{
	const struct line_table *t = doc_lines(d, LINES_VIM);

	return t->n - (t->at[t->n - 1] == doc_text(d).n);
}

size_t doc_byte(struct doc *d, struct pos pos, enum pos_enc enc)
{
	return pos_to_byte(doc_lines(d, LINES_LSP), doc_text(d), pos, enc);
}

struct pos doc_pos(struct doc *d, size_t byte, enum pos_enc enc)
{
	return pos_from_byte(doc_lines(d, LINES_LSP), doc_text(d), byte, enc);
}

/* Back to the first byte of the character that the byte is in. */
static size_t char_start(struct str text, size_t low, size_t at)
{
	for (size_t back = 1; back < 4 && at < text.n && at - low >= back; back++)
		if (utf_at(text, at - back).n > back)
			return at - back;
	return at;
}

size_t doc_at(struct doc *d, size_t line, size_t column)
{
	const struct line_table *t = doc_lines(d, LINES_VIM);
	struct str text = doc_text(d);
	struct span s;

	if (line > t->n)
		return text.n;
	s = lines_span(t, text, line ? line - 1 : 0);
	if (column <= 1)
		return s.at;
	if (column - 1 >= s.end - s.at)
		return s.end;
	return char_start(text, s.at, s.at + column - 1);
}

void doc_where(struct doc *d, size_t byte, size_t *line, size_t *column)
{
	const struct line_table *t = doc_lines(d, LINES_VIM);
	size_t at = lines_find(t, byte);
	struct span s = lines_span(t, doc_text(d), at);

	*line = at + 1;
	*column = 1;
	if (byte > s.at)
		*column += (byte < s.end ? byte : s.end) - s.at;
}

struct str doc_line(struct doc *d, size_t line)
{
	const struct line_table *t = doc_lines(d, LINES_VIM);
	struct span s;

	if (!line || line > t->n)
		return STR("");
	s = lines_span(t, doc_text(d), line - 1);
	return str_sub(doc_text(d), s.at, s.end);
}

static void must_be_still(const struct doc *d)
{
	if (d->telling)
		BUG("a listener changes %s while being notified of a change", d->path);
}

void doc_listen(struct doc *d, doc_listener *fn, void *arg)
{
	must_be_still(d);
	mem_add(d->listeners, d->n, d->cap, (struct listener){ fn, arg });
}

size_t doc_listeners(const struct doc *d)
{
	return d->n;
}

void doc_unlisten(struct doc *d, doc_listener *fn, void *arg)
{
	must_be_still(d);
	for (size_t i = 0; i < d->n; i++)
		if (d->listeners[i].fn == fn && d->listeners[i].arg == arg) {
			d->n--;
			memmove(&d->listeners[i], &d->listeners[i + 1],
				(d->n - i) * sizeof(*d->listeners));
			return;
		}
}

static bool changes(const struct doc *d, struct span was, struct str with)
{
	if (was.at > was.end || was.end > d->text.n)
		BUG("change of bytes %zu to %zu in a text of %zu", was.at, was.end, d->text.n);
	return !str_eq(str_sub(doc_text(d), was.at, was.end), with);
}

static void doc_tell(struct doc *d, struct span was, struct str with)
{
	struct doc_change c = { was, with };

	d->telling = true;
	for (size_t i = 0; i < d->n; i++)
		d->listeners[i].fn(d->listeners[i].arg, d, &c);
	d->telling = false;
}

void doc_splice(struct doc *d, struct span was, struct str with)
{
	size_t after;

	must_be_still(d);
	if (!changes(d, was, with))
		return;
	d->version++;
	doc_tell(d, was, with);
	doc_own(d);
	after = d->text.n - was.end;
	buf_room(&d->text, with.n);
	memmove(d->text.p + was.at + with.n, d->text.p + was.end, after);
	if (with.n)
		memcpy(d->text.p + was.at, with.p, with.n);
	d->text.n = was.at + with.n + after;
	buf_end(&d->text);
	doc_forget(d);
	for (int rule = LINES_VIM; rule <= LINES_LSP; rule++)
		if (d->lines[rule].n)
			lines_splice(&d->lines[rule], doc_text(d), (enum line_rule)rule, was,
				     with.n);
}

/* Whether any of them changes something. */
static bool doc_tell_all(struct doc *d, const struct edits *set)
{
	bool any = false;

	must_be_still(d);
	for (size_t i = set->n; i > 0; i--) {
		const struct edit *e = &set->v[i - 1];

		if (!changes(d, e->span, e->with))
			continue;
		d->version += !any;
		any = true;
		doc_tell(d, e->span, e->with);
	}
	return any;
}

static void doc_edited(struct doc *d, const struct edits *set)
{
	doc_forget(d);
	for (int rule = LINES_VIM; rule <= LINES_LSP; rule++)
		if (d->lines[rule].n)
			lines_edit(&d->lines[rule], doc_text(d), (enum line_rule)rule, set);
}

void doc_edit(struct doc *d, const struct edits *set)
{
	struct buf text = BUF_INIT;

	if (!doc_tell_all(d, set))
		return;
	if (d->lent) {
		edits_apply(set, doc_text(d), &text);
		doc_put(d, &text);
	} else {
		edits_carry_out(set, &d->text);
	}
	doc_edited(d, set);
}

void doc_edit_to(struct doc *d, const struct edits *set, struct str text)
{
	struct buf now = { .p = (char *)(text.n ? text.p : ""), .n = text.n };

	if (!doc_tell_all(d, set))
		return;
	doc_put(d, &now);
	d->lent = true;
	doc_forget(d);
	lines_release(&d->lines[LINES_VIM]);
	lines_release(&d->lines[LINES_LSP]);
}

void doc_set(struct doc *d, struct str text)
{
	struct edits set SCOPED(edits_release) = EDITS_INIT;

	diff_edits(&set, doc_text(d), text);
	doc_edit(d, &set);
}

void doc_reread(struct doc *d, struct str text)
{
	d->rereads++;
	doc_set(d, text);
}

uint64_t doc_rereads(const struct doc *d)
{
	return d->rereads;
}
