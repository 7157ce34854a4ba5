#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/utf.h"
#include "call_impl.h"

#define INPUT_MOST (64u << 20)

static bool read_input(int fd, struct buf *out, struct err *e)
{
	struct stat st;
	/* Of a file its size is known; one byte more, so that the end is met without growing. */
	size_t known = fstat(fd, &st) ? 0 : (size_t)st.st_size + 1;
	size_t most = known > 65536 ? known : 65536;
	ssize_t n;

	while ((n = read(fd, buf_room(out, most), most)) > 0) {
		out->n += (size_t)n;
		if (out->n > INPUT_MOST)
			return err_set(e, ERR_LIMIT, "the arguments are longer than %u bytes",
				       INPUT_MOST);
		most = out->n < known ? known - out->n : 65536;
	}
	buf_end(out);
	return true;
}

/* An argument's text as it lies in a file, "-" being standard input. */
static bool read_text(const char *path, struct buf *out, struct err *e)
{
	int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : 0;
	bool ok;

	if (fd < 0)
		return err_set(e, ERR_NOT_FOUND, "%s cannot be read", path);
	ok = read_input(fd, out, e);
	if (fd)
		close(fd);
	if (ok && (!utf_clean(buf_str(out)) || (out->n && memchr(out->p, '\0', out->n))))
		ok = err_set(e, ERR_INVALID, "%s: is no text in UTF-8", path);
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

static bool put_flag(json *args, const struct param *p, struct str value, struct err *e)
{
	char *end;

	if (p->type == P_INT || p->type == P_INDEX) {
		long n = strtol(value.p, &end, 10);

		if (!value.n || *end)
			return err_set(e, ERR_INVALID, "%s wants a whole number, not %s", p->name,
				       value.p);
		json_put(args, p->name, json_int(n));
	} else if (p->type == P_BOOL) {
		json_put(args, p->name, json_bool(!str_eq(value, STR("false"))));
	} else if (!utf_clean(value)) { /* what cannot be told apart must not be guessed */
		return err_set(e, ERR_INVALID, "%s is no UTF-8; JSON on standard input takes it",
			       p->name);
	} else {
		json_put(args, p->name, json_str(value));
	}
	return true;
}

/* `--patch-from FILE`: the text of `--patch` is in a file. */
static bool put_from(json *args, const struct param *p, struct str path, struct err *e)
{
	struct buf text = BUF_INIT;

	if (p->type != P_STR)
		return err_set(e, ERR_INVALID, "%s is no text", p->name);
	if (!read_text(path.p, &text, e)) {
		buf_release(&text);
		return err_in(e, "%s", p->name);
	}
	json_put(args, p->name, json_take(&text));
	return true;
}

/* --new-name g, --new-name=g, --dry-run, --patch-from FILE. `--file` stands for file_path. */
static int read_flag(struct caller *c, json *args, int left, char **argv, struct err *e)
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
	p = flag_param(c->tool, str_eq(word, STR("file")) ? STR("file_path") : word);
	if (!p && str_ends(word, STR("-from"))) {
		p = flag_param(c->tool, str_sub(word, 0, word.n - strlen("-from")));
		from = true;
	}
	if (!p) {
		err_set(e, ERR_INVALID, "%s takes no %s; see `oxide help %s`", c->tool->name,
			argv[0], c->tool->name);
		return 0;
	}
	if (json_get(args, p->name)) {
		err_set(e, ERR_INVALID, "%s is given twice", p->name);
		return 0;
	}
	if (!eq && (from || p->type != P_BOOL)) {
		if (left < 2) {
			err_set(e, ERR_INVALID, "%s wants a value", argv[0]);
			return 0;
		}
		value = str_of(argv[1]);
		used = 2;
	}
	return (from ? put_from : put_flag)(args, p, value, e) ? used : 0;
}

/* The object itself, or "-" for standard input. Flags come behind it. */
static bool read_json(struct caller *c, const char *word, struct err *e)
{
	struct buf in = BUF_INIT;
	bool ok = !json_first(c->args) ||
		  err_set(e, ERR_INVALID, "\"%s\" would replace the arguments before it", word);

	if (ok && *word == '{')
		buf_adds(&in, word);
	else if (ok)
		ok = read_input(0, &in, e);
	if (ok) {
		json_free(c->args);
		c->args = json_parse_outer(buf_str(&in), e);
		ok = c->args || err_in(e, "the arguments");
	}
	buf_release(&in);
	return ok;
}

bool caller_read(struct caller *c, int argc, char **argv, struct err *e)
{
	bool ok = true;

	c->args = json_object();
	for (int i = 0; i < argc && ok; i++) {
		if (!strcmp(argv[i], "--yes")) {
			c->yes = true;
		} else if (!strcmp(argv[i], "--text")) {
			c->text = true;
		} else if (!strcmp(argv[i], "-") || argv[i][0] == '{') {
			ok = read_json(c, argv[i], e);
		} else {
			int used = argv[i][0] == '-' ? read_flag(c, c->args, argc - i, argv + i, e)
						     : 0;

			ok = used || e->code ||
			     err_set(e, ERR_INVALID, "what is \"%s\"? see `oxide help %s`", argv[i],
				     c->tool->name);
			ok = ok && used;
			i += used - 1;
		}
	}
	return ok;
}
