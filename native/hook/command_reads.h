#ifndef OX_COMMAND_READS_H
#define OX_COMMAND_READS_H

#include "../base/str.h"

/*
 * Whether a command of a shell does no more than read: what is sure of that is a few programs, with
 * plain words, joined by |, && and ;. All else is said not to be: what writes, what runs something,
 * what the shell would put in another word's place.
 *
 * fn is called for each word that may be a path, as it stands there; only where all of it reads.
 */
bool command_reads(struct str command, void (*fn)(void *arg, struct str path), void *arg);

#endif
