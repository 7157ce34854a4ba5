#include "base/hash.h"
#include "base/path.h"
#include "edit/journal.h"
#include "fuzz.h"

/*
 * A journal that is written down is read back as the same; one with a byte changed or with bytes
 * lost is not read at all. The input describes it, a word and its value on each line:
 *
 *	root /r
 *	made DIR            gone DIR
 *	swap PATH TEXT      new PATH TEXT      remove PATH      inside PATH OLD TEXT
 *	link                the last file is one
 *	like N              the last file takes its mode from file N, from 1
 *	likepath PATH       or from another one
 *	mark N
 *	cut BYTES           these are lost at the end
 *	flip BYTE BIT       this one is changed
 *
 * or it is the bytes themselves, when it begins as they do; the hashes of head and meta are put
 * right.
 */
#define MOST 16

struct described {
	struct journal j;
	struct journal_file file[MOST];
	struct journal_dir made[MOST], gone[MOST];
	enum journal_mark mark;
	size_t cut, flip; /* from 1: bytes lost at the end; the bit that is changed */
};

static struct str word(struct str *line)
{
	struct str rest = *line, end = rest;

	while (end.n && end.p[0] != ' ')
		end = str_sub(end, 1, end.n);
	*line = str_sub(end, end.n > 0, end.n);
	return str_sub(rest, 0, rest.n - end.n);
}

static void add_file(struct described *d, enum journal_way way, struct str line)
{
	struct journal_file *f = &d->file[d->j.files];

	if (d->j.files == MOST)
		return;
	d->j.files++;
	*f = (struct journal_file){ .way = way, .mode = 0640, .path = word(&line) };
	f->was = way == WAY_INSIDE ? word(&line) : STR("");
	f->now = way == WAY_REMOVE ? STR("") : line;
	f->was_hash = hash_of(f->was);
	f->now_hash = hash_of(f->now);
}

static void add_dir(struct journal_dir *v, size_t *n, struct str path)
{
	if (*n < MOST)
		v[(*n)++] = (struct journal_dir){ path, 0750 };
}

static void describe_last(struct described *d, struct str what, struct str line)
{
	struct journal_file *last = &d->file[d->j.files - 1];

	if (str_eq(what, STR("like")))
		last->like_file = fuzz_number(&line, d->j.files + 1);
	else if (str_eq(what, STR("likepath")))
		last->like_path = line;
	else if (str_eq(what, STR("link")))
		last->was_link = true;
	else if (str_eq(what, STR("tolink")))
		last->now_link = true;
	else if (str_eq(what, STR("chmod"))) {
		last->sets_mode = true;
		last->was_mode = 0600;
	}
}

static void describe(struct described *d, struct str line)
{
	static const char *const ways[] = { "swap", "inside", "new", "remove", "mode" };
	struct str what = word(&line);

	for (size_t i = 0; i < 5; i++)
		if (str_eq(what, str_of(ways[i])))
			add_file(d, (enum journal_way)i, line);
	if (d->j.files)
		describe_last(d, what, line);
	if (str_eq(what, STR("root")))
		d->j.root = line;
	else if (str_eq(what, STR("made")))
		add_dir(d->made, &d->j.n_made, line);
	else if (str_eq(what, STR("gone")))
		add_dir(d->gone, &d->j.n_gone, line);
	else if (str_eq(what, STR("mark")))
		d->mark = (enum journal_mark)fuzz_number(&line, MARK_DISTRUST);
	else if (str_eq(what, STR("cut")))
		d->cut = fuzz_number(&line, 1 << 20);
	else if (str_eq(what, STR("flip")))
		d->flip = 1 + fuzz_number(&line, 1 << 20) * 8 + fuzz_number(&line, 7);
}

/* Up to the meta: decoding looks at nothing but the head there. */
static void begin(struct buf *out, const char head[JOURNAL_HEAD])
{
	buf_add(out, (struct str){ head, JOURNAL_HEAD });
	memset(buf_room(out, JOURNAL_BODY - JOURNAL_HEAD), 0, JOURNAL_BODY - JOURNAL_HEAD);
	out->n += JOURNAL_BODY - JOURNAL_HEAD;
	buf_end(out);
}

static void encode(const struct journal *j, enum journal_mark mark, struct buf *out)
{
	struct buf meta = BUF_INIT;
	char head[JOURNAL_HEAD];
	uint64_t images = 0;

	journal_meta(&meta, j);
	for (size_t i = 0; i < j->files; i++)
		images += j->file[i].was.n + j->file[i].now.n;
	journal_head(head, mark, buf_str(&meta), images);
	begin(out, head);
	buf_add(out, buf_str(&meta));
	for (size_t i = 0; i < j->files; i++) {
		buf_add(out, j->file[i].was);
		buf_add(out, j->file[i].now);
	}
	buf_release(&meta);
}

