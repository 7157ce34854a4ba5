#include "http.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <time.h>

#include "../base/buf.h"
#include "../base/mem.h"
#include "http_impl.h"
#include "loop_uv.h"

#define RETRY_AFTER_MOST 86400000 /* ms; more makes no sense */

/*
 * curl says which sockets to watch (on_socket_change) and when it is due (on_timer_change), and is
 * told what became of them (on_poll, on_due); each time it may have ended some transfers
 * (take_ended). A transfer must not be taken out from inside curl's own callbacks: what is
 * cancelled there says so to curl, and ends like the others.
 */
struct http {
	struct loop *loop;
	CURLM *multi;
	struct timer *due;
	LIST_HEAD(, http_transfer) all;
	bool in_curl;
};

struct watch {
	struct http *http;
	curl_socket_t fd;
	uv_poll_t poll;
};

static void transfer_free(struct http_transfer *t)
{
	LIST_REMOVE(t, all);
	timer_free(t->silence);
	curl.easy_cleanup(t->easy);
	curl.slist_free_all(t->headers);
	buf_release(&t->body);
	buf_release(&t->head);
	free(t->where);
	free(t);
}

static void transfer_end(struct http_transfer *t, const struct err *e)
{
	curl.multi_remove_handle(t->http->multi, t->easy);
	t->events.done(t->self, t, e);
	transfer_free(t);
}

/* The first byte of the body, or the end, shows that no further head comes (1xx). */
static void tell_head(struct http_transfer *t)
{
	long status = 0;

	if (t->told_head)
		return;
	t->told_head = true;
	curl.easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &status);
	if (t->events.head)
		t->events.head(t->self, t, (int)status);
}

static void take_ended(struct http *h)
{
	struct CURLMsg *msg;
	int left;

	while ((msg = curl.multi_info_read(h->multi, &left))) {
		CURLcode code = msg->data.result;
		struct http_transfer *t;
		struct err e = ERR_INIT;

		if (msg->msg != CURLMSG_DONE)
			continue;
		curl.easy_getinfo(msg->easy_handle, CURLINFO_PRIVATE, (char **)&t);
		if (code != CURLE_OK || t->cancelled || t->silent)
			http_explain(t, code, &e);
		else
			tell_head(t);
		transfer_end(t, e.code ? &e : NULL);
	}
}

static void act(struct http *h, curl_socket_t fd, int events)
{
	int running;

	h->in_curl = true;
	curl.multi_socket_action(h->multi, fd, events, &running);
	h->in_curl = false;
	take_ended(h);
}

static void on_due(void *arg)
{
	act(arg, CURL_SOCKET_TIMEOUT, 0);
}

static int on_timer_change(CURLM *multi, long ms, void *arg)
{
	struct http *h = arg;

	(void)multi;
	timer_set(h->due, ms < 0 ? UINT64_MAX : loop_now(h->loop) + (uint64_t)ms);
	return 0;
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
	struct watch *w = poll->data;
	int ready = status < 0 ? CURL_CSELECT_ERR : 0;

	ready |= events & UV_READABLE ? CURL_CSELECT_IN : 0;
	ready |= events & UV_WRITABLE ? CURL_CSELECT_OUT : 0;
	act(w->http, w->fd, ready);
}

static struct watch *watch_new(struct http *h, curl_socket_t fd)
{
	struct watch *w = mem_new(sizeof(*w));

	w->http = h;
	w->fd = fd;
	if (uv_poll_init_socket(loop_uv(h->loop), &w->poll, fd)) {
		free(w);
		return NULL;
	}
	w->poll.data = w;
	curl.multi_assign(h->multi, fd, w);
	return w;
}

static int on_socket_change(CURL *easy, curl_socket_t fd, int what, void *arg, void *of_socket)
{
	struct watch *w = of_socket;
	struct http *h = arg;
	int events = 0;

	(void)easy;
	if (what == CURL_POLL_REMOVE) {
		curl.multi_assign(h->multi, fd, NULL);
		if (w)
			uv_close((uv_handle_t *)&w->poll, uv_free_data);
		return 0;
	}
	if (!w && !(w = watch_new(h, fd)))
		return -1;
	events |= what != CURL_POLL_OUT ? UV_READABLE : 0;
	events |= what != CURL_POLL_IN ? UV_WRITABLE : 0;
	return uv_poll_start(&w->poll, events, on_poll) ? -1 : 0;
}

struct http *http_new(struct loop *l, struct err *e)
{
	struct http *h;

