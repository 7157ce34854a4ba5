#include "patch_build.h"

/*
 * *** Begin Patch
 * *** Update File: PATH          or Add File, Delete File
 * *** Move to: PATH
 * @@ ANCHOR
 *  context
 * -removed
 * +added
 * *** End of File
 * *** End Patch
 */
enum section { NOWHERE, ADD, DELETE, UPDATE };

struct v4a {
	struct patch_build *b;
	enum section in;
	bool open;  /* a hunk is being read */
	bool marks; /* ... and has a line that is not empty */
	bool blank; /* Add: an empty line was seen */
};

/* The word that ends a heredoc which begins here: "<<EOF", "apply_patch <<'EOF'". */
static bool heredoc(struct str line, struct str *word)
{
	ptrdiff_t at = str_find(line, STR("<<"));

	if (at < 0)
		return false;
	*word = str_trim(str_sub(line, (size_t)at + 2, line.n));
	if (word->n > 2 && (word->p[0] == '\'' || word->p[0] == '"') &&
	    word->p[word->n - 1] == word->p[0])
		*word = str_sub(*word, 1, word->n - 1);
	return word->n > 0;
}

static struct str patch_v4a_last_line(struct str *text)
{
	struct str line;
	size_t at;

	while (text->n && str_trim(str_sub(*text, text->n - 1, text->n)).n == 0)
		text->n--;
	for (at = text->n; at && text->p[at - 1] != '\n';)
		at--;
	line = str_sub(*text, at, text->n);
	text->n = at;
	return str_trim(line);
}

/* Takes off what a model left around the patch, then the two markers. */
static bool unwrap(struct patch_build *b)
{
	struct str close = STR(""), end;

	for (;;) {
		struct str line;

		if (!patch_next(b))
			return patch_bad(b, ERR_INVALID, "\"*** Begin Patch\" is missing");
		line = str_trim(b->line);
		if (str_eq(line, STR("*** Begin Patch")))
			break;
		if (!line.n)
			continue;
		if (!close.n && str_starts(line, STR("```")))
			close = STR("```");
		else if (close.n || !heredoc(line, &close))
			return patch_bad(b, ERR_INVALID,
					 "expected \"*** Begin Patch\" first, not `%.*s`",
					 STR_ARG(line));
	}
	end = patch_v4a_last_line(&b->rest);
	if (close.n && str_eq(end, close))
		end = patch_v4a_last_line(&b->rest);
	if (!str_eq(end, STR("*** End Patch")))
		return err_set(
			b->e, ERR_INVALID,
			"the patch does not end with \"*** End Patch\"; it may be truncated");
	return true;
}

static bool end_hunk(struct v4a *v)
{
	if (v->open && !v->marks)
		return patch_bad(v->b, ERR_INVALID, "the hunk before this line is empty");
	v->open = v->marks = false;
	return true;
}

static bool end_section(struct v4a *v)
{
	struct patch *p = v->b->p;

	if (!end_hunk(v))
		return false;
	if (v->in == UPDATE && !p->file[p->files - 1].hunks)
		return patch_bad(v->b, ERR_INVALID,
				 "the update of %.*s before this line has no "
				 "hunks",
				 STR_ARG(p->file[p->files - 1].path));
	return true;
}

static bool start_section(struct v4a *v, enum section in, struct str path)
{
	static const enum patch_kind kinds[] = {
		[ADD] = PATCH_CREATE, [DELETE] = PATCH_DELETE, [UPDATE] = PATCH_MODIFY
	};
	struct patch_file *f;
	struct str to;

	path = str_trim(path);
	if (!end_section(v) || !patch_path(v->b, path))
		return false;
	f = patch_add_file(v->b, kinds[in], path);
	v->in = in;
	v->blank = false;
	if (in == ADD)
		patch_add_hunk(v->b);
	to = str_trim(patch_peek(v->b, 0));
	if (in != UPDATE || !str_skip(&to, STR("*** Move to:")))
		return true;
	patch_next(v->b);
	f->new_path = str_trim(to);
	return patch_path(v->b, f->new_path);
}

