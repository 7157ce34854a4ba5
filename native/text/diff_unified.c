#include "../base/err.h"
#include "../base/fs.h"
#include "../base/sha1.h"
#include "diff.h"

/* Whether a name would break its line or the quotes, or be cut where it looks as if a time began:
 * "a 2024-01-01". */
static bool wants_quotes(const char *name)
{
	bool blank = false;

	for (; *name; name++) {
		if ((unsigned char)*name < 0x20 || strchr("\"\\\x7f", *name) ||
		    (blank && *name >= '0' && *name <= '9'))
			return true;
		blank = *name == ' ';
	}
	return blank;
}

/* A name as git writes it, or, where that may be misread, in C quotes. */
static void put_name(struct buf *out, const char *prefix, const char *name)
{
	bool quoted = wants_quotes(name);

	if (quoted)
		buf_addc(out, '"');
	buf_adds(out, prefix);
	for (const char *p = name; *p; p++)
		if (strchr("\"\\", *p))
			buf_addf(out, "\\%c", *p);
		else if (*p == '\n')
			buf_adds(out, "\\n");
		else if (*p == '\t')
			buf_adds(out, "\\t");
		else if ((unsigned char)*p < 0x20 || *p == 0x7f)
			buf_addf(out, "\\%03o", (unsigned)*p);
		else
			buf_addc(out, *p);
	if (quoted)
		buf_addc(out, '"');
}

static void put_file(struct buf *out, const char *before, const char *prefix, const char *name)
{
	buf_adds(out, before);
	if (name)
		put_name(out, prefix, name);
	else
		buf_adds(out, "/dev/null");
	buf_addc(out, '\n');
}

static bool is_usual(const struct diff_side *s)
{
	return !s->mode || mode_git(s->mode) == MODE_FILE;
}

static unsigned mode_of(const struct diff_side *s)
{
	return s->mode ? mode_git(s->mode) : MODE_FILE;
}

static void put_mode(struct buf *out, const char *before, const struct diff_side *s)
{
	buf_addf(out, "%s mode %06o\n", before, mode_of(s));
}

/* Of a link, nothing else tells that it is one. */
static void put_index(struct buf *out, const struct diff_side *a, const struct diff_side *b)
{
	char from[2 * SHA1_BYTES + 1], to[2 * SHA1_BYTES + 1];

	sha1_blob(from, a->text);
	sha1_blob(to, b->text);
	buf_addf(out, "index %.7s..%.7s %06o\n", from, to, MODE_LINK);
}

/* What lines alone cannot tell. */
static void put_extended(struct buf *out, const struct diff_side *a, const struct diff_side *b,
			 bool same, bool always)
{
	bool both = a->name && b->name, renamed = both && strcmp(a->name, b->name) != 0;
	bool chmod = both && mode_of(a) != mode_of(b);
	bool link = both && mode_of(a) == MODE_LINK && !same;

	if (!always && !renamed && !chmod && !link && !same && (both || is_usual(a->name ? a : b)))
		return;
	buf_adds(out, "diff --git ");
	put_name(out, "a/", a->name ? a->name : b->name);
	buf_addc(out, ' ');
	put_name(out, "b/", b->name ? b->name : a->name);
	buf_addc(out, '\n');
	if (chmod) {
		put_mode(out, "old", a);
		put_mode(out, "new", b);
	}
	if (!both)
		put_mode(out, a->name ? "deleted file" : "new file", a->name ? a : b);
	if (renamed) {
		put_file(out, "rename from ", "", a->name);
		put_file(out, "rename to ", "", b->name);
	}
	if (link)
		put_index(out, a, b);
}

static struct str diff_unified_take_line(struct str *rest)
{
	const char *lf = memchr(rest->p, '\n', rest->n);
	size_t n = lf ? (size_t)(lf - rest->p) + 1 : rest->n;
	struct str line = str_sub(*rest, 0, n);

	*rest = str_sub(*rest, n, rest->n);
	return line;
}

static void diff_unified_put_line(struct buf *out, char sign, struct str line)
{
	char *to = buf_room(out, line.n + 1);

	*to++ = sign;
	if (line.n)
		memcpy(to, line.p, line.n);
	out->n += line.n + 1;
	buf_end(out);
	if (!line.n || line.p[line.n - 1] != '\n')
		buf_adds(out, "\n\\ No newline at end of file\n");
}

static void put_lines(struct buf *out, char sign, struct str rest, size_t n)
{
	while (n--)
		diff_unified_put_line(out, sign, diff_unified_take_line(&rest));
}

static void put_range(struct buf *out, char sign, size_t at, size_t n)
{
	buf_addc(out, ' ');
	buf_addc(out, sign);
	buf_addn(out, at + (n ? 1 : 0));
	if (n != 1) {
		buf_addc(out, ',');
		buf_addn(out, n);
	}
}

/* The start of the line n lines before the one that starts at `at`. */
static size_t lines_back(struct str text, size_t at, size_t n)
{
	while (n--) {
		const char *lf = memrchr(text.p, '\n', at - 1);

		at = lf ? (size_t)(lf - text.p) + 1 : 0;
	}
	return at;
}

/* The lines around hunks that are printed under one header. */
struct around {
	size_t head, tail;
	struct span bytes; /* from the first to the last, of the old text */
};

static struct around around(const struct diff_hunk *from, const struct diff_hunk *to,
			    struct str old_text, size_t context)
{
	struct str rest = str_sub(old_text, to[-1].old_bytes.end, old_text.n);
	struct around a = { .head = from->old_at < context ? from->old_at : context };

