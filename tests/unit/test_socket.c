// links: full
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/path.h"
#include "io/socket.h"

/* Sockets on a real disk: the folder, whose the other end is, names that outlive their process. */

static char home[64], *was;

static int set_up(void **state)
{
	const char *run = getenv("XDG_RUNTIME_DIR");

	(void)state;
	was = run ? mem_dup(run, strlen(run)) : NULL;
	strcpy(home, "/tmp/oxide-socket-XXXXXX");
	assert_non_null(mkdtemp(home));
	setenv("XDG_RUNTIME_DIR", home, 1);
	return 0;
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", home);
	assert_int_equal(0, system(command));
	if (was)
		setenv("XDG_RUNTIME_DIR", was, 1);
	else
		unsetenv("XDG_RUNTIME_DIR");
	free(was);
	return 0;
}

static char *in_folder(const char *name)
{
	struct err e = ERR_INIT;
	char *dir = socket_dir(&e), *path;

	assert_string_equal("", e.msg);
	path = path_join(dir, name);
	free(dir);
	return path;
}

struct heard {
	struct loop *loop;
	struct listener *listener;
	int connections, enough;
};

static void on_connect(void *self, int fd)
{
	struct heard *h = self;

	close(fd);
	if (++h->connections == h->enough)
		loop_stop(h->loop);
}

static void listen_at(struct heard *h, const char *path)
{
	struct err e = ERR_INIT;

	*h = (struct heard){ .loop = loop_new(&e), .enough = 1 };
	h->listener = listener_new(h->loop, path, on_connect, h, &e);
	assert_string_equal("", e.msg);
}

static void end(struct heard *h)
{
	listener_free(h->listener);
	loop_free(h->loop);
}

/* Connects, and waits until that is heard of. */
static void connect_to(struct heard *h, const char *path)
{
	struct err e = ERR_INIT;
	int fd = socket_connect(path, &e);
	char byte;

	assert_true(fd >= 0);
	loop_run(h->loop);
	assert_int_equal(1, h->connections);
	assert_int_equal(0, read(fd, &byte, 1)); /* it was this one */
	close(fd);
}

static void test_private_folder(void **state)
{
	struct err e = ERR_INIT;
	char *dir = socket_dir(&e), *elsewhere;
	struct stat st;

	(void)state;
	assert_string_equal(dir + strlen(home), "/oxide");
	assert_int_equal(0, stat(dir, &st));
	assert_int_equal(0700, st.st_mode & 07777);
	chmod(dir, 0710);
	assert_null(socket_dir(&e));
	assert_int_equal(ERR_DENIED, e.code);
	elsewhere = path_join(home, "elsewhere");
	chmod(dir, 0700);
	assert_int_equal(0, rename(dir, elsewhere));
	assert_int_equal(0, symlink(elsewhere, dir));
	e = (struct err)ERR_INIT;
	assert_null(socket_dir(&e));
	assert_int_equal(ERR_DENIED, e.code);
	free(elsewhere);
	free(dir);
}

static void test_folder_of_another(void **state)
{
	struct err e = ERR_INIT;
	char *dir = socket_dir(&e);

	(void)state;
	if (chown(dir, 65534, (gid_t)-1)) {
		print_message("# SKIP a folder of another user: not root here\n");
		free(dir);
		skip();
	}
	assert_null(socket_dir(&e));
	assert_int_equal(ERR_DENIED, e.code);
	assert_non_null(strstr(e.msg, "belongs to another user"));
	free(dir);
}

static void test_connects(void **state)
{
	struct err e = ERR_INIT;
	char *path = in_folder("one");
	struct heard h;

	(void)state;
	listen_at(&h, path);
	connect_to(&h, path);
	end(&h);
	assert_int_equal(-1, access(path, F_OK));
	assert_int_equal(-1, socket_connect(path, &e));
	assert_int_equal(ERR_NOT_FOUND, e.code);
	free(path);
}

static void test_takes_the_name_of_a_dead_one(void **state)
{
	struct err e = ERR_INIT;
	char *path = in_folder("one");
	struct heard h;
	pid_t child = fork();

	(void)state;
	if (!child) {
		listen_at(&h, path);
		_exit(0); /* without a word: the name stays */
	}
	waitpid(child, NULL, 0);
	assert_int_equal(0, access(path, F_OK));
	assert_int_equal(-1, socket_connect(path, &e));
	assert_int_equal(ERR_NOT_FOUND, e.code);
	listen_at(&h, path);
	connect_to(&h, path);
	end(&h);
	free(path);
}

/* The exit status of a process of another user that connects, where the folder would let it. */
static int as_another(const char *path)
{
	struct err e = ERR_INIT;

	if (setgid(65534) || setuid(65534))
		return 2;
	return socket_connect(path, &e) >= 0 || e.code != ERR_DENIED;
}

static void test_another_user(void **state)
{
	struct err e = ERR_INIT;
	char *path = in_folder("one"), *dir = socket_dir(&e);
	struct heard h;
	int status;
	pid_t child;

	(void)state;
	if (geteuid()) {
		print_message("# SKIP another user: not root here\n");
		free(path);
		free(dir);
		skip();
	}
	listen_at(&h, path);
	chmod(home, 0711);
	chmod(dir, 0711);
	chmod(path, 0777);
	child = fork();
	if (!child)
		_exit(as_another(path));
	waitpid(child, &status, 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(0, WEXITSTATUS(status));
	/* Connections come in their order: once ours is heard of, the other has been turned away.
	 */
	connect_to(&h, path);
	end(&h);
	free(path);
	free(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_private_folder, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_folder_of_another, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_connects, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_takes_the_name_of_a_dead_one, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_another_user, set_up, tear_down),
	};

	return cmocka_run_group_tests_name("socket", tests, NULL, NULL);
}