	if (!curl_load(e))
		return NULL;
	if (curl.global_init(CURL_GLOBAL_DEFAULT)) {
		err_set(e, ERR_IO, "libcurl does not start");
		return NULL;
	}
	h = mem_new(sizeof(*h));
	h->loop = l;
	h->multi = curl.multi_init();
	h->due = timer_new(l, on_due, h);
	LIST_INIT(&h->all);
	curl.multi_setopt(h->multi, CURLMOPT_SOCKETFUNCTION, on_socket_change);
	curl.multi_setopt(h->multi, CURLMOPT_SOCKETDATA, h);
	curl.multi_setopt(h->multi, CURLMOPT_TIMERFUNCTION, on_timer_change);
	curl.multi_setopt(h->multi, CURLMOPT_TIMERDATA, h);
	return h;
}

void http_free(struct http *h)
{
	struct http_transfer *t;

	if (!h)
		return;
	while ((t = LIST_FIRST(&h->all))) {
		struct err e = ERR_INIT;

		t->cancelled = true;
		http_explain(t, CURLE_OK, &e);
		transfer_end(t, &e);
	}
	curl.multi_cleanup(h->multi);
	timer_free(h->due);
	free(h);
	curl.global_cleanup();
}

static void restart_silence(struct http_transfer *t)
{
	if (t->silence_ms)
		timer_set(t->silence, loop_now(t->http->loop) + t->silence_ms);
}

#if LIBCURL_VERSION_NUM >= 0x075000
static int on_connected(void *arg, char *to, char *from, int to_port, int from_port)
{
	(void)to;
	(void)from;
	(void)to_port;
	(void)from_port;
	restart_silence(arg);
	return CURL_PREREQFUNC_OK;
}
#endif

static size_t on_data(char *bytes, size_t size, size_t n, void *arg)
{
	struct http_transfer *t = arg;

	restart_silence(t);
	tell_head(t);
	if (!t->cancelled && t->events.data)
		t->events.data(t->self, t, (struct str){ bytes, size * n });
	return t->cancelled ? 0 : size * n;
}

static void add_header(struct http_transfer *t, struct str line)
{
	const char *colon = memchr(line.p, ':', line.n);
	size_t name = colon ? (size_t)(colon - line.p) : 0;

	for (size_t i = 0; i < name; i++)
		buf_addc(&t->head, (char)tolower((unsigned char)line.p[i]));
	buf_add(&t->head, str_sub(line, name, line.n));
	buf_addc(&t->head, '\n');
}

static size_t on_header(char *bytes, size_t size, size_t n, void *arg)
{
	struct str line = str_trim((struct str){ bytes, size * n });
	struct http_transfer *t = arg;

	restart_silence(t);
	if (str_starts(line, STR("HTTP/")))
		buf_clear(&t->head);
	else if (!line.n)
		return size * n;
	else
		add_header(t, line);
	t->too_long = t->head.n > HTTP_HEADER_BYTES;
	return t->too_long || t->cancelled ? 0 : size * n;
}

struct str http_header(const struct http_transfer *t, const char *name)
{
	struct str rest = buf_str(&t->head), line;

	while (str_line(&rest, &line))
		if (str_skip(&line, str_of(name)) && str_skip(&line, STR(":")))
			return str_trim(line);
	return STR("");
}

uint64_t http_retry_after(const struct http_transfer *t)
{
	struct str ms = http_header(t, "retry-after-ms"), after = http_header(t, "retry-after");
	double n = ms.n ? strtod(ms.p, NULL) : 0;
	char date[64];

	if (!ms.n && after.n && isdigit((unsigned char)after.p[0])) {
		n = strtod(after.p, NULL) * 1000;
	} else if (!ms.n && after.n) {
		snprintf(date, sizeof(date), "%.*s", STR_ARG(after));
		n = difftime(curl.getdate(date, NULL), time(NULL)) * 1000;
	}
	return n > 0 && n < RETRY_AFTER_MOST ? (uint64_t)n : 0;
}

/* Also called at once where the transfer was cancelled. */
static void on_silence(void *arg)
{
	struct http_transfer *t = arg;
	struct err e = ERR_INIT;

	t->silent = true;
	http_explain(t, CURLE_OK, &e);
	transfer_end(t, &e);
}

void http_cancel(struct http_transfer *t)
{
	if (t->cancelled)
		return;
	t->cancelled = true;
	timer_set(t->silence, UINT64_MAX);
	if (t->http->in_curl)
		return; /* curl ends it, once its callback has returned */
	curl.multi_remove_handle(t->http->multi, t->easy);
	timer_set(t->silence, 0);
}

static bool is_loopback(const char *host)
{
	struct str h = str_of(host);

	return !strcasecmp(host, "localhost") || str_ends(h, STR(".localhost")) ||
	       str_starts(h, STR("127.")) || str_eq(h, STR("[::1]"));
}

