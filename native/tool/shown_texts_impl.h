#ifndef OX_SHOWN_TEXTS_IMPL_H
#define OX_SHOWN_TEXTS_IMPL_H

#include "../base/map.h"
#include "../text/alignment.h"
#include "shown_texts.h"

/* Shared by shown_texts.c, which keeps the texts, shown_change.c, which knows what a client's own
 * changes mean to it, shown_carry.c, which reads its numbers, shown_marks.c, which goes back, and
 * shown_kept.c, which hands what is known to another process. */
#define VIEWS_MOST 64 /* texts of one file */

struct shown_range {
	size_t first, last;
	uint64_t since; /* by the clock of shown_texts, as below */
	bool sure;	/* a number of these lines means no older text */
};

struct shown_text {
	size_t users; /* views, those of marks among them */
	size_t n;
	char bytes[];
};

struct view { /* a text that was shown, at least in part */
	uint64_t hash, since, used;
	bool counted; /* numbers of other lines than those shown may be of it, too */
	bool left;    /* there is a later one: this with a change of the client's in it */
	struct shown_text *text;
	struct shown_range *range;
	size_t ranges, cap;
};

struct shown_file {
	struct view *v; /* the oldest first */
	size_t n, cap;
	uint64_t touched;  /* when something of it was shown or changed last */
	bool forgotten;	   /* lines of a text that is not kept any more may be meant */
	uint64_t given_up; /* the hash of that; 0: of several */
};

struct shown_texts {
	struct map files;
	size_t bytes, most;
	uint64_t clock,
		round; /* clock: how often something was noted; round: when the last began */
	bool rounds;
	bool doubts;			 /* texts of files that are not here may be meant, too */
	struct shown_mark *mark;	 /* the first place first */
	size_t marks, marks_cap, marked; /* marked: their bytes */
	/* the last alignment that was made */
	struct alignment al;
	uint64_t al_was, al_now;
};

static inline struct str view_text(const struct view *v)
{
	return (struct str){ v->text->bytes, v->text->n };
}

size_t view_size(const struct view *v); /* bytes */
void shown_files_release(struct map *files);
void shown_marks_release(struct shown_texts *s);
/* Nobody can tell what the numbers mean that the client has read until now. */
void shown_give_all_up(struct shown_texts *s, struct shown_file *f);
struct shown_file *shown_file_of(struct shown_texts *s, const char *path); /* made if need be */
/* The last one of the file, or of this moment, if it is this text; else a new one. */
struct view *view_of_text(struct shown_texts *s, struct shown_file *f, struct str text);
/* Its lines may still be meant, unless all of them were shown again later. */
void view_give_up(struct shown_texts *s, struct shown_file *f, size_t i);
/* Whether all of the lines were shown by then, so that no older text is meant; or any of them. */
bool view_covers(const struct view *v, size_t first, size_t last, uint64_t moment);
bool view_touches(const struct view *v, size_t first, size_t last, uint64_t moment);
void view_add_range(struct shown_texts *s, struct view *v, size_t first, size_t last, bool sure);
/* Until the next one. */
const struct alignment *view_align(struct shown_texts *s, const struct view *v, struct str now,
				   uint64_t hash);
/* What an answer shows, which may not have been read when the next call was made. */
void shown_note_answer(struct shown_texts *s, struct shown_file *f, struct str text, size_t first,
		       size_t last);
/* Gives up the oldest texts where there are too many of the file, or too much of all. */
void shown_keep_to_size(struct shown_texts *s, struct shown_file *f);

#endif
