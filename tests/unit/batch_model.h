/*
 * Part of test_batch_random.c: what a batch must do, in the plainest way. Texts have LF here; a
 * file with CRLF is put there, and read, with those.
 *
 * Where an operation inserts before a line that an earlier one has taken away, or lines are found
 * elsewhere by their text, the model leaves open what becomes of it.
 */
#define MODEL_LINES 64
#define GONE	    SIZE_MAX

struct model_file {
	char path[32];
	bool exists;
	bool seen;		   /* operations on its lines have begun */
	size_t lines;		   /* when they began */
	size_t begin[MODEL_LINES]; /* where each of those begins by now */
	struct buf text;
};

struct model {
	struct model_file v[16];
	size_t n;
	const char *why;
};

enum model_verdict { MODEL_TAKEN, MODEL_REFUSED, MODEL_OPEN };

static struct model_file *model_file(const struct model *m, const char *path)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->v[i].exists && !strcmp(m->v[i].path, path))
			return (struct model_file *)(uintptr_t)&m->v[i];
	return NULL;
}

static void model_put(struct model *m, const char *path, struct str text)
{
	struct model_file *f = model_file(m, path);

	if (!f) {
		assert_true(m->n < 16);
		f = &m->v[m->n++];
		*f = (struct model_file){ .exists = true };
		snprintf(f->path, sizeof(f->path), "%s", path);
	}
	buf_clear(&f->text);
	buf_add(&f->text, text);
	f->seen = false;
}

static void model_remove(struct model *m, const char *path)
{
	struct model_file *f = model_file(m, path);

	if (f)
		f->exists = false;
}

static void model_copy(struct model *to, const struct model *from)
{
	for (size_t i = 0; i < from->n; i++)
		if (from->v[i].exists)
			model_put(to, from->v[i].path, buf_str(&from->v[i].text));
}

static void model_release(struct model *m)
{
	for (size_t i = 0; i < m->n; i++)
		buf_release(&m->v[i].text);
	*m = (struct model){ 0 };
}

static const char *model_differs(const struct model *a, const struct model *b)
{
	const struct model *side[] = { a, b };

	for (int k = 0; k < 2; k++)
		for (size_t i = 0; i < side[k]->n; i++) {
			const struct model_file *f = &side[k]->v[i], *other;

			other = model_file(side[!k], f->path);
			if (f->exists &&
			    (!other || !str_eq(buf_str(&f->text), buf_str(&other->text))))
				return f->path;
		}
	return NULL;
}

static void model_to_disk(struct buf *out, struct str text, bool crlf)
{
	for (size_t i = 0; i < text.n; i++) {
		if (crlf && text.p[i] == '\n')
			buf_addc(out, '\r');
		buf_addc(out, text.p[i]);
	}
}

static void model_from_disk(struct buf *out, struct str text, bool crlf)
{
	for (size_t i = 0; i < text.n; i++)
		if (!crlf || text.p[i] != '\r' || i + 1 == text.n || text.p[i + 1] != '\n')
			buf_addc(out, text.p[i]);
}

static const char *model_path(void *arg, struct arena *a, struct str path, struct err *e)
{
	struct buf full = BUF_INIT;
	const char *kept;

	(void)arg;
	(void)e;
	buf_addf(&full, "/r/%.*s", STR_ARG(path));
	kept = arena_str(a, buf_str(&full)).p;
	buf_release(&full);
	return kept;
}

static void model_print(const struct model *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->v[i].exists)
			print_error("%s:\n%.*s|\n", m->v[i].path, STR_ARG(buf_str(&m->v[i].text)));
}

static void model_print_operation(const struct operation *op)
{
	print_error("%s %s", operation_name(op->kind), op->path);
	if (op->new_path)
		print_error(" -> %s", op->new_path);
	if (op->kind == OPERATION_REPLACE)
		print_error("%s \"%.*s\"", op->all ? " all" : "", STR_ARG(op->find));
	else
		print_error(" line %zu, %zu", op->line, op->count);
	if (op->expect.p)
		print_error(" expect \"%.*s\"", STR_ARG(op->expect));
	print_error(" with \"%.*s\"\n", STR_ARG(op->with));
}

