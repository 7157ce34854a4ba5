#include "plan_sum.h"

void plan_sum_add(struct plan_sum *s, struct str kind, size_t edits)
{
	bool adds = str_eq(kind, STR("create")), deletes = str_eq(kind, STR("delete"));
	bool renames = str_eq(kind, STR("rename"));

	s->added += adds;
	s->deleted += deletes;
	s->renamed += renames;
	if (adds || deletes)
		return;
	s->places += edits;
	s->edited += edits > 0;
	s->others += !edits && !renames;
}

struct plan_sum plan_sum(const struct plan *p)
{
	struct plan_sum s = { 0 };

	for (size_t i = 0; i < plan_files(p); i++) {
		const struct plan_file *f = plan_file(p, i);
		const char *kind = plan_file_kind(f);

		plan_sum_add(&s, str_of(kind ? kind : ""), f->edits.n);
	}
	return s;
}

void plan_sum_put(const struct plan_sum *s, struct buf *out)
{
	struct part {
		size_t n;
		const char *what;
	} parts[] = { { s->others, s->edited ? " more" : "" },
		      { s->added, " added" },
		      { s->deleted, " deleted" },
		      { s->renamed, " renamed" } };
	bool first = !s->edited;

	if (s->edited)
		buf_addf(out, "%zu place%s in %zu file%s", s->places, s->places == 1 ? "" : "s",
			 s->edited, s->edited == 1 ? "" : "s");
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		const struct part *part = &parts[i];

		if (!part->n)
			continue;
		buf_addf(out, "%s%zu%s%s", first ? "" : ", ", part->n,
			 !first		? ""
			 : part->n == 1 ? " file"
					: " files",
			 part->what);
		first = false;
	}
}
