#include "path.h"

static void add_parts(struct buf *out, struct str path)
{
	while (path.n) {
		const char *slash = memchr(path.p, '/', path.n);
		size_t n = slash ? (size_t)(slash - path.p) : path.n;
		struct str part = str_sub(path, 0, n);

		path = str_sub(path, n + (slash ? 1 : 0), path.n);
		if (!n || str_eq(part, STR(".")))
			continue;
		if (str_eq(part, STR(".."))) {
			while (out->n && out->p[--out->n] != '/')
				;
			continue;
		}
		buf_addc(out, '/');
		buf_add(out, part);
	}
}

void path_normal(struct buf *out, const char *base, struct str path)
{
	struct buf whole SCOPED(buf_release) = BUF_INIT;

	if (!str_starts(path, STR("/")))
		add_parts(&whole, str_of(base));
	add_parts(&whole, path);
	buf_add(out, whole.n ? buf_str(&whole) : STR("/"));
}

char *path_join(const char *base, const char *path)
{
	struct buf out = BUF_INIT;

	path_normal(&out, base, str_of(path));
	return buf_detach(&out);
}

struct str path_base(struct str path)
{
	size_t at = path.n;

	while (at && path.p[at - 1] != '/')
		at--;
	return str_sub(path, at, path.n);
}

struct str path_dir(struct str path)
{
	size_t at = path.n;

	while (at && path.p[at - 1] != '/')
		at--;
	if (at > 1)
		at--;
	return at ? str_sub(path, 0, at) : STR(".");
}

struct str path_ext(struct str path)
{
	struct str base = path_base(path);

	for (size_t at = base.n; at > 1; at--)
		if (base.p[at - 1] == '.')
			return str_sub(base, at, base.n);
	return STR("");
}

bool path_below(struct str dir, struct str path)
{
	if (str_eq(dir, STR("/")))
		return str_starts(path, dir);
	return str_starts(path, dir) && (path.n == dir.n || path.p[dir.n] == '/');
}

struct str path_common(struct str a, struct str b)
{
	while (!path_below(a, b))
		a = path_dir(a);
	return a;
}

struct str path_shown(struct str root, struct str path)
{
	if (!root.n || str_eq(root, path) || !path_below(root, path))
		return path;
	return str_sub(path, root.n + (root.n > 1 ? 1 : 0), path.n);
}

static bool plain_in_uri(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c && strchr("/-._~", c));
}

void uri_from_path(struct buf *out, struct str path)
{
	buf_adds(out, "file://");
	for (size_t i = 0; i < path.n; i++) {
		unsigned char c = (unsigned char)path.p[i];

		if (plain_in_uri(c))
			buf_addc(out, (char)c);
		else
			buf_addf(out, "%%%02X", c);
	}
}

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool uri_to_path(struct buf *out, struct str uri, struct err *e)
{
	struct buf raw SCOPED(buf_release) = BUF_INIT;
	struct str rest = uri;
	bool ok = true;

	if (!str_skip(&rest, STR("file://")) ||
	    (!str_starts(rest, STR("/")) && !str_skip(&rest, STR("localhost"))) ||
	    !str_starts(rest, STR("/")))
		return err_set(e, ERR_UNSUPPORTED, "%.*s is not a file URI on this machine",
			       STR_ARG(uri));
	for (size_t i = 0; i < rest.n && ok; i++) {
		int high, low;

		if (rest.p[i] != '%') {
			ok = rest.p[i] != '\0';
			buf_addc(&raw, rest.p[i]);
			continue;
		}
		high = rest.n - i > 2 ? hex(rest.p[i + 1]) : -1;
		low = rest.n - i > 2 ? hex(rest.p[i + 2]) : -1;
		ok = high >= 0 && low >= 0 && (high || low);
		buf_addc(&raw, (char)(high * 16 + low));
		i += 2;
	}
	if (ok)
		path_normal(out, "/", buf_str(&raw));
	return ok ||
	       err_set(e, ERR_PROTOCOL, "%.*s has a NUL or a bad percent escape", STR_ARG(uri));
}

void path_count_above(struct map *above, const char *path, intptr_t by)
{
	for (struct str dir = path_dir(str_of(path)); dir.n > 1; dir = path_dir(dir)) {
		intptr_t n = (intptr_t)map_get(above, dir) + by;

		if (n)
			map_put(above, dir, (void *)n);
		else
			map_take(above, dir);
	}
}
