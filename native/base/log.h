#ifndef OX_LOG_H
#define OX_LOG_H

#include <stdbool.h>

/*
 * One file for the process, one line an event: time, level, what. Each core of the process opens it
 * at its start, the first one says which it is, and closes it at its end, the last one does so.
 * Before that, and when the file cannot be opened, lines go nowhere. Never a file's text, a
 * message's body or anything out of the environment: lengths, names and reasons.
 */
enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };

/* Appends to `path` (made with mode 0600); a file over `max_bytes` is moved to path.1 first. False:
 * it cannot be opened, and is not to be closed. */
bool log_open(const char *path, enum log_level most, long max_bytes);
void log_line(enum log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* From now on, for all cores of the process. */
void log_set_level(enum log_level most);
/* Whether the messages of all wires are listed as well, whatever the level: log_wire(). */
void log_set_wire(bool on);
bool log_has_wire(void);
void log_wire(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
const char *log_path(void); /* "" while closed */
void log_close(void);

#endif
