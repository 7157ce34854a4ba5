#include <stdio.h>

#include "../base/path.h"
#include "../core/recovery.h"
#include "../edit/history.h"
#include "../io/disk.h"
#include "command.h"

static void print_text(const struct recover_report *r)
{
	for (size_t i = 0; i < r->notes; i++) {
		struct buf line SCOPED(buf_release) = BUF_INIT;

		recovery_say(&line, &r->note[i]);
		puts(line.p);
	}
	if (!r->notes)
		puts("nothing to recover");
}

static void print_json(const struct recover_report *r)
{
	front_print_json(recovery_json(r));
}

/* The oldest entries go by the bounds of the next core, which knows the configuration. */
#define ENTRIES 10000
#define BYTES	((uint64_t)1 << 40)

static struct history *open_history(void)
{
	char *state SCOPED(mem_release) = oxide_state_dir();
	char *dir SCOPED(mem_release) = path_join(state, "history");

	return history_new(disk_fs(), dir, ENTRIES, BYTES);
}

int cmd_recover(bool as_json)
{
	struct recover_report r SCOPED(recover_report_release) = { .forget = true };
	char *home SCOPED(mem_release) = recovery_home();
	struct history *h;
	int status = 0;

	if (!home) {
		fputs("oxide: no state directory; set XDG_STATE_HOME or HOME\n", stderr);
		return 1;
	}
	recovery_wait(home, RECOVERY_WAIT_MS, &r);
	h = open_history();
	recovery_run(home, h, true, &r);
	history_free(h);
	if (as_json)
		print_json(&r);
	else
		print_text(&r);
	for (size_t i = 0; i < r.notes; i++)
		status |= r.note[i].is == RECOVER_LEFT;
	return status;
}
