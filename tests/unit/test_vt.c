/* What a program asks of its terminal, cut at every place, and what is typed into it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gen.h"
#include "wire/vt.h"

/* In three pieces, cut at every two places. */
static void assert_answers(const char *output, const char *answers)
{
	struct str all = str_of(output);

	for (size_t a = 0; a <= all.n; a++)
		for (size_t b = a; b <= all.n; b++) {
			struct vt vt = { .rows = 30, .columns = 100 };
			struct buf out = BUF_INIT;

			vt_feed(&vt, str_sub(all, 0, a), &out);
			vt_feed(&vt, str_sub(all, a, b), &out);
			vt_feed(&vt, str_sub(all, b, all.n), &out);
			assert_text(buf_str(&out), str_of(answers));
			buf_release(&out);
		}
}

static void queries_are_answered(void **state)
{
	(void)state;
	assert_answers("text\x1b[c", "\x1b[?62;22c");
	assert_answers("\x1b[0c", "\x1b[?62;22c");
	assert_answers("\x1b[>c\x1b[>q", "\x1b[>1;10;0c\x1bP>|oxide\x1b\\");
	assert_answers("\x1b[5n\x1b[6n\x1b[?6n", "\x1b[0n\x1b[1;1R\x1b[?1;1R");
	assert_answers("\x1b]10;?\a", "\x1b]10;rgb:ffff/ffff/ffff\a");
	assert_answers("\x1b]11;?\x1b\\", "\x1b]11;rgb:0000/0000/0000\x1b\\");
	assert_answers("\x1b[?u", "\x1b[?0u");
	assert_answers("\x1b[18t", "\x1b[8;30;100t");
	assert_answers("\x1bP+q544e\x1b\\", "\x1bP0+r\x1b\\");
	assert_answers("\x1b[?2004$p\x1b[?2004h\x1b[?2004$p\x1b[?9$p",
		       "\x1b[?2004;2$y\x1b[?2004;1$y\x1b[?9;0$y");
}

/* Broken UTF-8, half sequences, what is called off, and what looks like a query. */
static void what_asks_nothing_is_not_answered(void **state)
{
	(void)state;
	assert_answers("\xff\x1b[\xc3(c", "");
	assert_answers("\x1b[31mred\x1b[0m \x1b[2J\x1b]0;title c\a", "");
	assert_answers("\x1b[\x18"
		       "c\x1b]11;?\x18\a",
		       "");
	assert_answers("\x1b[1\x1b[6n", "\x1b[1;1R");
	assert_answers("\x1b]11;?\x1b[6n", "\x1b[1;1R");
	assert_answers("\x1b[=c\x1b[1c\x1b(B\x1b[>4;2m\x1b]8;;http://x\a", "");
}

static void a_sequence_without_end_takes_no_memory(void **state)
{
	struct vt vt = { 0 };
	struct buf out = BUF_INIT;

	(void)state;
	vt_feed(&vt, STR("\x1b]11;?"), &out);
	for (int i = 0; i < 100000; i++)
		vt_feed(&vt, STR("0123456789"), &out);
	vt_feed(&vt, STR("\a\x1b[6n"), &out);
	assert_text(buf_str(&out), STR("\x1b[1;1R"));
	buf_release(&out);
}

static void modes_are_followed_and_set_back(void **state)
{
	struct vt vt = { 0 };
	struct buf out = BUF_INIT;

	(void)state;
	vt_feed(&vt, STR("\x1b[?1;2004;1049h\x1b[?25l\x1b[?1006h"), NULL);
	assert_true(vt.paste && vt.cursor_keys && vt.alternate && vt.hidden && vt.mouse);
	vt_reset(&out, &vt);
	assert_text(buf_str(&out), STR("\x1b[?2004l\x1b[?1l\x1b[?1006l\x1b[?1049l\x1b[?25h"));
	buf_clear(&out);
	vt_feed(&vt, buf_str(&out), NULL);
	vt_feed(&vt, STR("\x1b[!p"), NULL);
	vt_reset(&out, &vt);
	assert_int_equal(out.n, 0);
	buf_release(&out);
}

static void assert_key(const struct vt *vt, const char *name, const char *bytes)
{
	struct buf out = BUF_INIT;

	assert_int_equal(vt_key(&out, vt, str_of(name)), bytes != NULL);
	assert_text(buf_str(&out), str_of(bytes));
	buf_release(&out);
}

static void keys_have_the_names_that_neovim_gives_them(void **state)
{
	const struct vt plain = { 0 }, application = { .cursor_keys = true };

	(void)state;
	assert_key(&plain, "<C-c>", "\3");
	assert_key(&plain, "<C-C>", "\3");
	assert_key(&plain, "<Esc>", "\x1b");
	assert_key(&plain, "<CR>", "\r");
	assert_key(&plain, "<up>", "\x1b[A");
	assert_key(&application, "<Up>", "\x1bOA");
	assert_key(&plain, "<M-x>", "\x1bx");
	assert_key(&plain, "<A-CR>", "\x1b\r");
	assert_key(&plain, "<lt>", "<");
	assert_key(&plain, "y", "y");
	assert_key(&plain, "<C-\\>", "\x1c");
	assert_key(&plain, "<Nothing>", NULL);
	assert_key(&plain, "<M-Nothing>", NULL);
	assert_key(&plain, "word", NULL);
}

static void a_text_is_pasted_and_nothing_else(void **state)
{
	const struct vt plain = { 0 }, asked = { .paste = true };
	struct buf out = BUF_INIT;

	(void)state;
	vt_paste(&out, &plain, STR("a\nb"));
	assert_text(buf_str(&out), STR("a\rb"));
	buf_clear(&out);
	vt_paste(&out, &asked, STR("a\n\tb\x1b[20\x1b[201~1~\3\xc3\xa9"));
	assert_text(buf_str(&out), STR("\x1b[200~a\r\tb[20[201~1~\xc3\xa9\x1b[201~"));
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(queries_are_answered),
		cmocka_unit_test(what_asks_nothing_is_not_answered),
		cmocka_unit_test(a_sequence_without_end_takes_no_memory),
		cmocka_unit_test(modes_are_followed_and_set_back),
		cmocka_unit_test(keys_have_the_names_that_neovim_gives_them),
		cmocka_unit_test(a_text_is_pasted_and_nothing_else),
	};

	return cmocka_run_group_tests_name("vt", tests, NULL, NULL);
}
