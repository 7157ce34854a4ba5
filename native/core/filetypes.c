#include "filetypes.h"

#include <stdlib.h>

#include "../base/mem.h"
#include "../base/path.h"

struct filetypes {
	json *table; /* { name = { [file name] = type }, ext = { [extension] = type } } */
};

struct filetypes *filetypes_new(struct lua_data *s, const char *data_dir, struct err *e)
{
	struct filetypes *f = mem_new(sizeof(*f));
	char *path SCOPED(mem_release) = path_join(data_dir, "filetypes.lua");

	f->table = lua_data_table(s, path, e);
	if (f->table)
		return f;
	filetypes_free(f);
	return NULL;
}

void filetypes_free(struct filetypes *f)
{
	if (!f)
		return;
	json_free(f->table);
	free(f);
}

const char *filetypes_of(const struct filetypes *f, const char *path)
{
	struct str base = path_base(str_of(path)), ext = path_ext(str_of(path));

	json_each(m, json_get(f->table, "name"))
		if (str_eq(str_of(json_key(m)), base))
			return json_text(m).p;
	json_each(m, json_get(f->table, "ext"))
		if (ext.n && str_eq(str_of(json_key(m)), ext))
			return json_text(m).p;
	return "text";
}

void filetypes_extensions(const struct filetypes *f, const char *filetype, struct map *out)
{
	json_each(m, json_get(f->table, "ext"))
		if (str_eq(json_text(m), str_of(filetype)))
			map_put(out, str_of(json_key(m)), out);
}
