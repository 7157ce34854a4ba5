#ifndef OX_RETRY_H
#define OX_RETRY_H

#include <errno.h>

/*
 * A call of the system that a signal has interrupted is made again: it did nothing. On a disk, that
 * too, for files can lie on a network, or be a program's (FUSE), where any call may be.
 *
 *     RETRY(fd, open(path, O_RDONLY | O_CLOEXEC));
 *
 * close() is the exception: its descriptor is gone anyway.
 */
#define RETRY(result, call)                                                                        \
	do                                                                                         \
		(result) = (call);                                                                 \
	while ((result) < 0 && errno == EINTR)

#endif
