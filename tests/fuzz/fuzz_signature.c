#include <string.h>

#include "code/signature_parse.h"
#include "code/signature_text.h"
#include "fuzz.h"

/*
 * Any text is a list in brackets, in any language. The input: a filetype; %%, the text, whose first
 * bracket opens a list; %%, a new list of parameters, as a person writes it.
 */
static void check_list(const struct language *lang, struct str text, size_t open,
		       enum comma_list_reading how)
{
	struct comma_list_piece piece[64];
	struct buf out = BUF_INIT;
	struct err e = ERR_INIT;
	struct comma_list l;
	size_t at = open;

	if (!comma_list_read(lang, text, open, how, &l, &e)) {
		must_say(&e);
		return;
	}
	for (size_t i = 0; i < l.n; i++) {
		const struct comma_list_item *it = &l.v[i];

		must(at < it->whole.at && it->whole.at <= it->code.at);
		must(it->code.at < it->code.end && it->code.end <= it->whole.end);
		must(it->whole.end <= it->comma && it->comma <= l.inner.end);
		at = it->whole.end - 1;
		if (i < 64)
			piece[i] = (struct comma_list_piece){ i, str_sub(text, it->whole.at,
									 it->whole.end) };
	}
	if (l.n && l.n <= 64) { /* put together again it is the same, byte by byte */
		comma_list_write(&l, piece, l.n, &out);
		must(str_eq(buf_str(&out), str_sub(text, l.inner.at, l.inner.end)));
	}
	buf_release(&out);
	comma_list_release(&l);
}

static void ignore(void *arg, const struct site *s, const char *why)
{
	(void)arg;
	(void)s;
	must(*why);
}

static void drop(void *arg, const struct site *s, struct str argument)
{
	(void)arg;
	(void)s;
	must(argument.n);
}

/* Every word is a place where the function is named. */
static size_t all_words(const struct language *lang, struct str text, struct site *v, size_t most)
{
	struct lexer l = lex_from(lang, text, 0);
	size_t n = 0;

	for (struct token t; n < most && (t = lex_next(&l)).kind != TOKEN_END;)
		if (t.kind == TOKEN_WORD)
			v[n++].name = t.span;
	return n;
}

static void check_rewrite(const struct signature *s, const struct language *lang, struct str text)
{
	struct site v[32] = { 0 };
	struct nested_edits nest = { .text = text };
	struct edits set = EDITS_INIT;
	struct edit_clash clash;
	struct signature_change c = { .s = s,
				      .old_name = STR("f"),
				      .new_name = STR("g"),
				      .refused = ignore,
				      .dropped = drop };
	size_t n = all_words(lang, text, v, 32);

	sites_read(lang, text, v, n);
	for (size_t i = 0; i < n; i++)
		if (v[i].kind == SITE_CALL || v[i].kind == SITE_DECLARATION)
			must(v[i].open < v[i].end && v[i].end <= text.n);
	signature_rewrite(&c, v, n, &nest);
	nested_edits(&nest, &set);
	must(edits_check(&set, text.n, &clash));
	edits_release(&set);
	nested_release(&nest);
}

static void check_signature(const struct language *lang, struct str text, size_t open,
			    struct str list)
{
	struct str name, missing;
	struct err e = ERR_INIT;
	struct parameters old;
	struct signature s;

	if (!params_read(lang, text, open, &old, &e)) {
		must_say(&e);
		return;
	}
	signature_init(&s, &old);
	if (signature_parse(&s, list, &name, &missing, &e) && signature_check(&s, &e))
		check_rewrite(&s, lang, text);
	else
		must_say(&e);
	signature_release(&s);
	params_release(&old);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str rest = fuzz_input(data, size), head = fuzz_section(&rest);
	struct str text = fuzz_section(&rest), list = fuzz_section(&rest);
	const char *open = text.n ? memchr(text.p, '(', text.n) : NULL;
	struct buf filetype = BUF_INIT;
	const struct language *lang;

	buf_addf(&filetype, "%.*s", STR_ARG(str_trim(head)));
	lang = language_of(filetype.p);
	buf_release(&filetype);
	if (!open)
		return 0;
	for (int how = COMMA_LIST_PARAMETERS; how <= COMMA_LIST_SIGNS; how++)
		check_list(lang, text, (size_t)(open - text.p), (enum comma_list_reading)how);
	check_signature(lang, text, (size_t)(open - text.p), list);
	return 0;
}
