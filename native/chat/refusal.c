#include "refusal.h"

#define LINE_MOST 200 /* bytes of a line that is neither JSON nor HTML */

/* How providers name what does not pass by waiting, or is too large, by `type` or `code`. */
static bool refusal_names(const json *error, const char *name)
{
	return str_eq(json_get_str(error, "type"), str_of(name)) ||
	       str_eq(json_get_str(error, "code"), str_of(name));
}

/* Anthropic and Gemini have no name for it. */
static bool says_too_large(int status, const json *error, struct str said)
{
	return status == 413 || refusal_names(error, "context_length_exceeded") ||
	       refusal_names(error, "exceed_context_size_error") ||
	       str_starts(said, STR("prompt is too long")) ||
	       str_starts(said, STR("The input token count"));
}

/* A page of what is before the server, or of a server that is no model's. */
static void take_page(struct refusal *r, struct str page)
{
	struct str open = STR("<title>"), title;
	ptrdiff_t from = str_find(page, open), to = str_find(page, STR("</title>"));

	if (r->status >= 500 && from >= 0 && to > from) {
		title = str_trim(str_sub(page, (size_t)from + open.n, (size_t)to));
		buf_addf(&r->reason, ": %.*s", STR_ARG(title));
	} else {
		buf_adds(&r->reason, ": it answered with HTML; is the URL right?");
	}
}

/* In the forms that providers have; else the beginning of what was sent. */
static struct str words_of(const json *v)
{
	static const char *const places[] = { "error.message", "message", "error" };

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct str said = json_get_str(v, places[i]);

		if (said.n)
			return said;
	}
	return STR("");
}

/* More may follow it. */
static struct str without_stop(struct str said)
{
	said = str_trim(said);
	return str_ends(said, STR(".")) ? str_sub(said, 0, said.n - 1) : said;
}

void refusal_read(struct refusal *r, int status, struct str body)
{
	struct str text = str_trim(body), line = STR("");
	json *v SCOPED(json_release) = json_parse(text, ERR_IGNORED);
	const json *whole = json_is(v, JSON_ARRAY) ? json_first(v) : v;
	const json *error = json_get(whole, "error");
	struct str said = without_stop(words_of(whole));

	*r = (struct refusal){ .status = status,
			       .passes = (status == 408 || status == 429 || status >= 500) &&
					 !refusal_names(error, "insufficient_quota"),
			       .too_large = says_too_large(status, error, said),
			       .retry_after = error_retry_after(error) };
	if (said.n)
		buf_addf(&r->reason, ": %.*s", STR_ARG(said));
	else if (str_starts(text, STR("<")))
		take_page(r, text);
	else if (str_line(&text, &line))
		buf_addf(&r->reason, ": %.*s", line.n > LINE_MOST ? LINE_MOST : (int)line.n,
			 line.p);
}

void refusal_say(const struct refusal *r, const struct model *m, struct err *e)
{
	const char *why = r->reason.p ? r->reason.p : "";
	const char *from = m->key && m->key->n ? "key_command" : m->key_env;

	if (r->status == 401 || r->status == 403)
		err_set(e, ERR_DENIED, "%s refused the key%s%s (HTTP %d)%s", m->url,
			from ? " of " : "", from ? from : "", r->status, why);
	else if (r->status == 404)
		err_set(e, ERR_NOT_FOUND, "%s has no model \"%s\", or no such API (HTTP 404)%s",
			m->url, m->id, why);
	else if (r->status / 100 == 2)
		err_set(e, ERR_PEER, "%s did not answer with a stream of events%s", m->url, why);
	else
		err_set(e, ERR_PEER, "%s answered with HTTP %d%s%s", m->url, r->status, why,
			r->too_large ? "; ask about less, or begin a new conversation" : "");
}

void refusal_release(struct refusal *r)
{
	buf_release(&r->reason);
}