/* Names with a slash between: nothing that leads elsewhere. */
static bool is_name(struct str path)
{
	struct str part = path;
	bool ok = path.n > 0;

	while (ok) {
		size_t n = 0;

		while (n < part.n && part.p[n] != '/')
			n++;
		ok = n && !str_eq(str_sub(part, 0, n), STR(".")) &&
		     !str_eq(str_sub(part, 0, n), STR("..")) && !memchr(part.p, '\0', n);
		if (n == part.n)
			break;
		part = str_sub(part, n + 1, part.n);
	}
	return ok;
}

static bool is_sound(const struct journal *j)
{
	struct str root = j->root;
	bool ok = str_skip(&root, STR("/")) && (!root.n || is_name(root));

	for (size_t i = 0; i < j->n_made; i++)
		ok &= is_name(j->made[i].path);
	for (size_t i = 0; i < j->n_gone; i++)
		ok &= is_name(j->gone[i].path);
	for (size_t i = 0; i < j->files; i++) {
		const struct journal_file *f = &j->file[i];

		ok &= is_name(f->path) && (!f->like_path.n || is_name(f->like_path)) &&
		      f->like_file <= j->files;
	}
	return ok;
}

/* In memory that ends where the bytes end. */
static enum journal_verdict decode(struct journal *j, struct str bytes, struct arena *a,
				   enum journal_mark *mark, char **copy)
{
	struct err e = ERR_INIT;
	enum journal_verdict is;

	*copy = malloc(bytes.n ? bytes.n : 1);
	memcpy(*copy, bytes.p, bytes.n);
	is = journal_decode(j, (struct str){ *copy, bytes.n }, a, mark, &e);
	if (is == JOURNAL_TORN || is == JOURNAL_DAMAGED)
		must_say(&e);
	return is;
}

/* What it says, printed again, and whether that is all that there was. */
static enum journal_verdict check_again(struct str bytes)
{
	struct buf again = BUF_INIT;
	struct arena a = { 0 };
	enum journal_mark mark;
	struct journal j;
	char *copy;
	enum journal_verdict is = decode(&j, bytes, &a, &mark, &copy);

	if (is == JOURNAL_LIVE) {
		must(is_sound(&j));
		encode(&j, mark, &again);
		must_be(str_sub(buf_str(&again), 0, JOURNAL_HEAD), str_sub(bytes, 0, JOURNAL_HEAD));
		must_be(str_sub(buf_str(&again), JOURNAL_BODY, again.n),
			str_sub(bytes, JOURNAL_BODY, again.n));
	}
	arena_release(&a);
	buf_release(&again);
	free(copy);
	return is;
}

static void check_damaged(const struct described *d, struct buf *bytes)
{
	size_t byte = (d->flip - 1) / 8;

	if (byte >= JOURNAL_HEAD)
		byte += JOURNAL_BODY - JOURNAL_HEAD;
	if (d->cut && d->cut <= bytes->n) {
		enum journal_verdict is =
			check_again(str_sub(buf_str(bytes), 0, bytes->n - d->cut));

		must(is != JOURNAL_LIVE);
		must(is != JOURNAL_FREE || d->cut == bytes->n);
	}
	if (d->flip && byte < bytes->n && byte / 8 != 1) {
		bytes->p[byte] ^= (char)(1 << (d->flip - 1) % 8);
		must(check_again(buf_str(bytes)) > JOURNAL_LIVE);
	}
}

static void from_words(struct str rest)
{
	struct described d = { .j.here = { 1000, 77, 1 << 20 }, .j.root = STR("/r") };
	struct buf bytes = BUF_INIT;
	struct str line;
	enum journal_verdict is;

	d.j.file = d.file;
	d.j.made = d.made;
	d.j.gone = d.gone;
	while (str_line(&rest, &line))
		describe(&d, line);
	encode(&d.j, d.mark, &bytes);
	is = check_again(buf_str(&bytes));
	must((is == JOURNAL_LIVE) == is_sound(&d.j));
	must(is == JOURNAL_LIVE || is == (d.mark > MARK_ASKING ? JOURNAL_DAMAGED : JOURNAL_TORN));
	check_damaged(&d, &bytes);
	buf_release(&bytes);
}

/* A head with the input's mark, its meta as long as it says, all the rest images. */
static void from_bytes(struct str in)
{
	struct buf bytes = BUF_INIT;
	char head[JOURNAL_HEAD];
	size_t meta;

	check_again(in);
	if (in.n < JOURNAL_HEAD)
		return;
	meta = (size_t)(unsigned char)in.p[16] | (size_t)(unsigned char)in.p[17] << 8;
	meta = meta < in.n - JOURNAL_HEAD ? meta : in.n - JOURNAL_HEAD;
	journal_head(head, MARK_WRITTEN, str_sub(in, JOURNAL_HEAD, JOURNAL_HEAD + meta),
		     in.n - JOURNAL_HEAD - meta);
	memcpy(head + 8, in.p + 8, 8);
	begin(&bytes, head);
	buf_add(&bytes, str_sub(in, JOURNAL_HEAD, in.n));
	check_again(buf_str(&bytes));
	buf_release(&bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str in = fuzz_input(data, size);

	if (str_starts(in, STR("OXJOURN1")))
		from_bytes(in);
	else
		from_words(in);
	return 0;
}
