#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "case_file.h"
#include "code/signature_parse.h"
#include "code/signature_text.h"
#include "text/line.h"

/* Runs tests/cases/signature; the README in tests/cases says how they are written. */
#define SITES_MOST 32

struct rig {
	const struct case_one *c;
	const struct language *lang;
	struct buf text;
	struct site site[SITES_MOST];
	size_t n;
	struct str owner[SITES_MOST];
	struct buf refused, dropped;
};

/* Takes « and » out of the text: what stands between them is a site. */
static void unmark(struct rig *r, struct str rest)
{
	size_t mark = strlen("«");
	ptrdiff_t open, close;

	while ((open = str_find(rest, STR("«"))) >= 0) {
		struct span *name = &r->site[r->n++].name;

		assert_true(r->n < SITES_MOST);
		close = str_find(rest, STR("»"));
		assert_true(close > open);
		buf_add(&r->text, str_sub(rest, 0, (size_t)open));
		name->at = r->text.n;
		buf_add(&r->text, str_sub(rest, (size_t)open + mark, (size_t)close));
		name->end = r->text.n;
		rest = str_sub(rest, (size_t)close + mark, rest.n);
	}
	buf_add(&r->text, rest);
}

static struct str name_of(const struct rig *r, const struct site *s)
{
	return str_sub(buf_str(&r->text), s->name.at, s->name.end);
}

/* The declaration that counts: the first definition, else the first of all. */
static const struct site *declaration(const struct rig *r)
{
	const struct site *first = NULL;

	for (size_t i = 0; i < r->n; i++)
		if (r->site[i].kind == SITE_DECLARATION &&
		    (!first || (r->site[i].body && !first->body)))
			first = &r->site[i];
	return first;
}

/* `1`, `0 new_name`, `+ int flags <- 0`, `+ int flags = 0` */
static void read_item(struct signature *s, struct str line)
{
	struct signature_item *it = signature_item(s);
	ptrdiff_t arrow = str_find(line, STR("<-"));
	ptrdiff_t blank = str_find(line, STR(" "));

	if (!str_skip(&line, STR("+ "))) {
		it->from = (size_t)strtoul(line.p, NULL, 10);
		if (blank > 0)
			it->name = str_trim(str_sub(line, (size_t)blank, line.n));
		return;
	}
	it->given = arrow >= 0;
	it->text = it->given ? str_sub(line, 0, (size_t)arrow - 2) : line;
	if (it->given)
		it->argument = str_sub(line, (size_t)arrow, line.n);
}

static bool read_text(const struct rig *r, struct signature *s, struct str *name, struct err *e)
{
	struct str given, missing;

	if (!case_has(r->c, "text"))
		return true;
	if (!signature_parse(s, case_str(r->c, "text"), &given, &missing, e))
		return false;
	if (given.n)
		*name = given;
	return true;
}

static void say(struct rig *r, struct buf *out, const struct site *s, struct str what)
{
	size_t line = 1 + str_count(str_sub(buf_str(&r->text), 0, s->name.at), '\n');

	buf_addf(out, "%zu: %.*s\n", line, STR_ARG(what));
}

static void refused(void *arg, const struct site *s, const char *why)
{
	struct rig *r = arg;

	say(r, &r->refused, s, str_of(why));
}

static void dropped(void *arg, const struct site *s, struct str argument)
{
	struct rig *r = arg;

	say(r, &r->dropped, s, argument);
}

static void learn(struct rig *r, struct signature *s, struct signature_change *ch)
{
	for (size_t i = 0; i < r->n; i++) {
		struct err e = ERR_INIT;
		struct parameters p;
		struct str owner;

		if (r->site[i].kind != SITE_DECLARATION)
			continue;
		assert_true(params_read(r->lang, buf_str(&r->text), r->site[i].open, &p, &e));
		signature_learn(s, &p, &e);
		params_release(&p);
		owner = signature_owner(r->lang, buf_str(&r->text), &r->site[i]);
		if (owner.n)
			r->owner[ch->n_owners++] = owner;
		ch->declared_apart |= !r->site[i].body;
	}
	ch->owners = r->owner;
}

static void check(struct rig *r, struct nested_edits *nest)
{
	struct edits set = EDITS_INIT;
	struct buf got = BUF_INIT;
	struct edit_clash clash;

	assert_text(buf_str(&r->refused), case_str(r->c, "refused"));
	assert_text(buf_str(&r->dropped), case_str(r->c, "dropped"));
	if (r->refused.n)
		return;
	nested_edits(nest, &set);
	assert_true(edits_check(&set, r->text.n, &clash));
	edits_apply(&set, buf_str(&r->text), &got);
	assert_text(buf_str(&got), case_str(r->c, "after"));
	edits_release(&set);
	buf_release(&got);
}

static void rewrite(struct rig *r, const struct parameters *old, struct str name)
{
	struct str rest = case_str(r->c, "list"), line;
	struct nested_edits nest = { .text = buf_str(&r->text) };
	struct signature_change ch = { .old_name = name, .new_name = name };
	struct err e = ERR_INIT;
	struct signature s;

	signature_init(&s, old);
	while (str_line(&rest, &line))
		read_item(&s, line);
	if (case_has(r->c, "name"))
		ch.new_name = case_str(r->c, "name");
	if (read_text(r, &s, &ch.new_name, &e) && signature_check(&s, &e)) {
		ch.s = &s;
		ch.refused = refused;
		ch.dropped = dropped;
		ch.arg = r;
		learn(r, &s, &ch);
		signature_rewrite(&ch, r->site, r->n, &nest);
		check(r, &nest);
	} else {
		assert_text(str_of(e.msg), case_str(r->c, "error"));
	}
	nested_release(&nest);
	signature_release(&s);
}

static void run_case(void **state)
{
	struct rig r = { .c = *state };
	struct err e = ERR_INIT;
	const struct site *d;
	struct parameters old;

	r.lang = language_of(case_str(r.c, "language").p);
	unmark(&r, case_str(r.c, "before"));
	sites_read(r.lang, buf_str(&r.text), r.site, r.n);
	d = declaration(&r);
	assert_non_null(d);
	if (params_read(r.lang, buf_str(&r.text), d->open, &old, &e)) {
		rewrite(&r, &old, name_of(&r, d));
		params_release(&old);
	} else {
		assert_text(str_of(e.msg), case_str(r.c, "error"));
	}
	buf_release(&r.text);
	buf_release(&r.refused);
	buf_release(&r.dropped);
}

int main(int argc, char **argv)
{
	return case_run(argc, argv, "tests/cases/signature/*.case", run_case);
}
