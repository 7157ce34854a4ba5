#ifndef OX_AUTO_UPDATE_H
#define OX_AUTO_UPDATE_H

#include "tool.h"

/*
 * Looks in the background (refresh_code_actions) for what servers offer to do about what they find
 * wrong, in the files that are known, so that list_code_actions is in step: new fixes are there,
 * and those of what is wrong no longer are not. The list changes all at once, at the end; what is
 * still on offer keeps its id.
 *
 * A tool after which that may differ asks for it, before or behind its answer. It begins when no
 * call is under way, and gives way to one that comes; what was asked for meanwhile is one more run.
 * Nothing is done where actions.auto is 0, or the core is about to end.
 */
void auto_update(struct oxide *ox);

/* For tool.c: another call begins, and has been answered. */
void auto_update_gives_way(struct oxide *ox);
void auto_update_goes_on(struct oxide *ox);

#endif
