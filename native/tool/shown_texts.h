#ifndef OX_SHOWN_TEXTS_H
#define OX_SHOWN_TEXTS_H

#include <stdint.h>

#include "../base/err.h"
#include "../base/json.h"

/*
 * What a client (a model, or whoever calls for one) was shown of files, so that a line number which
 * it gives is taken for the line that it saw. Each client has its own.
 *
 *     shown_texts_note(s, path, text, 10, 20)          // it saw lines 10 to 20 of this text
 *     at = shown_texts_moment(s)                       // when a call comes
 *     shown_texts_carry(s, at, path, text_now, &lines, &e)
 *
 * A number means the line of the text in which that line was shown last. Where another part was
 * read since, or the client has itself changed the file and was told how many lines that added,
 * nobody knows from which text it has counted. Then all that the number may mean has to be the same
 * line of the present text, else it is refused.
 *
 * A file that was never shown has the numbers of its present text. So has one whose texts had to be
 * given up, since no more than `most` bytes of them are kept, as long as it has the same text.
 */
struct shown_texts;

struct shown_texts *shown_texts_new(size_t most);
void shown_texts_free(struct shown_texts *s);

/* It was shown lines `first` to `last` of the text, from 1. SHOWN_END: to the end, and that this is
 * the end. SHOWN_NONE for both: it knows of the text, but saw no line of it. */
#define SHOWN_END  SIZE_MAX
#define SHOWN_NONE 1, 0
void shown_texts_note(struct shown_texts *s, const char *path, struct str text, size_t first,
		      size_t last);
/* A change of the client's own, of which the answer shows the diff. */
struct diff;
struct shown_change {
	const struct str *was; /* the text that it was made in; NULL: it is not at hand any more */
	const struct diff *diff;
	struct str lines; /* what its new_bytes are of */
	struct str now;	  /* the text that came of it */
};
void shown_texts_changed(struct shown_texts *s, const char *path, const struct shown_change *c);
bool shown_texts_has(const struct shown_texts *s, const char *path); /* some text of it is kept */
void shown_texts_forget(struct shown_texts *s, const char *path);    /* the file is gone */
void shown_texts_move(struct shown_texts *s, const char *from, const char *to);

/* What is noted from here on does not count for a call that came before. */
uint64_t shown_texts_moment(const struct shown_texts *s);
/* Of a client that answers all it was shown at a time: what is noted counts from the next round
 * on, and it has seen the answer to each call before it makes another one. */
void shown_texts_round(struct shown_texts *s);

/* Of a client that may be taken back to a place in what it was told, a number that grows: then it
 * has not seen what came behind that. A place is marked when it is reached; places behind it are
 * forgotten, and the first ones where they need more than `most` bytes. Back at one that is not
 * marked, no number that depends on a text is taken. */
void shown_texts_mark(struct shown_texts *s, size_t place);
void shown_texts_back(struct shown_texts *s, size_t place);

/* For a client that comes back when this process is gone: [{file, hash, lines: [[1, 20]]}], of the
 * files of which something was shown or changed since `moment`, a value of shown_texts_now(); the
 * lines are those whose numbers mean one thing, if the file still has the text. [1, 0]: all, and
 * the end. */
uint64_t shown_texts_now(const struct shown_texts *s);
json *shown_texts_kept(struct shown_texts *s, uint64_t moment);
/* One of these again, in place of what is known of the file, which has the text `now`; NULL: it
 * cannot be read. */
void shown_texts_restore(struct shown_texts *s, const char *path, const json *kept,
			 const struct str *now);
/* It was shown more than what is restored, of files that are not known: their numbers are refused.
 */
void shown_texts_doubt(struct shown_texts *s);

struct shown_lines {
	size_t line, count; /* in, from 1; 0 lines: what is before that line. Out: `line` */
	bool shown;	    /* out: they were, so that the numbers mean no other text */
};

/* Where the lines of a call that came at `moment` are in the present text. False: ERR_STALE; then
 * shown_texts_explain() gives the client what it needs to go on. */
bool shown_texts_carry(struct shown_texts *s, uint64_t moment, const char *path, struct str now,
		       struct shown_lines *l, struct err *e);
/* Puts "lines", those of the present text around the place, numbered, and "changed", the difference
 * there under the file's `name`, into what the client is told, and notes it. */
void shown_texts_explain(struct shown_texts *s, uint64_t moment, const char *path, const char *name,
			 struct str now, const struct shown_lines *l, json *into);

#endif
