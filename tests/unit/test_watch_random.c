// links: full
/* An agent writes past Oxide to a file that is open and to one that is not, while the user types,
 * undoes, redoes and saves, and turns end: in any order, with any delay of what Neovim and the core
 * tell one another. What the user typed is never lost, nor taken for the agent's; what the agent
 * wrote is in the buffer, or shown as a conflict; and the undo of a turn leads back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gen.h"
#include "watch_neovim.h"

#define UNDO_MOST 8

static struct gen gen = { 77 };
static unsigned lines_made; /* each that is put in is told apart from all others */
static struct buf typed;    /* the buffer, when the user changed it last */
static struct buf dropped;  /* what they took out of it by an undo */
static struct buf was[UNDO_MOST], b_before;
static size_t n_was, at_was;
static struct timer *pump;
static bool over, saved;

/* Neither takes away what the other one has put in, so that it can be looked for. */
static void change_lines(struct str text, const char *who, struct buf *out)
{
	struct str line;

	while (str_line(&text, &line)) {
		size_t what = gen_below(&gen, 10);
		bool marks = str_starts(line, STR("<")) || str_starts(line, STR(">")) ||
			     str_starts(line, STR("="));

		if (what == 0 && !marks)
			buf_addf(out, "%s%u.\n", who, lines_made++);
		if (what != 1 || marks || !str_starts(line, STR("l")))
			buf_addf(out, "%.*s\n", STR_ARG(line));
	}
	buf_addf(out, "%s%u.\n", who, lines_made++);
}

static void user_has(struct str text)
{
	has_text(text, true);
	buf_clear(&typed);
	buf_add(&typed, text);
}

static void user_types(void)
{
	struct buf text = BUF_INIT;

	change_lines(buf_str(&nv.text), "u", &text);
	if (n_was == UNDO_MOST) {
		buf_release(&was[0]);
		memmove(was, was + 1, (UNDO_MOST - 1) * sizeof(*was));
		was[--n_was] = (struct buf)BUF_INIT;
	}
	buf_clear(&was[n_was]);
	buf_add(&was[n_was++], buf_str(&nv.text));
	at_was = n_was;
	user_has(buf_str(&text));
	buf_release(&text);
}

/* To any of the texts that there were: what is not in that, they did not want. */
static void user_undoes(void)
{
	struct str text, before = buf_str(&nv.text), line;

	if (!n_was)
		return;
	at_was = gen_below(&gen, n_was);
	text = buf_str(&was[at_was]);
	while (str_line(&before, &line))
		if (str_find(text, line) < 0)
			buf_addf(&dropped, "%.*s\n", STR_ARG(line));
	user_has(text);
}

static void agent_writes(const char *name)
{
	struct buf text = BUF_INIT, now = BUF_INIT;

	whole_file(name, &text);
	change_lines(buf_str(&text), "a", &now);
	write_file(name, buf_str(&now));
	buf_release(&text);
	buf_release(&now);
}

static void somebody_does_something(void)
{
	size_t what = gen_below(&gen, 16);

	if (what < 4)
		user_types();
	else if (what < 8)
		agent_writes("a");
	else if (what < 10)
		user_undoes();
	else if (what < 13)
		saved = writes_file() || saved;
	else if (what < 14 && !nv.modified && !disk_is_same())
		reads_file(); /* :checktime */
}

static void something_is_heard(void)
{
	if (gen_below(&gen, 2))
		hears();
	else
		core_hears();
}

static void on_look(void *arg)
{
	(void)arg;
	loop_stop(ox->loop);
}

static void loop_goes_on(void)
{
	loop_soon(ox->loop, on_look, NULL);
	loop_run(ox->loop);
}

static void on_over(void *arg, const struct watch_outcome *o)
{
	json_free(report);
	report = o->report ? json_copy(o->report) : NULL;
	over = true;
	watch_turn_begin(watch, NULL, "the next turn", on_ready, arg);
}

static bool busy; /* things go on while the turn ends */

static void on_pump(void *arg)
{
	(void)arg;
	if (busy && !gen_below(&gen, 3))
		somebody_does_something();
	for (size_t i = gen_below(&gen, 4); i; i--)
		something_is_heard();
	timer_set(pump, loop_now(ox->loop) + 1);
	loop_stop(ox->loop);
}

static void turn_ends(bool while_busy)
{
	busy = while_busy;
	over = false;
	timer_set(pump, loop_now(ox->loop) + 1);
	watch_turn_end(watch, on_over, NULL);
	while (!over || !STAILQ_EMPTY(&watch->of->wishes))
		loop_run(ox->loop);
	timer_set(pump, UINT64_MAX);
}

