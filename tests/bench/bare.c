/*
 * The smallest client that can ask anything: what it measures is the other side, and two pipes.
 *
 *     bare headers|lines|msgpack DIR COMMAND...
 *
 * starts COMMAND in DIR and does what the lines of its own input say:
 *
 *     request METHOD JSON   writes it, and answers when the whole reply is here
 *     send METHOD JSON      writes a request; no answer
 *     replies               answers when the replies to all that was sent are here
 *     notify METHOD JSON    writes it; no answer
 *     until TEXT            answers when a message that has TEXT in it is here
 *     times N TEXT          answers when N of them are
 *     now                   the next answer's time begins here
 *
 * An answer is "MICROSECONDS BYTES" since the last line that wrote, and how the message begins.
 * What the other side asks is answered with null.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "wire/codec.h"

#define HEAD 2000 /* bytes of a message that are shown */

struct bare {
	const struct codec *codec;
	int to, from;
	struct buf in;
	struct codec_mark mark;
	int64_t last_id;
	size_t waiting; /* requests whose reply is not here */
	double written; /* when, in microseconds */
	bool held;	/* `written` stays what it is until the next answer */
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void die(const char *what)
{
	fprintf(stderr, "bare: %s\n", what);
	exit(1);
}

static void start(struct bare *b, const char *dir, char **argv)
{
	int in[2], out[2];

	if (pipe(in) || pipe(out))
		die("no pipe");
	if (!fork()) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		close(in[0]), close(in[1]), close(out[0]), close(out[1]);
		if (chdir(dir))
			die("no such folder");
		execvp(argv[0], argv);
		die("no such program");
	}
	close(in[0]);
	close(out[1]);
	b->to = in[1];
	b->from = out[0];
}

static void put(struct bare *b, enum msg_kind kind, const json *id, const char *method,
		const json *body)
{
	struct buf out = BUF_INIT;

	b->codec->put(&out, kind, id, method, body);
	if (!b->held)
		b->written = now();
	for (size_t at = 0; at < out.n;) {
		ssize_t n = write(b->to, out.p + at, out.n - at);

		if (n <= 0)
			die("the other side is gone");
		at += (size_t)n;
	}
	buf_release(&out);
}

static void answer(struct bare *b, const struct msg *m)
{
	double took = now() - b->written;

	b->held = false;
	printf("%.1f %zu ", took, m->raw.n);
	for (size_t i = 0; i < m->raw.n && i < HEAD; i++)
		putchar(m->raw.p[i] >= ' ' && m->raw.p[i] < 127 ? m->raw.p[i] : ' ');
	putchar('\n');
	fflush(stdout);
}

/* Whether this is the last one that was waited for. */
static bool is_last(struct bare *b, const struct msg *m, size_t *times, struct str text)
{
	bool reply = m->kind == MSG_RESULT || m->kind == MSG_ERROR;

	b->waiting -= reply && b->waiting;
	return text.n ? str_find(m->raw, text) >= 0 && !--*times : reply && !b->waiting;
}

/* Reads until so many messages with this text in it have come; without one, all replies. */
static void read_until(struct bare *b, size_t times, struct str text)
{
	struct err e = ERR_INIT;
	bool found = false;

	while (!found) {
		struct str left = buf_str(&b->in);
		struct msg m = { 0 };
		enum codec_state s = b->codec->take(&left, &b->mark, (size_t)1 << 30, &m, &e);
		ssize_t n;

		if (s == CODEC_BAD)
			die(e.msg);
		if (s == CODEC_MSG) {
			double written = b->written;

			found = is_last(b, &m, &times, text);
			if (found)
				answer(b, &m);
			if (m.kind == MSG_REQUEST)
				put(b, MSG_RESULT, m.id, NULL, NULL);
			b->written = written;
			msg_release(&m);
			buf_drop(&b->in, b->in.n - left.n);
			continue;
		}
		n = read(b->from, buf_room(&b->in, 1 << 18), 1 << 18);
		if (n <= 0)
			die("the other side is gone");
		b->in.n += (size_t)n;
	}
}

/* METHOD JSON */
static void obey_put(struct bare *b, bool ask, struct str line)
{
	struct err e = ERR_INIT;
	ptrdiff_t gap = str_find(line, STR(" "));
	char *method;
	json *body, *id;

	if (gap < 0)
		die("no JSON behind the method");
	method = mem_dup(line.p, (size_t)gap);
	body = json_parse(str_sub(line, (size_t)gap + 1, line.n), &e);
	if (!body)
		die(e.msg);
	id = ask ? json_int(++b->last_id) : NULL;
	put(b, ask ? MSG_REQUEST : MSG_NOTIFY, id, method, body);
	b->waiting += ask;
	json_free(id);
	json_free(body);
	free(method);
}

static void obey(struct bare *b, struct str line)
{
	char *rest;

	if (str_skip(&line, STR("until "))) {
		read_until(b, 1, line);
	} else if (str_skip(&line, STR("times "))) {
		size_t times = strtoul(line.p, &rest, 10);

		read_until(b, times, str_sub(line, (size_t)(rest - line.p) + 1, line.n));
	} else if (str_eq(line, STR("replies"))) {
		read_until(b, 0, STR(""));
	} else if (str_eq(line, STR("now"))) {
		b->written = now();
		b->held = true;
	} else if (str_skip(&line, STR("notify "))) {
		obey_put(b, false, line);
	} else if (str_skip(&line, STR("send "))) {
		obey_put(b, true, line);
	} else if (str_skip(&line, STR("request "))) {
		obey_put(b, true, line);
		read_until(b, 0, STR(""));
	} else {
		die("no such order");
	}
}

int main(int argc, char **argv)
{
	struct bare b = { .in = BUF_INIT };
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;

	if (argc < 4)
		die("bare headers|lines|msgpack DIR COMMAND...");
	b.codec = !strcmp(argv[1], "msgpack") ? &codec_msgpack
		  : !strcmp(argv[1], "lines") ? &codec_lines
					      : &codec_headers;
	start(&b, argv[2], argv + 3);
	while ((n = getline(&line, &cap, stdin)) > 0)
		obey(&b, (struct str){ line, (size_t)n - (line[n - 1] == '\n') });
	close(b.to);
	wait(NULL);
	free(line);
	buf_release(&b.in);
	return 0;
}
