#include "swap_file.h"

#include <string.h>

#include "../base/path.h"

/* The longest name of a file, without ".swp" and a dot in front. */
#define LONGEST_NAME 250

/* Where what we read is in the first block (struct block0 of memline.c). */
enum { AT_PID = 24, AT_HOST = 68, AT_FILE = 108, AT_DIRTY = 1007, FILE_N = 898, HOST_N = 40 };
#define DIRTY 0x55

static bool ends_twice(struct str entry)
{
	return str_ends(entry, STR("//"));
}

bool swap_name_is_exact(struct str entry)
{
	return ends_twice(entry) || (entry.n && entry.p[0] == '.');
}

/* The whole path, with % for each slash. */
static void put_path(const char *path, struct buf *out)
{
	size_t from = out->n;

	buf_add(out, (struct str){ path, strnlen(path, LONGEST_NAME) });
	for (size_t i = from; i < out->n; i++)
		if (out->p[i] == '/')
			out->p[i] = '%';
}

static void put_tail(const char *path, bool hidden, struct buf *out)
{
	struct str tail = path_base(str_of(path));

	buf_adds(out, hidden && tail.p[0] != '.' ? "." : "");
	buf_add(out, (struct str){ tail.p, tail.n < LONGEST_NAME ? tail.n : LONGEST_NAME });
}

bool swap_name(struct str entry, const char *path, struct buf *out)
{
	bool whole = ends_twice(entry), beside = str_eq(entry, STR("."));
	struct str below = entry;

	while (entry.n > 1 && entry.p[entry.n - 1] == '/')
		entry.n--;
	if (beside || str_skip(&below, STR("./"))) { /* from the directory of the file on */
		buf_add(out, path_dir(str_of(path)));
		if (!beside)
			buf_addf(out, "/%.*s", (int)(entry.n - 2), entry.p + 2);
	} else if (entry.n && entry.p[0] == '/') {
		buf_add(out, entry);
	} else {
		return false;
	}
	buf_adds(out, "/");
	if (whole)
		put_path(path, out);
	else
		put_tail(path, beside, out);
	buf_adds(out, ".sw");
	return true;
}

bool swap_entry(struct str *directory, struct buf *out)
{
	size_t i = 0;

	buf_clear(out);
	while (i < directory->n && strchr(" ,", directory->p[i]))
		i++;
	for (; i < directory->n && directory->p[i] != ','; i++) {
		if (directory->p[i] == '\\' && i + 1 < directory->n && directory->p[i + 1] == ',')
			i++;
		buf_addc(out, directory->p[i]);
	}
	*directory = (struct str){ directory->p + i, directory->n - i };
	return out->n > 0;
}

static int64_t number_at(struct str bytes, size_t at)
{
	const unsigned char *b = (const unsigned char *)bytes.p + at;

	return b[0] | b[1] << 8 | b[2] << 16 | (int64_t)b[3] << 24;
}

/* "b0", or another letter for each way to encrypt. */
bool swap_read(struct str bytes, struct swap_head *out)
{
	if (bytes.n < SWAP_HEAD || bytes.p[0] != 'b' || !bytes.p[1] || !strchr("0cCdS", bytes.p[1]))
		return false;
	*out = (struct swap_head){ .pid = number_at(bytes, AT_PID),
				   .modified = (unsigned char)bytes.p[AT_DIRTY] == DIRTY };
	memcpy(out->host, bytes.p + AT_HOST, HOST_N);
	memcpy(out->file, bytes.p + AT_FILE, FILE_N);
	return true;
}

bool swap_is_of(const struct swap_head *head, const char *path)
{
	const char *rest = head->file;

	if (*rest != '~')
		return !*rest || !strcmp(rest, path);
	rest = strchr(rest, '/');
	return rest && str_ends(str_of(path), str_of(rest));
}
