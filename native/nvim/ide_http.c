#include <stdlib.h>
#include <unistd.h>

#include "../base/log.h"
#include "../base/mem.h"
#include "../core/projects.h"
#include "../io/loop.h"
#include "../io/peer_io.h"
#include "../io/secret.h"
#include "../wire/http_serve.h"
#include "ide_impl.h"

/*
 * Gemini CLI's way to us: MCP's "Streamable HTTP". A session begins with `initialize` and has a
 * stream of its own, on which it hears us: it ends with that. Its requests come on any number of
 * connections, and each is answered where it came.
 *
 * ide_http_connect -> link_feed -> link_on_request -> ide_client_hear -> session_say
 */
#define LINKS_A_CLIENT 4 /* how many connections each may have, on average */

struct ide_session {
	struct ide_client client;
	struct buf id;
	struct ide_link *stream; /* NULL: not yet, or no more */
	struct timer *say;	 /* due: what its MCP says goes out */
	struct timer *patience;	 /* until it has the stream */
};

struct ide_link { /* a connection */
	LIST_ENTRY(ide_link) all;
	struct ide *ide;
	struct ide_session *session; /* whose request is answered, or whose stream it is */
	struct http_serve *serve;
	struct peer_io *io;
	json *waits;	/* the id of that request */
	uint64_t until; /* it is closed then; 0: it may stay */
	bool shut;	/* nothing more comes from us */
};

static void link_answer(struct ide_link *l, const char *status, struct str body)
{
	json_free(l->waits);
	l->waits = NULL;
	http_serve_answer(l->serve, status, l->session ? l->session->id.p : NULL, body);
	peer_io_wake(l->io);
}

/* Its connections are let go of. */
static void session_leave(struct ide_session *s, const char *why)
{
	struct ide_link *l;

	LIST_FOREACH(l, &s->client.ide->links, all)
		if (l->session == s) {
			l->session = NULL;
			if (http_serve_waits(l->serve))
				link_answer(l, "404 Not Found", STR(""));
			peer_io_wake(l->io);
		}
	s->stream = NULL;
	timer_set(s->say, UINT64_MAX);
	timer_set(s->patience, UINT64_MAX);
	ide_client_leave(&s->client, why);
}

static void link_drop(struct ide_link *l, const char *why)
{
	struct ide *ide = l->ide;
	struct ide_session *s = l->session;

	if (*why)
		log_line(LOG_WARN, "%s: %s", ide->kind->agent, why);
	LIST_REMOVE(l, all);
	ide->linked--;
	if (s && s->stream == l)
		session_leave(s, why);
	peer_io_free(l->io);
	http_serve_free(l->serve);
	json_free(l->waits);
	free(l);
	ide_rest(ide);
}

static bool same_id(const json *a, const json *b)
{
	struct str x = json_text(a), y = json_text(b);

	return json_is(a, JSON_STRING) ? json_is(b, JSON_STRING) && str_eq(x, y)
				       : json_is_int(b) && json_number(a) == json_number(b);
}

static struct ide_link *link_that_waits(const struct ide_session *s, const json *id)
{
	struct ide_link *l;

	LIST_FOREACH(l, &s->client.ide->links, all)
		if (l->session == s && l->waits && same_id(l->waits, id))
			return l;
	return NULL;
}

/* An answer goes to who waits for it, the rest to the stream, if there is one. */
static void session_say_line(struct ide_session *s, struct str line)
{
	json *v SCOPED(json_release) = json_parse(line, ERR_IGNORED);
	const json *id = json_get(v, "id");
	struct ide_link *l = id ? link_that_waits(s, id) : s->stream;

	if (l && id)
		link_answer(l, "200 OK", line);
	else if (l)
		http_serve_event(l->serve, line);
	if (l)
		peer_io_wake(l->io);
}

static void session_say(void *arg)
{
	struct ide_session *s = arg;
	struct buf lines SCOPED(buf_release) = *peer_out(mcp_peer(s->client.mcp));
	struct str rest = buf_str(&lines), line;

	*peer_out(mcp_peer(s->client.mcp)) = (struct buf)BUF_INIT;
	while (str_line(&rest, &line))
		session_say_line(s, line);
}

void ide_http_wake(struct ide_client *c)
{
	timer_set(((struct ide_session *)c)->say, ide_now(c->ide));
}

