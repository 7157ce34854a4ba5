#include <stdio.h>
#include <string.h>

#include "patch_build.h"

/* What is between C's quotes, as git and GNU diff write names. */
static bool unquote(struct patch_build *b, struct str *s, struct str *name)
{
	static const char from[] = "abtnvfr\"\\", to[] = "\a\b\t\n\v\f\r\"\\";
	struct buf out SCOPED(buf_release) = BUF_INIT;
	size_t i;

	for (i = 1; i < s->n && s->p[i] != '"'; i++) {
		const char *hit;

		if (s->p[i] != '\\' || i + 1 == s->n) {
			buf_addc(&out, s->p[i]);
			continue;
		}
		i++;
		hit = s->p[i] ? strchr(from, s->p[i]) : NULL;
		if (hit) {
			buf_addc(&out, to[hit - from]);
		} else if (s->n - i >= 3 && s->p[i] >= '0' && s->p[i] <= '3') {
			buf_addc(&out, (char)((s->p[i] - '0') * 64 + (s->p[i + 1] & 7) * 8 +
					      (s->p[i + 2] & 7)));
			i += 2;
		}
	}
	*name = arena_str(&b->p->names, buf_str(&out));
	if (i >= s->n)
		return patch_bad(b, ERR_INVALID, "unterminated quoted name");
	*s = str_sub(*s, i + 1, s->n);
	return true;
}

static bool patch_git_digits(struct str s, const char *form)
{
	if (s.n < strlen(form))
		return false;
	for (size_t i = 0; form[i]; i++)
		if (form[i] == '0' ? (s.p[i] < '0' || s.p[i] > '9') : s.p[i] != form[i])
			return false;
	return true;
}

/* "1970-01-01 01:00:00.000000000 +0100": the time that stands for a file that is not there. */
static bool is_epoch(struct str t)
{
	int hour, minute, zone_hour, zone_minute, day, at;
	char sign;

	t = str_trim(t);
	if (!patch_git_digits(t, "0000-00-00 00:00:00"))
		return false;
	day = str_starts(t, STR("1970-01-01")) ? 0 : str_starts(t, STR("1969-12-31")) ? -24 : 99;
	if (day == 99 || t.p[17] != '0' || t.p[18] != '0')
		return false;
	hour = (t.p[11] - '0') * 10 + t.p[12] - '0';
	minute = (t.p[14] - '0') * 10 + t.p[15] - '0';
	for (at = 19; (size_t)at < t.n && (t.p[at] == '.' || t.p[at] == '0');)
		at++;
	t = str_trim(str_sub(t, (size_t)at, t.n));
	if (!patch_git_digits(t, "+0000") && !patch_git_digits(t, "-0000") &&
	    !patch_git_digits(t, "+00:00") && !patch_git_digits(t, "-00:00"))
		return false;
	sign = t.p[0];
	zone_hour = (t.p[1] - '0') * 10 + t.p[2] - '0';
	at = t.p[3] == ':' ? 4 : 3;
	zone_minute = (t.p[at] - '0') * 10 + t.p[at + 1] - '0';
	if (sign == '-') {
		zone_hour = -zone_hour;
		zone_minute = -zone_minute;
	}
	return (day + hour - zone_hour) * 60 + minute - zone_minute == 0;
}

/* Where the name ends and a time begins: at a tab, or at blanks before something like a date. */
static size_t name_end(struct str s)
{
	const char *tab = s.n ? memchr(s.p, '\t', s.n) : NULL;

	if (tab)
		return (size_t)(tab - s.p);
	for (size_t i = 1; i < s.n; i++)
		if (s.p[i - 1] == ' ' &&
		    patch_git_digits(str_sub(s, i, s.n), "0000-00-00 00:00:00"))
			return match_trim_end(str_sub(s, 0, i)).n;
	return s.n;
}

