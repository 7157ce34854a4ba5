#include <stdlib.h>
#include <time.h>

#include "../base/mem.h"
#include "../base/path.h"
#include "../core/project_types.h"
#include "../io/loop.h"
#include "client.h"
#include "server_impl.h"

bool server_clang_formats(const struct server *s)
{
	return s->spec->clang_formats;
}

bool server_errs(const struct server *s, const struct diag *d)
{
	return str_among(d->code, s->spec->errors);
}

bool server_lacks_include(const struct server *s, const struct diag_store *said, const char *path,
			  struct buf *message)
{
	const struct diag **all;
	size_t n = diag_list(said, path, DIAG_ERROR, &all);
	bool lacks = false;

	for (size_t i = 0; i < n && !lacks; i++) {
		lacks = !strcmp(all[i]->server, server_key(s)) &&
			str_among(all[i]->code, s->spec->include_errors);
		if (lacks)
			buf_add(message, all[i]->message);
	}
	free(all);
	return lacks;
}

bool server_limits_rename(const struct server *s, const struct err *e)
{
	const char *said = s->spec->rename_limit;

	return e->code == ERR_PEER && said && str_find(str_of(e->msg), str_of(said)) >= 0;
}

const char *server_name(const struct server *s)
{
	return s->spec->name;
}

const char *server_root(const struct server *s)
{
	return s->root;
}

const char *server_key(const struct server *s)
{
	return s->key;
}

enum pos_enc server_encoding(const struct server *s)
{
	return s->session ? session_encoding(s->session) : POS_UTF16;
}

bool server_executes(const struct server *s, struct str command)
{
	return s->session && session_executes(s->session, command);
}

bool server_can(const struct server *s, enum lsp_feature f)
{
	return server_ready(s) && session_can(s->session, f);
}

int64_t server_version(const struct server *s, const char *path)
{
	return s->session ? sync_version(session_sync(s->session), path) : -1;
}

int64_t server_shown_version(void *s, const char *path)
{
	return server_version(s, path);
}

bool server_versioned(const struct server *s)
{
	return !s->unversioned;
}

const char *const *server_answers(const struct server *s)
{
	const char *const *command = s->spec->diagnostics_command;

	return *command && server_can(s, LSP_EXECUTE) && server_executes(s, str_of(*command))
		       ? command
		       : NULL;
}

const char *server_health_error(const struct server *s)
{
	return s->session ? session_health_error(s->session) : NULL;
}

const char *server_health_warning(const struct server *s)
{
	return s->session ? session_health_warning(s->session) : NULL;
}

bool server_mute(const struct server *s)
{
	bool silent =
		s->client ? s->tardy || json_get_bool(s->client->about, "silent", false) : s->tardy;

	return silent && !s->published && server_ready(s) && !s->hung_since &&
	       !server_can(s, LSP_PULL_DIAGNOSTICS) && !server_answers(s);
}

bool server_tardy(const struct server *s)
{
	return s->tardy || (s->client && !s->published);
}

void server_note_tardy(struct server *s, bool tardy)
{
	s->tardy = tardy;
}

bool server_staged(const struct server *s)
{
	return s->spec->staged_diagnostics;
}

bool server_busy(const struct server *s)
{
	return s->session && session_busy(s->session);
}

bool server_checks(const struct server *s)
{
	return s->spec->check;
}

bool server_checking(const struct server *s)
{
	return s->session && session_checking(s->session);
}

#define YOUNG_MS 20000

bool server_knows(const struct server *s)
{
	return s->has_worked && loop_now(s->ox->loop) - s->started > YOUNG_MS;
}

bool server_began_after(const struct server *s, int64_t changed)
{
	int64_t ago = (int64_t)(loop_now(s->ox->loop) - s->started);
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return changed / 1000000 < (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000 - ago;
}

bool server_indexes_late(const struct server *s)
{
	return s->spec->ready_on_diagnostics;
}

bool server_finds_files(const struct server *s)
{
	return s->spec->ready_on_refresh;
}

void server_note_read(struct server *s, const char *path, uint64_t mark)
{
	struct server_reading read = { mark, ++s->pool->readings };

	free(map_put(&s->read, str_of(path), mem_copy(&read, sizeof(read))));
}

enum text_read server_read(const struct server *s, const char *path, uint64_t mark, uint64_t asked)
{
	const struct server_reading *read = map_get(&s->read, str_of(path));

	if (!read || read->mark != mark)
		return READ_NEVER;
	return read->number > asked ? READ_LATER : READ_BEFORE;
}

void server_forget_read(struct server *s)
{
	map_release_values(&s->read);
	map_release(&s->c_headers);
}

/* What tells clangd how the files below a directory are compiled. */
static bool is_described(const char *path)
{
	static const char *const names[] = { "compile_commands.json", "compile_flags.txt",
					     "build/compile_commands.json", ".clangd", NULL };
	struct str dir = path_dir(str_of(path));
	bool found = false;

	for (; !found; dir = path_dir(dir)) {
		char *here SCOPED(mem_release) = mem_dup(dir.p, dir.n);

		found = folder_has(here, names);
		if (dir.n <= 1)
			break;
	}
	return found;
}

bool server_c_header(struct server *s, const char *path)
{
	json *command;

	if (!server_ready(s) || s->client || !s->spec->ready_on_diagnostics ||
	    map_get(&s->c_headers, str_of(path)) || is_described(path))
		return false;
	map_put(&s->c_headers, str_of(path), s);
	command = json_of({ "workingDirectory", json_str(path_dir(str_of(path))) },
			  { "compilationCommand",
			    json_list(json_strz("clang"), json_strz("-xc-header"),
				      json_strz(path)) });
	session_configure(s->session,
			  json_of({ "compilationDatabaseChanges", json_of({ path, command }) }));
	return true;
}

enum sync_work server_work(const struct server *s, const char *path)
{
	return s->session ? sync_work_on(session_sync(s->session), path) : WORK_UNKNOWN;
}

bool server_ended_with_text(const struct server *s, const char *path)
{
	return s->session && sync_ended_with_text(session_sync(s->session), path);
}

uint64_t server_readings(const struct server *s, const char *path)
{
	return s->session ? sync_readings(session_sync(s->session), path) : 0;
}

void server_note_told(struct server *s)
{
	uint64_t news = session_sync(s->session)->news;

	if (news != s->news)
		s->quiet_at = loop_now(s->ox->loop);
	s->news = news;
}

uint64_t server_quiet_since(const struct server *s)
{
	return s->quiet_at;
}

void server_flush(struct server *s)
{
	if (s->session) {
		server_note_told(s);
		session_flush(s->session);
	}
	server_wake(s);
}
