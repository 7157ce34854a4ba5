#include "shown_texts_impl.h"

#include <stdlib.h>

#include "../base/hash.h"
#include "../base/mem.h"

struct shown_texts *shown_texts_new(size_t most)
{
	struct shown_texts *s = mem_new(sizeof(*s));

	s->most = most;
	return s;
}

size_t view_size(const struct view *v)
{
	return sizeof(*v) + v->text->n + v->cap * sizeof(*v->range);
}

static void view_release(struct view *v)
{
	if (!--v->text->users)
		free(v->text);
	free(v->range);
}

static void drop_view(struct shown_texts *s, struct shown_file *f, size_t i)
{
	struct view *v = &f->v[i];

	s->bytes -= view_size(v);
	view_release(v);
	memmove(v, v + 1, (--f->n - i) * sizeof(*v));
}

static void file_free(struct shown_file *f)
{
	for (size_t i = 0; i < f->n; i++)
		view_release(&f->v[i]);
	free(f->v);
	free(f);
}

/* NULL: nothing. */
static void drop_file(struct shown_texts *s, struct shown_file *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->n; i++)
		s->bytes -= view_size(&f->v[i]);
	file_free(f);
}

void shown_files_release(struct map *files)
{
	map_each(it, files)
		file_free(it.value);
	map_release(files);
}

void shown_texts_free(struct shown_texts *s)
{
	if (!s)
		return;
	shown_marks_release(s);
	shown_files_release(&s->files);
	alignment_release(&s->al);
	free(s);
}

static bool is_whole(const struct view *v)
{
	for (size_t i = 0; i < v->ranges; i++)
		if (v->range[i].first == 1 && v->range[i].last == SHOWN_END)
			return true;
	return false;
}

void view_give_up(struct shown_texts *s, struct shown_file *f, size_t i)
{
	bool meant = true;
	uint64_t hash = f->v[i].hash;

	for (size_t k = i + 1; k < f->n; k++)
		meant = meant && !is_whole(&f->v[k]);
	if (meant) {
		f->given_up = f->forgotten && f->given_up != hash ? 0 : hash;
		f->forgotten = true;
	}
	drop_view(s, f, i);
}

static bool give_up_oldest(struct shown_texts *s)
{
	struct shown_file *oldest = NULL;

	map_each(it, &s->files) {
		struct shown_file *f = it.value;

		if (f->n && (!oldest || f->v[0].used < oldest->v[0].used))
			oldest = f;
	}
	if (oldest)
		view_give_up(s, oldest, 0);
	return oldest;
}

struct shown_file *shown_file_of(struct shown_texts *s, const char *path)
{
	struct shown_file *f = map_get(&s->files, str_of(path));

	if (!f) {
		f = mem_new(sizeof(*f));
		map_put(&s->files, str_of(path), f);
	}
	return f;
}

static struct view *view_push(struct shown_texts *s, struct shown_file *f, struct str text)
{
	struct view *v;

	f->v = mem_grow(f->v, &f->cap, f->n + 1, sizeof(*f->v));
	v = &f->v[f->n++];
	*v = (struct view){ .hash = hash_of(text), .since = s->clock, .used = s->clock };
	v->text = mem_new(sizeof(*v->text) + text.n);
	v->text->users = 1;
	v->text->n = text.n;
	if (text.n)
		memcpy(v->text->bytes, text.p, text.n);
	s->bytes += view_size(v);
	return v;
}

struct view *view_of_text(struct shown_texts *s, struct shown_file *f, struct str text)
{
	uint64_t hash = hash_of(text);

	for (size_t i = f->n; i--;)
		if (f->v[i].hash == hash && (i + 1 == f->n || f->v[i].since == s->clock))
			return &f->v[i];
	return view_push(s, f, text);
}

bool view_covers(const struct view *v, size_t first, size_t last, uint64_t moment)
{
	for (size_t at = first, end; at <= last; at = end + 1) {
		end = 0;
		for (size_t i = 0; i < v->ranges; i++) {
			const struct shown_range *r = &v->range[i];

			if (r->sure && r->since <= moment && r->first <= at && r->last >= at &&
			    r->last > end)
				end = r->last;
		}
		if (!end)
			return false;
		if (end == SHOWN_END)
			break;
	}
	return true;
}

bool view_touches(const struct view *v, size_t first, size_t last, uint64_t moment)
{
	for (size_t i = 0; i < v->ranges; i++)
		if (v->range[i].since <= moment && v->range[i].first <= last &&
		    v->range[i].last >= first)
			return true;
	return false;
}

const struct alignment *view_align(struct shown_texts *s, const struct view *v, struct str now,
				   uint64_t hash)
{
	if (s->al.to && s->al_was == v->hash && s->al_now == hash)
		return &s->al;
	alignment_release(&s->al);
	align_lines(&s->al, view_text(v), now);
	s->al_was = v->hash;
	s->al_now = hash;
	return &s->al;
}

void view_add_range(struct shown_texts *s, struct view *v, size_t first, size_t last, bool sure)
{
	struct shown_range *end = v->ranges ? &v->range[v->ranges - 1] : NULL;

	if (first > last || view_covers(v, first, last, s->clock))
		return;
	if (end && end->last + 1 == first && end->since == s->clock && end->sure == sure) {
		end->last = last;
		return;
	}
	s->bytes -= view_size(v);
	mem_add(v->range, v->ranges, v->cap, (struct shown_range){ first, last, s->clock, sure });
	s->bytes += view_size(v);
}

void shown_keep_to_size(struct shown_texts *s, struct shown_file *f)
{
	while (f->n > VIEWS_MOST)
		view_give_up(s, f, 0);
	while (s->bytes > s->most && give_up_oldest(s))
		;
}

void shown_texts_note(struct shown_texts *s, const char *path, struct str text, size_t first,
		      size_t last)
{
	struct shown_file *f = shown_file_of(s, path);
	struct view *v;

	f->touched = ++s->clock;
	v = view_of_text(s, f, text);
	v->used = s->clock;
	v->counted = true;
	view_add_range(s, v, first, last, true);
	if (first == 1 && last == SHOWN_END)
		f->forgotten = false;
	shown_keep_to_size(s, f);
}

void shown_note_answer(struct shown_texts *s, struct shown_file *f, struct str text, size_t first,
		       size_t last)
{
	struct view *v = view_of_text(s, f, text);
	size_t lines = str_lines(text);

	f->touched = v->used = s->clock;
	view_add_range(s, v, first, last < lines ? last : lines, s->rounds);
}

bool shown_texts_has(const struct shown_texts *s, const char *path)
{
	const struct shown_file *f = map_get(&s->files, str_of(path));

	return f && f->n;
}

void shown_texts_forget(struct shown_texts *s, const char *path)
{
	drop_file(s, map_take(&s->files, str_of(path)));
}

void shown_texts_move(struct shown_texts *s, const char *from, const char *to)
{
	struct shown_file *f = map_take(&s->files, str_of(from));

	if (!f)
		return;
	f->touched = ++s->clock;
	drop_file(s, map_put(&s->files, str_of(to), f));
}

uint64_t shown_texts_moment(const struct shown_texts *s)
{
	return s->rounds ? s->round : s->clock;
}

void shown_texts_round(struct shown_texts *s)
{
	s->rounds = true;
	s->round = s->clock;
}