bool patch_read_name(struct patch_build *b, struct str s, struct patch_name *to)
{
	*to = (struct patch_name){ .there = true };
	if (s.n && s.p[0] == '"') {
		if (!unquote(b, &s, &to->name))
			return false;
		to->epoch = is_epoch(s);
		return patch_path(b, to->name);
	}
	to->name = str_sub(s, 0, name_end(s));
	to->epoch = is_epoch(str_sub(s, to->name.n, s.n));
	to->name = match_trim_end(to->name);
	if (str_eq(to->name, STR("/dev/null"))) {
		to->none = true;
		to->name = STR("");
		return true;
	}
	return patch_path(b, to->name);
}

static size_t first_part(struct str name)
{
	const char *slash = name.n ? memchr(name.p, '/', name.n) : NULL;

	return slash && slash != name.p ? (size_t)(slash - name.p) : 0;
}

static struct str behind_part(struct str name)
{
	size_t n = first_part(name);

	while (n < name.n && name.p[n] == '/')
		n++;
	return str_sub(name, n, name.n);
}

static bool has_letter(struct str name, const char *letters)
{
	return name.n > 2 && name.p[1] == '/' && strchr(letters, name.p[0]);
}

/* Two names as `diff` puts them: the same path in two directories, or below git's letters. */
static bool are_prefixed(struct str a, struct str b)
{
	size_t na = first_part(a), nb = first_part(b);
	struct str rest_a = behind_part(a), rest_b = behind_part(b);

	if (!na || !nb || str_eq(str_sub(a, 0, na), str_sub(b, 0, nb)))
		return false;
	if (has_letter(a, "abciow") && has_letter(b, "abciow"))
		return true;
	return str_starts(rest_a, rest_b) || str_starts(rest_b, rest_a);
}

void patch_strip(struct patch_name *old_name, struct patch_name *new_name)
{
	if (old_name->none   ? has_letter(new_name->name, "ab")
	    : new_name->none ? has_letter(old_name->name, "ab")
			     : are_prefixed(old_name->name, new_name->name)) {
		old_name->name = behind_part(old_name->name);
		new_name->name = behind_part(new_name->name);
	}
}

/* What is known of a file behind "diff --git". */
struct git {
	struct patch_build *b;
	struct patch_name
		line[2]; /* of "diff --git" itself, without prefix, where it can be told */
	bool prefixed;	 /* they had one */
	struct patch_name mark[2]; /* of --- and +++ */
	struct str moved[2];	   /* rename or copy, from and to */
	bool copy, created, deleted, index;
	struct str old_id;
	bool binary;
	unsigned mode[2];
	size_t at;
};

/* Unquoted names may hold blanks: they part where both sides are the same path. */
static void split_names(struct git *g, struct str s)
{
	for (size_t i = 1; i + 1 < s.n; i++) {
		struct str a = str_sub(s, 0, i), b = str_sub(s, i + 1, s.n);
		bool both = are_prefixed(a, b);

		if (s.p[i] != ' ' ||
		    !(both ? str_eq(behind_part(a), behind_part(b)) : str_eq(a, b)))
			continue;
		g->prefixed = both;
		g->line[0].name = both ? behind_part(a) : a;
		g->line[1].name = both ? behind_part(b) : b;
		g->line[0].there = g->line[1].there = true;
		return;
	}
	/* Of a rename; then the names come again below. */
	g->prefixed = has_letter(s, "abciow");
}

static bool read_names(struct git *g, struct str s)
{
	struct patch_name a = { 0 }, b = { 0 };
	const char *quote;

	if (!s.n || !memchr(s.p, '"', s.n)) {
		split_names(g, match_trim_end(s));
		return true;
	}
	if (s.p[0] == '"') {
		if (!unquote(g->b, &s, &a.name))
			return false;
		s = str_trim(s);
	} else {
		quote = memchr(s.p, '"', s.n);
		a.name = match_trim_end(str_sub(s, 0, (size_t)(quote - s.p)));
		s = str_sub(s, (size_t)(quote - s.p), s.n);
	}
	if (s.n && s.p[0] == '"') {
		if (!unquote(g->b, &s, &b.name))
			return false;
	} else {
		b.name = s;
	}
	g->prefixed = are_prefixed(a.name, b.name);
	patch_strip(&a, &b);
	if (!str_eq(a.name, b.name))
		return true;
	a.there = b.there = true;
	g->line[0] = a;
	g->line[1] = b;
	return true;
}

