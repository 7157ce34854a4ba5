#ifndef OX_CORE_FILE_H
#define OX_CORE_FILE_H

#include <sys/types.h>

/*
 * Where the system wrote the core file of a process that crashed in `cwd` (NULL: ours): a file that
 * is there; "|PROGRAM ...", where the system passes it to a program; or NULL. The caller frees.
 */
char *core_file_find(pid_t pid, const char *program, const char *cwd, int signal);

/* The same by a pattern as /proc/sys/kernel/core_pattern has it, with `*` for what is not known. */
struct buf;
void core_file_expand(struct buf *out, const char *pattern, pid_t pid, const char *program,
		      int signal);

#endif
