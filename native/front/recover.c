#include <stdio.h>
#include <stdlib.h>

#include "../core/recovery.h"
#include "front.h"

static void print_text(const struct recover_report *r)
{
	for (size_t i = 0; i < r->notes; i++) {
		struct buf line = BUF_INIT;

		recovery_say(&line, &r->note[i]);
		puts(line.p);
		buf_release(&line);
	}
	if (!r->notes)
		puts("there is nothing to recover");
}

static void print_json(const struct recover_report *r)
{
	json *v = recovery_json(r);
	struct buf out = BUF_INIT;

	json_print(&out, v);
	puts(out.p);
	buf_release(&out);
	json_free(v);
}

void front_tell_recovered(const struct oxide *ox)
{
	for (size_t i = 0; i < ox->recovered.notes; i++) {
		struct buf line = BUF_INIT;

		recovery_say(&line, &ox->recovered.note[i]);
		fprintf(stderr, "oxide: %s\n", line.p);
		buf_release(&line);
	}
}

int front_recover(bool as_json)
{
	struct recover_report r = { 0 };
	char *home = recovery_home();
	int status = 0;

	if (!home) {
		fputs("oxide: there is no state folder; set XDG_STATE_HOME or HOME\n", stderr);
		return 1;
	}
	recovery_run(home, true, &r);
	if (as_json)
		print_json(&r);
	else
		print_text(&r);
	for (size_t i = 0; i < r.notes; i++)
		status |= r.note[i].is == RECOVER_LEFT;
	recover_report_release(&r);
	free(home);
	return status;
}
