#include "oxide.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/log.h"
#include "../base/mem.h"
#include "../base/path.h"
#include "../io/disk.h"
#include "../io/loop.h"
#include "filetypes.h"
#include "own_changes.h"
#include "project_types.h"
#include "projects.h"
#include "pruning.h"
#include "recovery.h"
#include "registry.h"
#include "run.h"
#include "servers_ops.h"
#include "turn_drafts.h"
#include "workspace.h"

/* What is at the top of a directory of work, beside the markers of the kinds of projects. */
static const char *const root_markers[] = { ".git", ".hg", "compile_commands.json", ".editorconfig",
					    NULL };

static bool is_top(const struct project_types *kinds, const char *dir)
{
	return !folder_shared(dir) &&
	       (folder_has(dir, root_markers) || project_types_next(kinds, dir, NULL));
}

/* The given directory, or the nearest one with a root marker above the working directory; resolved.
 */
static char *find_root(const struct project_types *kinds, const char *given, struct err *e)
{
	char cwd[PATH_MAX], real[PATH_MAX];
	struct str dir;

	if (!getcwd(cwd, sizeof(cwd))) {
		err_set(e, ERR_IO, "the working directory no longer exists");
		return NULL;
	}
	if (given) {
		struct stat st;

		if (!disk_real(given, real) || stat(real, &st) || !S_ISDIR(st.st_mode)) {
			err_set(e, ERR_NOT_FOUND, "%s is not a directory", given);
			return NULL;
		}
		return mem_dup(real, strlen(real));
	}
	for (dir = str_of(cwd); dir.n > 1; dir = path_dir(dir)) {
		char *top = mem_dup(dir.p, dir.n);

		if (is_top(kinds, top))
			return top;
		free(top);
	}
	return mem_dup(cwd, strlen(cwd));
}

static char *dir_of(const char *variable, const char *under_home)
{
	const char *dir = getenv(variable), *home = getenv("HOME");
	struct buf out = BUF_INIT;

	if (dir && *dir == '/')
		buf_addf(&out, "%s/oxide", dir);
	else if (home && *home == '/')
		buf_addf(&out, "%s/%s/oxide", home, under_home);
	else
		return NULL;
	return buf_detach(&out);
}

bool oxide_make_dirs(const char *path)
{
	char *copy SCOPED(mem_release) = mem_dup(path, strlen(path));
	bool ok = true;

	for (char *slash = copy + 1; ok && (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		ok = !mkdir(copy, 0700) || errno == EEXIST;
		*slash = '/';
	}
	return ok && (!mkdir(copy, 0700) || errno == EEXIST);
}

char *oxide_state_dir(void)
{
	char *dir SCOPED(mem_release) = dir_of("XDG_STATE_HOME", ".local/state"), real[PATH_MAX];
	bool ok = dir && oxide_make_dirs(dir) && disk_real(dir, real);

	return ok ? mem_dup(real, strlen(real)) : NULL;
}

char *oxide_program(void)
{
	char exe[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe));

	return n > 0 && (size_t)n < sizeof(exe) ? mem_dup(exe, (size_t)n) : NULL;
}

/* lua/oxide beside the source tree that built us, or where `make install` put it. */
static char *find_data(const char *given)
{
	static const char *const near[] = { "../lua/oxide", "../../lua/oxide",
					    "../share/oxide/lua/oxide" };
	char exe[PATH_MAX];
	const char *env = getenv("OXIDE_DATA");
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	if (given || (env && *env)) {
		given = given ? given : env;
		return mem_dup(given, strlen(given));
	}
	for (size_t i = 0; n > 0 && i < sizeof(near) / sizeof(*near); i++) {
		struct str dir = path_dir((struct str){ exe, (size_t)n });
		char *base SCOPED(mem_release) = mem_dup(dir.p, dir.n);
		char *data = path_join(base, near[i]);
		char *servers SCOPED(mem_release) = path_join(data, "servers");

		if (!access(servers, R_OK))
			return data;
		free(data);
	}
	return mem_dup(OXIDE_DATA, strlen(OXIDE_DATA));
}

static char *directory_of(const char *path)
{
	char cwd[PATH_MAX], *whole SCOPED(mem_release) = NULL;
	struct str above;

	whole = path_join(getcwd(cwd, sizeof(cwd)) ? cwd : "/", path);
	above = path_dir(str_of(whole));
	return mem_dup(above.p, above.n);
}

/* `given` must be there; the user's own need not. Its servers are for the floor above. */
static bool load_config(struct oxide *ox, const char *given, struct err *e)
{
	const char *env = getenv("OXIDE_CONFIG");
	char *dir SCOPED(mem_release) = NULL, *own SCOPED(mem_release) = NULL;
	const char *path = given ? given : env && *env ? env : NULL;
	bool ok = true;

	if (!path && (dir = dir_of("XDG_CONFIG_HOME", ".config"))) {
		own = path_join(dir, "config.lua");
		path = access(own, F_OK) ? NULL : own;
	}
	ox->config_dir = path ? directory_of(path) : dir ? mem_dup(dir, strlen(dir)) : NULL;
	if (path) {
		ox->config_path = mem_dup(path, strlen(path));
		ox->configuration = lua_data_table(ox->script, path, e);
		ok = ox->configuration &&
		     ((config_set_all(&ox->config, json_get(ox->configuration, "options"), e) &&
		       project_types_add_all(ox->project_types,
					     json_get(ox->configuration, "projects"), e)) ||
		      err_in(e, "%s", path));
	}
	return ok;
}

