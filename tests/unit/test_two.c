// links: full
#include "crash_rig.c" /* a unit test is built from one file */

/* Two processes that change the same file, again and again. */

/* Adds 1 to a number that two processes share, and to its own, `rounds` times. */
static int count(const char *home, const char *root, const char *own, long rounds)
{
	char *path[2] = { path_join(root, "shared"), path_join(root, own) };

	while (rounds) {
		struct buf text[2] = { BUF_INIT, BUF_INIT }, now[2] = { BUF_INIT, BUF_INIT };
		struct txn_file f[2];
		struct err e = ERR_INIT;
		struct txn *t;
		bool ok = true;

		for (int i = 0; i < 2; i++) {
			ok = ok && disk_fs()->read(NULL, path[i], &text[i], NULL, &e);
			buf_addf(&now[i], "%ld\n",
				 strtol(text[i].p ? text[i].p : "", NULL, 10) + 1);
			f[i] = (struct txn_file){ path[i], true, true, hash_of(buf_str(&text[i])),
						  .now = buf_str(&now[i]) };
		}
		t = txn_new(disk_fs(), home, root, f, 2, NULL, 0);
		ok = ok && txn_prepare(t, &e) &&
		     ((txn_commit(t, &e) && txn_seal(t, &e)) || (txn_abort(t, &e) && false));
		rounds -= ok;
		/* ERR_CONFLICT: the other one has kept it for as long as one waits. */
		if (!ok && e.code != ERR_STALE && e.code != ERR_NOT_FOUND && e.code != ERR_CONFLICT)
			return tell(&e, ROLLED_BACK);
		txn_free(t);
		for (int i = 0; i < 2; i++) {
			buf_release(&text[i]);
			buf_release(&now[i]);
		}
	}
	return DONE;
}

static int worker(char **argv)
{
	return count(argv[1], argv[2], argv[3], strtol(argv[4], NULL, 10));
}

static void two_at_once(void **state)
{
	unsigned rounds = rig_more ? 1000 * rig_more : 200;
	char want[64];
	struct buf b = BUF_INIT;
	struct err e;

	(void)state;
	fresh();
	put(at("ws/shared"), "0\n");
	put(at("ws/own1"), "0\n");
	put(at("ws/own2"), "0\n");
	assert_int_equal(sh("timeout 300 %s work count %s %s own1 %u & one=$!;"
			    "timeout 300 %s work count %s %s own2 %u; two=$?;"
			    "wait $one && exit $two",
			    self, at("home"), at("ws"), rounds, self, at("home"), at("ws"), rounds),
			 0);
	snprintf(want, sizeof(want), "%u\n", 2 * rounds);
	assert_true(disk_fs()->read(NULL, at("ws/shared"), &b, NULL, &e));
	assert_string_equal(b.p, want);
	buf_clear(&b);
	snprintf(want, sizeof(want), "%u\n", rounds);
	assert_true(disk_fs()->read(NULL, at("ws/own2"), &b, NULL, &e));
	assert_string_equal(b.p, want);
	buf_release(&b);
	home_is_clean("two at once");
}

static int all(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_at_once),
	};

	return cmocka_run_group_tests(tests, rig_start, rig_end);
}

int main(int argc, char **argv)
{
	return rig_main(argc, argv, worker, all);
}
