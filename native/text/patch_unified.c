#include "patch_build.h"

/* "-12,3" or "-12". */
static bool patch_unified_read_range(struct str *s, const char *mark, size_t *line, size_t *count)
{
	size_t *to[] = { line, count };

	if (!str_skip(s, str_of(mark)))
		return false;
	*count = 1;
	for (int i = 0; i < 2; i++) {
		size_t value = 0, n = 0;

		while (n < s->n && n < 15 && s->p[n] >= '0' && s->p[n] <= '9')
			value = value * 10 + (size_t)(s->p[n++] - '0');
		if (!n)
			return false;
		*to[i] = value;
		*s = str_sub(*s, n, s->n);
		if (i || !str_skip(s, STR(",")))
			break;
	}
	return true;
}

static bool read_ranges(struct str s, struct patch_hunk *h)
{
	return str_skip(&s, STR("@@ ")) &&
	       patch_unified_read_range(&s, "-", &h->old_line, &h->old_count) &&
	       patch_unified_read_range(&s, " +", &h->new_line, &h->new_count) &&
	       str_starts(s, STR(" @@"));
}

static bool cut_off(struct patch_build *b, const struct patch_hunk *h)
{
	return patch_bad(b, ERR_INVALID,
			 "the hunk of line %u is shorter than its header says (-%zu,%zu +%zu,%zu)",
			 h->at, h->old_line, h->old_count, h->new_line, h->new_count);
}

/* "\ No newline at end of file", in whatever language. */
static void take_no_newline(struct patch_build *b)
{
	struct patch_line *last;

	if (!b->rest.n || b->rest.p[0] != '\\' || !str_starts(b->rest, STR("\\ ")))
		return;
	patch_next(b);
	last = &b->p->line[b->lines - 1];
	last->no_newline = true;
	if (last->cr) { /* the line's own, since no line end follows it */
		last->n++;
		last->cr = false;
	}
}

/* Reads the lines that the hunk announces. `crlf`: the patch itself came with CRLF. */
static bool read_body(struct patch_build *b, const struct patch_hunk *h, bool crlf)
{
	size_t old_left = h->old_count, new_left = h->new_count, changes = 0;

	while (old_left || new_left) {
		bool more = patch_next(b);
		struct str line = b->line;
		char mark = line.n ? line.p[0] : ' ';

		if (!more || (mark != ' ' && mark != '+' && mark != '-') ||
		    (mark != '+' && !old_left) || (mark != '-' && !new_left))
			return cut_off(b, h);
		old_left -= mark != '+';
		new_left -= mark != '-';
		changes += mark != ' ';
		patch_add_line(b, mark, str_sub(line, line.n > 0, line.n))->cr = b->cr && !crlf;
		take_no_newline(b);
	}
	if (!changes)
		return patch_bad(b, ERR_INVALID, "the hunk of line %u changes nothing", h->at);
	return true;
}

/* Of each side only the last line can lack its end. */
static bool check_ends(struct patch_build *b, size_t first)
{
	bool old_done = false, new_done = false;

	for (size_t i = first; i < b->lines; i++) {
		const struct patch_line *l = &b->p->line[i];
		bool is_old = l->mark != '+', is_new = l->mark != '-';

		if ((is_old && old_done) || (is_new && new_done))
			return patch_bad(b, ERR_INVALID,
					 "the hunk that ends here has lines after \"No newline at "
					 "end of file\"");
		old_done |= is_old && l->no_newline;
		new_done |= is_new && l->no_newline;
	}
	return true;
}

/* Lines with marks behind the announced ones: git drops them, but somebody meant them. */
static bool check_behind(struct patch_build *b)
{
	struct patch_build look = *b;

	if (str_starts(b->rest, STR("@@"))) /* as most are followed by */
		return true;
	while (patch_next(&look) && look.line.n) {
		struct str line = look.line;

		if (str_eq(line, STR("--")) || str_starts(line, STR("-- ")) ||
		    str_starts(line, STR("--- ")) || str_starts(line, STR("+++ ")))
			return true;
		if (line.p[0] == '+' || line.p[0] == '-') {
			b->number = look.number;
			return patch_bad(b, ERR_INVALID,
					 "the hunk before this line is longer than its @@ header "
					 "says");
		}
		if (line.p[0] != ' ')
			return true;
	}
	return true;
}

static bool read_hunks(struct patch_build *b, bool crlf)
{
	while (str_starts(b->rest, STR("@@"))) {
		struct patch_hunk range = { 0 }, *h;
		size_t first = b->lines;

		patch_next(b);
		if (!read_ranges(b->line, &range))
			return patch_bad(
				b, ERR_INVALID,
				"a hunk must begin with \"@@ -line,count +line,count @@\"");
		h = patch_add_hunk(b);
		h->old_line = range.old_line;
		h->old_count = range.old_count;
		h->new_line = range.new_line;
		h->new_count = range.new_count;
		range.at = h->at;
		if (!read_body(b, &range, crlf) || !check_ends(b, first) || !check_behind(b))
			return false;
	}
	return true;
}