/* Where line `line` begins; of the one behind the last, the end. */
static size_t model_begin(struct str text, size_t line)
{
	size_t at = 0;

	for (; line && at < text.n; at++)
		line -= text.p[at] == '\n';
	return at;
}

static size_t model_lines(struct str text)
{
	return str_count(text, '\n') + (text.n && text.p[text.n - 1] != '\n');
}

static size_t model_line_of(struct str text, size_t byte)
{
	return str_count(str_sub(text, 0, byte), '\n');
}

/* n lines, each with an end. */
static struct str model_rows(struct str text, size_t line, size_t n)
{
	static struct buf out;
	size_t from = model_begin(text, line), to = model_begin(text, line + n);

	buf_clear(&out);
	buf_add(&out, str_sub(text, from, to));
	if (to == text.n && to && text.p[to - 1] != '\n')
		buf_addc(&out, '\n');
	return buf_str(&out);
}

static bool model_open(struct str text)
{
	return text.n && text.p[text.n - 1] != '\n';
}

static size_t model_moved(struct str text, size_t p, struct span s, struct str with)
{
	bool at_line = !s.at || text.p[s.at - 1] == '\n';
	size_t tail = with.n;

	if (p < s.at || p == GONE)
		return p;
	if (p > s.end)
		return p + with.n - (s.end - s.at);
	if (p == s.end && (s.at == s.end || at_line || str_ends(with, STR("\n")))) {
		while (tail && with.p[tail - 1] != '\n')
			tail--;
		return s.at + tail;
	}
	if (p == s.at && p < s.end) {
		bool whole = text.p[s.end - 1] == '\n' || (s.end == text.n && !with.n);

		return whole ? GONE : p;
	}
	return GONE;
}

static void model_splice(struct model_file *f, struct span s, struct str with)
{
	struct str text = buf_str(&f->text);
	struct buf now = BUF_INIT;

	for (size_t i = 0; i < f->lines; i++)
		f->begin[i] = model_moved(text, f->begin[i], s, with);
	buf_add(&now, str_sub(text, 0, s.at));
	buf_add(&now, with);
	buf_add(&now, str_sub(text, s.end, text.n));
	buf_release(&f->text);
	f->text = now;
}

static struct str model_without_end(struct str s)
{
	s.n -= str_ends(s, STR("\n"));
	return s;
}

/* Places of a string, overlapping ones too, or not. */
static size_t model_places(struct str text, struct str find, struct span *v, bool overlapping)
{
	size_t n = 0;

	for (size_t at = 0; at + find.n <= text.n; at++) {
		if (!str_eq(str_sub(text, at, at + find.n), find))
			continue;
		assert_true(n < 256);
		v[n++] = (struct span){ at, at + find.n };
		at += overlapping ? 0 : find.n - 1;
	}
	return n;
}

/* The places of a replacement, and what goes there. */
static enum model_verdict model_find(struct str text, const struct operation *op, struct span *v,
				     size_t *n, struct str *with)
{
	struct str bare = model_without_end(op->find);

	*with = op->with;
	*n = 0;
	if (str_eq(op->find, op->with))
		return MODEL_REFUSED;
	if (op->all) {
		*n = model_places(text, op->find, v, false);
		return *n ? MODEL_TAKEN : MODEL_REFUSED;
	}
	*n = model_places(text, op->find, v, true);
	if (*n)
		return *n == 1 ? MODEL_TAKEN : MODEL_REFUSED;
	/* whole lines, of which the last has no end */
	if (bare.n == op->find.n || !bare.n || bare.p[bare.n - 1] == '\n' || !model_open(text) ||
	    !str_ends(text, bare))
		return MODEL_REFUSED;
	v[0] = (struct span){ text.n - bare.n, text.n };
	if (v[0].at && text.p[v[0].at - 1] != '\n')
		return MODEL_REFUSED;
	*n = 1;
	*with = model_without_end(op->with);
	return MODEL_TAKEN;
}

static enum model_verdict model_replace(struct model_file *f, const struct operation *op)
{
	struct span v[256];
	struct str with;
	size_t n;
	enum model_verdict verdict = model_find(buf_str(&f->text), op, v, &n, &with);

