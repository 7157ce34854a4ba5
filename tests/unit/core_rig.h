#ifndef OX_TEST_CORE_RIG_H
#define OX_TEST_CORE_RIG_H

/* A core with its presets of servers, in an empty directory that is its project. Include cmocka's
 * headers first. */

#include <stdlib.h>

#include "io/loop.h"
#include "servers/servers.h"
#include "tempdir.h"

static char dir[64], data[4096];
static struct oxide *ox;

static inline bool core_begin(const char *name)
{
	struct oxide_options o = { .root = dir, .data = data, .origin = "cli" };
	struct err e = ERR_INIT;

	if (!realpath("lua/oxide", data) || !make_tempdir(dir, sizeof(dir), name))
		return false;
	setenv("XDG_STATE_HOME", path_in(dir, "state"), 1);
	setenv("XDG_CONFIG_HOME", path_in(dir, "config"), 1);
	ox = oxide_with_servers(&o, &e);
	return ox;
}

static inline int core_end(void **state)
{
	char command[128];

	(void)state;
	loop_run(ox->loop);
	oxide_free(ox);
	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	return system(command);
}

#endif