static bool url_of(CURLU *u, const struct http_request *r, struct http_transfer *t, struct err *e)
{
	char *scheme = NULL, *host = NULL, *port = NULL;
	struct buf where = BUF_INIT;

	if (curl.url_set(u, CURLUPART_URL, r->url, 0) ||
	    curl.url_get(u, CURLUPART_SCHEME, &scheme, 0) ||
	    curl.url_get(u, CURLUPART_HOST, &host, 0) || strncmp(scheme, "http", 4)) {
		curl.free(scheme);
		curl.free(host);
		return err_set(e, ERR_INVALID, "\"%s\" is not a URL of http or https", r->url);
	}
	curl.url_get(u, CURLUPART_PORT, &port, 0);
	buf_addf(&where, "%s://%s%s%s", scheme, host, port ? ":" : "", port ? port : "");
	t->where = buf_detach(&where);
	t->is_loopback = is_loopback(host);
	if (t->is_loopback)
		curl.easy_setopt(t->easy, CURLOPT_PROXY, "");
	curl.easy_setopt(t->easy, CURLOPT_URL, r->url);
	curl.free(scheme);
	curl.free(host);
	curl.free(port);
	return true;
}

static bool set_url(struct http_transfer *t, const struct http_request *r, struct err *e)
{
	CURLU *u = curl.url();
	bool ok = url_of(u, r, t, e);

	curl.url_cleanup(u);
	return ok;
}

static bool set_method(struct http_transfer *t, const struct http_request *r, struct err *e)
{
	if (!strcmp(r->method, "GET"))
		return true;
	if (strcmp(r->method, "POST"))
		return err_set(e, ERR_INVALID, "the method \"%s\" is not supported", r->method);
	buf_add(&t->body, r->body);
	curl.easy_setopt(t->easy, CURLOPT_POST, 1L);
	curl.easy_setopt(t->easy, CURLOPT_POSTFIELDS, t->body.p ? t->body.p : "");
	curl.easy_setopt(t->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)t->body.n);
	return true;
}

static void set_headers(struct http_transfer *t, const struct http_request *r)
{
	for (size_t i = 0; i < r->n_headers; i++) {
		struct buf line SCOPED(buf_release) = BUF_INIT;

		buf_addf(&line, "%s: %s", r->headers[i].name, r->headers[i].value);
		t->headers = curl.slist_append(t->headers, line.p);
	}
	/* Bodies are small enough not to ask first, and some servers never answer that. */
	t->headers = curl.slist_append(t->headers, "Expect:");
	curl.easy_setopt(t->easy, CURLOPT_HTTPHEADER, t->headers);
}

static void set_trust(CURL *easy)
{
	const char *file = getenv("SSL_CERT_FILE"), *dir = getenv("SSL_CERT_DIR");

	if (file && *file)
		curl.easy_setopt(easy, CURLOPT_CAINFO, file);
	if (dir && *dir)
		curl.easy_setopt(easy, CURLOPT_CAPATH, dir);
}

static void set_options(struct http_transfer *t, const struct http_request *r)
{
	CURL *easy = t->easy;

#if LIBCURL_VERSION_NUM >= 0x075500
	curl.easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
	curl.easy_setopt(easy, CURLOPT_PROTOCOLS, CURLPROTO_HTTP | CURLPROTO_HTTPS);
#endif
	curl.easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	curl.easy_setopt(easy, CURLOPT_PRIVATE, t);
	curl.easy_setopt(easy, CURLOPT_ERRORBUFFER, t->why);
	curl.easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
	curl.easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)r->connect_ms);
#if LIBCURL_VERSION_NUM >= 0x075000 /* else silence counts from when connecting had to end */
	curl.easy_setopt(easy, CURLOPT_PREREQFUNCTION, on_connected);
	curl.easy_setopt(easy, CURLOPT_PREREQDATA, t);
#endif
	curl.easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_data);
	curl.easy_setopt(easy, CURLOPT_WRITEDATA, t);
	curl.easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
	curl.easy_setopt(easy, CURLOPT_HEADERDATA, t);
	set_trust(easy);
}

struct http_transfer *http_start(struct http *h, const struct http_request *r,
				 const struct http_events *events, void *self, struct err *e)
{
	struct http_transfer *t = mem_new(sizeof(*t));

	t->http = h;
	t->events = *events;
	t->self = self;
	t->easy = curl.easy_init();
	t->silence_ms = r->silence_ms;
	LIST_INSERT_HEAD(&h->all, t, all);
	if (!set_url(t, r, e) || !set_method(t, r, e)) {
		transfer_free(t);
		return NULL;
	}
	set_headers(t, r);
	set_options(t, r);
	t->silence = timer_new(h->loop, on_silence, t);
	if (t->silence_ms)
		timer_set(t->silence, loop_now(h->loop) + r->connect_ms + t->silence_ms);
	curl.multi_add_handle(h->multi, t->easy);
	return t;
}
