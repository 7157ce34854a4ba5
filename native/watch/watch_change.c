#include "watch_change.h"

#include <stdlib.h>

#include "../base/hash.h"
#include "../base/mem.h"
#include "../base/path.h"

bool watch_text_same(const struct watch_text *a, const struct watch_text *b)
{
	return a->there == b->there &&
	       (!a->there || (a->mode == b->mode && str_eq(buf_str(&a->text), buf_str(&b->text))));
}

void watch_text_copy(struct watch_text *to, const struct watch_text *from)
{
	buf_clear(&to->text);
	buf_add(&to->text, buf_str(&from->text));
	to->there = from->there;
	to->mode = from->mode;
}

void watch_parts_add(struct watch_parts *p, const char *path, unsigned round,
		     struct watch_text *was, struct watch_text *now)
{
	if (watch_text_same(was, now)) {
		buf_release(&was->text);
		buf_release(&now->text);
		return;
	}
	mem_add(p->v, p->n, p->cap,
		(struct watch_part){ mem_dup(path, strlen(path)), round, *was, *now, NULL, false });
	if (round >= p->rounds)
		p->rounds = round + 1;
	*was = *now = (struct watch_text){ 0 };
}

void watch_parts_release(struct watch_parts *p)
{
	for (size_t i = 0; i < p->n; i++) {
		free(p->v[i].path);
		buf_release(&p->v[i].was.text);
		buf_release(&p->v[i].now.text);
	}
	free(p->v);
	*p = (struct watch_parts){ 0 };
}

static bool source_stat(void *self, const char *path, struct fs_stat *out, struct err *e)
{
	struct watch_source *s = self;
	const struct watch_part *part = map_get(&s->parts, str_of(path));
	struct str shown = path_shown(str_of(s->root), str_of(path));

	(void)e;
	*out = (struct fs_stat){ .kind = FS_NONE };
	if (part && part->was.there) {
		out->link = part->was.mode == MODE_LINK;
		out->kind = out->link ? FS_NONE : FS_FILE;
		out->mode = part->was.mode & MODE_BITS;
		out->links = 1;
		out->size = part->was.text.n;
	} else if (!part && (path_below(str_of(path), str_of(s->root)) ||
			     watch_tree_has_dir(s->before, shown))) {
		out->kind = FS_DIR;
	}
	return true;
}

static bool source_read(void *self, const char *path, struct buf *out, struct fs_stat *seen,
			struct err *e)
{
	struct watch_source *s = self;
	const struct watch_part *part = map_get(&s->parts, str_of(path));

	if (!part)
		return err_set(e, ERR_NOT_FOUND, "%s does not exist", path);
	if (seen)
		source_stat(self, path, seen, e);
	buf_add(out, buf_str(&part->was.text));
	return true;
}

/* Whatever was in a directory that goes is a part of its own. */
static bool source_list(void *self, const char *dir, struct buf *names, struct err *e)
{
	(void)self, (void)dir, (void)names, (void)e;
	return true;
}

static bool source_allowed(void *self, const char *path, bool itself, struct exemptions *exempt,
			   struct buf *by, struct err *e)
{
	(void)self, (void)path, (void)itself, (void)exempt, (void)by, (void)e;
	return true;
}

static bool source_readlink(void *self, const char *path, struct buf *out, struct err *e)
{
	return source_read(self, path, out, NULL, e);
}

static char *whole(const struct watch_source *s, const struct watch_part *part)
{
	struct buf path = BUF_INIT;

	buf_addf(&path, "%s/%s", s->root, part->path);
	return buf_detach(&path);
}

static bool watch_change_is_link(const struct watch_text *t)
{
	return t->mode == MODE_LINK;
}

/* It comes, or takes the place of a file of another kind. */
static bool comes(const struct watch_part *part)
{
	return part->now.there && (!part->was.there || watch_change_is_link(&part->was) !=
							       watch_change_is_link(&part->now));
}

static bool goes(const struct watch_part *part)
{
	return part->was.there && (!part->now.there || watch_change_is_link(&part->was) !=
							       watch_change_is_link(&part->now));
}

static bool add_text(struct plan *p, const char *path, struct str was, struct str now,
		     struct err *e)
{
	struct edits set SCOPED(edits_release) = EDITS_INIT;
	struct op op = { .kind = OP_SPANS, .path = path, .spans = &set, .exact = true };

	diff_edits(&set, was, now);
	return plan_add(p, &op, e);
}

/* Of a new file the umask has a say, unless it can be run or nobody else may read it. */
static bool add_mode(struct plan *p, const char *path, const struct watch_part *part, struct err *e)
{
	unsigned now = part->now.mode, was = part->was.mode;
	struct op op = { .kind = OP_MODE, .path = path, .mode = now };

	if (comes(part) ? !(now & 0111) && now & 0044 : now == was)
		return true;
	return plan_add(p, &op, e);
}

