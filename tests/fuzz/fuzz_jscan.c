#include "base/jscan.h"
#include "base/json.h"
#include "fuzz.h"

/*
 * JSON read in one pass, against the tree: what the tree takes, the pass reads, and reads as the
 * same. The input: the text.
 */
static void walk(struct jscan *s, struct buf *out, size_t depth);

static void walk_string(struct jscan *s, struct buf *out)
{
	struct buf text = BUF_INIT;

	if (jscan_str(s, &text))
		json_quote(out, buf_str(&text));
	buf_release(&text);
}

static void walk_key(struct jscan *s, struct str key, struct buf *out)
{
	struct jscan quoted = jscan_of((struct str){ key.p - 1, key.n + 2 }, s->e);

	walk_string(&quoted, out);
	s->bad |= quoted.bad;
	buf_addc(out, ':');
}

static void walk_list(struct jscan *s, struct buf *out, size_t depth, bool is_object)
{
	struct str key;
	bool more = false;

	buf_addc(out, is_object ? '{' : '[');
	if (is_object ? jscan_object(s) : jscan_array(s))
		while (is_object ? jscan_member(s, &key) : jscan_item(s)) {
			buf_adds(out, more ? "," : "");
			more = true;
			if (is_object)
				walk_key(s, key, out);
			walk(s, out, depth + 1);
		}
	buf_addc(out, is_object ? '}' : ']');
}

/* Prints as the tree is printed, so a number by way of a tree. */
static void walk_plain(struct jscan *s, struct buf *out)
{
	struct str raw = jscan_raw(s);
	struct err e = ERR_INIT;
	json *v = jscan_ok(s) ? json_parse(raw, &e) : NULL;

	if (v)
		json_print(out, v);
	json_free(v);
}

static void walk(struct jscan *s, struct buf *out, size_t depth)
{
	char next = jscan_peek(s);

	if (depth <= JSON_DEPTH && (next == '{' || next == '['))
		walk_list(s, out, depth, next == '{');
	else if (next == '"')
		walk_string(s, out);
	else if (next == 't')
		buf_adds(out, jscan_bool(s) ? "true" : "false");
	else
		walk_plain(s, out);
}

/* The tree counts all control characters as blanks. */
static bool has_odd_blanks(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] < ' ' && !memchr("\t\n\r", s.p[i], 3))
			return true;
	return str_starts(s, STR("\xef\xbb\xbf"));
}

static void check_raw(struct str text)
{
	struct err e = ERR_INIT;
	struct jscan s = jscan_of(text, &e);
	struct str raw = jscan_raw(&s);

	if (jscan_ok(&s))
		must(raw.n && raw.p >= text.p && raw.p + raw.n == s.at);
	else
		must_say(&e);
	must(s.at <= text.p + text.n);
}

static void check_int(struct str text)
{
	struct err e = ERR_INIT;
	struct jscan s = jscan_of(text, &e);
	int64_t n = jscan_int(&s);

	must(jscan_ok(&s) || (e.code && !n));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = fuzz_input(data, size);
	struct buf want = BUF_INIT, got = BUF_INIT;
	struct err e = ERR_INIT, why = ERR_INIT;
	struct jscan s = jscan_of(text, &e);
	json *v = json_parse(text, &why);

	check_raw(text);
	check_int(text);
	walk(&s, &got, 0);
	must(jscan_ok(&s) || e.code == ERR_PROTOCOL);
	if (!v) {
		must_say(&why);
	} else if (!has_odd_blanks(text)) {
		json_print(&want, v);
		must_be(buf_str(&got), buf_str(&want));
	}
	json_free(v);
	buf_release(&want);
	buf_release(&got);
	return 0;
}
