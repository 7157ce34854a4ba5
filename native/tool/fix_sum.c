#include "fix_sum.h"

#include <stdlib.h>

#include "../base/mem.h"

void fix_list_add(struct fix_list *l, const struct fix *f)
{
	struct fix *to;

	l->v = mem_grow(l->v, &l->cap, l->n + 1, sizeof(*l->v));
	to = &l->v[l->n++];
	*to = (struct fix){ arena_str(&l->texts, f->file),
			    arena_str(&l->texts, f->text),
			    arena_str(&l->texts, f->message),
			    arena_str(&l->texts, f->title),
			    arena_str(&l->texts, f->id),
			    arena_str(&l->texts, f->reason),
			    f->line };
}

void fix_list_release(struct fix_list *l)
{
	arena_release(&l->texts);
	free(l->v);
	*l = (struct fix_list){ 0 };
}

static json *fix_sum_rows_of(const struct fix_list *l)
{
	json *list = json_array();

	for (size_t i = 0; i < l->n; i++) {
		const struct fix *f = &l->v[i];
		json_push(list,
			  json_of({ "file", json_str(f->file) },
				  { "line", json_int((int64_t)f->line) },
				  { "text", json_str(f->text) },
				  { "message", json_str(f->message) },
				  { "title", json_str(f->title) }, { "action_id", json_str(f->id) },
				  { "reason", f->reason.n ? json_str(f->reason) : NULL }));
	}
	return list;
}

void fix_sum_add(struct fix_sum *s, const struct change_result *change,
		 const struct fix_list *fixed)
{
	if (change->transaction.n) {
		s->transactions = s->transactions ? s->transactions : json_array();
		json_push(s->transactions, json_str(change->transaction));
	}
	if (!change->waits)
		s->applied += fixed->n;
	for (size_t i = 0; i < fixed->n; i++)
		fix_list_add(&s->fixed, &fixed->v[i]);
	change_result_add(&s->change, change);
}

void fix_sum_refuse(struct fix_sum *s, const struct fix *f, const char *reason)
{
	struct fix copy = *f;

	copy.reason = str_of(reason);
	fix_list_add(&s->refused, &copy);
}

void fix_sum_forget(struct fix_sum *s)
{
	fix_list_release(&s->refused);
}

static bool fix_sum_has(const struct fix_list *l, const struct fix *f)
{
	for (size_t i = 0; i < l->n; i++)
		if (str_eq(l->v[i].file, f->file) && str_eq(l->v[i].text, f->text) &&
		    str_eq(l->v[i].message, f->message) && str_eq(l->v[i].title, f->title))
			return true;
	return false;
}

bool fix_sum_tried(const struct fix_sum *s, const struct fix *f)
{
	return fix_sum_has(&s->fixed, f) || fix_sum_has(&s->refused, f);
}

/* Where a diagnostic stands is not part of what it is: fixes move lines. */
static struct str name(const struct diag *d, struct buf *out)
{
	buf_clear(out);
	buf_addf(out, "%s\n%d\n", d->path, (int)d->severity);
	buf_add(out, d->code);
	buf_addc(out, '\n');
	buf_add(out, d->source);
	buf_addc(out, '\n');
	buf_add(out, d->message);
	return buf_str(out);
}

void fix_sum_before(struct fix_sum *s, const struct diag *const *v, size_t n)
{
	struct buf key SCOPED(buf_release) = BUF_INIT;

	for (size_t i = 0; i < n; i++) {
		uintptr_t known = (uintptr_t)map_get(&s->before, name(v[i], &key));

		map_put(&s->before, buf_str(&key), (void *)(known + 1));
	}
	s->gone = n;
}

/* Each of those that are left counts for one that there was. */
void fix_sum_after(struct fix_sum *s, const struct diag *const *v, size_t n)
{
	struct buf key SCOPED(buf_release) = BUF_INIT;

	for (size_t i = 0; i < n; i++) {
		uintptr_t left = (uintptr_t)map_take(&s->before, name(v[i], &key));

		s->gone -= left > 0;
		if (left > 1)
			map_put(&s->before, buf_str(&key), (void *)(left - 1));
	}
	s->remain = n;
}

void fix_sum_report(struct fix_sum *s, json *after)
{
	if (s->fixed.n) {
		json_put(after, "applied", fix_sum_rows_of(&s->fixed));
		change_result_put_checks(&s->change, after);
		change_result_put(&s->change, after);
		change_result_put_end(&s->change, after);
	}
	if (s->transactions)
		json_put(after, "transactions", s->transactions);
	s->transactions = NULL;
	json_put(after, "fixes_applied", json_int((int64_t)s->applied));
	json_put(after, "resolved", json_int((int64_t)s->gone));
	json_put(after, "remaining", json_int((int64_t)s->remain));
	if (s->refused.n)
		json_put(after, "not_applied", fix_sum_rows_of(&s->refused));
	if (s->stopped.code)
		json_put(after, "stopped", json_strz(s->stopped.msg));
}

void fix_sum_release(struct fix_sum *s)
{
	json_free(s->transactions);
	change_result_release(&s->change);
	map_release(&s->before);
	fix_list_release(&s->fixed);
	fix_list_release(&s->refused);
}