/* What kind of change it is has to agree with which lines there are. */
static bool check_kind(struct patch_build *b)
{
	struct patch_file *f = &b->p->file[b->p->files - 1];
	size_t old_lines = 0, new_lines = 0;

	for (size_t i = b->hunks - f->hunks; i < b->hunks; i++) {
		old_lines += b->p->hunk[i].old_count;
		new_lines += b->p->hunk[i].new_count;
	}
	if (f->kind == PATCH_CREATE && old_lines)
		return patch_bad(b, ERR_INVALID,
				 "%.*s is a new file, but the patch has old lines "
				 "for it",
				 STR_ARG(f->path));
	if (f->kind == PATCH_DELETE && new_lines)
		return patch_bad(b, ERR_INVALID, "%.*s is deleted, but the patch keeps lines of it",
				 STR_ARG(f->path));
	f->may_create &= !old_lines && f->hunks == 1;
	return true;
}

/* "--- old<TAB>time" and "+++ new<TAB>time" without "diff --git". */
static bool read_traditional(struct patch_build *b)
{
	struct patch_name old_name, new_name;
	enum patch_kind kind = PATCH_MODIFY;
	struct patch_file *f;
	struct str name;
	size_t at = b->number;

	if (!patch_read_name(b, str_sub(b->line, 4, b->line.n), &old_name))
		return false;
	patch_next(b);
	if (!patch_read_name(b, str_sub(b->line, 4, b->line.n), &new_name))
		return false;
	if (old_name.none && new_name.none)
		return patch_bad(b, ERR_INVALID, "both names are /dev/null");
	patch_strip(&old_name, &new_name);
	if (old_name.none || (!new_name.none && old_name.epoch))
		kind = PATCH_CREATE;
	else if (new_name.none || new_name.epoch)
		kind = PATCH_DELETE;
	/* Of "x" and "x.orig" the shorter one is the file. */
	name = new_name.none ? old_name.name : new_name.name;
	if (!old_name.none && !new_name.none && str_starts(new_name.name, old_name.name))
		name = old_name.name;
	else if (!old_name.none && !new_name.none && !str_starts(old_name.name, new_name.name))
		return patch_bad(b, ERR_INVALID,
				 "--- and +++ name different files, %.*s and %.*s; a rename needs "
				 "git's \"rename from\" header",
				 STR_ARG(old_name.name), STR_ARG(new_name.name));
	f = patch_add_file(b, kind, name);
	f->at = at;
	f->may_create = kind == PATCH_MODIFY;
	return patch_path(b, name);
}

static bool refuse_other(struct patch_build *b)
{
	if (str_starts(b->line, STR("*** ")) && str_starts(patch_peek(b, 0), STR("--- ")) &&
	    str_starts(patch_peek(b, 1), STR("***************")))
		return patch_bad(b, ERR_UNSUPPORTED,
				 "context diffs are not supported; send a unified diff (diff -u)");
	if (str_starts(b->line, STR("@@ -")))
		return patch_bad(b, ERR_INVALID, "a hunk without --- and +++ lines before it");
	return true;
}

/* The hunks of a file that is named elsewhere. */
static bool read_bare(struct patch_build *b)
{
	struct patch_build look;

	while (!str_trim(patch_peek(b, 0)).n)
		patch_next(b);
	look = *b;
	patch_next(&look);
	patch_add_file(b, PATCH_MODIFY, STR(""));
	return read_hunks(b, look.cr) && check_kind(b);
}

bool patch_read_unified(struct patch_build *b)
{
	if (b->bare && !read_bare(b))
		return false;
	while (patch_next(b)) {
		bool crlf = b->cr;
		size_t files = b->p->files;

		if (str_starts(b->line, STR("diff --git "))) {
			if (!patch_read_git(b))
				return false;
		} else if (str_starts(b->line, STR("--- ")) &&
			   str_starts(patch_peek(b, 0), STR("+++ ")) &&
			   str_starts(patch_peek(b, 1), STR("@@"))) {
			if (!read_traditional(b))
				return false;
		} else if (!refuse_other(b)) {
			return false;
		}
		if (b->p->files > files && (!read_hunks(b, crlf) || !check_kind(b)))
			return false;
	}
	if (!b->p->files)
		return err_set(
			b->e, ERR_INVALID,
			"not a patch: it has neither \"*** Begin Patch\" nor \"---\" and \"+++\" "
			"lines followed by \"@@\"");
	return true;
}
