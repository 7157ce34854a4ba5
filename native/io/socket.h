#ifndef OX_SOCKET_H
#define OX_SOCKET_H

#include "loop.h"

/*
 * Unix sockets between the processes of one user, in a directory that only they can enter. Each end
 * looks at whose the other one is, and has nothing to do with another user's. Descriptors are
 * non-blocking and not passed on to children. And TCP on loopback, for those who speak no other.
 */

/*
 * The directory, made if need be with mode 0700: $XDG_RUNTIME_DIR/oxide, /run/user/UID/oxide
 * where the variable is not set, or /tmp/oxide-UID where that is not to be had, or too long for
 * names of SOCKET_NAME bytes in it. ERR_DENIED where it is a symbolic link, somebody else's, or
 * open to others; ERR_NOT_FOUND where it cannot be made. Caller frees.
 */
char *socket_dir(struct err *e);
#define SOCKET_NAME 40

/* Calls fn with each connection, whose descriptor is fn's. Who finds the name finds it listening;
 * one that was there before gives way. */
struct listener;
typedef void listener_fn(void *self, int fd);
struct listener *listener_new(struct loop *l, const char *path, listener_fn *fn, void *self,
			      struct err *e);
/* The same for programs of this machine that speak TCP, on 127.0.0.1 and a port that is free, which
 * goes to *port. Whose they are is not known: they have to show that they know a secret. */
struct listener *listener_new_loopback(struct loop *l, unsigned *port, listener_fn *fn, void *self,
				       struct err *e);
void listener_free(struct listener *n); /* takes the name away too */

/* A connection, or -1. ERR_NOT_FOUND: nobody listens there any more. */
int socket_connect(const char *path, struct err *e);

#endif
