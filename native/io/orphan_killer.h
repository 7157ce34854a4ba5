#ifndef OX_ORPHAN_KILLER_H
#define OX_ORPHAN_KILLER_H

#include <sys/types.h>

/*
 * A small process beside this one that outlives it: when this process is gone, however it ended,
 * the process groups that were watched and not forgotten are ended too: what does not go by the end
 * of its input is told to (TERM), then killed. It is forked with the first watched group, holds
 * nothing but the reading end of a pipe, and ends with this process. Where it cannot be had, all
 * works without it.
 *
 * A group is watched from its start until just before its leader is waited for, so that its number
 * is never another's.
 */
void orphan_killer_watch(pid_t group);
void orphan_killer_forget(pid_t group);

#endif
