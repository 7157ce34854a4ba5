#include "local_models.h"

#include <stdlib.h>
#include <string.h>

#include "../base/mem.h"
#include "../base/path.h"

#define CONNECT_MS 500
#define SILENCE_MS 2000
#define MOST_BYTES (1 << 20) /* of an answer */

static const struct local_server {
	const char *name, *url;
} usual_servers[] = {
	{ "llama.cpp", "http://127.0.0.1:8080/v1" },
	{ "ollama", "http://127.0.0.1:11434/v1" },
	{ "lmstudio", "http://127.0.0.1:1234/v1" },
	{ "vllm", "http://127.0.0.1:8000/v1" },
};

#define USUAL_SERVERS (sizeof(usual_servers) / sizeof(usual_servers[0]))

struct probe {
	struct local_models *of;
	char *name, *url;
	int status;
	struct buf text;
};

struct local_models {
	struct oxide *ox;
	struct http *http;
	void (*fn)(void *self); /* NULL: cancelled */
	void *self;
	struct probe *v;
	size_t n, left;
	json *rows;
};

static void look_over(void *arg)
{
	struct local_models *l = arg;

	if (l->fn) {
		if (!l->ox->configuration)
			l->ox->configuration = json_object();
		json_put(l->ox->configuration, "local_models", l->rows);
		l->fn(l->self);
	} else {
		json_free(l->rows);
	}
	for (size_t i = 0; i < l->n; i++) {
		free(l->v[i].name);
		free(l->v[i].url);
		buf_release(&l->v[i].text);
	}
	free(l->v);
	free(l);
}

/* {"data": [{"id": "qwen3"}]}. llama.cpp says the path of the file that it has loaded: its base
 * name is enough to call it by. */
static void take_models(const struct probe *p, json *rows)
{
	json *answer SCOPED(json_release) = json_parse(buf_str(&p->text), ERR_IGNORED);

	json_each(model, json_get(answer, "data")) {
		struct str id = json_get_str(model, "id");
		struct str called = str_starts(id, STR("/")) ? path_base(id) : id;
		struct buf name SCOPED(buf_release) = BUF_INIT;

		buf_addf(&name, "%s/%.*s", p->name, STR_ARG(called));
		if (id.n)
			json_put(rows, name.p,
				 json_of({ "url", json_strz(p->url) }, { "model", json_str(id) }));
	}
}

static void probe_over(void *arg)
{
	struct local_models *l = arg;

	if (--l->left)
		return;
	for (size_t i = 0; i < l->n; i++)
		if (l->v[i].status == 200)
			take_models(&l->v[i], l->rows);
	look_over(l);
}

static void probe_on_head(void *self, struct http_transfer *t, int status)
{
	struct probe *p = self;

	(void)t;
	p->status = status;
}

static void probe_on_data(void *self, struct http_transfer *t, struct str bytes)
{
	struct probe *p = self;

	if (p->text.n + bytes.n > MOST_BYTES)
		http_cancel(t);
	else
		buf_add(&p->text, bytes);
}

static void probe_on_done(void *self, struct http_transfer *t, const struct err *e)
{
	struct probe *p = self;

	(void)t;
	p->status = e ? 0 : p->status;
	probe_over(p->of);
}

static void probe_start(struct probe *p)
{
	static const struct http_events events = { probe_on_head, probe_on_data, probe_on_done };
	struct buf url SCOPED(buf_release) = BUF_INIT;

	buf_addf(&url, "%s/models", p->url);
	if (http_start(p->of->http,
		       &(struct http_request){ .method = "GET",
					       .url = url.p,
					       .connect_ms = CONNECT_MS,
					       .silence_ms = SILENCE_MS },
		       &events, p, ERR_IGNORED))
		p->of->left++;
}

struct str local_server_url(const struct oxide *ox, struct str name)
{
	const json *own = json_get(ox->configuration, "local_servers");

	json_each(url, own)
		if (str_eq(str_of(json_key(url)), name))
			return json_text(url);
	for (size_t i = 0; !json_len(own) && i < USUAL_SERVERS; i++)
		if (str_eq(str_of(usual_servers[i].name), name))
			return str_of(usual_servers[i].url);
	return STR("");
}

static int local_models_by_name(const void *a, const void *b)
{
	return strcmp(((const struct probe *)a)->name, ((const struct probe *)b)->name);
}

static void add_server(struct local_models *l, struct str name, struct str url)
{
	l->v[l->n++] = (struct probe){ .of = l,
				       .name = mem_dup(name.p, name.n),
				       .url = mem_dup(url.p, url.n) };
}

struct local_models *local_models_find(struct oxide *ox, struct http *http, void (*fn)(void *self),
				       void *self)
{
	const json *own = json_get(ox->configuration, "local_servers");
	struct local_models *l = mem_new(sizeof(*l));

	*l = (struct local_models){ .ox = ox, .http = http, .fn = fn, .self = self };
	l->rows = json_object();
	l->v = mem_new((json_len(own) + USUAL_SERVERS) * sizeof(*l->v));
	json_each(url, own)
		add_server(l, str_of(json_key(url)), json_text(url));
	for (size_t i = 0; !json_len(own) && i < USUAL_SERVERS; i++)
		add_server(l, str_of(usual_servers[i].name), str_of(usual_servers[i].url));
	qsort(l->v, l->n, sizeof(*l->v), local_models_by_name);
	l->left = 1;
	for (size_t i = 0; i < l->n; i++)
		probe_start(&l->v[i]);
	oxide_soon(ox, probe_over, l);
	return l;
}

void local_models_cancel(struct local_models *l)
{
	if (l)
		l->fn = NULL;
}
