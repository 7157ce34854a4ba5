#ifndef OX_CHAT_FRAMES_H
#define OX_CHAT_FRAMES_H

#include <stdint.h>

#include "../base/buf.h"

/*
 * What streams in, for a screen that is to be drawn at most 30 times a second: a first piece can be
 * shown at once, those that come soon after it are collected, and shown together.
 *
 *     chat_frames_add(&f, text, thought);
 *     timer_set(timer, chat_frames_due(&f));     then, or earlier where something else is shown:
 *     chat_frames_show(&f, now, show, self);
 *
 * All zero is empty. Time is in ms, of any clock that never goes back.
 */
#define FRAME_MS 34

struct chat_frames {
	struct frame_piece {
		struct buf text;
		bool thought;
	} * v; /* in the order in which they came; each is of another kind than the one before */
	size_t n, cap;
	uint64_t next; /* the earliest time of the next frame */
};

void chat_frames_add(struct chat_frames *f, struct str text, bool thought);
uint64_t chat_frames_due(const struct chat_frames *f); /* UINT64_MAX: nothing waits */
/* All that waits, as one frame. `show` owns the text. */
void chat_frames_show(struct chat_frames *f, uint64_t now,
		      void (*show)(void *self, struct buf *text, bool thought), void *self);
void chat_frames_release(struct chat_frames *f);

#endif
