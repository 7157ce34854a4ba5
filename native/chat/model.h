#ifndef OX_MODEL_H
#define OX_MODEL_H

#include "../core/oxide.h"
#include "../llm/provider.h"

/*
 * Which model is asked, and how: a row of `models` in config.lua or in Neovim's settings, or one of
 * the well-known APIs, which need no row but a key in the environment:
 *
 *     fast                      the row of this name
 *     anthropic/claude-opus-4   a model of a well-known API
 *     fast/qwen3                another model at the URL of a row
 *     ollama/qwen3              a model of a server on this machine (local_models.h)
 *
 * Without a name: `model` of the configuration, else the only row, else the only well-known API
 * whose key is in the environment, with the model that OXIDE_MODEL names, else the only model that
 * local_models.h has found ("ollama/qwen3").
 *
 * Rows: { provider, url, model, key_env, key_command, window (tokens), effort, max_tokens, strict,
 * extra, price: { input, output, cached } (of a million tokens) }. `provider` is a name of
 * provider.h and "openai" where it is left out. Nothing of this is ever read from a workspace.
 */
struct model {
	char *name; /* as it was asked for, or found */
	const struct provider *provider;
	char *url, *id; /* without a slash at its end; the model's name in requests */
	char *key_env;	/* the variable that has the key; NULL: none */
	/* Prints it where no variable has it, a list of strings; NULL: nothing does. */
	json *key_command;
	struct buf *key; /* that it printed, until model_release(); NULL without a command */
	size_t window;	 /* tokens; 0: not known */
	char *effort;	 /* NULL: the provider's */
	int64_t max_tokens;
	bool strict;
	double price_input, price_output, price_cached; /* of a token; 0: not known */
	json *extra;					/* members of each request */
};

/* `name` empty: as above. ERR_NOT_FOUND, ERR_AMBIGUOUS and ERR_INVALID list what there is. Fill in
 * from zero; model_release() also after a failure. */
bool model_find(struct oxide *ox, struct str name, struct model *m, struct err *e);
void model_release(struct model *m);
/* In the currency of its price; -1: not known. */
double model_cost(const struct model *m, const struct llm_usage *u);
/* What can be named, as a list of strings; "anthropic/MODEL" where the API's model is still to be
 * named. */
json *model_names(const struct oxide *ox);
bool model_is_there(const struct oxide *ox); /* at least one of them */
/* The key: never to be kept, logged or shown; empty: none is sent. False: the variable is not set,
 * and *e says which. */
bool model_key(const struct model *m, struct str *key, struct err *e);
/* Whether key_command.h has to be asked for it first. */
bool model_wants_key(const struct model *m);
/* What that printed; empty: it was wrong, and is asked for again. */
void model_set_key(const struct model *m, struct str key);

#endif