	if (verdict == MODEL_TAKEN)
		while (n--)
			model_splice(f, v[n], with);
	return verdict;
}

/* Where its first line is now, of `text`. */
static enum model_verdict model_line(const struct model_file *f, const struct operation *op,
				     size_t *line)
{
	struct str text = buf_str(&f->text);
	size_t first = op->line - 1, places = 0;

	if (first + op->count > f->lines)
		return MODEL_REFUSED;
	if (first == f->lines) {
		*line = model_lines(text);
		return MODEL_TAKEN;
	}
	if (f->begin[first] == GONE)
		return op->count ? MODEL_REFUSED : MODEL_OPEN;
	*line = model_line_of(text, f->begin[first]);
	for (size_t i = 0; i < op->count; i++)
		if (f->begin[first + i] == GONE ||
		    model_line_of(text, f->begin[first + i]) != *line + i)
			return i + 1 == op->count ? MODEL_REFUSED : MODEL_OPEN;
	if (!op->expect.p || str_eq(model_rows(text, *line, op->count), op->expect))
		return MODEL_TAKEN;
	for (size_t i = 0; i + op->count <= model_lines(text); i++)
		places += str_eq(model_rows(text, i, op->count), op->expect);
	return places ? MODEL_OPEN : MODEL_REFUSED;
}

static void model_set_lines(struct model_file *f, size_t line, size_t count, struct str with,
			    bool erase)
{
	struct str text = buf_str(&f->text);
	struct span s = { model_begin(text, line), model_begin(text, line + count) };
	struct buf now = BUF_INIT, put = BUF_INIT;
	size_t added = 0, row[MODEL_LINES];

	for (size_t i = 0; i < f->lines; i++)
		row[i] = f->begin[i] == GONE ? GONE : model_line_of(text, f->begin[i]);
	if (!erase) {
		buf_add(&put, model_without_end(with));
		buf_addc(&put, '\n');
		added = str_count(buf_str(&put), '\n');
	}
	/* as if the last line had an end, which is taken off again */
	buf_add(&now, str_sub(text, 0, s.at));
	if (s.at == text.n && model_open(text))
		buf_addc(&now, '\n');
	buf_add(&now, buf_str(&put));
	buf_add(&now, str_sub(text, s.end, text.n));
	if (model_open(text) && now.n > 1 && now.p[now.n - 1] == '\n' && now.p[now.n - 2] != '\n')
		now.n--;
	buf_release(&put);
	buf_release(&f->text);
	f->text = now;
	for (size_t i = 0; i < f->lines; i++) {
		if (row[i] != GONE && row[i] >= line)
			row[i] = row[i] < line + count ? GONE : row[i] + added - count;
		f->begin[i] = row[i] == GONE ? GONE : model_begin(buf_str(&now), row[i]);
	}
}

static enum model_verdict model_by_line(struct model_file *f, const struct operation *op)
{
	size_t line = 0;
	enum model_verdict verdict = model_line(f, op, &line);

	if (verdict == MODEL_TAKEN)
		model_set_lines(f, line, op->count, op->with, op->kind == OPERATION_DELETE);
	return verdict;
}

static void model_see(struct model_file *f)
{
	struct str text = buf_str(&f->text);

	f->seen = true;
	f->lines = model_lines(text);
	assert_true(f->lines <= MODEL_LINES);
	for (size_t i = 0; i < f->lines; i++)
		f->begin[i] = model_begin(text, i);
}

/* Lines of the text as it was that an operation changes: [from, to), or a point. */
struct model_claim {
	size_t from, to, op;
	bool string;
};

static size_t model_claim(const struct model_file *f, const struct operation *op, size_t i,
			  struct model_claim *out)
{
	struct str text = buf_str(&f->text), with;
	struct span v[256];
	size_t n = 0, line;