static void assert_has(struct str all, struct str some, char who, const char *what)
{
	struct str line;

	while (str_line(&some, &line))
		if (line.n && line.p[0] == who && str_find(all, line) < 0 &&
		    str_find(buf_str(&dropped), line) < 0)
			fail_msg("%s: %.*s is lost in:\n%.*s", what, STR_ARG(line), STR_ARG(all));
}

static void assert_none_is_the_users(void)
{
	struct str diff = json_get_str(report, "diff"), all = diff, line;

	while (str_line(&diff, &line))
		if (str_starts(line, STR("+u")) || str_starts(line, STR("-u")))
			fail_msg("%.*s is not the agent's in:\n%.*s", STR_ARG(line), STR_ARG(all));
}

/* What `undo` would make of both files. */
static void assert_undo_leads_back(void)
{
	struct plan *p = plan_new(workspace_source(ox->workspace, ox->root));
	struct history_turn t = { 0 };
	struct err e = ERR_INIT;
	size_t n = 0;
	const struct txn_file *f = NULL;

	if (!report || !json_get(report, "transaction"))
		goto out;
	if (history_turn(ox->history, ox->root, json_get_str(report, "turn"), HISTORY_UNDO, p, &t,
			 &e))
		f = plan_finish(p, &e) ? plan_states(p, &n) : NULL;
	if (!f && e.code != ERR_STALE)
		fail_msg("%s", e.msg);
	for (; n; n--, f++) {
		struct buf text = BUF_INIT;

		if (f->edits)
			edits_apply(f->edits, f->was, &text);
		else
			buf_add(&text, f->now);
		if (str_ends(str_of(f->path), STR("/b")))
			assert_text(buf_str(&text), buf_str(&b_before));
		else
			assert_has(buf_str(&text), buf_str(&typed), 'u', "undo");
		buf_release(&text);
	}
out:
	history_turn_release(&t);
	plan_free(p);
}

/* Nothing happens any more but what was begun. */
static void all_is_as_it_should_be(void)
{
	struct buf disk = BUF_INIT;

	turn_ends(false);
	all_is_heard();
	whole_file("a", &disk);
	assert_has(buf_str(&nv.text), buf_str(&typed), 'u', "buffer");
	assert_has(buf_str(&nv.text), buf_str(&disk), 'a', "buffer");
	assert_text(doc_text(workspace_buffer(ox->workspace, BUFFER)->doc), buf_str(&nv.text));
	assert_none_is_the_users();
	assert_undo_leads_back();
	buf_clear(&b_before);
	whole_file("b", &b_before);
	buf_release(&disk);
}

/* :w! of a few lines */
/* Both files are short again: what is put in line by line grows with each round. */
static void begin_again(void)
{
	put("b", "l1\nl2\n");
	user_has(STR("l1\nl2\nl3\nl4\nl5\nl6\n"));
	nv.behind = false;
	stamp_of_file(nv.seen);
	assert_true(writes_file());
	turn_ends(false);
	buf_clear(&dropped);
	n_was = 0;
}

static void in_any_order_nothing_is_lost(void **state)
{
	const char *count = getenv("OXIDE_INTERLEAVINGS"), *seed = getenv("OXIDE_WATCH_SEED");
	int rounds = count ? atoi(count) : 15;

	(void)state;
	gen.state = seed ? (uint64_t)atoll(seed) : gen.state;
	put("a", "l1\n");
	put("b", "l1\nl2\n");
	open_core("['agent.watch_settle_ms'] = 0");
	pump = timer_new(ox->loop, on_pump, NULL);
	neovim_begin();
	begin();
	for (int round = 0; round < rounds; round++) {
		begin_again();
		buf_clear(&b_before);
		whole_file("b", &b_before);
		for (size_t step = 10 + gen_below(&gen, 40); step; step--) {
			somebody_does_something();
			if (!gen_below(&gen, 8))
				agent_writes("b");
			for (size_t i = gen_below(&gen, 4); i; i--)
				something_is_heard();
			if (!gen_below(&gen, 3))
				loop_goes_on();
			if (!gen_below(&gen, 15)) {
				turn_ends(true);
				assert_none_is_the_users();
				buf_clear(&b_before);
				whole_file("b", &b_before);
			}
		}
		all_is_as_it_should_be();
	}
	assert_true(nv.conflicts > 0);
	neovim_end();
	timer_free(pump);
	close_core();
	for (size_t i = 0; i < UNDO_MOST; i++)
		buf_release(&was[i]);
	buf_release(&typed);
	buf_release(&dropped);
	buf_release(&b_before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(in_any_order_nothing_is_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
