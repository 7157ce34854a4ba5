#include "dir_watch.h"

#include <stdlib.h>

#include "../base/buf.h"
#include "../base/map.h"
#include "../base/mem.h"
#include "loop_uv.h"

struct watched_dir {
	uv_fs_event_t uv;
	struct dir_watch *of; /* NULL: it is being closed */
	char *path;
};

struct dir_watch {
	struct loop *loop;
	struct map dirs;
	dir_watch_fn *fn;
	void *arg;
};

struct dir_watch *dir_watch_new(struct loop *l, dir_watch_fn *fn, void *arg)
{
	struct dir_watch *w = mem_new(sizeof(*w));

	*w = (struct dir_watch){ .loop = l, .fn = fn, .arg = arg };
	return w;
}

static void watched_dir_closed(uv_handle_t *h)
{
	struct watched_dir *d = h->data;

	free(d->path);
	free(d);
}

static void watched_dir_event(uv_fs_event_t *h, const char *name, int events, int status)
{
	struct watched_dir *d = h->data;
	struct buf path SCOPED(buf_release) = BUF_INIT;

	(void)events;
	if (!d->of)
		return;
	buf_adds(&path, d->path);
	if (!status && name && *name)
		buf_addf(&path, "/%s", name);
	d->of->fn(d->of->arg, path.p);
}

bool dir_watch_add(struct dir_watch *w, const char *dir)
{
	struct watched_dir *d;

	if (map_get(&w->dirs, str_of(dir)))
		return true;
	d = mem_new(sizeof(*d));
	uv_fs_event_init(loop_uv(w->loop), &d->uv);
	d->uv.data = d;
	d->path = mem_dup(dir, strlen(dir));
	if (uv_fs_event_start(&d->uv, watched_dir_event, dir, 0)) {
		uv_close((uv_handle_t *)&d->uv, watched_dir_closed);
		return false;
	}
	uv_unref((uv_handle_t *)&d->uv);
	d->of = w;
	map_put(&w->dirs, str_of(dir), d);
	return true;
}

size_t dir_watch_count(const struct dir_watch *w)
{
	return map_count(&w->dirs);
}

void dir_watch_free(struct dir_watch *w)
{
	if (!w)
		return;
	map_each(it, &w->dirs) {
		struct watched_dir *d = it.value;

		d->of = NULL;
		uv_close((uv_handle_t *)&d->uv, watched_dir_closed);
	}
	map_release(&w->dirs);
	free(w);
}
