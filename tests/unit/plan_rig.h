/* Part of test_plan.c and test_plan_links.c: a small tree in memory, and a plan of it. */

#include "memfs_source.h"

static struct memfs m;
static struct plan *p;
static struct err e;
static const char *denied; /* the path that may not be written */
static struct buf asked;

static bool src_allowed(void *self, const char *path, bool itself, struct exemptions *exempt,
			struct buf *by, struct err *why)
{
	(void)self;
	(void)itself;
	buf_addf(&asked, "%s ", path);
	if (!denied || strcmp(path, denied) != 0)
		return true;
	if (exempt_has(exempt, path)) {
		buf_adds(by, path);
		return true;
	}
	exempt_refuse(exempt, path);
	return err_set(why, ERR_DENIED, "%s: may not be written", path);
}

static struct plan_source src;

static int start(void **state)
{
	(void)state;
	memfs_init(&m);
	memfs_put_dir(&m, "/r");
	memfs_put_dir(&m, "/r/d");
	memfs_put_dir(&m, "/r/d/e");
	memfs_put_dir(&m, "/r/empty");
	memfs_put(&m, "/r/a", "one\ntwo\nthree\n", 0644);
	memfs_put(&m, "/r/b", "B\n", 0644);
	memfs_put(&m, "/r/d/f", "f\n", 0644);
	memfs_put(&m, "/r/d/e/g", "g\n", 0644);
	memfs_put(&m, "/r/crlf", "1\r\n2\r\n3\n", 0644);
	src = memfs_source(&m);
	src.allowed = src_allowed;
	p = plan_new(&src);
	e = (struct err)ERR_INIT;
	denied = NULL;
	return 0;
}

static int end(void **state)
{
	(void)state;
	plan_free(p);
	memfs_release(&m);
	buf_release(&asked);
	return 0;
}

static void ok(bool done)
{
	if (!done)
		fail_msg("%s", e.msg);
}

static void refused(bool done, enum err_code code, const char *message)
{
	assert_false(done);
	assert_string_equal(e.msg, message);
	assert_int_equal(e.code, code);
}

/* One span, or two with the second's bytes given. */
static bool edit(const char *path, size_t at, size_t to, const char *with)
{
	struct edits set = EDITS_INIT;
	struct op op = { .kind = OP_SPANS, .path = path, .spans = &set };
	bool done;

	edits_add(&set, (struct span){ at, to }, str_of(with), 0);
	done = plan_add(p, &op, &e);
	edits_release(&set);
	return done;
}

enum { OVER = 1, IGNORE = 2, DEEP = 4 };

static bool create(const char *path, int how)
{
	return plan_add(p,
			&(struct op){ .kind = OP_CREATE,
				      .path = path,
				      .overwrite = how & OVER,
				      .ignore = how & IGNORE },
			&e);
}

static bool move(const char *from, const char *to, int how)
{
	return plan_add(p,
			&(struct op){ .kind = OP_RENAME,
				      .path = from,
				      .new_path = to,
				      .overwrite = how & OVER,
				      .ignore = how & IGNORE },
			&e);
}

static bool drop(const char *path, int how)
{
	return plan_add(p,
			&(struct op){ .kind = OP_REMOVE,
				      .path = path,
				      .recursive = how & DEEP,
				      .ignore = how & IGNORE },
			&e);
}

static void finish(void)
{
	ok(plan_finish(p, &e));
}

/* "a:-1+1 a>b n+ d-": what became of each file. */
static void files(const char *want)
{
	struct buf out = BUF_INIT;

	for (size_t i = 0; i < plan_files(p); i++) {
		const struct plan_file *f = plan_file(p, i);

		buf_addf(&out, "%s%s", i ? " " : "", f->path + 3);
		if (f->new_path)
			buf_addf(&out, ">%s", f->new_path + 3);
		if (!f->existed)
			buf_addc(&out, '+');
		if (!f->exists)
			buf_addc(&out, '-');
		if (f->existed && f->exists && f->edits.n)
			buf_addf(&out, ":-%zu+%zu", f->lines_removed, f->lines_added);
	}
	assert_string_equal(out.n ? out.p : "", want);
	buf_release(&out);
}
