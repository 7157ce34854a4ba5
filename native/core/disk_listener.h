#ifndef OX_DISK_LISTENER_H
#define OX_DISK_LISTENER_H

#include "oxide.h"

/*
 * Who wants to know why files on the disk change (watch/watch.h): what the user wrote there with
 * the editor, and what Oxide itself did. Put it into the list `listeners` of struct oxide, and take
 * it out again. The functions are called from the loop, after it has happened.
 */
struct buffer;

enum disk_event {
	DISK_READ,    /* the buffer's text has come from its file, or of it */
	DISK_WRITTEN, /* its file has its text */
	DISK_BEHIND,  /* its file has changed, and it has kept what it had */
};

struct disk_listener {
	LIST_ENTRY(disk_listener) all;
	void (*buffer)(void *arg, const struct buffer *b, enum disk_event what); /* a moment ago */
	/* Oxide has changed this file on the disk, and not by the editor. */
	void (*own)(void *arg, const struct plan_file *f);
	void *arg;
};

void disk_listeners_buffer(struct oxide *ox, const struct buffer *b, enum disk_event what);
void disk_listeners_own(struct oxide *ox, const struct plan *p);

#endif
