#include "restore_bytes.h"

#include "../base/utf.h"

static struct str blanks_off(struct buf *out, struct str s)
{
	size_t n = 0;

	while (n < s.n && str_any(" \t\r\n", s.p[n]))
		n++;
	if (out)
		buf_add(out, str_sub(s, 0, n));
	return str_sub(s, n, s.n);
}

/* The next character of the old text, which has to be the next of the new one as a server sees it;
 * appended as the old text has it. */
static bool same_next(struct buf *out, struct str *old, struct str *with)
{
	struct utf u = utf_at(*old, 0);
	struct str own = str_sub(*old, 0, u.n);

	if (!str_skip(with, u.ok ? own : STR(UTF_BAD)))
		return false;
	buf_add(out, own);
	*old = str_sub(*old, u.n, old->n);
	return true;
}

/* Blanks are the new text's. */
static bool but_for_blanks(struct buf *out, struct str old, struct str with)
{
	for (;;) {
		old = blanks_off(NULL, old);
		with = blanks_off(out, with);
		if (!old.n || !with.n)
			return !old.n && !with.n;
		if (!same_next(out, &old, &with))
			return false;
	}
}

/* The one thing in a text that a server sees as U+FFFD; empty: there are several. */
static struct str only_one(struct str s)
{
	struct str found = STR("");

	for (size_t at = 0; at < s.n;) {
		struct utf u = utf_at(s, at);
		struct str own = str_sub(s, at, at + u.n);

		at += u.n;
		if (u.code != 0xfffd)
			continue;
		if (found.n && !str_eq(found, own))
			return STR("");
		found = own;
	}
	return found;
}

static void put_for_each(struct buf *out, struct str with, struct str byte)
{
	ptrdiff_t at;

	while ((at = str_find(with, STR(UTF_BAD))) >= 0) {
		buf_add(out, str_sub(with, 0, (size_t)at));
		buf_add(out, byte);
		with = str_sub(with, (size_t)at + strlen(UTF_BAD), with.n);
	}
	buf_add(out, with);
}

static bool unblur(struct buf *out, struct str old, struct str with)
{
	struct str byte;

	if (but_for_blanks(out, old, with))
		return true;
	buf_clear(out);
	byte = only_one(old);
	if (byte.n)
		put_for_each(out, with, byte);
	return byte.n;
}

bool edits_add_restoring(struct edits *set, struct str text, struct span span, struct str with,
			 int tag, struct err *e)
{
	struct buf own SCOPED(buf_release) = BUF_INIT;
	bool ok = true;

	if (str_find(with, STR(UTF_BAD)) < 0 || utf_clean(text)) {
		edits_add(set, span, with, tag);
		return true;
	}
	if (unblur(&own, str_sub(text, span.at, span.end), with))
		edits_add(set, span, buf_str(&own), tag);
	else
		ok = err_set(e, ERR_UNSUPPORTED,
			     "the file is not UTF-8, and the server would write U+FFFD over its "
			     "invalid bytes; edit_file keeps them");
	return ok;
}