void ide_http_free(struct ide_client *c)
{
	struct ide_session *s = (struct ide_session *)c;

	timer_free(s->say);
	timer_free(s->patience);
	buf_wipe(&s->id);
	free(s);
}

static void session_is_late(void *arg)
{
	session_leave(arg, "it did not open a stream in time");
}

/* NULL: there are too many, or there is no number for it to be had. */
static struct ide_session *session_new(struct ide *ide)
{
	struct ide_session *s;
	struct err e = ERR_INIT;

	if (ide->count >= ide_limit(ide, CFG_IDE_CLIENTS))
		return NULL;
	s = mem_new(sizeof(*s));
	if (!secret_new(&s->id, &e)) {
		free(s);
		return NULL;
	}
	ide_client_init(&s->client, ide);
	s->say = timer_new(ide->nvim->ox->loop, session_say, s);
	s->patience = timer_new(ide->nvim->ox->loop, session_is_late, s);
	timer_set(s->patience, ide_now(ide) + ide_limit(ide, CFG_IDE_HELLO));
	return s;
}

static struct ide_session *session_find(const struct ide *ide, struct str id)
{
	struct ide_client *c;

	LIST_FOREACH(c, &ide->clients, all) {
		struct ide_session *s = (struct ide_session *)c;

		if (!c->gone && http_same_token(id, buf_str(&s->id)))
			return s;
	}
	return NULL;
}

static bool is_request(const json *v)
{
	const json *id = json_get(v, "id");

	return json_get_str(v, "method").n && (json_is(id, JSON_STRING) || json_is_int(id));
}

static void link_on_post(struct ide_link *l, struct str body)
{
	struct err e = ERR_INIT;
	json *v SCOPED(json_release) = json_parse(body, &e);
	bool request = is_request(v), begins = !l->session;

	if (begins && request && str_eq(json_get_str(v, "method"), STR("initialize")))
		l->session = session_new(l->ide);
	if (!l->session) {
		link_answer(l, begins && request ? "503 Service Unavailable" : "400 Bad Request",
			    STR(""));
	} else if (!json_is(v, JSON_OBJECT)) {
		link_answer(l, "400 Bad Request", STR(""));
	} else {
		l->waits = request ? json_copy(json_get(v, "id")) : NULL;
		ide_client_hear(&l->session->client, body);
		ide_client_wake(&l->session->client);
		if (!request)
			link_answer(l, "202 Accepted", STR(""));
	}
}

static void session_begun(void *arg)
{
	struct ide_session *s = arg;

	s->client.waits--;
	ide_client_rest(&s->client);
}

/* It cannot tell when its turns begin: what it does until it goes is one, unless another way tells
 * more of it. */
static void link_on_get(struct ide_link *l)
{
	struct ide_session *s = l->session;
	struct nvim *n = l->ide->nvim;
	struct nvim_ide_agent agent;

	if (!s || s->stream) {
		link_answer(l, s ? "409 Conflict" : "400 Bad Request", STR(""));
		return;
	}
	s->stream = l;
	http_serve_stream(l->serve);
	timer_set(s->patience, UINT64_MAX);
	ide_client_is(&s->client, (long)--n->last_other);
	agent = ide_client_agent(&s->client);
	s->client.waits++;
	nvim_agent_watch_prompt(n, &agent, false, session_begun, s);
}

static void link_on_request(void *self, const struct http_request *r)
{
	struct ide_link *l = self;

	l->until = 0; /* it knows the token */
	l->session = r->session.n ? session_find(l->ide, r->session) : NULL;
	if (r->session.n && !l->session) {
		link_answer(l, "404 Not Found", STR(""));
	} else if (r->method == HTTP_POST) {
		link_on_post(l, r->body);
	} else if (r->method == HTTP_GET) {
		link_on_get(l);
	} else {
		struct ide_session *s = l->session;

		link_answer(l, s ? "200 OK" : "400 Bad Request", STR(""));
		if (s)
			session_leave(s, "");
	}
}

static bool link_feed(void *self, struct str bytes, uint64_t now, struct err *e)
{
	struct ide_link *l = self;

	(void)now;
	(void)e;
	http_serve_feed(l->serve, bytes);
	return true;
}