static bool add_new(struct plan *p, const char *path, const struct watch_part *part, struct err *e)
{
	struct op op = { .kind = OP_CREATE, .path = path };
	struct op link = { .kind = OP_LINK, .path = path, .leads_to = buf_str(&part->now.text) };

	if (watch_change_is_link(&part->now))
		return plan_add(p, &link, e);
	return plan_add(p, &op, e) && add_text(p, path, STR(""), buf_str(&part->now.text), e) &&
	       add_mode(p, path, part, e);
}

static bool add_changed(struct plan *p, const char *path, const struct watch_part *part,
			struct err *e)
{
	struct op link = { .kind = OP_LINK,
			   .path = path,
			   .leads_to = buf_str(&part->now.text),
			   .overwrite = true };

	if (watch_change_is_link(&part->now))
		return plan_add(p, &link, e);
	return add_text(p, path, buf_str(&part->was.text), buf_str(&part->now.text), e) &&
	       add_mode(p, path, part, e);
}

enum plan_step { STEP_REMOVE, STEP_RENAME, STEP_CHANGE };

static bool add_part(struct watch_source *s, struct plan *p, const struct watch_part *part,
		     enum plan_step step, struct err *e)
{
	char *path SCOPED(mem_release) = whole(s, part);
	char *to SCOPED(mem_release) = part->to ? whole(s, part->to) : NULL;
	struct op gone = { .kind = OP_REMOVE, .path = path };
	struct op named = { .kind = OP_RENAME, .path = path, .new_path = to };
	bool ok = true;

	if (step == STEP_REMOVE)
		ok = !goes(part) || to || plan_add(p, &gone, e);
	else if (step == STEP_RENAME)
		ok = !to ||
		     (plan_add(p, &named, e) &&
		      (part->to->now.mode == part->was.mode ||
		       plan_add(p,
				&(struct op){
					.kind = OP_MODE, .path = to, .mode = part->to->now.mode },
				e)));
	else if (comes(part))
		ok = part->renamed || add_new(p, path, part, e);
	else if (part->was.there && part->now.there)
		ok = add_changed(p, path, part, e);
	return ok;
}

/* One that is gone and one that is new, with the same text, which is not empty. */
static void find_renames(struct watch_parts *parts, unsigned round)
{
	struct map gone SCOPED(map_release) = MAP_INIT;

	for (size_t i = 0; i < parts->n; i++) {
		struct watch_part *part = &parts->v[i];
		uint64_t hash = hash_of(buf_str(&part->was.text));

		if (part->round == round && part->was.there && !part->now.there &&
		    !watch_change_is_link(&part->was) && part->was.text.n)
			map_put(&gone, (struct str){ (char *)&hash, sizeof(hash) }, part);
	}
	for (size_t i = 0; i < parts->n && map_count(&gone); i++) {
		struct watch_part *part = &parts->v[i], *from;
		uint64_t hash = hash_of(buf_str(&part->now.text));

		if (part->round != round || part->was.there || watch_change_is_link(&part->now))
			continue;
		from = map_take(&gone, (struct str){ (char *)&hash, sizeof(hash) });
		if (!from)
			continue;
		from->to = part;
		part->renamed = true;
	}
}

struct plan *watch_plan(struct watch_source *s, const char *root, const struct watch_tree *before,
			struct watch_parts *parts, unsigned round, struct err *e)
{
	struct plan *p;
	bool ok = true;

	*s = (struct watch_source){ .root = root, .before = before };
	s->source = (struct plan_source){ .self = s,
					  .root = root,
					  .stat = source_stat,
					  .read = source_read,
					  .list = source_list,
					  .allowed = source_allowed,
					  .readlink = source_readlink };
	for (size_t i = 0; i < parts->n; i++)
		if (parts->v[i].round == round) {
			char *path SCOPED(mem_release) = whole(s, &parts->v[i]);

			map_put(&s->parts, str_of(path), &parts->v[i]);
		}
	find_renames(parts, round);
	p = plan_new(&s->source);
	for (int step = STEP_REMOVE; step <= STEP_CHANGE && ok; step++)
		for (size_t i = 0; i < parts->n && ok; i++)
			if (parts->v[i].round == round)
				ok = add_part(s, p, &parts->v[i], (enum plan_step)step, e);
	ok = ok && plan_finish(p, e);
	for (size_t i = 0; ok && i < plan_files(p); i++)
		ok = plan_want(p, i, e);
	if (ok)
		return p;
	plan_free(p);
	return NULL;
}

void watch_source_release(struct watch_source *s)
{
	map_release(&s->parts);
}
