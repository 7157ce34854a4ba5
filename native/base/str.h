#ifndef OX_STR_H
#define OX_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* A borrowed run of bytes: never freed, never NUL-terminated by promise. */
struct str {
	const char *p;
	size_t n;
};

#define STR(lit) ((struct str){ "" lit, sizeof(lit) - 1 })
/* For printf's "%.*s". */
#define STR_ARG(s) (int)(s).n, (s).p

static inline struct str str_of(const char *s)
{
	return (struct str){ s ? s : "", s ? strlen(s) : 0 };
}

static inline struct str str_sub(struct str s, size_t at, size_t end)
{
	return (struct str){ s.p + at, end - at };
}

/* Whether the byte is one of `set`; a NUL is of none. */
static inline bool str_any(const char *set, char c)
{
	return c && strchr(set, c);
}

/* Whether the byte belongs to a name: letters, digits, `_`, `$` and everything beyond ASCII. */
static inline bool str_named(char c)
{
	return c == '_' || c == '$' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}

static inline bool str_eq(struct str a, struct str b)
{
	return a.n == b.n && (!a.n || !memcmp(a.p, b.p, a.n));
}

/* Whether the byte goes on with a character of UTF-8, so that no text may be cut before it. */
static inline bool str_inside(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* As much of its beginning as has at most `most` bytes and ends with a whole character. */
struct str str_cut(struct str s, size_t most);
/* Whether it is one of the words, which end with NULL. */
static inline bool str_among(struct str s, const char *const *words)
{
	for (; *words; words++) /* most differ in their first byte */
		if (s.n && **words == *s.p && str_eq(s, str_of(*words)))
			return true;
	return false;
}

/* For qsort and sorted tables: by bytes, a prefix first. */
int str_cmp(struct str a, struct str b);
bool str_starts(struct str s, struct str prefix);
bool str_ends(struct str s, struct str suffix);
bool str_skip(struct str *s, struct str prefix); /* eat prefix if it is there */
/* The next line without its LF or CRLF; false when *rest is used up. A final LF ends a line and
 * starts none. */
bool str_line(struct str *rest, struct str *line);
struct str str_trim(struct str s);		       /* ASCII white space off both ends */
ptrdiff_t str_find(struct str hay, struct str needle); /* -1 when absent */
/* The next place from *at on where `name` is as a whole name. */
bool str_find_name(struct str text, struct str name, size_t *at);
size_t str_count(struct str s, char c);		    /* how often the byte is in it */
size_t str_lines(struct str s);			    /* a final LF ends a line and starts none */
bool str_same_word(struct str s, const char *word); /* is it, whatever the case of ASCII */
/* How many bytes they share at the beginning, and at the end. */
size_t str_common(struct str a, struct str b);
size_t str_common_end(struct str a, struct str b);
/* How many single-byte changes lead from a to b, for "did you mean"; ends early past `most`. */
size_t str_distance(struct str a, struct str b, size_t most);

#endif
