/* Part of test_batch.c and test_batch_turns.c: operations, and what a batch of them gives. */

static struct memfs m;
static struct plan_source src;
static struct operations ops;
static struct err e;

static int start(void **state)
{
	(void)state;
	memfs_init(&m);
	memfs_put_dir(&m, "/r");
	src = memfs_source(&m);
	ops = (struct operations){ 0 };
	e = (struct err)ERR_INIT;
	return 0;
}

static int end(void **state)
{
	(void)state;
	operations_release(&ops);
	memfs_release(&m);
	return 0;
}

static struct operation *add(enum operation_kind kind, const char *path, size_t line, size_t count,
			     const char *with)
{
	struct operation *op = operations_add(&ops, kind, path);

	op->of = (int)ops.n - 1;
	op->line = line;
	op->count = count;
	op->with = arena_str(&ops.parts, str_of(with));
	return op;
}

static void replace(const char *path, const char *find, const char *with)
{
	add(OPERATION_REPLACE, path, 0, 0, with)->find = arena_str(&ops.parts, str_of(find));
}

static struct batch *run(unsigned flags, struct plan **p)
{
	struct batch *b = batch_new(&ops, flags);

	e = (struct err)ERR_INIT;
	*p = batch_run(b, &src, &e);
	return b;
}

static void gives(const char *path, const char *want)
{
	struct plan *p;
	struct batch *b = run(BATCH_CONFLICTS, &p);
	struct str got = STR("");

	if (!p)
		fail_msg("%s", e.msg);
	for (size_t i = 0; i < plan_files(p); i++)
		if (!strcmp(plan_file(p, i)->path, path)) {
			assert_true(plan_want(p, i, &e));
			got = plan_file(p, i)->now;
		}
	assert_text(got, str_of(want));
	plan_free(p);
	batch_free(b);
}
