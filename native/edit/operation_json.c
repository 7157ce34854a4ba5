#include <math.h>

#include "../base/jscan.h"
#include "../base/json.h"
#include "operation.h"

#define ENTRY_BYTES 128 /* of an entry as a rule; most take more */

/* multi_edit's list. The members of an entry: what each holds, and which types of operation take
 * it. */
enum member {
	EDIT_TYPE,
	FILE_PATH,
	OLD_STRING,
	NEW_STRING,
	REPLACE_ALL,
	CONTEXT_BEFORE,
	CONTEXT_AFTER,
	LINE_NUMBER,
	LINE_COUNT,
	CONTENT,
	EXPECT,
	LINE_HASH,
	PATCH_CONTENT,
	MEMBERS
};

enum { REPLACE = 1, INSERT = 2, DELETE = 4, PATCH = 8, ANY = 15 };

#define NAME(lit)                                                                                  \
	{                                                                                          \
		lit, sizeof(lit) - 1                                                               \
	}

static const struct {
	struct str name;
	enum json_type type;
	unsigned taken_by;
} members[MEMBERS] = {
	[EDIT_TYPE] = { NAME("edit_type"), JSON_STRING, ANY },
	[FILE_PATH] = { NAME("file_path"), JSON_STRING, ANY },
	[OLD_STRING] = { NAME("old_string"), JSON_STRING, REPLACE },
	[NEW_STRING] = { NAME("new_string"), JSON_STRING, REPLACE },
	[REPLACE_ALL] = { NAME("replace_all"), JSON_BOOL, REPLACE },
	[CONTEXT_BEFORE] = { NAME("context_before"), JSON_STRING, REPLACE },
	[CONTEXT_AFTER] = { NAME("context_after"), JSON_STRING, REPLACE },
	[LINE_NUMBER] = { NAME("line_number"), JSON_NUMBER, INSERT | DELETE },
	[LINE_COUNT] = { NAME("line_count"), JSON_NUMBER, DELETE },
	[CONTENT] = { NAME("content"), JSON_STRING, INSERT },
	[EXPECT] = { NAME("expect"), JSON_STRING, INSERT | DELETE },
	[LINE_HASH] = { NAME("line_hash"), JSON_STRING, INSERT | DELETE },
	[PATCH_CONTENT] = { NAME("patch_content"), JSON_STRING, PATCH },
};

static const struct {
	struct str name;
	unsigned as;
	enum operation_kind kind;
} types[] = {
	{ NAME("replace"), REPLACE, OPERATION_REPLACE },
	{ NAME("insert"), INSERT, OPERATION_INSERT },
	{ NAME("delete"), DELETE, OPERATION_DELETE },
	{ NAME("patch"), PATCH, OPERATION_HUNKS },
};

struct entry {
	struct {
		bool given; /* and not null */
		bool yes;
		double number;
		struct str text;
	} v[MEMBERS];
	struct str odd; /* the first name that no member has */
};

static enum json_type type_next(struct jscan *s)
{
	switch (jscan_peek(s)) {
	case '{':
		return JSON_OBJECT;
	case '[':
		return JSON_ARRAY;
	case '"':
		return JSON_STRING;
	case '0':
		return JSON_NUMBER;
	case 't':
		return JSON_BOOL;
	default:
		return JSON_NULL;
	}
}

static enum member member_of(struct str key)
{
	enum member m = 0;

	while (m < MEMBERS && !str_eq(members[m].name, key))
		m++;
	return m;
}

static bool json_op_read_member(struct jscan *s, struct arena *a, struct str key, struct entry *en)
{
	enum json_type type = type_next(s);
	enum member m = member_of(jscan_decoded(s, key, a));

	if (type == JSON_NULL || m == MEMBERS) {
		if (type != JSON_NULL && !en->odd.p)
			en->odd = key;
		return jscan_skip(s);
	}
	if (type != members[m].type)
		return err_set(s->e, ERR_INVALID, "%s must be %s, not %s", members[m].name.p,
			       json_type_name(members[m].type), json_type_name(type));
	if (en->v[m].given)
		return err_set(s->e, ERR_INVALID, "%s is given twice", members[m].name.p);
	en->v[m].given = true;
	if (type == JSON_STRING)
		en->v[m].text = jscan_text(s, a);
	else if (type == JSON_NUMBER)
		en->v[m].number = jscan_double(s);
	else
		en->v[m].yes = jscan_bool(s);
	return jscan_ok(s);
}

static bool read_entry(struct jscan *s, struct arena *a, struct entry *en)
{
	enum json_type type = type_next(s);
	struct str key;

	*en = (struct entry){ 0 };
	if (type != JSON_OBJECT && jscan_skip(s))
		return err_set(s->e, ERR_INVALID, "an operation is %s, not an object",
			       json_type_name(type));
	for (jscan_object(s); jscan_member(s, &key);)
		if (!json_op_read_member(s, a, key, en))
			return false;
	return jscan_ok(s);
}

