#include "trial.h"

#include "server_impl.h"

bool server_in_use(const struct server *s)
{
	return server_ready(s) && (s->users || s->trial);
}

void server_try(struct server *s, struct diag_store *said)
{
	s->trial = said;
}

bool server_on_trial(const struct server *s, const struct diag_store *said)
{
	return s->trial == said;
}

bool server_try_text(struct server *s, struct doc *d, struct str text, const struct edits *edits,
		     bool among)
{
	bool shown = s->session && session_try(s->session, d, text, edits, among);

	server_wake(s);
	return shown;
}

bool server_untry_text(struct server *s, struct doc *d)
{
	bool told = s->session && session_untry(s->session, d);

	server_wake(s);
	return told;
}

void server_untry(struct server *s)
{
	s->trial = NULL;
	pool_stir(s->pool, NULL);
}

void server_rereads(struct server *s, int more)
{
	s->rereading += (size_t)more;
	pool_stir(s->pool, NULL);
}

struct diag_store *server_diags(struct server *s)
{
	return s->trial ? s->trial : server_store(s);
}

void server_use(struct server *s)
{
	s->users++;
}

void server_leave(struct server *s)
{
	if (!--s->users)
		pool_stir(s->pool, NULL);
}