	if (op->kind == OPERATION_HUNKS)
		return 0;
	if (op->kind != OPERATION_REPLACE) {
		if (model_line(f, op, &line) != MODEL_TAKEN)
			return 0;
		*out = (struct model_claim){ line, line + op->count, i, false };
		return 1;
	}
	if (model_find(text, op, v, &n, &with) != MODEL_TAKEN)
		return 0;
	for (size_t k = 0; k < n; k++) {
		bool at_line = !v[k].at || text.p[v[k].at - 1] == '\n';
		bool behind = text.p[v[k].end - 1] == '\n';
		bool joins = behind && v[k].end < text.n && !str_ends(with, STR("\n")) &&
			     !(at_line && !with.n);

		out[k] = (struct model_claim){ model_line_of(text, v[k].at),
					       model_line_of(text, v[k].end) + (!behind || joins),
					       i, true };
	}
	return n;
}

static bool model_clash(const struct model_claim *a, const struct model_claim *b)
{
	if (a->op == b->op || (a->string && b->string))
		return false;
	if (a->from == a->to)
		return b->from < a->from && a->from < b->to;
	if (b->from == b->to)
		return a->from < b->from && b->from < a->to;
	return a->from < b->to && b->from < a->to;
}

/* Whether operation i ends what lines of `path` are about. */
static bool model_ends(const struct operation *op, const char *path)
{
	return op->kind > OPERATION_HUNKS && op->kind != OPERATION_MODE &&
	       (!strcmp(op->path, path) || (op->new_path && !strcmp(op->new_path, path)));
}

static bool model_conflicts(const struct model_file *f, const struct operations *ops, size_t from,
			    const bool *left_out)
{
	struct model_claim v[2048];
	size_t n = 0;

	for (size_t i = from; i < ops->n && !model_ends(&ops->v[i], f->path); i++)
		if (ops->v[i].kind <= OPERATION_HUNKS && !(left_out && left_out[i]) &&
		    !strcmp(ops->v[i].path, f->path))
			n += model_claim(f, &ops->v[i], i, v + n);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++)
			if (model_clash(&v[i], &v[k]))
				return true;
	return false;
}

static bool model_file_operation(struct model *m, const struct operation *op)
{
	struct model_file *f = model_file(m, op->path);
	struct str text = op->with;
	struct buf kept = BUF_INIT;

	if (op->kind == OPERATION_WRITE) {
		if (!f)
			model_put(m, op->path, text);
		return !f;
	}
	if (!f)
		return false;
	if (op->kind == OPERATION_MODE)
		return true;
	f->seen = false;
	if (op->kind == OPERATION_REMOVE ||
	    (op->kind == OPERATION_RENAME && op->new_path && !strcmp(op->new_path, op->path))) {
		f->exists = op->kind != OPERATION_REMOVE;
		return true;
	}
	if (model_file(m, op->new_path))
		return false;
	buf_add(&kept, buf_str(&f->text));
	f->exists = op->kind == OPERATION_COPY;
	model_put(m, op->new_path, buf_str(&kept));
	buf_release(&kept);
	return true;
}

static enum model_verdict model_one(struct model *m, const struct operations *ops, size_t i,
				    const bool *left_out, bool conflicts)
{
	const struct operation *op = &ops->v[i];
	struct model_file *f = model_file(m, op->path);

	if (op->kind > OPERATION_HUNKS)
		return model_file_operation(m, op) ? MODEL_TAKEN : MODEL_REFUSED;
	if (!f)
		return MODEL_REFUSED;
	if (!f->seen) {
		model_see(f);
		if (conflicts && model_conflicts(f, ops, i, left_out))
			return MODEL_REFUSED;
	}
	if (op->kind == OPERATION_HUNKS) /* none: the patch is about its mode or name */
		return MODEL_TAKEN;
	return op->kind == OPERATION_REPLACE ? model_replace(f, op) : model_by_line(f, op);
}

static enum model_verdict model_run(struct model *m, const struct operations *ops,
				    const bool *left_out, bool conflicts)
{
	static char why[40];

	for (size_t i = 0; i < ops->n; i++) {
		enum model_verdict verdict = left_out && left_out[i]
						     ? MODEL_TAKEN
						     : model_one(m, ops, i, left_out, conflicts);

		if (verdict == MODEL_TAKEN)
			continue;
		snprintf(why, sizeof(why), "operation %zu", i);
		m->why = why;
		return verdict;
	}
	return MODEL_TAKEN;
}
