#include "record_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../base/bytes.h"
#include "../base/log.h"
#include "../base/mask.h"
#include "../base/mem.h"
#include "../base/path.h"
#include "../base/retry.h"
#include "../io/disk.h"
#include "../io/loop.h"

extern char **environ;

#define SECRET_LEAST 8 /* bytes of the value of a variable that is masked wherever it is */

struct record {
	struct oxide *ox;
	char *session, *name; /* of the file, without its ending */
	int fd;		      /* -1: rows are kept in `lines` */
	char *path;
	struct buf lines;
	size_t lost;	   /* rows that found no place */
	struct err broken; /* why not all are in the file */
	bool told;	   /* that */
	bool elsewhere;
};

static void time_text(struct buf *out, int64_t wall_ms, const char *form)
{
	time_t s = (time_t)(wall_ms / 1000);
	char text[32];
	struct tm tm;

	gmtime_r(&s, &tm);
	strftime(text, sizeof(text), form, &tm);
	buf_addf(out, "%s.%03dZ", text, (int)(wall_ms % 1000));
}

json *record_time(int64_t wall_ms)
{
	struct buf text = BUF_INIT;

	time_text(&text, wall_ms, "%Y-%m-%dT%H:%M:%S");
	return json_take(&text);
}

/* Its beginning and its end, where it is longer than `most`. */
static json *cut_text(struct str s, size_t most, bool *cut)
{
	size_t head = str_cut(s, most / 2).n, tail = s.n - most / 2;

	if (s.n <= most)
		return json_str(s);
	*cut = true;
	while (tail < s.n && str_inside(s.p[tail]))
		tail++;
	return json_strf("%.*s\n[... %zu bytes left out ...]\n%.*s", (int)head, s.p, tail - head,
			 (int)(s.n - tail), s.p + tail);
}

static json *cut_value(const json *v, size_t most, bool *cut)
{
	bool list = json_is(v, JSON_ARRAY);
	json *all;

	if (json_is(v, JSON_STRING))
		return cut_text(json_text(v), most, cut);
	if (!list && !json_is(v, JSON_OBJECT))
		return json_copy(v);
	all = list ? json_array() : json_object();
	json_each(item, v) {
		json *one = cut_value(item, most, cut);

		if (list)
			json_push(all, one);
		else
			json_add(all, json_key(item), one);
	}
	return all;
}

/* Values of this process' environment that are keys, wherever they got to. */
static void mask_environment(struct buf *line)
{
	for (char **v = environ; *v; v++) {
		const char *eq = strchr(*v, '=');
		struct str name = eq ? str_sub(str_of(*v), 0, (size_t)(eq - *v)) : STR("");
		struct str value = eq ? str_of(eq + 1) : STR(""), rest;
		struct buf masked = BUF_INIT;
		ptrdiff_t at;

		if (value.n < SECRET_LEAST || !mask_names_key(name) ||
		    str_find(buf_str(line), value) < 0)
			continue;
		rest = buf_str(line);
		while ((at = str_find(rest, value)) >= 0) {
			buf_addf(&masked, "%.*s***", (int)at, rest.p);
			rest = str_sub(rest, (size_t)at + value.n, rest.n);
		}
		buf_add(&masked, rest);
		buf_release(line);
		*line = masked;
	}
}

/* From here on rows are kept in memory. */
static void record_stop_writing(struct record *r)
{
	err_set(&r->broken, ERR_IO, "%s: %s", r->path ? r->path : "the state directory",
		strerror(errno));
	log_line(LOG_WARN, "the record of a session ends early: %s", r->broken.msg);
	if (r->fd >= 0)
		close(r->fd);
	r->fd = -1;
}

/* What the disk does not take is kept as far as there is room. */
static void keep_line(struct record *r, struct str line)
{
	size_t most = r->elsewhere ? SIZE_MAX / 2
				   : (size_t)config_get(&r->ox->config, CFG_RECORDS_MEMORY);

	if (r->fd >= 0 && disk_write_all(r->fd, line))
		return;
	if (r->fd >= 0)
		record_stop_writing(r);
	if (r->lines.n + line.n <= most)
		buf_add(&r->lines, line);
	else
		r->lost++;
}

static void put_row(struct record *r, const char *kind, json *row)
{
	size_t most = (size_t)config_get(&r->ox->config, CFG_RECORDS_TEXT);
	struct buf text SCOPED(buf_release) = BUF_INIT, line SCOPED(buf_release) = BUF_INIT;
	bool cut = false;
	json *v SCOPED(json_release) = cut_value(row, most, &cut);

	if (json_is(json_get(v, "truncated"), JSON_BOOL) && cut)
		json_put(v, "truncated", json_bool(true));
	json_put(v, "row", json_strz(kind));
	json_print(&text, v);
	bytes_show_from(&text, 0);
	mask_environment(&text);
	mask_json(&line, buf_str(&text));
	buf_addc(&line, '\n');
	keep_line(r, buf_str(&line));
	json_free(row);
}

/* "NAME.jsonl": "NAME.raw". The caller frees. */
char *record_raw_path(const char *path)
{
	struct buf raw = BUF_INIT;

	buf_addf(&raw, "%.*s.raw", (int)(strlen(path) - strlen(".jsonl")), path);
	return buf_detach(&raw);
}

