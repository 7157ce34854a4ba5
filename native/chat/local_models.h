#ifndef OX_LOCAL_MODELS_H
#define OX_LOCAL_MODELS_H

#include "../core/oxide.h"
#include "../io/http.h"

/*
 * Model servers on this machine: llama.cpp, Ollama, LM Studio and vLLM on their usual ports, or
 * those that `local_servers` of the configuration names, { name = url }. They are only looked for
 * where nothing else is configured and somebody needs a model. What they have is put into the
 * configuration as `local_models`, rows as those of `models`, and model_find() knows it then.
 *
 *     l = local_models_find(ox, http, fn, self)  -> fn(self), once, not from inside
 *     local_models_cancel(l)                     it is not called any more
 */
struct local_models;

struct local_models *local_models_find(struct oxide *ox, struct http *http, void (*fn)(void *self),
				       void *self);
void local_models_cancel(struct local_models *l);
struct str local_server_url(const struct oxide *ox, struct str name); /* empty: not one of them */

#endif
