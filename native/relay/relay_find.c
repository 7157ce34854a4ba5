#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../base/hash.h"
#include "../base/mem.h"
#include "../base/path.h"
#include "../io/disk.h"
#include "../io/loop.h"
#include "../io/socket.h"
#include "relay_impl.h"

/*
 * Which core it is: of those whose root holds the directory, the one of the editor that we run in;
 * else that of the innermost root; else the one used last. All are asked at once who they are.
 */

void relay_name(struct buf *out, const char *root, long pid)
{
	buf_addf(out, "%016" PRIx64 "-%ld", hash_of(str_of(root)), pid);
}

/* The pid, or 0: `name` is not such a name, or of another root. `root` NULL: any. */
static long relay_name_pid(const char *name, const char *root)
{
	struct buf whole SCOPED(buf_release) = BUF_INIT;
	uint64_t hash;
	long pid = 0;

	if (sscanf(name, "%16" SCNx64 "-%ld", &hash, &pid) != 2 || pid <= 0)
		return 0;
	if (!root || hash == hash_of(str_of(root))) {
		buf_addf(&whole, "%016" PRIx64 "-%ld", hash, pid);
		return strcmp(whole.p, name) ? 0 : pid;
	}
	return 0;
}

/* Whether a core of this name may have a root that holds the directory. */
static bool relay_may_hold(const char *name, struct str folder, bool itself)
{
	for (;;) {
		char *dir SCOPED(mem_release) = mem_dup(folder.p, folder.n);
		bool hit = relay_name_pid(name, dir);

		if (hit || itself || folder.n <= 1)
			return hit;
		folder = path_dir(folder);
	}
}

/* The directory that the root has to hold, with all links followed. */
static bool relay_directory(const struct relay *r, char folder[PATH_MAX])
{
	const char *given = r->spec->root ? r->spec->root : r->spec->folder;

	return given ? disk_real(given, folder) : getcwd(folder, PATH_MAX) != NULL;
}

static void contact_on_hello(void *arg, struct msg *m, const struct err *e);

static void contact_say_hello(struct contact *c)
{
	struct relay *r = c->relay;
	char folder[PATH_MAX];
	json *me = json_of({ "protocol", json_int(RELAY_PROTOCOL) },
			   { "version", json_strz(OXIDE_VERSION) },
			   { "name", json_strz(r->spec->name) }, { "pid", json_int(getpid()) },
			   { "person", json_bool(r->spec->person) },
			   { "origin", json_strz(r->spec->origin) },
			   { "folder", json_strz(relay_directory(r, folder) ? folder : "") });

	r->hellos++;
	peer_call(c->peer, "hello", me, loop_now(r->loop),
		  (uint64_t)config_get(&r->config, CFG_RELAY_HELLO), contact_on_hello, c);
	peer_io_wake(c->link);
}

/* Connects to it; what a dead core has left is cleared away. */
static void relay_contact(struct relay *r, const char *path, long pid)
{
	struct err e = ERR_INIT;
	int fd = socket_connect(path, &e);

	if (fd >= 0)
		contact_say_hello(contact_new(r, fd));
	else if (e.code != ERR_NOT_FOUND)
		r->why = e;
	else if (kill((pid_t)pid, 0) && errno == ESRCH)
		unlink(path);
}

static void relay_contact_all(struct relay *r, const char *dir, const char *folder)
{
	DIR *d = opendir(dir);
	struct dirent *entry;

	while (d && (entry = readdir(d))) {
		struct buf path SCOPED(buf_release) = BUF_INIT;

		if (!relay_may_hold(entry->d_name, str_of(folder), r->spec->root))
			continue;
		buf_addf(&path, "%s/%s", dir, entry->d_name);
		relay_contact(r, path.p, relay_name_pid(entry->d_name, NULL));
	}
	if (d)
		closedir(d);
}

static bool relay_holds(const struct relay *r, const json *info)
{
	struct str root = json_get_str(info, "root");
	char folder[PATH_MAX];

	if (!relay_directory(r, folder))
		return false;
	return r->spec->root ? str_eq(root, str_of(folder)) : path_below(root, str_of(folder));
}

static bool relay_is_ours(const json *info)
{
	const char *editor = getenv("NVIM");

	return editor && *editor && str_eq(json_get_str(info, "nvim"), str_of(editor));
}

static bool relay_is_better(const json *a, const json *b)
{
	size_t deep_a = json_get_str(a, "root").n, deep_b = json_get_str(b, "root").n;

	if (relay_is_ours(a) != relay_is_ours(b))
		return relay_is_ours(a);
	if (deep_a != deep_b)
		return deep_a > deep_b;
	return json_get_int(a, "used_ms", 0) > json_get_int(b, "used_ms", 0);
}

static void relay_note_choice(struct relay *r)
{
	struct str root = json_get_str(r->chosen->info, "root");
	struct contact *c;
	size_t same = 0;

	LIST_FOREACH(c, &r->contacts, all)
		same += c->info && str_eq(json_get_str(c->info, "root"), root);
	if (same > 1 && !relay_is_ours(r->chosen->info))
		buf_addf(&r->note,
			 "%zu editors have %.*s open; using the one that was used last, %s", same,
			 STR_ARG(root), json_get_str(r->chosen->info, "editor").p);
}

/* Once all have said who they are. */
static void relay_choose(void *arg)
{
	struct relay *r = arg;
	struct err e = ERR_INIT;
	struct contact *c;

	if (r->freed)
		return;
	LIST_FOREACH(c, &r->contacts, all)
		if (c->info && (!r->chosen || relay_is_better(c->info, r->chosen->info)))
			r->chosen = c;
	if (r->chosen)
		relay_note_choice(r);
	LIST_FOREACH(c, &r->contacts, all)
		if (c != r->chosen)
			contact_end(c);
	if (!r->chosen && r->why.code)
		e = r->why;
	else if (!r->chosen)
		err_set(&e, ERR_NOT_FOUND, "no editor has this project open");
	r->ev->found(r->self, &e);
}

static bool relay_fits(const struct relay *r, const json *info, struct err *e)
{
	struct str version = json_get_str(info, "version");

	if (json_get_int(info, "protocol", 0) != RELAY_PROTOCOL ||
	    !str_eq(version, STR(OXIDE_VERSION)))
		return err_set(e, ERR_PROTOCOL, "%s runs oxide %.*s, but this is oxide %s",
			       json_get_str(info, "editor").p, STR_ARG(version), OXIDE_VERSION);
	return relay_holds(r, info);
}

static void contact_on_hello(void *arg, struct msg *m, const struct err *why)
{
	struct contact *c = arg;
	struct relay *r = c->relay;
	struct err e = *why;
	const json *info = e.code ? NULL : msg_body(m, &e);

	if (info && relay_fits(r, info, &e))
		c->info = json_copy(info);
	else if (e.code)
		r->why = e;
	if (!--r->hellos && !r->freed)
		relay_choose(r);
}

void relay_find(struct relay *r)
{
	char folder[PATH_MAX], *dir SCOPED(mem_release) = socket_dir(&r->why);

	if (dir && relay_directory(r, folder))
		relay_contact_all(r, dir, folder);
	if (!r->hellos)
		loop_soon(r->loop, relay_choose, r);
}
