#include <inttypes.h>
#include <stdlib.h>

#include "../base/hash.h"
#include "../base/mem.h"
#include "shown_texts_impl.h"

/* Takes away the lines whose number may mean another line of the last text. */
static void kept_doubt(struct shown_texts *s, const struct view *v, const struct view *last,
		       bool *one, size_t n)
{
	const struct alignment *al = view_align(s, v, view_text(last), last->hash);

	for (size_t i = 0; i < n; i++)
		if (i <= al->n && al->to[i] != i &&
		    (v->counted || view_touches(v, i + 1, i + 1, s->clock)))
			one[i] = false;
}

/* Of each line of the last text, and the place behind it, whether its number means it. */
static bool *kept_numbers(struct shown_texts *s, const struct shown_file *f, size_t n)
{
	const struct view *last = &f->v[f->n - 1];
	bool *one = mem_new(n);

	for (size_t i = 0; i < n; i++)
		one[i] = !f->forgotten || f->given_up == last->hash;
	for (size_t i = 0; i + 1 < f->n; i++)
		kept_doubt(s, &f->v[i], last, one, n);
	for (size_t i = 0; i < n; i++)
		one[i] = one[i] || view_covers(last, i + 1, i + 1, s->clock);
	return one;
}

static json *kept_lines(struct shown_texts *s, const struct shown_file *f)
{
	size_t n = str_lines(view_text(&f->v[f->n - 1])) + 1, end;
	bool *one SCOPED(mem_release) = kept_numbers(s, f, n);
	json *lines = json_array();

	for (size_t at = 0; at < n; at = end + 1) {
		for (end = at; end < n && one[end]; end++)
			;
		if (end > at)
			json_push(lines, json_list(json_int((int64_t)at + 1),
						   json_int(end == n ? 0 : (int64_t)end)));
	}
	return lines;
}

static json *kept_file(struct shown_texts *s, struct str path, const struct shown_file *f)
{
	uint64_t hash = f->n ? f->v[f->n - 1].hash : f->given_up;

	return json_of({ "file", json_str(path) },
		       { "hash", hash ? json_strf("%016" PRIx64, hash) : NULL },
		       { "lines", f->n ? kept_lines(s, f) : NULL });
}

uint64_t shown_texts_now(const struct shown_texts *s)
{
	return s->clock;
}

json *shown_texts_kept(struct shown_texts *s, uint64_t moment)
{
	json *kept = json_array();

	map_each(it, &s->files) {
		const struct shown_file *f = it.value;

		if (f->touched > moment)
			json_push(kept, kept_file(s, it.key, f));
	}
	return kept;
}

static void restore_lines(struct shown_texts *s, struct shown_file *f, const json *lines,
			  struct str now)
{
	struct view *v = view_of_text(s, f, now);

	v->counted = true;
	json_each(pair, lines) {
		const json *first = json_first(pair), *last = first ? json_next(first) : NULL;
		int64_t end = json_number(last);

		view_add_range(s, v, (size_t)json_number(first), end ? (size_t)end : SHOWN_END,
			       true);
	}
	f->forgotten = !view_covers(v, 1, SHOWN_END, s->clock);
}

void shown_texts_restore(struct shown_texts *s, const char *path, const json *kept,
			 const struct str *now)
{
	char *hex SCOPED(mem_release) = json_dup(kept, "hash");
	const json *lines = json_get(kept, "lines");
	uint64_t hash = hex ? strtoull(hex, NULL, 16) : 0;
	struct shown_file *f;

	shown_texts_forget(s, path);
	f = shown_file_of(s, path);
	f->touched = ++s->clock;
	f->forgotten = true;
	if (!lines)
		f->given_up = hash;
	else if (now && hash_of(*now) == hash)
		restore_lines(s, f, lines, *now);
	shown_keep_to_size(s, f);
}

void shown_texts_doubt(struct shown_texts *s)
{
	s->doubts = true;
}
