#include <stdlib.h>

#include "../base/mem.h"
#include "symbol.h"

void symbol_path(const struct symbol *sym, struct buf *out)
{
	buf_clear(out);
	if (sym->container.n) {
		buf_add(out, sym->container);
		buf_addc(out, '/');
	}
	buf_add(out, sym->name);
}

/* "impl<T> Shape for Square<T>" is about Square. */
static struct str implemented(struct str name)
{
	size_t deep = 0, i = 4;
	ptrdiff_t at;

	if (!str_starts(name, STR("impl ")) && !str_starts(name, STR("impl<")))
		return name;
	for (; i < name.n && (deep || name.p[i] == '<'); i++)
		deep += (size_t)(name.p[i] == '<') - (size_t)(name.p[i] == '>');
	name = str_trim(str_sub(name, i, name.n));
	if ((at = str_find(name, STR(" for "))) >= 0)
		name = str_sub(name, (size_t)at + 5, name.n);
	if ((at = str_find(name, STR("<"))) > 0)
		name.n = (size_t)at;
	return name;
}

/* "Shape::area", "M.area", "M:area": a path, but not "operator()" or a lone "::". */
static void add_joined(struct buf *out, struct str name)
{
	for (size_t i = 0; i < name.n; i++) {
		size_t n = str_starts(str_sub(name, i, name.n), STR("::")) ? 2
			   : name.p[i] == '.' || name.p[i] == ':'	   ? 1
									   : 0;

		if (n && i && str_named(name.p[i - 1]) && i + n < name.n &&
		    (str_named(name.p[i + n]) || name.p[i + n] == '~')) {
			buf_addc(out, '/');
			i += n - 1;
		} else {
			buf_addc(out, name.p[i]);
		}
	}
}

/* "(*Stack[T]).Push" is Push of Stack: adds that, and takes it off. */
static void add_receiver(struct buf *out, struct str *name)
{
	ptrdiff_t end = str_find(*name, STR(").")), types;
	struct str type;

	if (end < 0 || !str_skip(name, STR("(")))
		return;
	type = str_sub(*name, 0, (size_t)end - 1);
	*name = str_sub(*name, (size_t)end + 1, name->n);
	str_skip(&type, STR("*"));
	types = str_find(type, STR("["));
	buf_add(out, str_sub(type, 0, types < 0 ? type.n : (size_t)types));
	buf_addc(out, '/');
}

/* What a server puts into one name as the path that another makes of it by nesting. */
static void add_plain(struct buf *out, struct str name)
{
	name = implemented(name);
	add_receiver(out, &name);
	add_joined(out, name);
}

void symbol_plain_path(const struct symbol *sym, struct buf *out)
{
	struct str rest = sym->container;
	ptrdiff_t slash;

	buf_clear(out);
	for (; rest.n; rest = slash < 0 ? STR("") : str_sub(rest, (size_t)slash + 1, rest.n)) {
		slash = str_find(rest, STR("/"));
		add_plain(out, str_sub(rest, 0, slash < 0 ? rest.n : (size_t)slash));
		buf_addc(out, '/');
	}
	add_plain(out, sym->name);
}

void symbol_plain(struct str name_path, struct buf *out)
{
	buf_clear(out);
	add_receiver(out, &name_path);
	add_joined(out, name_path);
}

/* "operator/" and "operator/=" are names of C++. */
static bool divides(struct str path, size_t slash)
{
	struct str behind = str_sub(path, slash + 1, path.n);

	return (!behind.n || str_eq(behind, STR("="))) &&
	       str_ends(str_sub(path, 0, slash), STR("operator"));
}

struct str symbol_last(struct str plain_path)
{
	size_t at = plain_path.n;

	while (at && (plain_path.p[at - 1] != '/' || divides(plain_path, at - 1)))
		at--;
	return str_sub(plain_path, at, plain_path.n);
}

char *symbol_word(struct str name_path)
{
	struct buf plain SCOPED(buf_release) = BUF_INIT;
	struct str last;
	size_t n = 0;

	symbol_plain(name_path, &plain);
	last = symbol_last(buf_str(&plain));
	while (n < last.n && (n == 0 || last.p[n] != '['))
		n++;
	return mem_dup(last.p, n);
}

/* Whether `want` is the end of the path, by whole parts; "/a/b" must be all of it. */
static bool ends_path(struct str path, struct str want)
{
	if (want.n > 1 && want.p[0] == '/')
		return str_eq(path, str_sub(want, 1, want.n));
	return want.n && str_ends(path, want) &&
	       (path.n == want.n || path.p[path.n - want.n - 1] == '/');
}

/* What is sought, as it was given and as a plain path, and room for comparing. */
struct search {
	const struct symbols *s;
	struct str want;
	struct buf plain, tmp;
	bool own; /* a type is called that: what is implemented for it, and what makes one of it,
		   * does not count */
};

static bool implements(const struct symbol *sym)
{
	return implemented(sym->name).p != sym->name.p;
}

static bool constructs(const struct symbol *sym)
{
	enum { CONSTRUCTOR = 9 };

	return sym->kind == CONSTRUCTOR;
}

static bool symbol_find_named(struct search *f, const struct symbol *sym)
{
	if (f->own && constructs(sym))
		return false;
	symbol_path(sym, &f->tmp);
	if (ends_path(buf_str(&f->tmp), f->want))
		return true;
	if (f->own && implements(sym))
		return false;
	symbol_plain_path(sym, &f->tmp);
	return ends_path(buf_str(&f->tmp), buf_str(&f->plain));
}

