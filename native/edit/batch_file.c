#include "batch_impl.h"

/* Operations on whole files: they come, go, get other names and other modes. */

/* The text of a file that has just been made. */
static bool fill_file(struct batch *b, const char *path, struct str text, int of, struct err *e)
{
	struct edits set SCOPED(edits_release) = EDITS_INIT;
	struct op op = { .kind = OP_SPANS, .path = path, .spans = &set, .exact = true };
	struct str was;
	bool ok = !text.n || plan_text(b->plan, path, &was, e);

	if (ok && text.n) {
		edits_add(&set, (struct span){ 0, was.n }, text, of);
		ok = plan_add(b->plan, &op, e);
	}
	return ok;
}

static bool batch_file_set_mode(struct batch *b, const char *path, unsigned mode, struct err *e)
{
	struct op op = { .kind = OP_MODE, .path = path, .mode = mode };

	return !mode || plan_add(b->plan, &op, e);
}

/* A link is copied as one where names are meant. */
static bool copy_file(struct batch *b, const struct operation *op, struct err *e)
{
	struct op create = { .kind = OP_CREATE, .path = op->new_path, .straight = op->straight };
	struct str text;
	unsigned mode;

	if (op->straight && !plan_link(b->plan, op->path, &create.leads_to, e))
		return false;
	if (create.leads_to.p) {
		create.kind = OP_LINK;
		return plan_add(b->plan, &create, e);
	}
	if (!plan_text(b->plan, op->path, &text, e) || !plan_mode(b->plan, op->path, &mode, e))
		return false;
	text = arena_str(&b->texts, text);
	return plan_add(b->plan, &create, e) && fill_file(b, op->new_path, text, op->of, e) &&
	       batch_file_set_mode(b, op->new_path, mode_git(mode), e);
}

/* A patch of a file is not for a link, and one of a link for that link alone. */
static bool is_meant(struct batch *b, const struct operation *op, struct err *e)
{
	struct str to;

	if (!op->straight || (op->kind == OPERATION_LINK && !op->expect.p))
		return true;
	if (!plan_link(b->plan, op->path, &to, e))
		return false;
	if (!op->expect.p)
		return !to.p ||
		       err_set(e, ERR_CONFLICT,
			       "%s is a symbolic link, but the patch expects a file", op->path);
	if (!to.p)
		return err_set(e, ERR_CONFLICT,
			       "%s is not a symbolic link, but the patch expects "
			       "one",
			       op->path);
	return str_eq(to, op->expect) ||
	       err_set(e, ERR_NOT_FOUND, "%s points to %.*s, but the patch expects %.*s", op->path,
		       STR_ARG(to), STR_ARG(op->expect));
}

static bool write_file(struct batch *b, const struct operation *op, struct op *file, struct err *e)
{
	file->kind = OP_CREATE;
	return plan_add(b->plan, file, e) && fill_file(b, op->path, op->with, op->of, e) &&
	       batch_file_set_mode(b, op->path, op->mode, e);
}

bool batch_run_file(struct batch *b, const struct operation *op, struct err *e)
{
	struct op file = { .path = op->path,
			   .new_path = op->new_path,
			   .leads_to = op->with,
			   .mode = op->mode,
			   .overwrite = op->overwrite,
			   .straight = op->straight };

	switch (op->kind) {
	case OPERATION_COPY:
		return copy_file(b, op, e);
	case OPERATION_WRITE:
		return write_file(b, op, &file, e);
	case OPERATION_REMOVE:
		file.kind = OP_REMOVE;
		return is_meant(b, op, e) && plan_add(b->plan, &file, e);
	case OPERATION_LINK:
		file.kind = OP_LINK;
		file.overwrite = op->expect.p;
		return is_meant(b, op, e) && plan_add(b->plan, &file, e);
	case OPERATION_MODE:
		file.kind = OP_MODE;
		return plan_add(b->plan, &file, e);
	default:
		file.kind = OP_RENAME;
		return plan_add(b->plan, &file, e);
	}
}
