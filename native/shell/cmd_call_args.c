#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/retry.h"
#include "../io/disk.h"
#include "cmd_call.h"

#define INPUT_MOST (64u << 20)

static bool read_input(int fd, const char *name, struct buf *out, struct err *e)
{
	struct stat st;
	/* Of a file its size is known; one byte more, so that the end is met without growing. */
	size_t known = fstat(fd, &st) ? 0 : (size_t)st.st_size + 1;
	size_t most;
	ssize_t n;

	known = known < INPUT_MOST ? known : INPUT_MOST + 1; /* what is longer is refused */
	if (known && known <= INPUT_MOST)
		disk_read_shared(fd, known - 1, out);
	most = out->n || known > 65536 ? known - out->n : 65536;
	for (;;) {
		RETRY(n, read(fd, buf_room(out, most), most));
		if (!n)
			break;
		if (n < 0)
			return err_set(e, ERR_IO, "%s cannot be read: %s", name, strerror(errno));
		out->n += (size_t)n;
		if (out->n > INPUT_MOST)
			return err_set(e, ERR_LIMIT, "%s is longer than %u bytes", name,
				       INPUT_MOST);
		most = out->n < known ? known - out->n : 65536;
	}
	buf_end(out);
	return true;
}

static int open_input(const char *path)
{
	int fd;

	RETRY(fd, open(path, O_RDONLY | O_CLOEXEC));
	return fd;
}

/* An argument's text as it lies in a file, "-" being standard input. */
static bool args_read_text(const char *path, struct buf *out, struct err *e)
{
	int fd = strcmp(path, "-") ? open_input(path) : 0;
	bool ok;

	if (fd < 0)
		return err_set(e, errno == ENOENT ? ERR_NOT_FOUND : ERR_IO, "%s cannot be read: %s",
			       path, strerror(errno));
	ok = read_input(fd, fd ? path : "standard input", out, e);
	if (fd)
		close(fd);
	return ok;
}

static const struct param *flag_param(const struct tool *t, struct str flag)
{
	for (const struct param *p = t->params; p->name; p++) {
		size_t i = 0;

		while (i < flag.n &&
		       (p->name[i] == flag.p[i] || (p->name[i] == '_' && flag.p[i] == '-')))
			i++;
		if (i == flag.n && !p->name[i])
			return p;
	}
	return NULL;
}

/* `--patch-from FILE`: the text of `--patch` is in a file. */
static bool put_from(json *args, const struct param *p, struct str path, struct err *e)
{
	struct buf text SCOPED(buf_release) = BUF_INIT;

	if (p->type != P_STR && p->type != P_TEXT)
		return err_set(e, ERR_INVALID, "%s is not text, so it cannot be read from a file",
			       p->name);
	if (!args_read_text(path.p, &text, e))
		return err_in(e, "%s", p->name);
	json_put(args, p->name, json_take(&text));
	return true;
}

/* `--numbered false`: of a switch the value may be left out. */
static bool takes_next(const struct param *p, bool from, int left, char **argv)
{
	return from || p->type != P_BOOL ||
	       (left > 1 && *argv[1] && *argv[1] != '-' && *argv[1] != '{');
}

/* --new-name g, --new-name=g, --dry-run, --patch-from FILE. `--file` is short for --file-path. */
static int read_flag(struct shell_call *c, json *args, int left, char **argv, struct err *e)
{
	struct str word = str_of(argv[0]), value = STR("true");
	const char *eq = strchr(argv[0], '=');
	const struct param *p;
	bool from = false;
	int used = 1;

	str_skip(&word, STR("--"));
	if (eq) {
		value = str_of(eq + 1);
		word.n = (size_t)(eq - word.p);
	}
	p = flag_param(c->pending.tool, str_eq(word, STR("file")) ? STR("file_path") : word);
	if (!p && str_ends(word, STR("-from"))) {
		p = flag_param(c->pending.tool, str_sub(word, 0, word.n - strlen("-from")));
		from = true;
	}
	if (!p) {
		err_set(e, ERR_INVALID, "%s has no argument %s", c->pending.tool->name, argv[0]);
		return 0;
	}
	if (json_get(args, p->name)) {
		err_set(e, ERR_INVALID, "%s is given twice", p->name);
		return 0;
	}
	if (!eq && takes_next(p, from, left, argv)) {
		if (left < 2) {
			err_set(e, ERR_INVALID, "%s needs a value", argv[0]);
			return 0;
		}
		value = str_of(argv[1]);
		used = 2;
	}
	return (from ? put_from : front_put_typed)(args, p, value, e) ? used : 0;
}

/* The object itself, or "-" for standard input. Flags come behind it. */
static bool read_json(struct shell_call *c, const char *word, struct err *e)
{
	struct buf in SCOPED(buf_release) = BUF_INIT;
	bool ok = !json_first(c->pending.args) ||
		  err_set(e, ERR_INVALID,
			  "\"%s\" would replace the arguments before it; put it first", word);

	if (ok && *word == '{')
		buf_adds(&in, word);
	else if (ok)
		ok = read_input(0, "standard input", &in, e);
	if (ok) {
		json_free(c->pending.args);
		c->pending.args = tool_args(c->pending.tool, &in, e);
		ok = c->pending.args || err_in(e, "the arguments");
	}
	return ok;
}

bool shell_call_read(struct shell_call *c, int argc, char **argv, struct err *e)
{
	bool ok = true;

	c->pending.args = json_object();
	for (int i = 0; i < argc && ok; i++) {
		if (!strcmp(argv[i], "--yes")) {
			c->yes = true;
		} else if (!strcmp(argv[i], "--text")) {
			c->text = true;
		} else if (!strcmp(argv[i], "-") || argv[i][0] == '{') {
			ok = read_json(c, argv[i], e);
		} else {
			int used = argv[i][0] == '-'
					   ? read_flag(c, c->pending.args, argc - i, argv + i, e)
					   : 0;

			ok = used || e->code ||
			     err_set(e, ERR_INVALID,
				     "\"%s\" is not a flag, and arguments are flags or one JSON "
				     "object",
				     argv[i]);
			ok = ok && used;
			i += used - 1;
		}
	}
	return ok;
}
