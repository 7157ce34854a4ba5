#include "auto_update.h"

#include <stdlib.h>

#include "../core/findings.h"
#include "../core/registry.h"

/* auto_update -> (no call is under way) start -> on_listed -> (asked for meanwhile) start */

static void start(void *arg);

static void start_soon(struct oxide *ox)
{
	const struct auto_update *u = &ox->auto_update;

	if (u->wanted && !u->calls && !u->run && !ox->brief)
		oxide_soon(ox, start, ox);
}

/* Its fixes have been put into the registry by now, in place of those of the same id. */
static void on_listed(void *arg, json *result, const struct err *e)
{
	struct oxide *ox = arg;
	const struct diag **wrong;
	size_t n;

	ox->auto_update.run = NULL;
	json_free(result);
	if (!e->code) {
		n = findings_list(ox->findings, ox, DIAG_HINT, &wrong);
		registry_keep_fixes(ox->registry, wrong, n);
		registry_sweep(ox->registry);
		free(wrong);
	}
	start_soon(ox);
}

static void start(void *arg)
{
	struct call_context ctx = { .known = true, .background = true };
	struct oxide *ox = arg;
	struct auto_update *u = &ox->auto_update;

	if (!u->wanted || u->calls || u->run || ox->brief)
		return;
	u->wanted = false;
	u->run = call_start(ox, &tool_lsp_diagnostic, json_object(), &ctx, on_listed, ox);
}

void auto_update(struct oxide *ox)
{
	if (!config_get(&ox->config, CFG_ACTIONS_AUTO))
		return;
	ox->auto_update.wanted = true;
	start_soon(ox);
}

void auto_update_gives_way(struct oxide *ox)
{
	struct auto_update *u = &ox->auto_update;

	u->calls++;
	if (!u->run || call_cancelled(u->run))
		return;
	u->wanted = true;
	call_cancel(u->run);
}

void auto_update_goes_on(struct oxide *ox)
{
	ox->auto_update.calls--;
	start_soon(ox);
}
