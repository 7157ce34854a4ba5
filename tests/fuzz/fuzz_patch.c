#include "fuzz.h"
#include "text/patch.h"

/* Any patch, and its files located in a text. The input: the patch, %%, the text. */

static void check_counts(const struct patch_hunk *h)
{
	size_t old_lines = 0, new_lines = 0;

	for (size_t i = 0; i < h->lines; i++) {
		old_lines += h->line[i].mark != '+';
		new_lines += h->line[i].mark != '-';
	}
	must(old_lines == h->old_count && new_lines == h->new_count);
}

static void check_file(const struct patch *p, const struct patch_file *f)
{
	must(f->path.n && !memchr(f->path.p, '\0', f->path.n));
	must(f->at > 0);
	for (size_t i = 0; i < f->hunks; i++) {
		const struct patch_hunk *h = &f->hunk[i];

		must(h->at >= f->at);
		for (size_t k = 0; k < h->lines; k++) {
			must(h->line[k].mark == ' ' || h->line[k].mark == '-' ||
			     h->line[k].mark == '+');
			must(!h->line[k].n || !memchr(h->line[k].p, '\n', h->line[k].n));
		}
		if (p->form == PATCH_UNIFIED)
			check_counts(h);
	}
}

static size_t count_lines(struct str text)
{
	struct str line;
	size_t n = 0;

	str_skip(&text, STR("\xef\xbb\xbf"));
	while (str_line(&text, &line))
		n++;
	return n;
}

/* An empty line without an end is none. */
static bool is_line(const struct patch_line *l)
{
	return l->n || l->cr || !l->no_newline;
}

/* As many lines come and go as the patch marks. */
static void check_lines(const struct patch_file *f, struct str was, struct str now)
{
	size_t old_lines = count_lines(was), new_lines = count_lines(now);

	for (size_t i = 0; i < f->hunks; i++)
		for (size_t k = 0; k < f->hunk[i].lines; k++) {
			const struct patch_line *l = &f->hunk[i].line[k];

			old_lines += l->mark == '+' && is_line(l);
			new_lines += l->mark == '-' && is_line(l);
		}
	must(old_lines == new_lines);
}

static struct str plain(struct str s)
{
	str_skip(&s, STR("\xef\xbb\xbf"));
	while (str_ends(s, STR("\r")))
		s.n--;
	return s;
}

static bool stands_at(const struct lookup *l, size_t at, const struct patch_hunk *h, size_t lines)
{
	for (size_t k = 0; k < lines; k++) {
		if (h->line[k].mark == '-' || !is_line(&h->line[k]))
			continue;
		if (at == l->n || !match_line(plain(lookup_line(l, at++)),
					      plain(patch_text(&h->line[k])), MATCH_PUNCTUATION))
			return false;
	}
	return true;
}

/* Each hunk's new side stands in the result. Empty context lines at its end may be there for looks,
 * in V4A. */
static void check_new_sides(const struct patch_file *f, struct str now)
{
	struct lookup l;

	lookup_init(&l, now, LINES_VIM);
	for (size_t i = 0; i < f->hunks; i++) {
		const struct patch_hunk *h = &f->hunk[i];
		size_t lines = h->lines, at = 0;

		while (lines && h->line[lines - 1].mark == ' ' && !h->line[lines - 1].n)
			lines--;
		while (at < l.n && !stands_at(&l, at, h, lines))
			at++;
		must(stands_at(&l, at, h, lines));
	}
	lookup_release(&l);
}

/* In V4A lines may end at one, and then two of them become one where it comes to stand before an
 * LF.
 */
static bool has_lone_cr(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] == '\r' && (i + 1 == s.n || s.p[i + 1] != '\n'))
			return true;
	return false;
}

static void check_result(const struct patch *p, const struct patch_file *f, struct edits *set,
			 struct str was)
{
	struct buf now = BUF_INIT, again = BUF_INIT;
	struct edits back = EDITS_INIT;
	struct edit_clash clash;

	must(edits_check(set, was.n, &clash));
	edits_apply(set, was, &now);
	edits_invert(set, was, &back);
	edits_apply(&back, buf_str(&now), &again);
	must_be(buf_str(&again), was);
	if (!f->old_id.n && !(p->form == PATCH_V4A && has_lone_cr(was))) {
		check_lines(f, was, buf_str(&now));
		check_new_sides(f, buf_str(&now));
	}
	edits_release(&back);
	buf_release(&now);
	buf_release(&again);
}

static void locate(const struct patch *p, const struct patch_file *f, struct str text)
{
	struct edits set = EDITS_INIT;
	struct patch_failure why;
	struct err e = ERR_INIT;
	enum match how;

	if (patch_locate(p, f, text, &set, &how, &why, &e)) {
		must(how >= MATCH_EXACT && how <= MATCH_RELOCATED);
		check_result(p, f, &set, text);
	} else {
		must_say(&e);
		must(!set.n && why.near.n <= FIND_CANDIDATES);
		for (size_t i = 0; i < why.near.n; i++)
			must(why.near.v[i].line > 0);
	}
	candidates_release(&why.near);
	edits_release(&set);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str rest = fuzz_input(data, size), text = fuzz_section(&rest);
	struct err e = ERR_INIT;
	struct patch p;

	if (!patch_parse(&p, text, &e)) {
		must_say(&e);
		return 0;
	}
	must(p.files > 0);
	for (size_t i = 0; i < p.files; i++) {
		struct buf made = BUF_INIT;

		check_file(&p, &p.file[i]);
		patch_side(&p.file[i], '-', &made);
		if (p.file[i].kind != PATCH_CREATE)
			locate(&p, &p.file[i], rest);
		buf_release(&made);
	}
	patch_release(&p);
	return 0;
}
