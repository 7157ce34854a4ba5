#include "fuzz.h"
#include "text/diff.h"
#include "text/patch.h"

/*
 * The difference of two texts leads from one to the other, as edits and as a patch that is printed
 * and read again. The input: old text, %%, new text, %%, old name, %%, new name; a name that is
 * empty is none, and then its text is empty too.
 */
static void check_edits(struct str a, struct str b)
{
	struct edits set = EDITS_INIT, back = EDITS_INIT;
	struct buf got = BUF_INIT;

	diff_edits(&set, a, b);
	edits_apply(&set, a, &got);
	must_be(buf_str(&got), b);
	edits_invert(&set, a, &back);
	buf_clear(&got);
	edits_apply(&back, b, &got);
	must_be(buf_str(&got), a);
	edits_release(&set);
	edits_release(&back);
	buf_release(&got);
}

/* What stands between the hunks is the same in both. */
static void check_hunks(struct str a, struct str b)
{
	size_t old_at = 0, new_at = 0;
	struct diff d;

	diff_lines(&d, a, b);
	for (size_t i = 0; i < d.n; i++) {
		const struct diff_hunk *h = &d.v[i];

		must(h->old_n || h->new_n);
		must(!i || h->old_bytes.at > old_at);
		must_be(str_sub(a, old_at, h->old_bytes.at), str_sub(b, new_at, h->new_bytes.at));
		old_at = h->old_bytes.end;
		new_at = h->new_bytes.end;
	}
	must_be(str_sub(a, old_at, a.n), str_sub(b, new_at, b.n));
	diff_release(&d);
}

static void check_located(const struct patch *p, struct str a, struct str b)
{
	struct patch_failure why;
	struct edits set = EDITS_INIT;
	struct edit_clash clash;
	struct buf got = BUF_INIT;
	struct err e = ERR_INIT;
	enum match how;

	if (p->file[0].kind == PATCH_CREATE) {
		patch_side(&p->file[0], '-', &got);
	} else {
		if (!patch_locate(p, &p->file[0], a, &set, &how, &why, &e))
			fuzz_fail(__FILE__, __LINE__, e.msg);
		must(how == MATCH_EXACT);
		must(edits_check(&set, a.n, &clash));
		edits_apply(&set, a, &got);
	}
	must_be(buf_str(&got), b);
	edits_release(&set);
	buf_release(&got);
}

static void check_file(const struct patch_file *f, const char *old_name, const char *new_name)
{
	must(f->kind == (!old_name ? PATCH_CREATE : !new_name ? PATCH_DELETE : PATCH_MODIFY));
	must_be(f->path, str_of(old_name ? old_name : new_name));
	if (old_name && new_name && strcmp(old_name, new_name) != 0)
		must_be(f->new_path, str_of(new_name));
	else
		must(!f->new_path.n);
}

static void check_printed(struct str a, struct str b, const char *old_name, const char *new_name)
{
	struct buf text = BUF_INIT;
	struct diff_counts counts = diff_unified(&text, old_name, new_name, a, b, DIFF_CONTEXT);
	struct err e = ERR_INIT;
	struct patch p;

	if (!text.n) {
		must_be(a, b);
		buf_release(&text);
		return;
	}
	if (!patch_parse(&p, buf_str(&text), &e))
		fuzz_fail(__FILE__, __LINE__, e.msg);
	must(p.form == PATCH_UNIFIED && p.files == 1);
	must(p.file[0].hunks == counts.hunks);
	check_file(&p.file[0], old_name, new_name);
	check_located(&p, a, b);
	patch_release(&p);
	buf_release(&text);
}

/* A path below the root; NULL: none. */
static char *name_of(struct str s, struct buf *out)
{
	while (str_skip(&s, STR("/")))
		;
	s = str_sub(s, 0, s.n - str_ends(s, STR("\n")));
	for (size_t i = 0; i < s.n && s.p[i]; i++)
		buf_addc(out, s.p[i]);
	return out->n ? out->p : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str rest = fuzz_input(data, size), a = fuzz_section(&rest), b = fuzz_section(&rest);
	struct buf first = BUF_INIT, second = BUF_INIT;
	const char *old_name = name_of(fuzz_section(&rest), &first);
	const char *new_name = name_of(fuzz_section(&rest), &second);

	check_edits(a, b);
	check_hunks(a, b);
	if (!old_name && !new_name)
		old_name = new_name = "f";
	check_printed(old_name ? a : STR(""), new_name ? b : STR(""), old_name, new_name);
	buf_release(&first);
	buf_release(&second);
	return 0;
}
