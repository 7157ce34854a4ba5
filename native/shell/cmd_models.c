#include <stdio.h>

#include "../chat/local_models.h"
#include "../chat/model.h"
#include "../io/loop.h"
#include "../servers/servers.h"
#include "command.h"

/* `oxide models`: which models can be asked, those of servers on this machine too. */
static void models_found(void *ox)
{
	oxide_stop(ox);
}

static void print_models(json *names, bool as_json)
{
	if (as_json) {
		front_print_json(names);
		return;
	}
	json_each(name, names)
		printf("%.*s\n", STR_ARG(json_text(name)));
	json_free(names);
}

int cmd_models(const struct oxide_options *o, bool as_json)
{
	struct err e = ERR_INIT;
	struct oxide *ox = oxide_with_servers(o, &e);
	struct http *http = ox ? http_new(ox->loop, &e) : NULL;
	bool found;

	if (!http) {
		front_say("oxide: %s\n", e.msg);
		oxide_free(ox);
		return 1;
	}
	local_models_find(ox, http, models_found, ox);
	loop_run(ox->loop);
	found = model_is_there(ox);
	if (!found)
		front_say("oxide: no model was found: set a key, such as ANTHROPIC_API_KEY or "
			  "OPENAI_API_KEY, add `models` to config.lua, or start a model server\n");
	print_models(model_names(ox), as_json);
	http_free(http);
	oxide_free(ox);
	return found ? 0 : 1;
}
