#include "progress.h"

#include <stdlib.h>

#include "../base/jscan.h"
#include "../base/mem.h"
#include "scan.h"

#define WORKS_MOST 256 /* a server that ends none of them loses the oldest */

struct work {
	char *token;
	char *title; /* NULL: created, not begun */
};

static void work_release(struct work *w)
{
	free(w->token);
	free(w->title);
}

static void progress_drop(struct progress *p, struct work *w)
{
	size_t at = (size_t)(w - p->v);

	work_release(w);
	memmove(w, w + 1, (--p->n - at) * sizeof(*w));
}

static struct work *progress_find(const struct progress *p, const char *token)
{
	for (size_t i = 0; i < p->n; i++)
		if (!strcmp(p->v[i].token, token))
			return &p->v[i];
	return NULL;
}

static struct work *progress_add(struct progress *p, const char *token)
{
	struct work *w = progress_find(p, token);

	if (w)
		return w;
	if (p->n == WORKS_MOST)
		progress_drop(p, p->v);
	p->v = mem_grow(p->v, &p->cap, p->n + 1, sizeof(*p->v));
	p->v[p->n] = (struct work){ mem_dup(token, strlen(token)), NULL };
	return &p->v[p->n++];
}

/* A number and a string of the same digits are two tokens. */
static void read_token(struct jscan *s, struct buf *out)
{
	if (jscan_peek(s) == '0') {
		buf_addf(out, "#%lld", (long long)jscan_int(s));
		return;
	}
	buf_addc(out, '"');
	jscan_str(s, out);
}

bool progress_create(struct progress *p, struct str raw, struct err *e)
{
	struct jscan s = jscan_of(raw, e);
	struct buf token SCOPED(buf_release) = BUF_INIT;
	struct str key;

	for (jscan_object(&s); jscan_member(&s, &key);)
		if (str_eq(key, STR("token")))
			read_token(&s, &token);
		else
			jscan_skip(&s);
	if (!token.n)
		scan_fail(&s, ERR_INVALID, "the token is missing");
	if (scan_end(&s))
		progress_add(p, token.p);
	return jscan_ok(&s);
}

enum kind { OTHER, BEGIN, REPORT, END };

static enum kind progress_read_kind(struct jscan *s)
{
	struct str kind = jscan_quoted(s);

	return str_eq(kind, STR("begin"))    ? BEGIN
	       : str_eq(kind, STR("report")) ? REPORT
	       : str_eq(kind, STR("end"))    ? END
					     : OTHER;
}

/* The value may be anything where the token is not of work but of a partial result. */
static enum kind read_value(struct jscan *s, struct progress_report *out)
{
	enum kind kind = OTHER;
	struct str key;

	if (jscan_peek(s) != '{') {
		jscan_skip(s);
		return OTHER;
	}
	for (jscan_object(s); jscan_member(s, &key);)
		if (str_eq(key, STR("kind")) && jscan_peek(s) == '"')
			kind = progress_read_kind(s);
		else if (str_eq(key, STR("title")) && jscan_peek(s) == '"')
			jscan_str(s, &out->title);
		else if (str_eq(key, STR("message")) && jscan_peek(s) == '"')
			jscan_str(s, &out->message);
		else if (str_eq(key, STR("percentage")) && jscan_peek(s) == '0')
			out->percent = (int)jscan_int(s);
		else
			jscan_skip(s);
	return kind;
}

/* Notes what began or ended; false where there is nothing to tell. */
static bool progress_follow(struct progress *p, const char *token, enum kind kind,
			    struct progress_report *out)
{
	struct work *w = kind == BEGIN ? progress_add(p, token) : progress_find(p, token);

	if (!w)
		return false;
	if (kind == BEGIN) {
		free(w->title);
		w->title = mem_dup(buf_str(&out->title).p, out->title.n);
	} else if (w->title) {
		buf_clear(&out->title);
		buf_adds(&out->title, w->title);
	}
	out->done = kind == END;
	if (out->done)
		progress_drop(p, w);
	return true;
}

bool progress_take(struct progress *p, struct str raw, struct progress_report *out, bool *told,
		   struct err *e)
{
	struct jscan s = jscan_of(raw, e);
	struct buf token SCOPED(buf_release) = BUF_INIT;
	enum kind kind = OTHER;
	struct str key;

	*out = (struct progress_report){ .percent = -1 };
	for (jscan_object(&s); jscan_member(&s, &key);)
		if (str_eq(key, STR("token")))
			read_token(&s, &token);
		else if (str_eq(key, STR("value")))
			kind = read_value(&s, out);
		else
			jscan_skip(&s);
	*told = scan_end(&s) && token.n && kind != OTHER && progress_follow(p, token.p, kind, out);
	if (out->percent < 0 || out->percent > 100)
		out->percent = -1;
	if (*told)
		buf_adds(&out->token, token.p + 1);
	return jscan_ok(&s);
}

void progress_report_release(struct progress_report *r)
{
	buf_release(&r->token);
	buf_release(&r->title);
	buf_release(&r->message);
}

const char *progress_busy(const struct progress *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->v[i].title)
			return *p->v[i].title ? p->v[i].title : "working";
	return p->n ? "preparing" : NULL;
}

void progress_release(struct progress *p)
{
	for (size_t i = 0; i < p->n; i++)
		work_release(&p->v[i]);
	free(p->v);
	*p = (struct progress){ 0 };
}
