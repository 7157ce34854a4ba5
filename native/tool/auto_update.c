#include "auto_update.h"

/* auto_update -> (no call is under way) start -> on_refreshed -> (asked for meanwhile) start */

static void start(void *arg);

static void start_soon(struct oxide *ox)
{
	const struct auto_update *u = &ox->auto_update;

	if (u->wanted && !u->calls && !u->run && !ox->brief)
		oxide_soon(ox, start, ox);
}

static void on_refreshed(void *arg, json *result, const struct err *e)
{
	struct oxide *ox = arg;

	(void)e; /* nobody waits for it */
	ox->auto_update.run = NULL;
	json_free(result);
	start_soon(ox);
}

static void start(void *arg)
{
	struct oxide *ox = arg;
	struct auto_update *u = &ox->auto_update;
	struct call_context ctx = { .known = true, .background = true };

	if (!u->wanted || u->calls || u->run || ox->brief)
		return;
	u->wanted = false;
	u->run = call_start(ox, &tool_refresh_code_actions, json_object(), &ctx, on_refreshed, ox);
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
