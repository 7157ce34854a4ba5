#include "../tool/tool.h"
#include "front.h"

/* A copy in which raw JSON is parsed; NULL for NULL. */
static json *opened(const json *answer)
{
	struct buf text = BUF_INIT;
	struct err ignored = ERR_INIT;
	json *v;

	json_print(&text, answer);
	v = answer ? json_parse(buf_str(&text), &ignored) : NULL;
	buf_release(&text);
	return v;
}

void text_error(struct buf *out, const struct tool *t, const struct err *e, const json *answer,
		bool colour)
{
	struct pen p = { out, colour };
	json *plain = opened(answer);

	if (t && t->print_failed)
		t->print_failed(&p, plain);
	print_refusal(&p, e, plain);
	json_free(plain);
}

void text_answer(struct buf *out, const struct tool *t, const json *answer, bool colour)
{
	struct pen p = { out, colour };
	json *plain = opened(answer);

	t->print(&p, plain);
	if (json_get_str(plain, "warning").n)
		pen_addf(&p, "warning: %s\n", json_get_str(plain, "warning").p);
	json_free(plain);
}
