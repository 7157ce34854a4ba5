#include "transcript.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
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
	char *state SCOPED(mem_release) = oxide_state_dir();

	return state ? path_join(state, "chats") : NULL;
}

static void give_up(struct transcript *t)
{
	err_set(&t->problem, ERR_IO, "this conversation is not kept: %s: %s", t->path,
		strerror(errno));
	if (t->fd >= 0)
		close(t->fd);
	t->fd = -1;
}

static void write_row(struct transcript *t, json *row)
{
	struct buf line SCOPED(buf_release) = BUF_INIT;

	json_print(&line, row);
	buf_addc(&line, '\n');
	json_free(row);
	if (t->fd >= 0 && !disk_write_all(t->fd, buf_str(&line)))
		give_up(t);
}

/* -1: it cannot be opened, or another one writes to it, which `is_taken` tells. */
static int open_transcript(const char *path, bool *is_taken)
{
	int fd, rc;

	*is_taken = false;
	RETRY(fd, open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
	if (fd < 0)
		return -1;
	RETRY(rc, flock(fd, LOCK_EX | LOCK_NB));
	*is_taken = rc && errno == EWOULDBLOCK;
	if (*is_taken) {
		close(fd);
		return -1;
	}
	return fd;
}

void transcript_begin(struct transcript *t, const char *directory, const char *model)
{
	char *dir SCOPED(mem_release) = transcripts(), name[64], when[32];
	int64_t now = loop_wall_ms();
	time_t s = (time_t)(now / 1000);
	struct tm tm;
	bool is_taken;

	t->fd = -1;
	if (!dir)
		return;
	mkdir(dir, 0700);
	localtime_r(&s, &tm);
	strftime(when, sizeof(when), "%Y%m%d-%H%M%S", &tm);
	snprintf(name, sizeof(name), "%s-%ld-%03d.jsonl", when, (long)getpid(), (int)(now % 1000));
	t->path = path_join(dir, name);
	t->fd = open_transcript(t->path, &is_taken);
	if (t->fd < 0)
		give_up(t);
	write_row(t, json_of({ "chat", json_int(TRANSCRIPT_VERSION) },
			     { "directory", json_strz(directory) }, { "model", json_strz(model) }));
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
	json *message SCOPED(json_release) = chat_message_json(m);
	struct buf text = BUF_INIT;

	json_print(&text, message);
	write_row(t, json_of({ "message", json_take(&text) },
			     { "sent", m->role == CHAT_PERSON ? words_of(m) : NULL }));
}

void transcript_end(struct transcript *t)
{
	if (t->fd >= 0)
		close(t->fd);
	t->fd = -1;
	free(t->path);
	t->path = NULL;
}

/* What a kill has left of the last line is passed over. */
static bool read_rows(struct str text, struct chat *chat, struct err *e)
{
	struct str line;

	while (str_line(&text, &line)) {
		json *row SCOPED(json_release) = json_parse(line, ERR_IGNORED);
		json *m SCOPED(json_release) = NULL;
		int64_t keep = json_get_int(row, "keep", -1);
		bool ok = true;

		if (keep >= 0 && (size_t)keep < chat->n)
			chat_cut(chat, (size_t)keep);
		if (json_get(row, "message"))
			ok = (m = json_parse(json_get_str(row, "message"), e)) &&
			     chat_read_message(chat, m, e);
		if (!ok)
			return false;
	}
	return true;
}

static bool transcript_is_of(struct str text, const char *directory)
{
	struct str line = STR(""), of;
	json *head SCOPED(json_release) = NULL;

	str_line(&text, &line);
	head = json_parse(line, ERR_IGNORED);
	of = json_get_str(head, "directory");
	return json_get_int(head, "chat", 0) == TRANSCRIPT_VERSION &&
	       str_skip(&of, str_of(directory)) && (!of.n || of.p[0] == '/');
}

/* The path of the latest of the directory; its text is left in `text`. */
static char *latest_in(const char *dir, const char *directory, struct buf *text)
{
	const struct fs *fs = disk_fs();
	struct buf names SCOPED(buf_release) = BUF_INIT;
	char *found = NULL;

	if (!fs->list(fs->self, dir, &names, ERR_IGNORED))
		buf_clear(&names);
	for (size_t end = names.n; end && !found;) { /* from the last name on, backwards */
		size_t at = end - 1;
		char *path;

		while (at && names.p[at - 1])
			at--;
		path = path_join(dir, names.p + at);
		end = at;
		buf_clear(text);
		if (fs->read(fs->self, path, text, NULL, ERR_IGNORED) &&
		    transcript_is_of(buf_str(text), directory))
			found = path;
		else
			free(path);
	}
	return found;
}

/* Names begin with the time. */
static char *later(char *a, char *b)
{
	bool is_a = a && (!b || str_cmp(path_base(str_of(a)), path_base(str_of(b))) >= 0);

	free(is_a ? b : a);
	return is_a ? a : b;
}

/* Of those that the shell and Neovim keep, and of those that Neovim kept by itself before 2026. */
static char *latest(const char *directory)
{
	char *dir SCOPED(mem_release) = transcripts();
	char *before SCOPED(mem_release) = dir ? path_join(dir, "../../nvim/oxide/chats") : NULL;
	struct buf text SCOPED(buf_release) = BUF_INIT;
	char *found = NULL;

	if (dir)
		found = later(latest_in(dir, directory, &text),
			      latest_in(before, directory, &text));
	return found;
}

/* All that was said, in a file of its own. */
static void begin_copy(struct transcript *t, const char *directory, const char *model,
		       const struct chat *chat)
{
	transcript_begin(t, directory, model);
	t->is_copy = true;
	for (size_t i = 0; i < chat->n; i++)
		transcript_add(t, chat->v[i]);
}

bool transcript_resume(struct transcript *t, const char *directory, const char *model,
		       struct chat *chat, struct err *e)
{
	const struct fs *fs = disk_fs();
	struct buf text SCOPED(buf_release) = BUF_INIT;
	char *path = latest(directory);
	bool is_taken = false, ok;

	if (!path)
		return err_set(e, ERR_NOT_FOUND, "no saved conversation in %s", directory);
	t->fd = open_transcript(path, &is_taken);
	ok = (fs->read(fs->self, path, &text, NULL, e) && read_rows(buf_str(&text), chat, e)) ||
	     err_in(e, "%s cannot be resumed", path);
	if (ok && text.n && text.p[text.n - 1] != '\n' && t->fd >= 0)
		(void)!write(t->fd, "\n", 1);
	if (ok)
		chat_answer_rest(chat, STR("not known: the conversation was interrupted"));
	if (ok && is_taken)
		begin_copy(t, directory, model, chat);
	else
		t->path = path;
	if (t->path != path)
		free(path);
	return ok;
}
