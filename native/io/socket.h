#ifndef OX_SOCKET_H
#define OX_SOCKET_H

#include "loop.h"

/*
 * Unix sockets between the processes of one user, in a directory that only they can enter. Each end
 * looks at whose the other one is, and has nothing to do with another user's. Descriptors are
 * non-blocking and not passed on to children.
 */

/*
 * The directory, made if need be with mode 0700: $XDG_RUNTIME_DIR/oxide, or /tmp/oxide-UID where
 * that is not to be had, or too long for names of SOCKET_NAME bytes in it. ERR_DENIED where it is a
 * symbolic link, somebody else's, or open to others; ERR_NOT_FOUND where it cannot be made. Caller
 * frees.
 */
char *socket_dir(struct err *e);
#define SOCKET_NAME 40

/* Calls fn with each connection, whose descriptor is fn's. Who finds the name finds it listening;
 * one that was there before gives way. */
struct listener;
typedef void listener_fn(void *self, int fd);
struct listener *listener_new(struct loop *l, const char *path, listener_fn *fn, void *self,
			      struct err *e);
void listener_free(struct listener *n); /* takes the name away too */

/* A connection, or -1. ERR_NOT_FOUND: nobody listens there any more. */
int socket_connect(const char *path, struct err *e);

#endif
