/* Part of test_history.c and test_history_damage.c: a small tree in memory, changes of it, and
 * their history. */

#define DIR_PATH "/state/oxide/history"
#define NOON	 1795262400000 /* ms; what day it is there depends on the zone, and does not matter */

static struct memfs m;
static struct history *h;
static struct err e;
static struct buf before;	    /* the tree at first */
static struct buf found, its_title; /* by undo() */

static struct plan_source src;

static int start(void **state)
{
	(void)state;
	memfs_init(&m);
	memfs_put_dir(&m, "/state");
	memfs_put_dir(&m, "/r");
	memfs_put_dir(&m, "/r/d");
	memfs_put(&m, "/r/a", "one\r\ntwo\nthree\r\n", 0644);
	memfs_put(&m, "/r/b", "B\n", 0644);
	memfs_put(&m, "/r/c", "C\n", 0644);
	memfs_put(&m, "/r/d/f", "gone\0\xff\n", 0644);
	src = memfs_source(&m);
	h = history_new(&m.fs, DIR_PATH, 5, 100000);
	return 0;
}

static int end(void **state)
{
	(void)state;
	history_free(h);
	memfs_release(&m);
	buf_release(&before);
	buf_release(&found);
	buf_release(&its_title);
	return 0;
}

static void ok(bool done)
{
	if (!done)
		fail_msg("%s", e.msg);
}

static void spans(struct plan *p, const char *path, size_t at, size_t to, const char *with)
{
	struct edits set = EDITS_INIT;

	edits_add(&set, (struct span){ at, to }, str_of(with), 0);
	ok(plan_add(p, &(struct op){ .kind = OP_SPANS, .path = path, .spans = &set }, &e));
}

static void moved(struct plan *p, const char *from, const char *to)
{
	ok(plan_add(p, &(struct op){ .kind = OP_RENAME, .path = from, .new_path = to }, &e));
}

static void apply(struct plan *p)
{
	size_t n, n_dirs;
	const struct txn_file *v;
	const char *const *dirs;
	struct txn *t;

	ok(plan_finish(p, &e));
	v = plan_states(p, &n);
	n_dirs = plan_empty_dirs(p, &dirs);
	t = txn_new(&m.fs, MEMFS_HOME, "/r", v, n, dirs, n_dirs);
	ok(txn_prepare(t, &e) && txn_commit(t, &e) && txn_seal(t, &e));
	txn_free(t);
}

static const char *turn; /* of what is added; NULL: none */

static bool add(const struct plan *p, const char *origin, const char *title, struct buf *id)
{
	struct history_about about = { "/r", origin, title, turn, NOON, NULL, 0 };
	struct buf record = BUF_INIT;
	bool done;

	history_record(&record, p, &about);
	done = history_add(h, buf_str(&record), "/r", NOON, id, &e);
	if (done)
		history_prune(h);
	buf_release(&record);
	return done;
}

/* Applies and records; the id is appended. */
static void record(struct plan *p, const char *title, struct buf *id)
{
	apply(p);
	ok(add(p, "nvim", title, id));
	plan_free(p);
}

static inline void small(const char *title, struct buf *id)
{
	struct plan *p = plan_new(&src);

	spans(p, "/r/b", 0, 0, "x");
	record(p, title, id);
}

/* One of everything. */
static void large(struct buf *id)
{
	struct plan *p = plan_new(&src);

	spans(p, "/r/a", 5, 8, "2");
	spans(p, "/r/a", 0, 3, "un\n");
	moved(p, "/r/b", "/r/t");
	moved(p, "/r/c", "/r/b");
	moved(p, "/r/t", "/r/c");
	spans(p, "/r/c", 1, 1, "b");
	ok(plan_add(p, &(struct op){ .kind = OP_REMOVE, .path = "/r/d", .recursive = true }, &e));
	ok(plan_add(p, &(struct op){ .kind = OP_CREATE, .path = "/r/new" }, &e));
	spans(p, "/r/new", 0, 0, "made\n");
	record(p, "of everything", id);
}

static inline size_t listed(const struct history_entry **v)
{
	size_t n;

	ok(history_list(h, "/r", v, &n, &e));
	return n;
}

static inline void dump(struct buf *out)
{
	buf_clear(out);
	for (size_t i = m.n; i--;)
		if (strstr(m.name[i].path, DIR_PATH "/"))
			memfs_take(&m, m.name[i].path);
	memfs_dump(&m, out);
}

static inline bool undo(struct str id, struct plan *p)
{
	return history_undo(h, "/r", id, p, &found, &its_title, &e);
}
