#include "mask.h"

#include <strings.h>

#define KEY_LEAST  8  /* bytes of what is assigned to a name of a key */
#define FORM_LEAST 16 /* bytes of what begins as a key of a service does */

static const char *const key_names[] = { "apikey",    "api_key",    "api-key",	   "token",
					 "secret",    "password",   "passwd",	   "authorization",
					 "x-api-key", "credential", "private_key", "access_key" };

static const char *const forms[] = { "sk-",   "sk_",   "rk_",	      "ghp_",	"gho_",	 "ghu_",
				     "ghs_",  "ghr_",  "github_pat_", "glpat-", "xoxb-", "xoxp-",
				     "xoxa-", "AKIA",  "ASIA",	      "AIza",	"hf_",	 "gsk_",
				     "npm_",  "pypi-", "eyJ" };

/* As one of these names ends: "OPENAI_API_KEY", but not "max_tokens" or "keyboard". */
bool mask_names_key(struct str name)
{
	struct str rest;

	for (size_t i = 0; i < sizeof(key_names) / sizeof(*key_names); i++) {
		rest = str_of(key_names[i]);
		if (name.n >= rest.n && !strncasecmp(name.p + name.n - rest.n, rest.p, rest.n))
			return true;
	}
	return str_ends(name, STR("_KEY"));
}

static bool is_key_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       str_any("_-.+/~", c);
}

/* How many bytes from here on may be of a key. */
static size_t key_length(struct str s)
{
	size_t n = 0;

	while (n < s.n && is_key_byte(s.p[n]))
		n++;
	return n;
}

static bool has_form(struct str word)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++)
		if (word.n >= FORM_LEAST && str_starts(word, str_of(forms[i])))
			return true;
	return false;
}

/* The length of a string of JSON, without its quotes, that begins at s. */
static size_t string_length(struct str s)
{
	size_t n = 0;

	while (n < s.n && s.p[n] != '"')
		n += s.p[n] == '\\' ? 2 : 1;
	return n < s.n ? n : s.n;
}

/* Where the value begins that belongs to the name before `s`: `": "` in JSON, `=` elsewhere. */
static size_t value_at(struct str s)
{
	struct str rest = s;

	if (str_skip(&rest, STR("\":\"")) || str_skip(&rest, STR("\\\":\\\"")) ||
	    str_skip(&rest, STR("\\\": \\\"")) || str_skip(&rest, STR("=\\\"")) ||
	    str_skip(&rest, STR("=")))
		return s.n - rest.n;
	return 0;
}

static bool has_small(struct str name)
{
	for (size_t i = 0; i < name.n; i++)
		if (name.p[i] >= 'a' && name.p[i] <= 'z')
			return true;
	return false;
}

/* The value of a name that speaks of a key: how long it is. 0: there is none. */
static size_t secret_length(struct str name, struct str s, size_t at)
{
	struct str value = str_sub(s, at, s.n);
	size_t n;

	if (!at || !mask_names_key(name))
		return 0;
	if (s.p[0] == '"')
		return string_length(value);
	if (s.p[0] == '=' && has_small(name))
		return 0; /* the code of a program */
	n = key_length(value);
	return n >= KEY_LEAST ? n : 0;
}

void mask_json(struct buf *out, struct str line)
{
	size_t i = 0;

	while (i < line.n) {
		struct str rest = str_sub(line, i, line.n), word;
		size_t n = key_length(rest), at, secret;

		if (!n) { /* an escape goes whole: its letter begins no word */
			n = rest.p[0] == '\\' && rest.n > 1 ? 2 : 1;
			buf_add(out, str_sub(rest, 0, n));
			i += n;
			continue;
		}
		word = str_sub(rest, 0, n);
		rest = str_sub(rest, n, rest.n);
		at = value_at(rest);
		secret = secret_length(word, rest, at);
		if (secret) {
			buf_addf(out, "%.*s%.*s***", STR_ARG(word), (int)at, rest.p);
			i += n + at + secret;
		} else if (str_eq(word, STR("Bearer")) && rest.n && rest.p[0] == ' ' &&
			   key_length(str_sub(rest, 1, rest.n)) >= KEY_LEAST) {
			buf_adds(out, "Bearer ***");
			i += n + 1 + key_length(str_sub(rest, 1, rest.n));
		} else {
			buf_add(out, has_form(word) ? STR("***") : word);
			i += n;
		}
	}
}
