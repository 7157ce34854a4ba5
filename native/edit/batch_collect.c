#include <stdlib.h>

#include "../base/mem.h"
#include "../base/path.h"
#include "batch_impl.h"

/*
 * Which operations belong to one text. A name may stand for one text after another: an operation
 * that takes the file away, puts another in its place or copies it ends the target that the name
 * had by then, and those behind it are on a new one, which is looked at when its turn comes.
 */
struct collecting {
	struct batch *b;
	struct map open;  /* name -> the target that operations on it belong to */
	struct map above; /* directory -> how many of `open` are below it */
	struct map made;  /* names that operations on files have touched so far */
};

static bool any_above(const struct map *made, const char *path)
{
	struct str dir = path_dir(str_of(path));

	while (dir.n > 1 && !map_get(made, dir))
		dir = path_dir(dir);
	return dir.n > 1;
}

static struct target *target_new(struct collecting *c, const char *path)
{
	struct batch *b = c->b;
	struct target *t = mem_new(sizeof(*t));

	t->path = path;
	t->strings = true;
	t->late = map_count(&c->made) &&
		  (map_get(&c->made, str_of(path)) || any_above(&c->made, path));
	mem_add(b->target, b->targets, b->target_cap, t);
	map_put(&c->open, str_of(path), t);
	path_count_above(&c->above, path, 1);
	return t;
}

/* `last`: that of the operation before, which is often the same. */
static struct target *target_for(struct collecting *c, const char *path, struct target *last)
{
	struct target *t = last && last->path == path ? last : map_get(&c->open, str_of(path));

	return t ? t : target_new(c, path);
}

static void add_to_target(struct batch *b, struct target *t, size_t i)
{
	const struct operation *op = &b->ops->v[i];

	b->place[i] = (struct place){ .target = t, .nth = t->n };
	t->strings = t->strings && op->kind == OPERATION_REPLACE;
	t->counted = t->counted || !t->strings || op->before.n || op->after.n;
	mem_add(t->op, t->n, t->cap, i);
}

static void end_target(struct collecting *c, struct target *t, size_t i)
{
	map_take(&c->open, str_of(t->path));
	path_count_above(&c->above, t->path, -1);
	t->next_ended = c->b->place[i].ended;
	c->b->place[i].ended = t;
}

static void end_below(struct collecting *c, const char *dir, size_t i)
{
	struct batch *b = c->b;

	for (size_t k = 0; k < b->targets && map_get(&c->above, str_of(dir)); k++) {
		struct target *t = b->target[k];

		if (path_below(str_of(dir), str_of(t->path)) &&
		    map_get(&c->open, str_of(t->path)) == t)
			end_target(c, t, i);
	}
}

static void end_at(struct collecting *c, const char *path, size_t i)
{
	struct target *t = path ? map_get(&c->open, str_of(path)) : NULL;

	if (!path)
		return;
	if (t)
		end_target(c, t, i);
	end_below(c, path, i);
	map_put(&c->made, str_of(path), c);
}

void batch_collect(struct batch *b, const bool *left_out)
{
	struct collecting c = { b, MAP_INIT, MAP_INIT, MAP_INIT };
	struct target *t = NULL;

	for (size_t i = 0; i < b->ops->n; i++) {
		const struct operation *op = &b->ops->v[i];

		b->place[i] = (struct place){ 0 };
		if (left_out && left_out[i])
			continue;
		if (batch_in_text(op)) {
			t = target_for(&c, op->path, t);
			add_to_target(b, t, i);
			continue;
		}
		t = NULL;
		if (op->kind == OPERATION_MODE) { /* the text stays what it is */
			map_put(&c.made, str_of(op->path), b);
			continue;
		}
		end_at(&c, op->path, i);
		end_at(&c, op->new_path, i);
	}
	map_release(&c.open);
	map_release(&c.above);
	map_release(&c.made);
}

static void batch_target_free(struct target *t)
{
	lines_release(&t->lines);
	linemap_free(t->map);
	edits_release(&t->pending);
	edits_release(&t->found);
	free(t->op);
	free(t);
}

void batch_drop_targets(struct batch *b)
{
	for (size_t i = 0; i < b->targets; i++)
		batch_target_free(b->target[i]);
	free(b->target);
	b->target = NULL;
	b->targets = b->target_cap = 0;
}