/* The oldest go, so that with the one that comes there are as many as records.files. */
static void record_make_room(const char *dir, size_t most)
{
	const struct fs *fs = disk_fs();
	struct buf names SCOPED(buf_release) = BUF_INIT;
	size_t n;
	char **v = record_names(dir, &names, &n);

	for (size_t i = 0; i < n && n - i >= most; i++) {
		char *path SCOPED(mem_release) = path_join(dir, v[i]);
		char *raw SCOPED(mem_release) = NULL;

		fs->remove(fs->self, path, ERR_IGNORED);
		raw = record_raw_path(path);
		fs->remove(fs->self, raw, ERR_IGNORED);
	}
	free(v);
}

static void open_file(struct record *r)
{
	size_t most = (size_t)config_get(&r->ox->config, CFG_RECORDS_FILES);
	char *dir SCOPED(mem_release) = most ? record_directory() : NULL;
	struct buf name SCOPED(buf_release) = BUF_INIT;

	if (!dir && most)
		record_stop_writing(r);
	if (!dir)
		return;
	mkdir(dir, 0700);
	record_make_room(dir, most);
	buf_addf(&name, "%s.jsonl", r->name);
	r->path = path_join(dir, name.p);
	RETRY(r->fd, open(r->path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
	if (r->fd < 0) {
		record_stop_writing(r);
		free(r->path);
		r->path = NULL;
	}
}

int record_open_raw(const struct record *r)
{
	char *path SCOPED(mem_release) = r->path ? record_raw_path(r->path) : NULL;
	int fd = -1;

	if (path)
		RETRY(fd, open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
	return fd;
}

char *record_new_session(void)
{
	const struct fs *fs = disk_fs();
	struct buf id = BUF_INIT;
	struct fs_here here;

	fs->here(fs->self, &here);
	buf_addf(&id, "%08lx%08lx", (unsigned long)(here.unique >> 32 & 0xffffffff),
		 (unsigned long)(here.unique & 0xffffffff));
	return buf_detach(&id);
}

struct record *record_new(struct oxide *ox, const struct record_session *session)
{
	struct record *r = mem_new(sizeof(*r));
	struct buf name = BUF_INIT;
	int64_t now = loop_wall_ms();

	r->ox = ox;
	r->elsewhere = session->elsewhere;
	r->session = session->id ? mem_dup(session->id, strlen(session->id)) : record_new_session();
	time_text(&name, now, "%Y%m%dT%H%M%S");
	buf_addf(&name, "-%s", r->session);
	r->name = buf_detach(&name);
	r->fd = -1;
	if (!r->elsewhere)
		open_file(r);
	put_row(r, "session",
		json_of({ "version", json_int(1) }, { "session_id", json_strz(r->session) },
			{ "timestamp", r->elsewhere ? json_null() : record_time(now) },
			{ "agent", session->agent }, { "cwd", json_strz(session->cwd) }));
	return r;
}

struct record *record_join(struct oxide *ox, const char *session)
{
	char *path = record_path(str_of(session), &(struct err)ERR_INIT);
	struct buf end SCOPED(buf_release) = BUF_INIT;
	struct record *r = NULL;
	int fd = -1;

	buf_addf(&end, "-%s.jsonl", session);
	if (path && str_ends(str_of(path), buf_str(&end)))
		RETRY(fd, open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW));
	if (fd < 0) {
		free(path);
		return NULL;
	}
	r = mem_new(sizeof(*r));
	r->ox = ox;
	r->session = mem_dup(session, strlen(session));
	r->fd = fd;
	r->path = path;
	return r;
}

void record_free(struct record *r)
{
	if (!r)
		return;
	if (r->fd >= 0)
		close(r->fd);
	free(r->session);
	free(r->name);
	free(r->path);
	buf_release(&r->lines);
	free(r);
}

const char *record_session_id(const struct record *r)
{
	return r->session;
}

void record_add(struct record *r, enum record_row kind, json *row)
{
	if (!json_get(row, "timestamp"))
		json_put(row, "timestamp",
			 r->elsewhere ? json_null() : record_time(loop_wall_ms()));
	put_row(r, record_lists[kind], row);
}

void record_know(struct record *r, json *members)
{
	put_row(r, "session", members);
}

const char *record_incomplete(struct record *r)
{
	bool is_news = r->broken.code && !r->told;

	r->told = r->told || is_news;
	return is_news ? r->broken.msg : NULL;
}

json *record_whole(const struct record *r, struct err *e)
{
	const struct fs *fs = disk_fs();
	struct buf lines SCOPED(buf_release) = BUF_INIT;
	json *whole = NULL;

	if (!r->path || fs->read(fs->self, r->path, &lines, NULL, e)) {
		/* The disk may have taken some of the line that it then had no room for. */
		while (lines.n && lines.p[lines.n - 1] != '\n')
			lines.n--;
		buf_add(&lines, buf_str(&r->lines));
		whole = record_of_lines(buf_str(&lines));
		if (r->broken.code)
			json_put(whole, "incomplete", json_strz(r->broken.msg));
		if (r->lost)
			json_put(whole, "lost_rows", json_int((int64_t)r->lost));
	}
	return whole;
}

static bool export_whole(struct record *r, struct str directory, struct err *e)
{
	struct buf path SCOPED(buf_release) = BUF_INIT;
	json *whole SCOPED(json_release) = record_whole(r, e);

	return whole && (record_write(whole, directory, r->name, &path, e) ||
			 err_in(e, "records.directory"));
}

bool record_end(struct record *r, json *rest, struct err *e)
{
	struct str directory = json_get_str(r->ox->configuration, "records.directory");
	json *row = rest ? rest : json_object();

	json_put(row, "ended", record_time(loop_wall_ms()));
	put_row(r, "end", row);
	return !directory.n || export_whole(r, directory, e);
}