static bool check_members(const struct entry *en, struct str type, unsigned as, struct err *e)
{
	for (enum member m = 0; m < MEMBERS; m++)
		if (en->v[m].given && !(members[m].taken_by & as))
			return err_set(e, ERR_INVALID, "%s does not take %s", type.p,
				       members[m].name.p);
	return !en->odd.p ||
	       err_set(e, ERR_INVALID, "%s does not take %.*s", type.p, STR_ARG(en->odd));
}

static bool is_line(double n)
{
	return n >= 1 && n == floor(n) && n < 9e15;
}

static bool json_op_read_lines(struct operation *op, const struct entry *en, struct err *e)
{
	double count = en->v[LINE_COUNT].given ? en->v[LINE_COUNT].number : 1;

	if (!is_line(en->v[LINE_NUMBER].number))
		return err_set(e, ERR_INVALID, "line_number must be an integer >= 1");
	if (!is_line(count))
		return err_set(e, ERR_INVALID, "line_count must be an integer >= 1");
	op->line = (size_t)en->v[LINE_NUMBER].number;
	op->count = op->kind == OPERATION_INSERT ? 0 : (size_t)count;
	op->expect = en->v[EXPECT].text;
	op->hash = en->v[LINE_HASH].text;
	op->with = en->v[CONTENT].text;
	if (op->kind == OPERATION_INSERT && !op->with.p)
		return err_set(e, ERR_INVALID, "insert needs content");
	return true;
}

static bool read_replace(struct operation *op, const struct entry *en, struct err *e)
{
	op->find = en->v[OLD_STRING].text;
	op->with = en->v[NEW_STRING].text;
	op->all = en->v[REPLACE_ALL].yes;
	op->before = en->v[CONTEXT_BEFORE].text;
	op->after = en->v[CONTEXT_AFTER].text;
	if (!op->find.n || !op->with.p)
		return err_set(e, ERR_INVALID,
			       "replace needs a non-empty old_string, and new_string");
	return true;
}

struct reader {
	struct operations *ops;
	operation_path *path;
	void *arg;
	struct str last; /* what was resolved last, and to what: most lists stay with a file */
	const char *resolved;
};

static const char *resolve(struct reader *r, struct str path, struct err *e)
{
	if (!r->resolved || !str_eq(path, r->last)) {
		r->last = path;
		r->resolved = r->path(r->arg, &r->ops->parts, path, e);
	}
	return r->resolved;
}

static bool add_entry(struct reader *r, const struct entry *en, int of, struct err *e)
{
	struct str type = en->v[EDIT_TYPE].text;
	struct operation *op;
	const char *path;
	size_t t = 0;

	if (!en->v[FILE_PATH].text.n)
		return err_set(e, ERR_INVALID, "file_path is missing");
	while (t < sizeof(types) / sizeof(*types) && !str_eq(types[t].name, type))
		t++;
	if (t == sizeof(types) / sizeof(*types))
		return err_set(e, ERR_INVALID,
			       "edit_type must be replace, insert, delete or patch, not \"%.*s\"",
			       STR_ARG(type));
	if (!check_members(en, types[t].name, types[t].as, e))
		return false;
	path = resolve(r, en->v[FILE_PATH].text, e);
	if (!path)
		return false;
	if (types[t].kind == OPERATION_HUNKS && !en->v[PATCH_CONTENT].given)
		return err_set(e, ERR_INVALID, "patch needs patch_content");
	if (types[t].kind == OPERATION_HUNKS)
		return operations_from_patch(r->ops, en->v[PATCH_CONTENT].text, of, path, r->path,
					     r->arg, e);
	op = operations_add(r->ops, types[t].kind, path);
	op->of = of;
	return (op->kind == OPERATION_REPLACE ? read_replace : json_op_read_lines)(op, en, e);
}

/* Room for all of a long list at once: growing costs more in page faults than reading the list. */
static void reserve(struct operations *ops, struct str list)
{
	ops->v = mem_grow(ops->v, &ops->cap, ops->n + list.n / ENTRY_BYTES, sizeof(*ops->v));
}

bool operations_from_json(struct operations *ops, struct str list, operation_path *path, void *arg,
			  struct err *e)
{
	struct reader r = { .ops = ops, .path = path, .arg = arg };
	struct jscan s = jscan_strict(list, e);
	struct entry en;

	reserve(ops, list);
	jscan_array(&s);
	for (int of = 0; jscan_item(&s); of++)
		if (!read_entry(&s, &ops->parts, &en) || !add_entry(&r, &en, of, e))
			return err_in(e, "operation %d", of + 1);
	return jscan_end(&s) || err_in(e, "operations");
}