/* Whether the line is a section's header; then it is read. */
static bool header(struct v4a *v, struct str line, bool *ok)
{
	if (str_skip(&line, STR("*** Add File:")))
		*ok = start_section(v, ADD, line);
	else if (str_skip(&line, STR("*** Delete File:")))
		*ok = start_section(v, DELETE, line);
	else if (str_skip(&line, STR("*** Update File:")))
		*ok = start_section(v, UPDATE, line);
	else
		return false;
	return true;
}

static void open_hunk(struct v4a *v)
{
	if (!v->open)
		patch_add_hunk(v->b);
	v->open = true;
}

/* "@@", "@@ anchor", "@@ anchor @@"; line numbers as a unified patch has them are not anchor. */
static bool anchor(struct v4a *v, struct str text)
{
	if (text.n && text.p[0] != ' ')
		return patch_bad(v->b, ERR_INVALID,
				 "@@ must be followed by a space and the text "
				 "of a line");
	if (v->marks && !end_hunk(v))
		return false;
	open_hunk(v);
	str_skip(&text, STR(" "));
	if (str_starts(text, STR("-")) && str_find(text, STR(" @@")) >= 0 &&
	    str_find(text, STR(" +")) > 0)
		text = STR("");
	text = match_trim_end(text);
	if (str_ends(text, STR(" @@")))
		text = match_trim_end(str_sub(text, 0, text.n - 3));
	if (!str_trim(text).n)
		return true;
	if (!patch_add_anchor(v->b, text))
		return patch_bad(v->b, ERR_INVALID, "more than %d @@ lines are above one hunk",
				 PATCH_ANCHORS);
	return true;
}

static bool update_line(struct v4a *v)
{
	struct patch_build *b = v->b;
	struct str line = b->line, rest = line;

	if (str_eq(match_trim_end(line), STR("*** End of File"))) {
		if (!v->marks)
			return patch_bad(b, ERR_INVALID, "the hunk that ends here is empty");
		b->p->hunk[b->hunks - 1].at_end = true;
		return end_hunk(v);
	}
	if (str_skip(&rest, STR("@@")))
		return anchor(v, rest);
	if (!line.n && !v->open)
		return true;
	if (line.n && line.p[0] != ' ' && line.p[0] != '+' && line.p[0] != '-')
		return patch_bad(b, ERR_INVALID,
				 "`%.*s`: a line of a hunk must begin with a space, + or -",
				 (int)(line.n < 80 ? line.n : 80), line.p);
	open_hunk(v);
	v->marks |= line.n > 0;
	patch_add_line(b, line.n ? line.p[0] : ' ', str_sub(line, line.n > 0, line.n));
	return true;
}

static bool add_line(struct v4a *v)
{
	struct str line = v->b->line;

	if (str_trim(line).n == 0) {
		v->blank = true;
		return true;
	}
	if (line.p[0] != '+' || v->blank)
		return patch_bad(v->b, ERR_INVALID, "every line of a new file must begin with +%s",
				 v->blank ? ", also the empty line before this one" : "");
	patch_add_line(v->b, '+', str_sub(line, 1, line.n));
	return true;
}

static bool other_line(struct v4a *v)
{
	struct str line = str_trim(v->b->line);

	if (!line.n || (v->in == NOWHERE && str_starts(line, STR("*** Environment ID:"))))
		return true;
	return patch_bad(v->b, ERR_INVALID,
			 "`%.*s` is not a valid header: *** Add File:, *** Update File: or "
			 "*** Delete File: with a path",
			 (int)(line.n < 80 ? line.n : 80), line.p);
}

bool patch_read_v4a(struct patch_build *b)
{
	struct v4a v = { .b = b };
	bool ok = true;

	if (b->bare) {
		patch_add_file(b, PATCH_MODIFY, STR(""));
		v.in = UPDATE;
	} else if (!unwrap(b)) {
		return false;
	}
	while (ok && patch_next(b)) {
		struct str line = b->line;

		/* Inside an update a line that begins with a blank is context, whatever it says. */
		if (header(&v, v.in == UPDATE ? line : str_trim(line), &ok))
			continue;
		ok = v.in == UPDATE ? update_line(&v) : v.in == ADD ? add_line(&v) : other_line(&v);
	}
	if (!ok || !end_section(&v))
		return false;
	if (!b->p->files)
		return err_set(b->e, ERR_INVALID, "the patch does not name a file");
	return true;
}
