#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "disk.h"
#include "disk_impl.h"

/* Whether another process, the editor, has ended. */

#ifdef __linux__
/* State and start of a process as the kernel tells them; 0: it is not there, -1: nothing is told.
 */
static int disk_process_look_at(uint64_t pid, char *state, uint64_t *born)
{
	char path[64], text[1024], *at;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%" PRIu64 "/stat", pid);
	fd = disk_open(path, O_RDONLY, 0);
	if (fd < 0)
		return errno == ENOENT ? 0 : -1;
	RETRY(n, read(fd, text, sizeof(text) - 1));
	close(fd);
	if (n <= 0)
		return n || errno == ESRCH ? 0 : -1;
	text[n] = '\0';
	/* Its name may hold anything; behind that come the state and, as the 20th, the start. */
	at = strrchr(text, ')');
	return at && sscanf(at + 1,
			    " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
			    "%*s %*s %" SCNu64,
			    state, born) == 2
		       ? 1
		       : -1;
}
#endif

void disk_process(struct fs_process *out, int64_t pid)
{
	*out = (struct fs_process){ pid > 0 ? (uint64_t)pid : 0, 0 };
#ifdef __linux__
	char state;
	uint64_t born;

	if (pid > 0 && disk_process_look_at((uint64_t)pid, &state, &born) == 1)
		out->born = born;
#endif
}

bool disk_may_be_vi(int64_t pid)
{
#ifdef __linux__
	char path[64], name[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%" PRId64 "/comm", pid);
	fd = disk_open(path, O_RDONLY, 0);
	if (fd < 0)
		return true;
	RETRY(n, read(fd, name, sizeof(name) - 1));
	close(fd);
	if (n > 0) {
		name[n] = '\0';
		return strstr(name, "vi");
	}
#endif
	(void)pid;
	return true;
}

bool disk_lives(void *self, const struct fs_process *process)
{
	(void)self;
	if (!process->pid)
		return false;
#ifdef __linux__
	char state;
	uint64_t born;
	int is = disk_process_look_at(process->pid, &state, &born);

	if (is >= 0)
		return is && state != 'Z' && state != 'X' &&
		       (!process->born || born == process->born);
#endif
	return !kill((pid_t)process->pid, 0) || errno != ESRCH;
}
