#include "command_reads.h"

#include "../base/buf.h"
#include "../base/mem.h"

#define WORDS_MOST 64

/* A program that reads, and what options make it do more: an option is one if it begins so. */
static const struct reader_program {
	const char *name;
	const char *more[8];
} readers[] = {
	{ "cat", { NULL } },
	{ "cmp", { NULL } },
	{ "comm", { NULL } },
	{ "cut", { NULL } },
	{ "diff", { "--to-", "--output", NULL } },
	{ "dirname", { NULL } },
	{ "basename", { NULL } },
	{ "echo", { NULL } },
	{ "egrep", { NULL } },
	{ "fgrep", { NULL } },
	{ "find", { "-exec", "-ok", "-delete", "-fprint", "-fls", NULL } },
	{ "grep", { NULL } },
	{ "head", { NULL } },
	{ "ls", { NULL } },
	{ "nl", { NULL } },
	{ "pwd", { NULL } },
	{ "realpath", { NULL } },
	{ "rg", { "--pre", "--hostname-bin", "--search-zip", "-z", NULL } },
	{ "stat", { NULL } },
	{ "tail", { NULL } },
	{ "tr", { NULL } },
	{ "true", { NULL } },
	{ "wc", { NULL } },
};

struct words {
	struct buf v[WORDS_MOST];
	bool quoted[WORDS_MOST]; /* some of it is */
	bool globs[WORDS_MOST];	 /* the shell may put names of files in its place */
	size_t n;
};

static void words_release(struct words *w)
{
	for (size_t i = 0; i < w->n; i++)
		buf_release(&w->v[i]);
	w->n = 0;
}

static bool reads_is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (unsigned char)c >= 0x80 || str_any("_./,:=+@%^-*?", c);
}

/* One word, up to what ends it. */
static bool reads_take_word(struct str *rest, struct words *w)
{
	struct buf *word = &w->v[w->n];
	bool ok = w->n < WORDS_MOST - 1;

	w->globs[w->n] = w->quoted[w->n] = false;
	w->n++;
	while (ok && rest->n && (reads_is_plain(*rest->p) || str_any("'\"", *rest->p))) {
		char c = *rest->p, quote = c == '\'' || c == '"' ? c : 0;

		*rest = str_sub(*rest, 1, rest->n);
		if (!quote)
			buf_addc(word, c);
		w->globs[w->n - 1] = w->globs[w->n - 1] || str_any("*?", c);
		w->quoted[w->n - 1] = w->quoted[w->n - 1] || quote;
		while (quote && rest->n && *rest->p != quote) {
			if (str_any("\n\\", *rest->p) || (quote == '"' && str_any("$`", *rest->p)))
				return false;
			buf_addc(word, *rest->p);
			*rest = str_sub(*rest, 1, rest->n);
		}
		if (quote && !rest->n)
			return false;
		if (quote)
			*rest = str_sub(*rest, 1, rest->n);
	}
	return ok;
}

/* A file may be called --pre=./run: what begins with no other sign could become an option. */
static bool may_become_options(const struct words *w)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->globs[i] && str_any("-*?", *w->v[i].p))
			return true;
	return false;
}

static bool has_option(const struct words *w, const char *const *more)
{
	for (size_t i = 1; i < w->n; i++)
		for (size_t k = 0; more[k]; k++)
			if (str_starts(buf_str(&w->v[i]), str_of(more[k])))
				return true;
	return false;
}

/* "12p", "1,80p", "5,$p" */
static bool prints_lines(struct str s)
{
	size_t i = 0;

	while (i < s.n && s.p[i] >= '0' && s.p[i] <= '9')
		i++;
	if (i && i < s.n && s.p[i] == ',')
		for (i++; i < s.n && (str_any("$", s.p[i]) || (s.p[i] >= '0' && s.p[i] <= '9'));)
			i++;
	return i && i + 1 == s.n && s.p[i] == 'p';
}

static bool reads_is_word(const struct words *w, size_t i, const char *text)
{
	return i < w->n && str_eq(buf_str(&w->v[i]), str_of(text));
}

static bool git_reads(const struct words *w)
{
	/* git takes the beginning of an option for it */
	static const char *const more[] = { "--out", "--ext", "--textc", "-o", NULL };

	return (reads_is_word(w, 1, "status") || reads_is_word(w, 1, "diff") ||
		reads_is_word(w, 1, "log") || reads_is_word(w, 1, "show")) &&
	       !has_option(w, more);
}

/* sed -n LINES, and no other option: they may be joined in a word. */
static bool sed_reads(const struct words *w)
{
	bool ok = reads_is_word(w, 1, "-n") && w->n > 2 && prints_lines(buf_str(&w->v[2]));

	for (size_t i = 3; i < w->n; i++)
		ok = ok && !str_starts(buf_str(&w->v[i]), STR("-"));
	return ok;
}

static bool program_reads(const struct words *w)
{
	if (reads_is_word(w, 0, "sed"))
		return sed_reads(w);
	if (reads_is_word(w, 0, "git"))
		return git_reads(w);
	for (size_t i = 0; i < sizeof(readers) / sizeof(*readers); i++)
		if (reads_is_word(w, 0, readers[i].name))
			return !has_option(w, readers[i].more);
	return false;
}

/* An option that has a path in it could lead anywhere. */
static bool names_paths(const struct words *w, void (*fn)(void *arg, struct str path), void *arg)
{
	for (size_t i = 1; i < w->n; i++) {
		struct str word = buf_str(&w->v[i]);

		if (!str_starts(word, STR("-")) && fn)
			fn(arg, word);
		else if (str_starts(word, STR("-")) && memchr(word.p, '/', word.n))
			return false;
	}
	return true;
}

/* One program with its words; *rest begins with what joins it to the next. */
static bool take_program(struct str *rest, void (*fn)(void *arg, struct str path), void *arg)
{
	struct words w SCOPED(words_release) = { .n = 0 };
	bool ok = true;

	for (;;) {
		while (rest->n && str_any(" \t", *rest->p))
			*rest = str_sub(*rest, 1, rest->n);
		if (!ok || !rest->n || !(reads_is_plain(*rest->p) || str_any("'\"", *rest->p)))
			break;
		ok = reads_take_word(rest, &w);
	}
	return ok && w.n && !w.quoted[0] && !may_become_options(&w) && program_reads(&w) &&
	       names_paths(&w, fn, arg);
}

static bool reads_all(struct str rest, void (*fn)(void *arg, struct str path), void *arg)
{
	for (;;) {
		if (!take_program(&rest, fn, arg))
			return false;
		if (!rest.n)
			return true;
		if (!str_skip(&rest, STR("&&")) && !str_skip(&rest, STR("||")) &&
		    !str_skip(&rest, STR("|")) && !str_skip(&rest, STR(";")))
			return false;
	}
}

bool command_reads(struct str command, void (*fn)(void *arg, struct str path), void *arg)
{
	command = str_trim(command);
	return reads_all(command, NULL, NULL) && reads_all(command, fn, arg);
}
