#include "auto_update.h"

#include "../core/projects.h"
#include "fixes.h"

/* auto_update -> (no call is under way) start -> look -> on_listed -> look (the next project) ...
 * -> (asked for meanwhile) start */

static void start(void *arg);

static void start_soon(struct oxide *ox)
{
	const struct auto_update *u = &ox->auto_update;

	if (u->wanted && !u->calls && !u->run && !ox->brief)
		oxide_soon(ox, start, ox);
}

static void look(struct oxide *ox);

/* What is on offer has been put into the registry by now, in place of what has the same id. */
static void on_listed(void *arg, json *result, const struct err *e)
{
	struct oxide *ox = arg;
	struct auto_update *u = &ox->auto_update;

	u->run = NULL;
	json_free(result);
	if (!e->code && ++u->at < projects_count(ox->projects) && !ox->brief) {
		look(ox);
		return;
	}
	if (!e->code)
		fixes_settle(ox);
	start_soon(ox);
}

static void look(struct oxide *ox)
{
	struct auto_update *u = &ox->auto_update;
	struct call_context ctx = { .known = true,
				    .background = true,
				    .project = projects_at(ox->projects, u->at) };

	u->run = call_start(ox, &tool_lsp_diagnostic, json_object(), &ctx, on_listed, ox);
}

static void start(void *arg)
{
	struct oxide *ox = arg;
	struct auto_update *u = &ox->auto_update;

	if (!u->wanted || u->calls || u->run || ox->brief)
		return;
	u->wanted = false;
	u->at = 0;
	look(ox);
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
