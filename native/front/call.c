#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/mem.h"
#include "../base/utf.h"
#include "../io/loop.h"
#include "../tool/tool.h"
#include "front.h"

/* `oxide call`: one tool, one answer on standard output. Questions and progress go to standard
 * error, and only where a person sits there. */
struct caller {
	struct oxide *ox;
	const struct tool *tool;
	struct call *call;
	bool yes, text, person;
	int status;
	/* a question on the terminal */
	editor_verdict *fn;
	void *arg;
	bool answer, gone; /* gone: the question was taken back */
};

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

static bool read_args(struct caller *c, int argc, char **argv, json **args, struct err *e)
{
	struct buf in = BUF_INIT;
	bool ok = true;

	*args = json_object();
	for (int i = 0; i < argc && ok; i++) {
		if (!strcmp(argv[i], "--yes")) {
			c->yes = true;
		} else if (!strcmp(argv[i], "--text")) {
			c->text = true;
		} else if (!strcmp(argv[i], "-") || argv[i][0] == '{') {
			json_free(*args);
			ok = argv[i][0] == '{' ? (buf_adds(&in, argv[i]), true)
					       : read_input(0, &in, e);
			*args = ok ? json_parse_outer(buf_str(&in), e) : NULL;
			ok = *args || err_in(e, "the arguments");
		} else {
			int used =
				argv[i][0] == '-' ? read_flag(c, *args, argc - i, argv + i, e) : 0;

			ok = used || e->code ||
			     err_set(e, ERR_INVALID, "what is \"%s\"? see `oxide help %s`", argv[i],
				     c->tool->name);
			ok = ok && used;
			i += used - 1;
		}
	}
	buf_release(&in);
	return ok;
}

static void print_part(void *arg, struct str part)
{
	fwrite(part.p, 1, part.n, arg);
}

static void print_answer(struct caller *c, json *result, const struct err *e)
{
	struct buf out = BUF_INIT;
	json *v = e->code && !result ? error_object(e) : result;

	if (!c->text) {
		json_stream(v, print_part, stdout);
		buf_addc(&out, '\n');
	} else if (e->code) {
		text_error(&out, e, v, isatty(1));
	} else {
		text_answer(&out, v, isatty(1));
	}
	print_part(stdout, buf_str(&out));
	fflush(stdout);
	buf_release(&out);
	json_free(v);
}

static void on_answer(void *arg, json *result, const struct err *e)
{
	struct caller *c = arg;

	c->call = NULL;
	c->status = e->code ? 1 : 0;
	print_answer(c, result, e);
	oxide_stop(c->ox);
}

static void ask_terminal(void *arg)
{
	struct caller *c = arg;
	FILE *tty = fopen("/dev/tty", "r");
	char line[16] = "";

	fputs("Apply this? [y/N] ", stderr);
	fflush(stderr);
	c->answer = tty && fgets(line, sizeof(line), tty) && (line[0] == 'y' || line[0] == 'Y');
	if (tty)
		fclose(tty);
}

static void answered_terminal(void *arg)
{
	struct caller *c = arg;
	struct verdict v = { .yes = c->answer };

	if (!c->gone)
		c->fn(c->arg, &v);
}

static void nobody(void *arg)
{
	struct caller *c = arg;
	struct verdict v = { .later = true };

	if (!c->gone)
		c->fn(c->arg, &v);
}

static void unconfirm(void *self, int64_t question)
{
	struct caller *c = self;

	(void)question; /* there is never more than one */
	c->gone = true;
}

static int64_t confirm(void *self, const struct question *q, editor_verdict *fn, void *arg)
{
	struct caller *c = self;
	struct buf diff = BUF_INIT;

	c->fn = fn;
	c->arg = arg;
	if (!c->person) {
		loop_soon(c->ox->loop, nobody, c);
		return 1;
	}
	plan_preview(q->plan, &diff);
	fprintf(stderr, "%.*s%s%s in %zu files\n", (int)diff.n, buf_str(&diff).p,
		q->notes ? q->notes : "", q->title, plan_files(q->plan));
	buf_release(&diff);
	loop_work(c->ox->loop, ask_terminal, answered_terminal, c);
	return 1;
}

static void progress(void *self, const char *id, struct str title, struct str message, int percent,
		     bool done)
{
	struct caller *c = self;

	(void)id;
	if (!c->person)
		return;
	if (done)
		fprintf(stderr, "\r\033[K");
	else if (percent >= 0)
		fprintf(stderr, "\r\033[K%.*s %d%%", STR_ARG(title), percent);
	else
		fprintf(stderr, "\r\033[K%.*s %.*s", STR_ARG(title), STR_ARG(message));
}

static void on_signal(void *arg)
{
	struct caller *c = arg;

	if (c->call)
		call_cancel(c->call);
	else
		oxide_stop(c->ox);
}

int front_call(struct oxide *ox, int argc, char **argv)
{
	struct call_context ctx = { 0 };
	struct caller c = { .ox = ox, .status = 1 };
	struct err e = ERR_INIT;
	json *args = NULL;

	c.tool = tool_find(str_of(argv[0]), &e);
	if (!c.tool || !read_args(&c, argc - 1, argv + 1, &args, &e)) {
		json_free(args);
		print_answer(&c, NULL, &e);
		return 2;
	}
	c.person = isatty(2) && (isatty(0) || isatty(1));
	ox->editor.self = &c;
	ox->editor.confirm = confirm;
	ox->editor.unconfirm = unconfirm;
	ox->editor.progress = progress;
	ctx.confirm = c.yes ? CONFIRM_NEVER : c.person ? CONFIRM_ALWAYS : CONFIRM_AUTO;
	loop_on_signal(ox->loop, on_signal, &c);
	c.call = call_start(ox, c.tool, args, &ctx, on_answer, &c);
	loop_run(ox->loop);
	return c.status;
}
