/* Part of test_crash.c: what is changed, and the trees in memory that it is changed in. */

struct mix {
	const char *name;
	struct txn_file file[6];
	size_t files;
	const char *dirs[2];
	size_t n_dirs;
};

static struct mix mixes[] = {
	{ "one", { { "/r/a", 1, 1, 0, .now = STR("new text of a\n") } }, 1, { NULL }, 0 },
	{ "three",
	  { { "/r/a", 1, 1, 0, .now = STR("new text of a\n") },
	    { "/r/e/b", 1, 1, 0, .now = STR("x") },
	    { "/r/e/empty", 1, 1, 0, .now = STR("no more\n") } },
	  3,
	  { NULL },
	  0 },
	{ "made, moved and removed",
	  { { "/r/a", 1, 0, 0, .now = STR("") },
	    { "/r/e/to", 0, 1, 0, STR("text of a\n"), .like = "/r/a" },
	    { "/r/x/y/n", 0, 1, 0, .now = STR("made\n") },
	    { "/r/d/gone", 1, 0, 0, .now = STR("") },
	    { "/r/d/s/deep", 1, 0, 0, .now = STR("") } },
	  5,
	  { "/r/d/s", "/r/d" },
	  2 },
	{ "names swapped",
	  { { "/r/a", 1, 1, 0, STR("b, longer\n"), .like = "/r/e/b" },
	    { "/r/e/b", 1, 1, 0, STR("text of a\n"), .like = "/r/a" } },
	  2,
	  { NULL },
	  0 },
	{ "in place, and others",
	  { { "/r/hard", 1, 1, 0, .now = STR("changed, and longer than before\n") },
	    { "/r/e/b", 1, 1, 0, .now = STR("short\n") },
	    { "/r/e/new", 0, 1, 0, .now = STR("made\n") } },
	  3,
	  { NULL },
	  0 },
	{ "links made, changed and removed, and files that were some",
	  { { "/r/to-a", 1, 1, 0, .now = STR("e/b"), .was_link = true, .mode = MODE_LINK },
	    { "/r/e/empty", 1, 1, 0, .now = STR("../a"), .mode = MODE_LINK },
	    { "/r/e/new", 0, 1, 0, .now = STR("b"), .mode = MODE_LINK },
	    { "/r/e/up", 1, 1, 0, .now = STR("a text now\n"), .was_link = true, .mode = MODE_EXEC },
	    { "/r/to-e", 1, 0, 0, .now = STR(""), .was_link = true },
	    { "/r/a", 1, 1, 0, .now = STR("new text of a\n") } },
	  6,
	  { NULL },
	  0 },
	{ "modes",
	  { { "/r/a", 1, 1, 0, .now = STR("text of a\n"), .mode = 0100750 },
	    { "/r/e/b", 1, 1, 0, .now = STR("b\n"), .mode = 0100644 },
	    { "/r/hard", 1, 1, 0, .now = STR("another\n"), .mode = 0100755 },
	    { "/r/new", 0, 1, 0, .now = STR("made\n"), .mode = MODE_EXEC },
	    { "/r/secret", 0, 1, 0, .now = STR("made\n"), .mode = 0100600 } },
	  5,
	  { NULL },
	  0 },
	{ "a file becomes a folder",
	  { { "/r/a", 1, 0, 0, .now = STR("") },
	    { "/r/a/x/n", 0, 1, 0, STR("text of a\n"), .like = "/r/a" },
	    { "/r/e/b", 1, 1, 0, .now = STR("b\n") } },
	  3,
	  { NULL },
	  0 },
	{ "a folder becomes a file",
	  { { "/r/d/gone", 1, 0, 0, .now = STR("") },
	    { "/r/d/s/deep", 1, 0, 0, .now = STR("") },
	    { "/r/d", 0, 1, 0, STR("gone\n"), .like = "/r/d/gone" },
	    { "/r/e/b", 1, 1, 0, .now = STR("b\n") } },
	  4,
	  { "/r/d/s", "/r/d" },
	  2 },
	{ "a folder and a link to one change places",
	  { { "/r/to-e", 1, 0, 0, .now = STR(""), .was_link = true },
	    { "/r/to-e/b", 0, 1, 0, .now = STR("new\n") },
	    { "/r/d/gone", 1, 0, 0, .now = STR("") },
	    { "/r/d/s/deep", 1, 0, 0, .now = STR("") },
	    { "/r/d", 0, 1, 0, .now = STR("e"), .mode = MODE_LINK } },
	  5,
	  { "/r/d/s", "/r/d" },
	  2 },
};
#define MIXES (sizeof(mixes) / sizeof(mixes[0]))

enum fs_sort { SWAPS, LINKS, NEITHER, TWO_DISKS, NO_REUSE, SORTS };

static void fill(struct memfs *m, enum fs_sort sort)
{
	memfs_init(m);
	memfs_put_dir(m, "/r");
	memfs_put_dir(m, "/r/d");
	memfs_put_dir(m, "/r/e");
	memfs_put_dir(m, MEMFS_HOME);
	memfs_put(m, "/r/a", "text of a\n", 0640);
	memfs_put(m, "/r/e/b", "b, longer\n", 0755);
	memfs_put(m, "/r/e/empty", "", 0644);
	memfs_put(m, "/r/d/gone", "gone\n", 0600);
	memfs_put_dir(m, "/r/d/s");
	memfs_put(m, "/r/d/s/deep", "deep\n", 0644);
	memfs_put_symlink(m, "/r/to-a", "a");
	memfs_put_symlink(m, "/r/to-e", "e");
	memfs_put_symlink(m, "/r/e/up", "../other");
	memfs_put(m, "/r/hard", "two names\n", 0644);
	memfs_put_link(m, "/r/hard", "/r/second");
	memfs_put(m, "/r/other", "untouched\n", 0644);
	m->no_exchange = sort == LINKS || sort == NEITHER;
	m->no_link = sort == NEITHER;
	m->no_blank = sort == NO_REUSE;
	m->other_dev = sort == TWO_DISKS ? MEMFS_HOME : NULL;
}

/* A transaction before it, so that there are temporaries to be used again. */
static void warm_up(struct memfs *m)
{
	const struct txn_file f[] = {
		{ "/r/other", 1, 1, hash_of(STR("untouched\n")), .now = STR("once\n") },
		{ "/r/e/empty", 1, 1, hash_of(STR("")), .now = STR("full\n") },
		{ "/r/e/b", 1, 1, hash_of(STR("b, longer\n")), .now = STR("b2\n") },
	};
	struct txn *t = txn_new(&m->fs, MEMFS_HOME, "/r", f, 3, NULL, 0);
	struct err e;

	assert_true(txn_prepare(t, &e) && txn_commit(t, &e) && txn_seal(t, &e));
	txn_free(t);
	memfs_put(m, "/r/e/b", "b, longer\n", 0755);
	memfs_put(m, "/r/e/empty", "", 0644);
	memfs_put(m, "/r/other", "untouched\n", 0644);
}

/* What a file of one has, or where a link leads; NULL: it is not there. */
static const char *text_at(const struct memfs *m, const char *path)
{
	struct node *v = node_at(m, path);

	if (!v || v->kind != FS_FILE)
		return NULL;
	return is_link(v) ? v->leads_to : v->text.n ? v->text.p : "";
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}
