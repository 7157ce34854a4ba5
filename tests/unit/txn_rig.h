/* Part of test_txn.c and test_txn_stale.c: a small tree in memory, a change of it that has one of
 * everything, and what it has to come to. */

static inline uint64_t hash(const char *s)
{
	return hash_of(str_of(s));
}

/* One of everything: a swap, a change, a move, a creation in new folders, a removal with its
 * folder, and a file with two names. */
static inline void fill(struct memfs *m)
{
	memfs_init(m);
	memfs_put_dir(m, "/r");
	memfs_put_dir(m, "/r/d");
	memfs_put(m, "/r/a", "text of a\n", 0644);
	memfs_put(m, "/r/b", "b, longer\n", 0755);
	memfs_put(m, "/r/mod", "old\n", 0600);
	memfs_put(m, "/r/from", "moves\n", 0751);
	memfs_put(m, "/r/d/gone", "gone\n", 0644);
	memfs_put(m, "/r/hard", "both names\n", 0640);
	memfs_put_link(m, "/r/hard", "/r/d2");
	memfs_put(m, "/r/lent", "lent\n", 0644);
	memfs_put(m, "/r/other", "untouched\n", 0644);
}

static const char *const dirs[] = { "/r/d" };

static inline size_t files(struct txn_file *v)
{
	const struct txn_file all[] = {
		{ "/r/a", true, true, hash("text of a\n"), STR("b, longer\n"), .like = "/r/b" },
		{ "/r/b", true, true, hash("b, longer\n"), STR("text of a\n"), .like = "/r/a" },
		{ "/r/mod", true, true, hash("old\n"), .now = STR("new and longer\n") },
		{ "/r/from", true, false, hash("moves\n"), .now = STR("") },
		{ "/r/to", false, true, 0, STR("moves\n"), .like = "/r/from" },
		{ "/r/x/y/n", false, true, 0, .now = STR("new\n") },
		{ "/r/d/gone", true, false, hash("gone\n"), .now = STR("") },
		{ "/r/hard", true, true, hash("both names\n"), .now = STR("changed, longer\n") },
		{ "/r/lent", true, true, hash("lent\n"), .now = STR("lengthy\n") },
	};

	memcpy(v, all, sizeof(all));
	tell_by_edits(&v[2], "old\n", false);
	tell_by_edits(&v[7], "both names\n", false);
	tell_by_edits(&v[8], "lent\n", true);
	return sizeof(all) / sizeof(all[0]);
}

static inline void dump(struct memfs *m, struct buf *out)
{
	buf_clear(out);
	memfs_dump(m, out);
}

static inline void wanted(struct buf *out)
{
	struct memfs m;

	fill(&m);
	memfs_put(&m, "/r/a", "b, longer\n", 0755);
	memfs_put(&m, "/r/b", "text of a\n", 0644);
	memfs_put(&m, "/r/mod", "new and longer\n", 0600);
	memfs_put(&m, "/r/to", "moves\n", 0751);
	memfs_take(&m, "/r/from");
	memfs_put_dir(&m, "/r/x");
	memfs_put_dir(&m, "/r/x/y");
	memfs_put(&m, "/r/x/y/n", "new\n", 0644);
	memfs_take(&m, "/r/d/gone");
	memfs_take(&m, "/r/d");
	memfs_put(&m, "/r/hard", "changed, longer\n", 0640);
	memfs_put(&m, "/r/lent", "lengthy\n", 0644);
	dump(&m, out);
	memfs_release(&m);
}

/* No journal in force, no text kept, no lock held. */
static inline void home_is_clean(const struct memfs *m)
{
	assert_int_equal(m->n_locks, 0);
	for (size_t i = 0; i < m->n; i++) {
		const char *path = m->name[i].path;

		if (!path_below(STR(MEMFS_HOME), str_of(path)))
			continue;
		if (strstr(path, ".pool/"))
			assert_true(memfs_is_blank(buf_str(&m->name[i].node->text)));
		else if (str_ends(str_of(path), STR(".journal")))
			assert_true(journal_is_free(buf_str(&m->name[i].node->text)));
		assert_null(strstr(path, "kept-"));
	}
}

/* Recovers; how many journals were in force. */
static inline size_t recover(struct memfs *m)
{
	struct recover_report r = { 0 };
	size_t n;

	m->fail_at = 0;
	recover_all(&m->fs, MEMFS_HOME, true, NULL, &r);
	n = r.notes;
	for (size_t i = 0; i < n; i++)
		if (r.note[i].is == RECOVER_LEFT)
			fail_msg("%s: %s", r.note[i].what, r.note[i].why);
	recover_report_release(&r);
	return n;
}

enum fs_sort { SWAPS, LINKS, NEITHER, APART /* from the journals: another disk, that swaps */ };

static inline void prepare_fs(struct memfs *m, enum fs_sort sort)
{
	fill(m);
	m->no_exchange = sort == LINKS || sort == NEITHER;
	m->no_link = sort == NEITHER;
	m->other_dev = sort == APART ? MEMFS_HOME : NULL;
}

static inline void same(struct memfs *m, const struct buf *want)
{
	struct buf is = BUF_INIT;

	dump(m, &is);
	assert_string_equal(is.p, want->p);
	buf_release(&is);
}