/* The other side closes it once it has read that nothing more comes. */
static void link_finish(struct ide_link *l, uint64_t now)
{
	const struct err *why = http_serve_over(l->serve);

	if (why && !l->until)
		log_line(LOG_WARN, "%s: %s", l->ide->kind->agent, why->msg);
	if (!l->until)
		l->until = now + ide_limit(l->ide, CFG_IDE_HELLO);
	if (!l->shut && !peer_io_unwritten(l->io)) {
		l->shut = true;
		peer_io_shut(l->io);
	}
}

static void link_turn(void *self, uint64_t now)
{
	struct ide_link *l = self;

	if (http_serve_over(l->serve) || (http_serve_streams(l->serve) && !l->session))
		link_finish(l, now);
	if (peer_io_unwritten(l->io) > ide_limit(l->ide, CFG_IDE_QUEUE))
		link_drop(l, "it does not read");
	else if (l->until && now >= l->until)
		link_drop(l, l->shut ? "" : "it did not identify itself in time");
}

static uint64_t link_deadline(void *self)
{
	const struct ide_link *l = self;

	return l->until ? l->until : UINT64_MAX;
}

static struct buf *link_out(void *self)
{
	struct ide_link *l = self;

	return http_serve_out(l->serve);
}

static void link_ended(void *self, const struct err *e)
{
	link_drop(self, e->msg);
}

void ide_http_connect(void *self, int fd)
{
	struct ide *ide = self;
	struct ide_link *l;
	struct peer_io_spec io = { .turn = link_turn,
				   .deadline = link_deadline,
				   .ended = link_ended,
				   .feed = link_feed,
				   .out = link_out,
				   .unwritten = ide_limit(ide, CFG_IDE_QUEUE) };
	struct http_serve_spec serve = { .target = "/mcp",
					 .token = buf_str(&ide->token),
					 .port = ide->port,
					 .session_header = "mcp-session-id",
					 .head = ide_limit(ide, CFG_IDE_HEAD),
					 .body = ide_limit(ide, CFG_IDE_MESSAGE),
					 .request = link_on_request };

	if (ide->linked >= LINKS_A_CLIENT * ide_limit(ide, CFG_IDE_CLIENTS)) {
		log_line(LOG_WARN, "a connection was refused: there are %zu already", ide->linked);
		close(fd);
		return;
	}
	l = mem_new(sizeof(*l));
	l->ide = ide;
	l->until = ide_now(ide) + ide_limit(ide, CFG_IDE_HELLO);
	io.self = serve.self = l;
	l->serve = http_serve_new(&serve);
	l->io = peer_io_socket(ide->nvim->ox->loop, &io, fd);
	LIST_INSERT_HEAD(&ide->links, l, all);
	ide->linked++;
	peer_io_wake(l->io); /* which arms its deadline */
}

void ide_http_stop(struct ide *ide)
{
	struct ide_client *c, *next;

	while (!LIST_EMPTY(&ide->links))
		link_drop(LIST_FIRST(&ide->links), "");
	for (c = LIST_FIRST(&ide->clients); c; c = next) {
		next = LIST_NEXT(c, all);
		session_leave((struct ide_session *)c, "the server is being stopped");
	}
}

/* As Gemini CLI reads it: of all such files it takes one of its user whose workspace has its
 * working directory, and of several that of the process which it is told of, or the newest. */
struct ide_lock *ide_http_lock(const struct ide *ide, const char *directory, struct err *e)
{
	const struct projects *projects = ide->nvim->ox->projects;
	struct buf roots = BUF_INIT, path SCOPED(buf_release) = BUF_INIT;
	struct buf name SCOPED(buf_release) = BUF_INIT;
	json *text SCOPED(json_release) = NULL;

	for (size_t i = 0; i < projects_count(projects); i++)
		buf_addf(&roots, "%s%s", i ? ":" : "", projects_at(projects, i)->root);
	text = json_of({ "port", json_int(ide->port) }, { "workspacePath", json_take(&roots) },
		       { "authToken", json_str(buf_str(&ide->token)) },
		       { "ideInfo", json_of({ "name", json_strz("neovim") },
					    { "displayName", json_strz("Neovim") }) },
		       { IDE_LOCK_MARK, json_bool(true) });
	buf_addf(&path, "%s/gemini/ide", directory);
	buf_addf(&name, "gemini-ide-server-%ld-%u.json", (long)getppid(), ide->port);
	return ide_lock_new(path.p, name.p, text, e);
}
