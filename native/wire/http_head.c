#include "http_head.h"

size_t http_head_end(struct str bytes)
{
	ptrdiff_t at = str_find(bytes, STR("\r\n\r\n"));

	return at < 0 ? 0 : (size_t)at + 4;
}

bool http_lists(struct str list, const char *word)
{
	while (list.n) {
		const char *comma = memchr(list.p, ',', list.n);
		size_t n = comma ? (size_t)(comma - list.p) : list.n;

		if (str_same_word(str_trim(str_sub(list, 0, n)), word))
			return true;
		list = str_sub(list, n + (comma ? 1 : 0), list.n);
	}
	return false;
}

/* Each byte is looked at, wherever the first wrong one is. */
bool http_same_token(struct str given, struct str token)
{
	unsigned char differs = given.n != token.n;

	for (size_t i = 0; i < token.n; i++)
		differs |= (unsigned char)(token.p[i] ^ (given.n ? given.p[i % given.n] : 0));
	return !differs;
}

/* "GET / HTTP/1.1" */
static bool http_read_first(struct http_head *head, struct str line)
{
	static const struct str version = { " HTTP/1.1", 9 };
	struct str words =
		str_sub(line, 0, line.n - (str_ends(line, version) ? version.n : line.n));
	const char *space = memchr(words.p, ' ', words.n);
	size_t n = space ? (size_t)(space - words.p) : 0;

	if (!n)
		return false;
	head->method = str_sub(words, 0, n);
	head->target = str_sub(words, n + 1, words.n);
	return head->target.n && !memchr(head->target.p, ' ', head->target.n);
}

static struct str *http_place(struct http_head *head, const struct http_header *known,
			      struct str name)
{
	if (str_same_word(name, "host"))
		return &head->host;
	if (str_same_word(name, "origin"))
		return &head->origin;
	for (; known->name; known++)
		if (str_same_word(name, known->name))
			return known->value;
	return NULL;
}

/* False: the line is none of "name: value", or one of those that must be there once. */
static bool http_read_header(struct http_head *head, const struct http_header *known,
			     struct str line)
{
	const char *colon = memchr(line.p, ':', line.n);
	size_t n = colon ? (size_t)(colon - line.p) : 0;
	struct str *place;

	if (!n || line.p[n - 1] == ' ' || line.p[0] == ' ' || memchr(line.p, '\0', line.n))
		return false;
	place = http_place(head, known, str_sub(line, 0, n));
	if (!place)
		return true;
	if (place->p)
		return false;
	*place = str_trim(str_sub(line, n + 1, line.n));
	return true;
}

bool http_head_read(struct str bytes, struct http_head *head, const struct http_header *known,
		    struct err *e)
{
	struct str line = STR("");

	*head = (struct http_head){ 0 };
	if (!str_line(&bytes, &line) || !http_read_first(head, line))
		return err_set(e, ERR_PROTOCOL, "only requests of HTTP/1.1 are served here");
	while (str_line(&bytes, &line) && line.n)
		if (!http_read_header(head, known, line))
			return err_set(e, ERR_PROTOCOL,
				       "the headers of the request cannot be read");
	return true;
}

static bool http_is_this_host(struct str host, unsigned port)
{
	static const char *const names[] = { "127.0.0.1", "localhost" };
	struct buf want SCOPED(buf_release) = BUF_INIT;
	bool same = false;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		buf_clear(&want);
		buf_addf(&want, "%s:%u", names[i], port);
		same = same || str_same_word(host, want.p);
	}
	return same;
}

bool http_head_allows(const struct http_head *head, unsigned port, struct err *e)
{
	if (head->origin.p)
		return err_set(e, ERR_DENIED,
			       "web pages have no access here (the request has an Origin)");
	return http_is_this_host(head->host, port) ||
	       err_set(e, ERR_DENIED, "the request is for another host");
}
