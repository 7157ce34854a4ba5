#include "transcript.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../base/mem.h"
#include "../base/path.h"
#include "../base/retry.h"
#include "../io/disk.h"
#include "../io/loop.h"

#define TRANSCRIPT_VERSION 1

static char *transcripts(void)
{
	char *state = oxide_state_dir(), *dir = state ? path_join(state, "chats") : NULL;

	free(state);
	return dir;
}

static void write_row(struct transcript *t, json *row)
{
	struct buf line = BUF_INIT;
	struct str rest;
	ssize_t n = 0;

	json_print(&line, row);
	buf_addc(&line, '\n');
	json_free(row);
	rest = buf_str(&line);
	while (t->fd >= 0 && rest.n && n >= 0) {
		RETRY(n, write(t->fd, rest.p, rest.n));
		rest = str_sub(rest, n > 0 ? (size_t)n : 0, rest.n);
	}
	buf_release(&line);
}

static int open_transcript(const char *path)
{
	int fd;

	RETRY(fd, open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
	return fd;
}

void transcript_begin(struct transcript *t, const char *directory, const char *model)
{
	char *dir = transcripts(), *path, name[64], when[32];
	int64_t now = loop_wall_ms();
	time_t s = (time_t)(now / 1000);
	struct tm tm;

	t->fd = -1;
	if (!dir)
		return;
	mkdir(dir, 0700);
	localtime_r(&s, &tm);
	strftime(when, sizeof(when), "%Y%m%d-%H%M%S", &tm);
	snprintf(name, sizeof(name), "%s-%ld-%03d.jsonl", when, (long)getpid(), (int)(now % 1000));
	path = path_join(dir, name);
	t->fd = open_transcript(path);
	write_row(t, json_of({ "chat", json_int(TRANSCRIPT_VERSION) },
			     { "directory", json_strz(directory) }, { "model", json_strz(model) }));
	free(path);
	free(dir);
}

static json *words_of(const struct chat_message *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->v[i].kind == CHAT_TEXT)
			return json_of({ "words", json_str(m->v[i].text) });
	return json_of({ "words", json_strz("") });
}

void transcript_add(struct transcript *t, const struct chat_message *m)
{
	json *message = chat_message_json(m);
	struct buf text = BUF_INIT;

	json_print(&text, message);
	json_free(message);
	write_row(t, json_of({ "message", json_take(&text) },
			     { "sent", m->role == CHAT_PERSON ? words_of(m) : NULL }));
}

void transcript_end(struct transcript *t)
{
	if (t->fd >= 0)
		close(t->fd);
	t->fd = -1;
}

/* What a kill has left of the last line is passed over. */
static bool read_rows(struct str text, struct chat *chat, struct err *e)
{
	struct str line;

	while (str_line(&text, &line)) {
		struct err ignored = ERR_INIT;
		json *row = json_parse(line, &ignored), *m = NULL;
		int64_t keep = json_get_int(row, "keep", -1);
		bool ok = true;

		if (keep >= 0 && (size_t)keep < chat->n)
			chat_cut(chat, (size_t)keep);
		if (json_get(row, "message"))
			ok = (m = json_parse(json_get_str(row, "message"), e)) &&
			     chat_read_message(chat, m, e);
		json_free(m);
		json_free(row);
		if (!ok)
			return false;
	}
	return true;
}

static bool is_of(struct str text, const char *directory)
{
	struct str line = STR("");
	struct err ignored = ERR_INIT;
	json *head;
	bool is;

	str_line(&text, &line);
	head = json_parse(line, &ignored);
	is = json_get_int(head, "chat", 0) == TRANSCRIPT_VERSION &&
	     str_eq(json_get_str(head, "directory"), str_of(directory));
	json_free(head);
	return is;
}

/* The path of the latest of the directory; its text is left in `text`. */
static char *latest(const char *dir, const char *directory, struct buf *text)
{
	const struct fs *fs = disk_fs();
	struct buf names = BUF_INIT;
	struct err ignored = ERR_INIT;
	char *found = NULL;

	if (dir && !fs->list(fs->self, dir, &names, &ignored))
		buf_clear(&names);
	for (size_t end = names.n; end && !found;) { /* from the last name on, backwards */
		size_t at = end - 1;
		char *path;

		while (at && names.p[at - 1])
			at--;
		path = path_join(dir, names.p + at);
		end = at;
		buf_clear(text);
		if (fs->read(fs->self, path, text, NULL, &ignored) &&
		    is_of(buf_str(text), directory))
			found = path;
		else
			free(path);
	}
	buf_release(&names);
	return found;
}

bool transcript_resume(struct transcript *t, const char *directory, struct chat *chat,
		       struct err *e)
{
	char *dir = transcripts();
	struct buf text = BUF_INIT;
	char *path = latest(dir, directory, &text);
	bool ok = path ? read_rows(buf_str(&text), chat, e)
		       : err_set(e, ERR_NOT_FOUND, "no conversation in %s is kept", directory);

	t->fd = ok ? open_transcript(path) : -1;
	if (ok && text.n && text.p[text.n - 1] != '\n' && t->fd >= 0)
		(void)!write(t->fd, "\n", 1);
	if (ok)
		chat_answer_rest(chat, STR("not known: the conversation was interrupted"));
	free(path);
	free(dir);
	buf_release(&text);
	return ok;
}