static bool read_mode(struct git *g, struct str s, int side)
{
	unsigned mode = 0;

	s = str_trim(s);
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '7' || s.n > 7)
			return patch_bad(g->b, ERR_INVALID, "`%.*s` is not a file mode",
					 STR_ARG(s));
		mode = mode * 8 + (unsigned)(s.p[i] - '0');
	}
	if ((mode & 0170000) == 0160000)
		return patch_bad(g->b, ERR_UNSUPPORTED,
				 "the patch changes a submodule, which is "
				 "not supported");
	if ((mode & 0170000) == 0120000)
		g->mode[side] = 0120000;
	else
		g->mode[side] = mode & 0100 ? 0100755 : 0100644;
	return true;
}

static bool read_index(struct git *g, struct str s)
{
	ptrdiff_t blank = str_find(s, STR(" "));

	g->index = true;
	g->old_id = str_sub(s, 0, s.n < 40 ? s.n : 40);
	if (blank < 0)
		return true;
	s = str_sub(s, (size_t)blank + 1, s.n);
	return (g->mode[0] || read_mode(g, s, 0)) && (g->mode[1] || read_mode(g, s, 1));
}

static bool read_moved(struct git *g, struct str s, int side)
{
	struct patch_name name;

	if (!patch_read_name(g->b, s, &name))
		return false;
	g->moved[side] = name.name;
	return true;
}

/* Of binary files only a deletion is taken, and that by git's full name for what is deleted. */
static bool read_binary(struct git *g, struct str s)
{
	struct str to = patch_peek(g->b, 0);

	g->binary = g->deleted && str_eq(s, STR("GIT binary patch")) &&
		    str_eq(to, STR("literal 0")) && g->old_id.n == 40 &&
		    !memchr(g->old_id.p, '.', 40);
	return g->binary || patch_bad(g->b, ERR_UNSUPPORTED,
				      "binary patches are not supported; write the file itself");
}

/* One line of the header; *more: whether it was one. */
static bool header_line(struct git *g, struct str s, bool *more)
{
	*more = true;
	if (str_skip(&s, STR("old mode ")))
		return read_mode(g, s, 0);
	if (str_skip(&s, STR("new mode ")))
		return read_mode(g, s, 1);
	if (str_skip(&s, STR("deleted file mode ")))
		return g->deleted = true, read_mode(g, s, 0);
	if (str_skip(&s, STR("new file mode ")))
		return g->created = true, read_mode(g, s, 1);
	if (str_skip(&s, STR("copy from ")))
		return g->copy = true, read_moved(g, s, 0);
	if (str_skip(&s, STR("copy to ")))
		return g->copy = true, read_moved(g, s, 1);
	if (str_skip(&s, STR("rename from ")) || str_skip(&s, STR("rename old ")))
		return read_moved(g, s, 0);
	if (str_skip(&s, STR("rename to ")) || str_skip(&s, STR("rename new ")))
		return read_moved(g, s, 1);
	if (str_skip(&s, STR("index ")))
		return read_index(g, s);
	if (str_skip(&s, STR("--- ")))
		return patch_read_name(g->b, s, &g->mark[0]);
	if (str_skip(&s, STR("+++ ")))
		return patch_read_name(g->b, s, &g->mark[1]);
	if (str_starts(s, STR("GIT binary patch")) ||
	    ((str_starts(s, STR("Binary files ")) || str_starts(s, STR("Files "))) &&
	     str_ends(s, STR(" differ"))))
		return *more = false, read_binary(g, s);
	*more = str_starts(s, STR("similarity index ")) ||
		str_starts(s, STR("dissimilarity index "));
	return true;
}

