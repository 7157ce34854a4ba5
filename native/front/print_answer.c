#include "../tool/answer_text.h"
#include "front.h"

void front_print_error(struct buf *out, const struct tool *t, const struct err *e,
		       const json *answer, bool colour)
{
	struct pen p = { out, colour };
	json *opened SCOPED(json_release) = answer_opened(answer);
	const json *plain = opened ? opened : answer;

	if (t && t->print_failed)
		t->print_failed(&p, plain);
	print_refusal(&p, e, plain);
}

void front_print_answer(struct buf *out, const struct tool *t, const json *answer, bool colour)
{
	struct pen p = { out, colour };
	json *opened SCOPED(json_release) = answer_opened(answer);
	const json *plain = opened ? opened : answer;

	t->print(&p, plain);
	if (json_get_str(plain, "warning").n)
		pen_addf(&p, "warning: %s\n", json_get_str(plain, "warning").p);
}
