#include "record_impl.h"

#include <stdlib.h>
#include <string.h>

#include "../base/mem.h"
#include "../base/path.h"
#include "../io/disk.h"

const char *const record_lists[] = { "tool_calls", "file_operations", "shell_commands",
				     "messages" };

/* What a line adds. One that was cut short by a kill adds nothing. */
static void record_read_take_line(json *whole, struct str line)
{
	json *row = json_parse(line, ERR_IGNORED);
	struct str kind = json_get_str(row, "row");
	size_t i = 0;

	while (i < RECORD_LISTS && !str_eq(kind, str_of(record_lists[i])))
		i++;
	if (i < RECORD_LISTS) {
		json_drop(row, "row");
		json_push((json *)(uintptr_t)json_get(whole, record_lists[i]), row);
		return;
	}
	json_each(member, row)
		if (strcmp(json_key(member), "row") != 0)
			json_put(whole, json_key(member), json_copy(member));
	json_free(row);
}

struct timed {
	const json *row;
	size_t at;
};

static int by_time(const void *a, const void *b)
{
	const struct timed *x = a, *y = b;
	int order = str_cmp(json_get_str(x->row, "timestamp"), json_get_str(y->row, "timestamp"));

	return order ? order : x->at < y->at ? -1 : x->at > y->at;
}

/* A call is written when it ends, and belongs where it began. */
static void sort_rows(json *whole, const char *name)
{
	const json *list = json_get(whole, name);
	size_t n = 0;
	struct timed *v SCOPED(mem_release) = mem_new((json_len(list) + 1) * sizeof(*v));
	json *sorted = json_array();

	json_each(row, list) {
		v[n] = (struct timed){ row, n };
		n++;
	}
	qsort(v, n, sizeof(*v), by_time);
	for (size_t i = 0; i < n; i++)
		json_push(sorted, json_copy(v[i].row));
	json_put(whole, name, sorted);
}

json *record_of_lines(struct str lines)
{
	json *whole = json_object();
	struct str line;

	for (size_t i = 0; i < RECORD_LISTS; i++)
		json_put(whole, record_lists[i], json_array());
	while (str_line(&lines, &line))
		record_read_take_line(whole, line);
	for (size_t i = 0; i < RECORD_LISTS; i++)
		sort_rows(whole, record_lists[i]);
	return whole;
}

char *record_directory(void)
{
	char *state SCOPED(mem_release) = oxide_state_dir();

	return state ? path_join(state, "records") : NULL;
}

char **record_names(const char *dir, struct buf *names, size_t *n)
{
	const struct fs *fs = disk_fs();
	char **v;

	*n = 0;
	if (!dir || !fs->list(fs->self, dir, names, ERR_IGNORED))
		buf_clear(names);
	v = mem_new((names->n + 1) * sizeof(*v));
	for (char *name = names->p; name && name < names->p + names->n; name += strlen(name) + 1)
		if (str_ends(str_of(name), STR(".jsonl")))
			v[(*n)++] = name;
	return v;
}

/* "20261122T120000.000Z-SESSION.jsonl" */
static struct str session_of(const char *name)
{
	const char *dash = strchr(name, '-');
	struct str s = str_of(dash ? dash + 1 : name);

	s.n -= strlen(".jsonl");
	return s;
}

static bool record_read_read_lines(const char *dir, const char *name, struct buf *text,
				   struct err *e)
{
	const struct fs *fs = disk_fs();
	char *path SCOPED(mem_release) = path_join(dir, name);

	return fs->read(fs->self, path, text, NULL, e);
}

json *record_list(void)
{
	char *dir SCOPED(mem_release) = record_directory();
	struct buf names SCOPED(buf_release) = BUF_INIT;
	json *list = json_array();
	size_t n;
	char **v = record_names(dir, &names, &n);

	while (n--) {
		struct buf text SCOPED(buf_release) = BUF_INIT;
		struct str rest, line = STR("");
		json *row;

		if (record_read_read_lines(dir, v[n], &text, ERR_IGNORED)) {
			rest = buf_str(&text);
			str_line(&rest, &line);
			row = json_parse(line, ERR_IGNORED);
			json_drop(row, "row");
			if (row)
				json_push(list, row);
		}
	}
	free(v);
	return list;
}

char *record_path(struct str session, struct err *e)
{
	char *dir SCOPED(mem_release) = record_directory(), *path = NULL;
	struct buf names SCOPED(buf_release) = BUF_INIT;
	size_t n;
	char **v = record_names(dir, &names, &n);

	while (n && !str_starts(session_of(v[n - 1]), session))
		n--;
	if (n)
		path = path_join(dir, v[n - 1]);
	else
		err_set(e, ERR_NOT_FOUND,
			session.n ? "no record found of the session %.*s" : "no records found%.*s",
			STR_ARG(session));
	free(v);
	return path;
}

json *record_read(struct str session, struct err *e)
{
	const struct fs *fs = disk_fs();
	char *path SCOPED(mem_release) = record_path(session, e);
	struct buf text SCOPED(buf_release) = BUF_INIT;
	json *whole = NULL;

	if (path && fs->read(fs->self, path, &text, NULL, e))
		whole = record_of_lines(buf_str(&text));
	return whole;
}