static void symbol_find_seek(struct search *f, struct str want)
{
	f->want = want;
	symbol_plain(want, &f->plain);
	f->own = false;
	for (size_t i = 0; i < f->s->n && !f->own; i++)
		f->own = !implements(&f->s->v[i]) && !constructs(&f->s->v[i]) &&
			 symbol_find_named(f, &f->s->v[i]);
}

static size_t count_named(struct search *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->s->n; i++)
		n += symbol_find_named(f, &f->s->v[i]);
	return n;
}

static const struct symbol *nth_named(struct search *f, size_t nth)
{
	for (size_t i = 0; i < f->s->n; i++)
		if (symbol_find_named(f, &f->s->v[i]) && !nth--)
			return &f->s->v[i];
	return NULL;
}

/* "name[3]": takes the index off. */
static bool take_index(struct str *want, size_t *index)
{
	size_t at = want->n, digits;

	if (!at || want->p[at - 1] != ']')
		return false;
	for (digits = --at; at && want->p[at - 1] >= '0' && want->p[at - 1] <= '9';)
		at--;
	if (at == digits || digits - at > 9 || at < 2 || want->p[at - 1] != '[')
		return false;
	*index = (size_t)strtoul(want->p + at, NULL, 10);
	want->n = at - 1;
	return true;
}

/* How far the name, or the path, is from what is sought; `most` and more: too far. */
static size_t distance(struct search *f, const struct symbol *sym, size_t most)
{
	size_t name = str_distance(f->want, sym->name, most), path;

	symbol_plain_path(sym, &f->tmp);
	path = str_distance(buf_str(&f->plain), buf_str(&f->tmp), most);
	return name < path ? name : path;
}

static size_t list_named(struct search *f, struct symbol_choice *out, size_t most)
{
	size_t n = 0;

	for (size_t i = 0; i < f->s->n && n < most; i++)
		if (symbol_find_named(f, &f->s->v[i])) {
			out[n] = (struct symbol_choice){ &f->s->v[i], f->want, n, 0 };
			n++;
		}
	return n;
}

static size_t list_near(struct search *f, struct symbol_choice *out, size_t most)
{
	size_t n = 0, far = f->want.n / 2 + 1;

	for (size_t i = 0; i < f->s->n; i++) {
		size_t away = distance(f, &f->s->v[i], far), at = n;

		while (at && out[at - 1].away > away)
			at--;
		if (away >= far || at == most)
			continue;
		n += n < most;
		memmove(out + at + 1, out + at, (n - at - 1) * sizeof(*out));
		out[at] = (struct symbol_choice){ &f->s->v[i], STR(""), 0, away };
	}
	return n;
}

/* Sets *index, and what to seek: a name may itself end like an index, so it is tried as it is
 * first. Returns how many there are. */
static size_t seek_indexed(struct search *f, struct str name_path, size_t *index, bool *indexed)
{
	struct str want = name_path;
	size_t n;

	symbol_find_seek(f, want);
	n = count_named(f);
	*indexed = !n && take_index(&want, index);
	if (*indexed) {
		symbol_find_seek(f, want);
		n = count_named(f);
	}
	return n;
}

size_t symbols_choices(const struct symbols *s, struct str name_path, struct symbol_choice *out,
		       size_t most)
{
	struct search f = { .s = s };
	size_t index, n;
	bool indexed;

	n = seek_indexed(&f, name_path, &index, &indexed) ? list_named(&f, out, most)
							  : list_near(&f, out, most);
	buf_release(&f.plain);
	buf_release(&f.tmp);
	return n;
}

static void symbol_find_not_found(struct search *f, struct err *e)
{
	struct symbol_choice best;

	if (!list_near(f, &best, 1)) {
		err_set(e, ERR_NOT_FOUND, "symbol %.*s not found among the %zu in the document",
			STR_ARG(f->want), f->s->n);
		return;
	}
	symbol_path(best.symbol, &f->tmp);
	err_set(e, ERR_NOT_FOUND, "symbol %.*s not found; the nearest is %s at line %u",
		STR_ARG(f->want), f->tmp.p, best.symbol->name_range.from.line + 1);
}

static void ambiguous(struct search *f, size_t n, struct err *e)
{
	struct buf list SCOPED(buf_release) = BUF_INIT;
	size_t nth = 0;

	for (size_t i = 0; i < f->s->n && list.n < sizeof(e->msg) / 2; i++)
		if (symbol_find_named(f, &f->s->v[i])) {
			symbol_path(&f->s->v[i], &f->tmp);
			buf_addf(&list, "%s%s (line %u) is [%zu]", nth ? ", " : "", f->tmp.p,
				 f->s->v[i].name_range.from.line + 1, nth);
			nth++;
		}
	if (nth < n)
		buf_addf(&list, ", and %zu more", n - nth);
	err_set(e, ERR_AMBIGUOUS, "%zu symbols are named %.*s: %s; name the parent or the index", n,
		STR_ARG(f->want), list.p);
}

const struct symbol *symbols_find(const struct symbols *s, struct str name_path, struct err *e)
{
	const struct symbol *hit = NULL;
	struct search f = { .s = s };
	size_t index = 0, n;
	bool indexed;

	n = seek_indexed(&f, name_path, &index, &indexed);
	if (!n)
		symbol_find_not_found(&f, e);
	else if (indexed && index >= n)
		err_set(e, ERR_NOT_FOUND, "%.*s not found: the last is %.*s[%zu]",
			STR_ARG(name_path), STR_ARG(f.want), n - 1);
	else if (n > 1 && !indexed)
		ambiguous(&f, n, e);
	else
		hit = nth_named(&f, index);
	buf_release(&f.plain);
	buf_release(&f.tmp);
	return hit;
}