static bool inconsistent(struct git *g, struct str a, struct str b)
{
	return patch_bad(g->b, ERR_INVALID, "the header names two different files, %.*s and %.*s",
			 STR_ARG(a), STR_ARG(b));
}

/* The name of one side from all places that tell it; they have to agree. */
static bool patch_git_settle(struct git *g, int side, struct str *name)
{
	struct patch_name *mark = &g->mark[side];
	struct str found = g->moved[side].n ? g->moved[side] : g->line[side].name;

	if (!mark->there || mark->none) {
		*name = found;
		return true;
	}
	if (g->prefixed)
		mark->name = behind_part(mark->name);
	if (found.n && !str_eq(found, mark->name))
		return inconsistent(g, found, mark->name);
	*name = mark->name;
	return true;
}

static bool check_header(struct git *g, struct str old_name, struct str new_name)
{
	bool moved = g->moved[0].n || g->moved[1].n;

	if (g->created + g->deleted + moved > 1)
		return patch_bad(g->b, ERR_INVALID,
				 "the header combines two of: new, deleted, "
				 "renamed");
	if (moved && (!g->moved[0].n || !g->moved[1].n))
		return patch_bad(g->b, ERR_INVALID,
				 "the header has only one of the two names of "
				 "the %s",
				 g->copy ? "copy" : "rename");
	if (g->mark[0].there != g->mark[1].there)
		return patch_bad(g->b, ERR_INVALID, "the header has no %s line",
				 g->mark[0].there ? "+++" : "---");
	if ((g->created && g->mark[0].there && !g->mark[0].none) ||
	    (g->deleted && g->mark[1].there && !g->mark[1].none))
		return patch_bad(g->b, ERR_INVALID, "the header must name /dev/null for a %s file",
				 g->created ? "new" : "deleted");
	if ((!old_name.n && !g->created) || (!new_name.n && !g->deleted))
		return patch_bad(g->b, ERR_INVALID, "the header does not name the file");
	if (!moved && !g->created && !g->deleted && !str_eq(old_name, new_name))
		return inconsistent(g, old_name, new_name);
	return true;
}

static bool add_git_file(struct git *g)
{
	struct patch_file *f;
	struct str name[2];

	if (g->mark[0].none)
		g->created = true;
	if (g->mark[1].none)
		g->deleted = true;
	if (!patch_git_settle(g, 0, &name[0]) || !patch_git_settle(g, 1, &name[1]) ||
	    !check_header(g, name[0], name[1]))
		return false;
	f = patch_add_file(g->b,
			   g->created	? PATCH_CREATE
			   : g->deleted ? PATCH_DELETE
					: PATCH_MODIFY,
			   g->created ? name[1] : name[0]);
	f->at = g->at;
	f->old_mode = g->created ? 0 : g->mode[0];
	f->mode = g->deleted ? 0 : g->mode[1];
	f->copy = g->copy;
	if (g->binary)
		f->old_id = g->old_id;
	if (g->moved[1].n)
		f->new_path = name[1];
	return patch_path(g->b, f->path);
}

bool patch_read_git(struct patch_build *b)
{
	struct git g = { .b = b, .at = b->number };
	bool more = true, said = false;

	if (!read_names(&g, str_sub(b->line, strlen("diff --git "), b->line.n)))
		return false;
	while (patch_more(b)) {
		struct patch_build here = *b;

		patch_next(b);
		if (!header_line(&g, b->line, &more))
			return false;
		if (!more) {
			*b = here;
			break;
		}
		said = true;
	}
	if (!said)
		return true;
	if (!add_git_file(&g))
		return false;
	more = str_starts(patch_peek(b, 0), STR("@@ -"));
	if (more || g.created || g.deleted || g.moved[1].n || (g.mode[0] != g.mode[1] && !g.index))
		return true;
	if (g.mode[0] && g.mode[1] && g.mode[0] != g.mode[1])
		return true;
	return patch_bad(b, ERR_INVALID, "the patch does not say what changes in %.*s",
			 STR_ARG(b->p->file[b->p->files - 1].path));
}