void oxide_apply_log(struct oxide *ox)
{
	log_set_level((enum log_level)config_get(&ox->config, CFG_LOG_LEVEL));
	log_set_wire(config_get(&ox->config, CFG_LOG_WIRE));
}

static void open_state(struct oxide *ox)
{
	char *dir SCOPED(mem_release) = oxide_state_dir(), *log SCOPED(mem_release) = NULL;
	char *past SCOPED(mem_release) = NULL;
	bool first = !*log_path(); /* of the process: it says what gets into the log */

	if (!dir)
		return;
	log = path_join(dir, "oxide.log");
	past = path_join(dir, "history");
	ox->logs = log_open(log, (enum log_level)config_get(&ox->config, CFG_LOG_LEVEL),
			    (long)config_get(&ox->config, CFG_LOG_BYTES));
	if (first)
		oxide_apply_log(ox);
	ox->history =
		history_new(disk_fs(), past, (size_t)config_get(&ox->config, CFG_HISTORY_ENTRIES),
			    (uint64_t)config_get(&ox->config, CFG_HISTORY_BYTES));
}

/* What is read before there is anything else: presets, the configuration, and where we are. */
static bool oxide_read_all(struct oxide *ox, const struct oxide_options *o, struct err *e)
{
	char *root SCOPED(mem_release) = NULL;
	bool ok = (ox->filetypes = filetypes_new(ox->script, ox->data, e)) &&
		  (ox->project_types = project_types_new(ox->script, ox->data, e)) &&
		  load_config(ox, o->config_path, e) &&
		  (root = find_root(ox->project_types, o->root, e));

	if (ok) {
		ox->projects = projects_new(ox->project_types);
		ox->root = projects_start(ox->projects, root)->root;
	}
	return ok;
}

struct oxide *oxide_new(const struct oxide_options *o, struct err *e)
{
	struct oxide *ox = mem_new(sizeof(*ox));

	ox->data = find_data(o->data);
	config_init(&ox->config);
	TAILQ_INIT(&ox->runs);
	STAILQ_INIT(&ox->applying);
	ox->origin = o->origin;
	ox->script = lua_data_new();
	ox->loop = loop_new(e);
	if (!ox->loop || !oxide_read_all(ox, o, e)) {
		project_types_free(ox->project_types);
		filetypes_free(ox->filetypes);
		loop_free(ox->loop);
		lua_data_free(ox->script);
		json_free(ox->configuration);
		free(ox->config_path);
		free(ox->config_dir);
		free(ox->data);
		free(ox);
		return NULL;
	}
	if (o->allow_run)
		ox->config.value[CFG_RUN_ALLOW] = 1;
	open_state(ox);
	/* Before anything reads a file: what a crash left half done is finished. */
	ox->journals = recovery_home();
	if (ox->journals)
		recovery_run(ox->journals, ox->history, false, &ox->recovered);
	ox->workspace = workspace_new(ox);
	ox->registry = registry_new(ox);
	ox->own = own_changes_new(ox);
	log_line(LOG_INFO, "oxide %s starts for %s in %s", OXIDE_VERSION, o->origin, ox->root);
	return ox;
}

bool oxide_set_root(struct oxide *ox, const char *root, struct err *e)
{
	char *found = find_root(ox->project_types, root, e);

	if (found)
		ox->root = projects_start(ox->projects, found)->root;
	free(found);
	return found != NULL;
}

void oxide_soon(struct oxide *ox, void (*fn)(void *arg), void *arg)
{
	loop_soon(ox->loop, fn, arg);
}

void oxide_stop(struct oxide *ox)
{
	ox->brief = true;
	runs_stop(ox);
	pruning_now(ox);
	if (ox->servers)
		ox->servers->stop(ox);
}

void oxide_free(struct oxide *ox)
{
	if (!ox)
		return;
	registry_free(ox->registry);
	turn_drafts_free(ox);
	if (ox->servers)
		ox->servers->free(ox);
	workspace_free(ox->workspace);
	own_changes_free(ox->own);
	pruning_free(ox);
	history_free(ox->history);
	loop_free(ox->loop);
	projects_free(ox->projects);
	project_types_free(ox->project_types);
	filetypes_free(ox->filetypes);
	lua_data_free(ox->script);
	recover_report_release(&ox->recovered);
	buf_release(&ox->unsettled);
	buf_release(&ox->swap_places);
	wal_desk_close(&ox->desk);
	free(ox->journals);
	json_free(ox->configuration);
	free(ox->config_path);
	free(ox->config_dir);
	free(ox->data);
	if (ox->logs)
		log_close();
	free(ox);
}
