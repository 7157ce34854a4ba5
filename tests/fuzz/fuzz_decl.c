#include <string.h>

#include "code/decl_edit.h"
#include "code/outline.h"
#include "fuzz.h"

/*
 * Any text is source code of any language, with any range in it. The input: a line with a filetype,
 * two bytes of the text that part a range, two more that part the body's braces, and the number of
 * an action; %%, the text, %%, the content.
 */
static void check_tokens(const struct language *lang, struct str text)
{
	struct lexer l = lex_from(lang, text, 0);
	size_t at = 0;

	for (struct token t = lex_next(&l); t.kind != TOKEN_END; t = lex_next(&l)) {
		must(t.span.at == at && t.span.end > at && t.span.end <= text.n);
		at = t.span.end;
	}
	must(at == text.n);
}

static void check_parts(const struct decl *d)
{
	must(d->lead <= d->whole.at && d->whole.at <= d->whole.end);
	must(d->lead_comment >= d->lead && d->lead_comment <= d->whole.at);
	must(d->lead_attribute >= d->lead && d->lead_attribute <= d->whole.at);
	must(d->whole.end <= d->end && d->end <= d->text.n && d->head_end <= d->text.n);
	if (d->has_body)
		must(d->whole.at <= d->body.at && d->body.at <= d->body.end &&
		     d->body.end <= d->whole.end);
}

/* Items stand in their parents, and have a name in them. */
static void check_outline(const struct language *lang, struct str text)
{
	struct outline o = { 0 };
	struct err e = ERR_INIT;

	if (!outline_of(lang, text, &o, &e))
		must_say(&e);
	for (size_t i = 0; !e.code && i < o.n; i++) {
		const struct outline_item *it = &o.v[i];
		struct span in = { 0, text.n };

		must(it->parent <= i);
		if (it->parent)
			in = o.v[it->parent - 1].all;
		must(in.at <= it->all.at && it->all.end <= in.end);
		must(it->all.at <= it->name.at && it->name.at < it->name.end);
		must(it->name.end <= it->all.end);
	}
	outline_release(&o);
}

static void check_splice(const struct decl *d, const struct decl_edit *edit)
{
	struct decl_splice s = { 0 };
	struct err e = ERR_INIT;

	if (!decl_splice(d, edit, &s, &e))
		must_say(&e);
	else
		must(s.span.at <= s.span.end && s.span.end <= d->text.n);
	decl_splice_release(&s);
}

static struct span span_of(struct str *numbers, size_t most)
{
	size_t a = fuzz_number(numbers, most), b = fuzz_number(numbers, most);

	return a < b ? (struct span){ a, b } : (struct span){ b, a };
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str rest = fuzz_input(data, size), head = fuzz_section(&rest);
	struct str text = fuzz_section(&rest), content = fuzz_section(&rest);
	const char *blank = head.n ? memchr(head.p, ' ', head.n) : NULL;
	size_t n = blank ? (size_t)(blank - head.p) : head.n;
	struct buf filetype = BUF_INIT;
	struct decl_edit edit = { .content = content, .step = STR("\t") };
	const struct language *lang;
	struct span range, block;
	struct decl d;

	buf_addf(&filetype, "%.*s", (int)n, head.p);
	lang = language_of(filetype.p);
	head = str_sub(head, n + (n < head.n), head.n);
	range = span_of(&head, text.n);
	block = span_of(&head, text.n);
	edit.action = (enum decl_action)fuzz_number(&head, DECL_DELETE);
	edit.any_signature = head.n;
	check_tokens(lang, text);
	check_tokens(lang, content);
	check_outline(lang, text);
	d = decl_at(lang, text, range, block);
	check_parts(&d);
	check_splice(&d, &edit);
	buf_release(&filetype);
	return 0;
}
