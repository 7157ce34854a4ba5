#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/mem.h"
#include "../base/path.h"
#include "../base/retry.h"
#include "session_log_impl.h"

#define OWNER_MOST  16384 /* bytes at the beginning of a file that says whose a log is */
#define DASHED_MOST 200	  /* then Claude Code has a hash instead of the rest */

/* As the agent itself sees it. */
static const char *variable(const struct session_log_spec *spec, struct str name)
{
	for (const char *const *v = spec->set; v && *v; v++)
		if (str_starts(str_of(*v), name) && (*v)[name.n] == '=')
			return *v + name.n + 1;
	return getenv(name.p);
}

static char *log_root(const struct session_log_spec *spec)
{
	struct str env = json_get_str(spec->log, "env"), home = json_get_str(spec->log, "home");
	const char *own = env.n ? variable(spec, env) : NULL;
	const char *base = variable(spec, STR("HOME"));

	if (own && *own)
		return path_join(spec->cwd, own);
	return base && *base && home.n ? path_join(base, home.p) : NULL;
}

static char *with_dashes(const char *path)
{
	struct buf out = BUF_INIT;

	for (; *path && out.n < DASHED_MOST; path++)
		buf_addc(&out, (*path >= '0' && *path <= '9') ||
					       ((*path | 0x20) >= 'a' && (*path | 0x20) <= 'z')
				       ? *path
				       : '-');
	return buf_detach(&out);
}

void log_places_init(struct log_places *p, const struct session_log_spec *spec)
{
	*p = (struct log_places){ .root = log_root(spec), .pid = spec->pid };
	p->patterns = json_copy(json_get(spec->log, "files"));
	p->owner = json_dup(spec->log, "owner.file");
	p->text = json_dup(spec->log, "owner.text");
	p->cwd = mem_dup(spec->cwd, strlen(spec->cwd));
	p->dashed = with_dashes(spec->cwd);
	p->since_ms = spec->since_ms;
}

void log_places_release(struct log_places *p)
{
	free(p->root);
	json_free(p->patterns);
	free(p->owner);
	free(p->text);
	free(p->cwd);
	free(p->dashed);
	buf_release(&p->said);
}

/* Of a log: "019a-..." of "/a/019a-....jsonl". */
static struct str stem_of(const char *log)
{
	struct str name = path_base(str_of(log)), ext = path_ext(name);

	return str_sub(name, 0, name.n - (ext.n ? ext.n + 1 : 0));
}

/* `log` NULL: in a pattern. */
static void put_word(struct buf *out, const struct log_places *p, struct str word, const char *log)
{
	struct str own = str_of(log);

	if (str_eq(word, STR("pid")))
		buf_addf(out, "%ld", p->pid);
	else if (str_eq(word, STR("cwd")))
		buf_adds(out, p->cwd);
	else if (str_eq(word, STR("dashed")))
		buf_adds(out, p->dashed);
	else if (str_eq(word, STR("log")))
		buf_add(out, own);
	else if (str_eq(word, STR("name")))
		buf_add(out, stem_of(log ? log : ""));
	else if (str_eq(word, STR("directory")))
		buf_add(out, log ? path_dir(own) : own);
}

/* "{pid}" and its like are replaced. */
static void fill_in(struct buf *out, const struct log_places *p, struct str text, const char *log)
{
	while (text.n) {
		const char *open = memchr(text.p, '{', text.n);
		size_t at = open ? (size_t)(open - text.p) : text.n;
		struct str rest = str_sub(text, at, text.n);
		const char *close = memchr(rest.p, '}', rest.n);

		buf_add(out, str_sub(text, 0, at));
		if (!close) {
			buf_add(out, rest);
			return;
		}
		put_word(out, p, (struct str){ rest.p + 1, (size_t)(close - rest.p) - 1 }, log);
		text = str_sub(rest, (size_t)(close - rest.p) + 1, rest.n);
	}
}

static void read_head(struct buf *out, const char *path)
{
	ssize_t n = 0;
	int fd;

	buf_clear(out);
	RETRY(fd, open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK));
	if (fd < 0)
		return;
	RETRY(n, read(fd, buf_room(out, OWNER_MOST), OWNER_MOST));
	close(fd);
	out->n += n > 0 ? (size_t)n : 0;
	buf_end(out);
}

/* What a file said that has gone meanwhile still holds: some agents remove theirs at their end. */
static void read_owner(struct log_places *p, const char *log)
{
	struct buf named SCOPED(buf_release) = BUF_INIT, path SCOPED(buf_release) = BUF_INIT;
	struct buf head SCOPED(buf_release) = BUF_INIT;

	fill_in(&named, p, str_of(p->owner), log);
	path_normal(&path, p->root, buf_str(&named));
	read_head(&head, path.p);
	if (head.n) {
		buf_clear(&p->said);
		buf_add(&p->said, buf_str(&head));
	}
}

static bool log_find_goes_on(char c)
{
	return str_any("/.-", c) || str_named(c);
}

/* Not as a part of a longer name. */
static bool has_whole(struct str said, struct str text)
{
	ptrdiff_t at;

	while (text.n && (at = str_find(said, text)) >= 0) {
		struct str rest = str_sub(said, (size_t)at + text.n, said.n);

		if ((!at || !log_find_goes_on(said.p[at - 1])) &&
		    (!rest.n || !log_find_goes_on(*rest.p)))
			return true;
		said = rest;
	}
	return false;
}

static bool log_find_is_own(struct log_places *p, const char *log)
{
	struct buf text SCOPED(buf_release) = BUF_INIT;

	if (!p->owner || !p->text)
		return true;
	if (str_find(str_of(p->owner), STR("{log}")) >= 0 ||
	    str_find(str_of(p->owner), STR("{directory}")) >= 0)
		buf_clear(&p->said);
	read_owner(p, log);
	fill_in(&text, p, str_of(p->text), log);
	return has_whole(buf_str(&p->said), buf_str(&text));
}

static bool is_recent(const char *path, int64_t since_ms)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) &&
	       ((int64_t)st.st_mtime + 1) * 1000 > since_ms;
}

/* The directory's own name may have what is a pattern to glob(). */
static void add_quoted(struct buf *out, struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (str_any("\\*?[", s.p[i]))
			buf_addc(out, '\\');
		buf_addc(out, s.p[i]);
	}
}

static bool find_by(struct log_places *p, struct str files, log_place *fn, void *arg)
{
	struct buf pattern SCOPED(buf_release) = BUF_INIT;
	glob_t found = { 0 };
	bool more = true;

	add_quoted(&pattern, str_of(p->root));
	buf_addc(&pattern, '/');
	fill_in(&pattern, p, files, NULL);
	if (!glob(pattern.p, 0, NULL, &found))
		for (size_t i = 0; i < found.gl_pathc && more; i++)
			if (is_recent(found.gl_pathv[i], p->since_ms) &&
			    log_find_is_own(p, found.gl_pathv[i]))
				more = fn(arg, found.gl_pathv[i]);
	globfree(&found);
	return more;
}

void log_places_find(struct log_places *p, log_place *fn, void *arg)
{
	if (!p->root)
		return;
	/* It may be there now, and gone when there is a log. */
	if (p->owner && str_find(str_of(p->owner), STR("{pid}")) >= 0)
		read_owner(p, NULL);
	json_each(pattern, p->patterns)
		if (!find_by(p, json_text(pattern), fn, arg))
			return;
}
