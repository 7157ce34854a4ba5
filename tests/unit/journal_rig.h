/* Part of the tests of journals: one change in a tree in memory, and its journal. */

#define J MEMFS_HOME "/0.journal"

static const char *const dirs[] = { "/r/d" };
static struct memfs made;	 /* with a journal in force, right after the point of no return */
static struct buf old, new, raw; /* the tree before and after, and that journal */

static inline void fill(struct memfs *m)
{
	memfs_init(m);
	memfs_put_dir(m, "/r");
	memfs_put_dir(m, "/r/d");
	memfs_put(m, "/r/a", "old text of a\n", 0644);
	memfs_put(m, "/r/d/gone", "gone\n", 0644);
	memfs_put(m, "/r/hard", "hard\n", 0644);
	memfs_put_link(m, "/r/hard", "/r/second");
	memfs_put_dir(m, "/etc");
	memfs_put(m, "/etc/passwd", "root\n", 0644);
}

static inline size_t files(struct txn_file *v)
{
	const struct txn_file all[] = {
		{ "/r/a", true, true, hash_of(STR("old text of a\n")), .now = STR("new a\n") },
		{ "/r/d/gone", true, false, hash_of(STR("gone\n")), .now = STR("") },
		{ "/r/hard", true, true, hash_of(STR("hard\n")), .now = STR("harder\n") },
		{ "/r/n/new", false, true, 0, STR("made\n"), .like = "/r/a" },
	};

	memcpy(v, all, sizeof(all));
	return 4;
}

static inline int start(void **state)
{
	struct txn_file v[4];
	struct memfs m;
	struct err e;
	struct txn *t;

	(void)state;
	fill(&made);
	memfs_dump(&made, &old);
	memfs_record(&made);
	t = txn_new(&made.fs, MEMFS_HOME, "/r", v, files(v), dirs, 1);
	assert_true(txn_prepare(t, &e));
	buf_add(&raw, buf_str(&node_at(&made, J)->text));
	memfs_copy(&m, &made);
	assert_true(txn_abort(t, &e));
	txn_free(t);
	memfs_release(&made);
	made = m;
	made.fs.self = &made;
	fill(&m);
	t = txn_new(&m.fs, MEMFS_HOME, "/r", v, files(v), dirs, 1);
	assert_true(txn_prepare(t, &e) && txn_commit(t, &e) && txn_seal(t, &e));
	txn_free(t);
	memfs_dump(&m, &new);
	memfs_release(&m);
	return 0;
}

static inline int end(void **state)
{
	(void)state;
	memfs_release(&made);
	buf_release(&old);
	buf_release(&new);
	buf_release(&raw);
	return 0;
}

static inline void dump(struct memfs *m, struct buf *out)
{
	buf_clear(out);
	memfs_dump(m, out);
}

/* Recovers with this as the journal. Returns what was said first, -1: nothing. */
static inline int recovered(struct str journal, bool *is_old, bool *is_new, char *why, size_t room)
{
	struct recover_report r = { 0 };
	struct buf is = BUF_INIT;
	struct memfs m;
	int first;

	memfs_copy(&m, &made);
	buf_clear(&node_at(&m, J)->text);
	buf_add(&node_at(&m, J)->text, journal);
	recover_all(&m.fs, MEMFS_HOME, true, NULL, &r);
	dump(&m, &is);
	*is_old = !strcmp(is.p, old.p);
	*is_new = !strcmp(is.p, new.p);
	first = r.notes ? (int)r.note[0].is : -1;
	if (why)
		snprintf(why, room, "%s", r.notes && r.note[0].why ? r.note[0].why : "");
	recover_report_release(&r);
	buf_release(&is);
	memfs_release(&m);
	return first;
}
