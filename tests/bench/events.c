/*
 * The event stream of a model read as the core reads it, into the answer:
 *
 *     events PROVIDER FILE ROUNDS
 *
 * prints a line for each round: milliseconds. The pieces are as large as curl's.
 */
#include <stdio.h>
#include <stdlib.h>

#include <llm/reply.h>

#include "clock.h"

#define PIECE 16384
#define LIMIT (1 << 20) /* bytes of an event */

static void events_on_event(void *arg, const struct llm_event *event)
{
	reply_event(arg, event);
}

static bool has_words(const struct reply *a)
{
	for (size_t i = 0; i < a->n; i++)
		if (a->v[i].text.n || a->v[i].kind == LLM_CALL)
			return true;
	return false;
}

static bool read_stream(const struct provider *p, struct str text)
{
	struct reply answer;
	struct err e = ERR_INIT;
	struct stream *s;
	bool ok = true;

	reply_init(&answer);
	s = stream_new(p, LIMIT, events_on_event, &answer);
	for (size_t at = 0; ok && at < text.n; at += PIECE)
		ok = stream_feed(s, str_sub(text, at, at + PIECE < text.n ? at + PIECE : text.n),
				 &e);
	ok = ok && stream_end(s, &e) && has_words(&answer);
	if (!ok)
		fprintf(stderr, "events: %s\n", e.msg);
	stream_free(s);
	reply_release(&answer);
	return ok;
}

int main(int argc, char **argv)
{
	struct err e = ERR_INIT;
	const struct provider *p = argc == 4 ? provider_find(str_of(argv[1]), &e) : NULL;
	FILE *in = p ? fopen(argv[2], "rb") : NULL;
	struct buf text = BUF_INIT;
	size_t n;

	if (!in)
		return 2;
	while ((n = fread(buf_room(&text, 1 << 20), 1, 1 << 20, in)))
		text.n += n;
	fclose(in);
	for (long i = strtol(argv[3], NULL, 10); i > 0; i--) {
		double begun = now();

		if (!read_stream(p, buf_str(&text)))
			return 1;
		printf("%.3f\n", now() - begun);
	}
	buf_release(&text);
	return 0;
}
