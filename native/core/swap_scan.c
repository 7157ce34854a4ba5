#include "swap_scan.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/map.h"
#include "../base/mem.h"
#include "../base/path.h"
#include "../edit/swap_file.h"
#include "../io/disk.h"

struct looking {
	struct oxide *ox;
	const char *root;
	char host[256];
	struct map seen; /* swap files: two entries may lead to one directory */
	struct map dirs; /* struct swap_dir */
	struct buf *out;
};

/* After so many questions about names in a directory it is read once, which costs less than asking
 * on: in one that is large only after many. */
#define ASKED_SMALL 16
#define ASKED_MOST  256
#define SMALL_BYTES (64 << 10) /* of a directory itself, at a thousand names */

struct swap_dir {
	size_t asked;
	bool listed, large;
	struct map names; /* that may be those of swap files */
};

static struct swap_dir *swap_dir_of(struct looking *l, struct str dir)
{
	struct swap_dir *d = map_get(&l->dirs, dir);

	if (!d) {
		d = mem_new(sizeof(*d));
		map_put(&l->dirs, dir, d);
	}
	return d;
}

/* One that cannot be read is asked on. */
static void swap_dir_list(struct swap_dir *d, const char *swap)
{
	struct str dir = path_dir(str_of(swap));
	char *path SCOPED(mem_release) = mem_dup(dir.p, dir.n);
	const struct fs *fs = disk_fs();
	struct buf names SCOPED(buf_release) = BUF_INIT;
	struct err e = ERR_INIT;

	d->listed = fs->list(fs->self, path, &names, &e) || e.code == ERR_NOT_FOUND;
	for (const char *name = names.p; d->listed && name < names.p + names.n;
	     name += strlen(name) + 1)
		if (str_find(str_of(name), STR(".sw")) >= 0)
			map_put(&d->names, str_of(name), d);
	if (!d->listed) {
		d->asked = ASKED_SMALL + 1;
		d->large = true;
	}
}

static bool swap_dir_is_large(const char *swap)
{
	struct str dir = path_dir(str_of(swap));
	char *path SCOPED(mem_release) = mem_dup(dir.p, dir.n);
	const struct fs *fs = disk_fs();
	struct fs_stat st;

	return fs->stat(fs->self, path, &st, ERR_IGNORED) && st.kind == FS_DIR &&
	       st.size > SMALL_BYTES;
}

/* False: there is no such name in its directory. */
static bool may_exist(struct looking *l, const char *swap)
{
	struct swap_dir *d = swap_dir_of(l, path_dir(str_of(swap)));

	if (!d->listed && d->asked++ == ASKED_SMALL)
		d->large = swap_dir_is_large(swap);
	if (!d->listed && d->asked > ASKED_SMALL && (!d->large || d->asked > ASKED_MOST))
		swap_dir_list(d, swap);
	return !d->listed || map_get(&d->names, path_base(str_of(swap)));
}

static void swap_dirs_release(struct map *dirs)
{
	map_each(it, dirs) {
		map_release(&((struct swap_dir *)it.value)->names);
		free(it.value);
	}
	map_release(dirs);
}

static void say(const struct looking *l, const struct swap_head *h, const char *path,
		const char *swap)
{
	struct str shown = path_shown(str_of(l->root), str_of(path));
	struct fs_process process = { (uint64_t)h->pid, 0 };
	const struct fs *fs = disk_fs();

	if (*h->host && strncmp(h->host, l->host, sizeof(h->host) - 1) != 0) {
		if (h->modified)
			buf_addf(l->out,
				 "%.*s may be open on %s (process %lld), with unsaved changes "
				 "there: %s\n",
				 STR_ARG(shown), h->host, (long long)h->pid, swap);
	} else if (disk_may_be_vi(h->pid) && fs->lives(fs->self, &process)) {
		buf_addf(l->out, "%.*s is open in another Vim or Neovim (process %lld), %s\n",
			 STR_ARG(shown), (long long)h->pid,
			 h->modified ? "with unsaved changes there" : "without unsaved changes");
	} else if (h->modified) {
		buf_addf(l->out,
			 "%.*s has unsaved changes that process %lld left behind: %s (recover "
			 "them with `nvim -r`)\n",
			 STR_ARG(shown), (long long)h->pid, swap);
	}
}

static void swap_scan_look_at(struct looking *l, const char *path, const char *real, bool exact,
			      const char *swap)
{
	const struct fs *fs = disk_fs();
	struct buf head SCOPED(buf_release) = BUF_INIT;
	struct swap_head h;
	struct fs_stat st;

	if (may_exist(l, swap) && fs->stat(fs->self, swap, &st, ERR_IGNORED) &&
	    st.kind == FS_FILE && !map_get(&l->seen, str_of(swap)) &&
	    fs->peek(fs->self, swap, FS_UNHELD, 0, SWAP_HEAD, &head, ERR_IGNORED) &&
	    swap_read(buf_str(&head), &h) && h.pid != (int64_t)l->ox->editor.process.pid &&
	    (exact || swap_is_of(&h, real))) {
		map_put(&l->seen, str_of(swap), l);
		say(l, &h, path, swap);
	}
}

static void swap_scan_look(struct looking *l, const char *path)
{
	struct str places = buf_str(&l->ox->swap_places);
	struct buf real SCOPED(buf_release) = BUF_INIT, entry SCOPED(buf_release) = BUF_INIT;
	struct buf name SCOPED(buf_release) = BUF_INIT;
	const struct fs *fs = disk_fs();

	if (!fs->resolve(fs->self, path, &real, ERR_IGNORED))
		return;
	while (swap_entry(&places, &entry)) {
		bool exact = swap_name_is_exact(buf_str(&entry));

		buf_clear(&name);
		for (char c = SWAP_FIRST; c >= SWAP_LAST; c--) {
			if (c == SWAP_FIRST && !swap_name(buf_str(&entry), real.p, &name))
				break;
			name.n -= c != SWAP_FIRST;
			buf_addc(&name, c);
			swap_scan_look_at(l, path, real.p, exact, buf_str(&name).p);
		}
	}
}

void swap_scan_report(struct oxide *ox, const struct plan *p, const char *root, struct buf *out)
{
	size_t most = (size_t)config_get(&ox->config, CFG_SWAP_FILES);
	struct looking l = {
		.ox = ox, .root = root, .seen = MAP_INIT, .dirs = MAP_INIT, .out = out
	};

	if (!ox->swap_places.n)
		swap_scan_directory(ox, STR(""));
	if (gethostname(l.host, sizeof(l.host) - 1))
		l.host[0] = '\0';
	for (size_t i = 0; i < plan_files(p) && i < most; i++) {
		swap_scan_look(&l, plan_file(p, i)->path);
		if (plan_file(p, i)->new_path)
			swap_scan_look(&l, plan_file(p, i)->new_path);
	}
	map_release(&l.seen);
	swap_dirs_release(&l.dirs);
}