	for (; a.tail < context && rest.n; a.tail++)
		diff_unified_take_line(&rest);
	a.bytes.at = lines_back(old_text, from->old_bytes.at, a.head);
	a.bytes.end = old_text.n - rest.n;
	return a;
}

/* Prints hunks [from, to) under one header. */
static void put_hunk(struct buf *out, const struct diff_hunk *from, const struct diff_hunk *to,
		     struct str old_text, struct str new_text, size_t context)
{
	const struct diff_hunk *last = to - 1;
	struct around a = around(from, to, old_text, context);
	size_t at = a.bytes.at, line = from->old_at - a.head, new_line = from->new_at - a.head;

	buf_adds(out, "@@");
	put_range(out, '-', line, last->old_at + last->old_n + a.tail - line);
	put_range(out, '+', new_line, last->new_at + last->new_n + a.tail - new_line);
	buf_adds(out, " @@\n");
	for (const struct diff_hunk *h = from; h < to; h++) {
		put_lines(out, ' ', str_sub(old_text, at, old_text.n), h->old_at - line);
		put_lines(out, '-', str_sub(old_text, h->old_bytes.at, old_text.n), h->old_n);
		put_lines(out, '+', str_sub(new_text, h->new_bytes.at, new_text.n), h->new_n);
		at = h->old_bytes.end;
		line = h->old_at + h->old_n;
	}
	put_lines(out, ' ', str_sub(old_text, at, old_text.n), a.tail);
}

size_t diff_group(const struct diff *d, size_t from, size_t context)
{
	size_t to = from + 1;

	while (to < d->n &&
	       d->v[to].old_at - (d->v[to - 1].old_at + d->v[to - 1].old_n) <= 2 * context)
		to++;
	return to;
}

#define HEADER_BYTES 48

size_t diff_size(const struct diff *d, size_t context)
{
	size_t bytes = 0, lines = 0;

	for (size_t i = 0; i < d->n; i++) {
		const struct diff_hunk *h = &d->v[i];

		bytes += h->old_bytes.end - h->old_bytes.at + h->new_bytes.end - h->new_bytes.at;
		lines += h->old_n + h->new_n;
	}
	/* a line of context is as long as others, and has a sign before it */
	return lines ? bytes + lines + d->n * (HEADER_BYTES + 2 * context * (bytes / lines + 1))
		     : 0;
}

void diff_excerpt(struct diff *d, struct str old_text, size_t context, struct buf *out)
{
	for (size_t i = 0, to; i < d->n; i = to) {
		struct around a;

		to = diff_group(d, i, context);
		a = around(d->v + i, d->v + to, old_text, context);
		for (size_t k = i; k < to; k++) {
			d->v[k].old_bytes.at += out->n - a.bytes.at;
			d->v[k].old_bytes.end += out->n - a.bytes.at;
		}
		buf_add(out, str_sub(old_text, a.bytes.at, a.bytes.end));
	}
}

/* `d` leads from the one text to the other. */
static struct diff_counts diff_unified_print(struct buf *out, const struct diff_side *before,
					     const struct diff_side *after, const struct diff *d,
					     size_t context, bool header)
{
	const char *old_name = before->name, *new_name = after->name;
	struct diff_counts counts = { 0 };

	if (!d->n && old_name && new_name && !strcmp(old_name, new_name) &&
	    mode_of(before) == mode_of(after))
		return counts;
	put_extended(out, before, after, !d->n, header);
	if (d->n) {
		put_file(out, "--- ", "a/", old_name);
		put_file(out, "+++ ", "b/", new_name);
	}
	for (size_t i = 0, to; i < d->n; i = to) {
		to = diff_group(d, i, context);
		put_hunk(out, d->v + i, d->v + to, before->text, after->text, context);
		counts.hunks++;
		for (size_t k = i; k < to; k++) {
			counts.removed += d->v[k].old_n;
			counts.added += d->v[k].new_n;
		}
	}
	return counts;
}

static struct diff_counts diff_both(struct buf *out, const struct diff_side *before,
				    const struct diff_side *after, size_t context, bool header)
{
	struct diff d SCOPED(diff_release) = { 0 };

	diff_lines(&d, before->text, after->text);
	return diff_unified_print(out, before, after, &d, context, header);
}

struct diff_counts diff_sides(struct buf *out, const struct diff_side *before,
			      const struct diff_side *after, const struct diff *known,
			      size_t context)
{
	struct diff_counts gone, come;

	if (!before->name && !after->name)
		BUG("a diff without a file");
	if (!before->name || !after->name ||
	    (mode_of(before) == MODE_LINK) == (mode_of(after) == MODE_LINK))
		return known ? diff_unified_print(out, before, after, known, context, false)
			     : diff_both(out, before, after, context, false);
	gone = diff_both(out, before, &(struct diff_side){ .text = STR("") }, context, true);
	come = diff_both(out, &(struct diff_side){ .text = STR("") }, after, context, true);
	return (struct diff_counts){ gone.hunks + come.hunks, come.added, gone.removed };
}

struct diff_counts diff_unified(struct buf *out, const char *old_name, const char *new_name,
				struct str old_text, struct str new_text, size_t context)
{
	return diff_sides(out, &(struct diff_side){ old_name, 0, old_text },
			  &(struct diff_side){ new_name, 0, new_text }, NULL, context);
}
