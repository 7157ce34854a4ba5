#include "compiles.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/hash.h"
#include "../base/map.h"
#include "../base/mem.h"
#include "checker_diags.h"

/* The file of a project and kind: {"root", "kind", "units": [{"file", "stamp", "rows"}]}, where
 * each row has the stamp of the file that it is about. */
struct taking {
	struct oxide *ox;
	const char *root, *kind;
	char *path; /* of that file; NULL: there is no state directory */
	json *was;  /* as it was; NULL: nothing is kept yet */
	json *units;
	struct map fresh; /* path: the unit in `units` that this run has made */
	struct compiles *out;
};

static char *file_of(const char *root, const char *kind)
{
	char *state SCOPED(mem_release) = oxide_state_dir(), *path = NULL;
	struct buf key SCOPED(buf_release) = BUF_INIT, name = BUF_INIT;

	buf_addf(&key, "%s\n%s", root, kind);
	if (state) {
		buf_addf(&name, "%s/compiled", state);
		mkdir(name.p, 0700);
		buf_addf(&name, "/%016" PRIx64 ".json", hash_of(buf_str(&key)));
		path = buf_detach(&name);
	}
	return path;
}

static json *compiles_load(const struct taking *t)
{
	struct buf text SCOPED(buf_release) = BUF_INIT;
	json *v = NULL;

	FILE *f = t->path ? fopen(t->path, "rbe") : NULL;
	size_t most = (size_t)config_get(&t->ox->config, CFG_CHECK_KEPT), n;

	while (f && text.n <= most && (n = fread(buf_room(&text, 65536), 1, 65536, f))) {
		text.n += n;
		buf_end(&text);
	}
	if (f)
		fclose(f);
	if (text.n)
		v = json_parse(buf_str(&text), ERR_IGNORED);
	if (v && str_eq(json_get_str(v, "root"), str_of(t->root)) &&
	    str_eq(json_get_str(v, "kind"), str_of(t->kind)))
		return v;
	json_free(v);
	return NULL;
}

/* What tells whether a file was written since, as make sees it; empty: it is gone. */
static void stamp_of(const char *path, struct buf *out)
{
	struct stat st;

	buf_clear(out);
	if (!stat(path, &st) && S_ISREG(st.st_mode))
		buf_addf(out, "%jd:%jd.%09ld", (intmax_t)st.st_size, (intmax_t)st.st_mtim.tv_sec,
			 st.st_mtim.tv_nsec);
}

static bool has_stamp(const json *row, struct buf *now)
{
	stamp_of(json_get_str(row, "file").p, now);
	return now->n && str_eq(buf_str(now), json_get_str(row, "stamp"));
}

static void put_stamp(json *row)
{
	struct buf now SCOPED(buf_release) = BUF_INIT;

	stamp_of(json_get_str(row, "file").p, &now);
	json_put(row, "stamp", json_str(buf_str(&now)));
}

static json *fresh_unit(struct taking *t, const char *path)
{
	json *unit = map_get(&t->fresh, str_of(path));

	if (unit || access(path, F_OK))
		return unit;
	unit = json_push(t->units, json_object());
	json_put(unit, "file", json_strz(path));
	put_stamp(unit);
	json_put(unit, "rows", json_array());
	map_put(&t->fresh, str_of(path), unit);
	return unit;
}

/* A row as it is kept: its file by an absolute path. One that names no source that was compiled is
 * of the linker, and says of no compile that it is the last. */
static void keep_row(struct taking *t, const json *row, const json *directories)
{
	char *path SCOPED(mem_release) = checker_path(t->root, row, directories);
	struct str unit = json_get_str(row, "unit");
	char *source SCOPED(mem_release) = unit.n ? checker_find(t->root, unit, directories) : NULL;
	json *of = source ? fresh_unit(t, source) : map_get(&t->fresh, str_of(path)), *copy;

	if (of && !str_eq(json_get_str(row, "severity"), STR("error")) && !access(path, F_OK)) {
		copy = json_push((json *)(uintptr_t)json_get(of, "rows"), json_copy(row));
		json_drop(copy, "unit");
		json_put(copy, "file", json_strz(path));
		put_stamp(copy);
	}
}

static void take_found(struct taking *t, const struct parser_found *f)
{
	json_each(name, f->compiled) {
		char *path SCOPED(mem_release) =
			checker_find(t->root, json_text(name), f->directories);

		fresh_unit(t, path);
	}
	if (map_count(&t->fresh))
		json_each(row, f->diagnostics)
			keep_row(t, row, f->directories);
}

static void unseen(struct taking *t, struct str path)
{
	json_each(known, t->out->unseen)
		if (str_eq(json_text(known), path))
			return;
	json_push(t->out->unseen, json_str(path));
}

/* What an earlier run has said of a source that this one did not compile. */
static void take_old(struct taking *t, const json *unit)
{
	struct buf now SCOPED(buf_release) = BUF_INIT;

	if (has_stamp(unit, &now)) {
		json_each(row, json_get(unit, "rows")) {
			if (has_stamp(row, &now))
				json_push(t->out->rows, json_copy(row));
			else if (now.n)
				unseen(t, json_get_str(row, "file"));
		}
		json_push(t->units, json_copy(unit));
	} else if (now.n) {
		unseen(t, json_get_str(unit, "file"));
		json_push(t->units, json_copy(unit));
	}
}

/* Whole or not at all: two cores may do so at once. */
static void save(const struct taking *t)
{
	struct buf text SCOPED(buf_release) = BUF_INIT, aside SCOPED(buf_release) = BUF_INIT;
	FILE *f;
	bool ok;
	json *v SCOPED(json_release) =
		json_of({ "root", json_strz(t->root) }, { "kind", json_strz(t->kind) },
			{ "units", json_copy(t->units) });

	json_print(&text, v);
	buf_addf(&aside, "%s.%ld", t->path, (long)getpid());
	f = fopen(aside.p, "wbxe");
	ok = f && text.n <= (size_t)config_get(&t->ox->config, CFG_CHECK_KEPT) &&
	     fwrite(text.p, 1, text.n, f) == text.n;
	if (f && fclose(f))
		ok = false;
	if (!ok || rename(aside.p, t->path)) { /* what is old would be taken for what is so */
		unlink(aside.p);
		unlink(t->path);
	}
}

struct compiles compiles_take(struct oxide *ox, const char *root, const char *kind,
			      const struct run_result *r)
{
	struct compiles out = { json_array(), json_array(), false };
	struct taking t = { .ox = ox, .root = root, .kind = kind, .out = &out };

	t.path = file_of(root, kind);
	t.was = compiles_load(&t);
	t.units = json_array();
	for (int i = 0; i < 2; i++)
		if (r->found[i].compiled)
			take_found(&t, &r->found[i]);
	out.blank = !t.was && !map_count(&t.fresh) && (r->found[0].idle || r->found[1].idle);
	json_each(unit, json_get(t.was, "units")) {
		if (!map_get(&t.fresh, json_get_str(unit, "file")))
			take_old(&t, unit);
	}
	if (t.path && (t.was || map_count(&t.fresh)))
		save(&t);
	map_release(&t.fresh);
	json_free(t.units);
	json_free(t.was);
	free(t.path);
	return out;
}

void compiles_release(struct compiles *c)
{
	json_free(c->rows);
	json_free(c->unseen);
	*c = (struct compiles){ 0 };
}
