#include <stdlib.h>
#include <string.h>

#include "../base/mem.h"
#include "shown_texts_impl.h"

/* What was shown up to a place in what the client was told. Texts are shared with those that come
 * later, which is not counted: the bound is of what the marks would need by themselves. */
struct shown_mark {
	size_t place, bytes;
	struct map files;
};

static struct shown_file *copy_file(const struct shown_file *f)
{
	struct shown_file *copy = mem_copy(f, sizeof(*f));

	copy->cap = f->n;
	copy->v = mem_copy(f->v, f->n * sizeof(*f->v));
	for (size_t i = 0; i < f->n; i++) {
		struct view *v = &copy->v[i];

		v->text->users++;
		v->cap = v->ranges;
		v->range = mem_copy(v->range, v->ranges * sizeof(*v->range));
	}
	return copy;
}

/* How much they need. */
static size_t copy_files(const struct map *files, struct map *to)
{
	size_t bytes = 0;

	map_each(it, files) {
		struct shown_file *copy = copy_file(it.value);

		map_put(to, it.key, copy);
		for (size_t i = 0; i < copy->n; i++)
			bytes += view_size(&copy->v[i]);
	}
	return bytes;
}

static void drop_mark(struct shown_texts *s, size_t i)
{
	struct shown_mark *m = &s->mark[i];

	s->marked -= m->bytes;
	shown_files_release(&m->files);
	memmove(m, m + 1, (--s->marks - i) * sizeof(*m));
}

static void drop_marks_from(struct shown_texts *s, size_t place)
{
	while (s->marks && s->mark[s->marks - 1].place >= place)
		drop_mark(s, s->marks - 1);
}

void shown_texts_mark(struct shown_texts *s, size_t place)
{
	struct shown_mark m = { .place = place };

	drop_marks_from(s, place);
	m.bytes = copy_files(&s->files, &m.files);
	s->marked += m.bytes;
	mem_add(s->mark, s->marks, s->marks_cap, m);
	while (s->marked > s->most && s->marks > 1)
		drop_mark(s, 0);
}

void shown_texts_back(struct shown_texts *s, size_t place)
{
	const struct shown_mark *m;

	drop_marks_from(s, place + 1);
	m = s->marks ? &s->mark[s->marks - 1] : NULL;
	if (!m || m->place != place) {
		map_each(it, &s->files)
			shown_give_all_up(s, it.value);
		return;
	}
	shown_files_release(&s->files);
	s->bytes = copy_files(&m->files, &s->files);
}

void shown_marks_release(struct shown_texts *s)
{
	drop_marks_from(s, 0);
	free(s->mark);
}
