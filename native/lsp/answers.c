#include "answers.h"

#include "../base/mem.h"

bool answers_keep(enum lsp_feature f)
{
	return f == LSP_DOCUMENT_SYMBOLS || f == LSP_SELECTION_RANGE;
}

static void answers_drop(struct answers *a, struct str question)
{
	struct buf *result SCOPED(mem_release) = map_get(&a->kept, question);

	if (!result)
		return;
	a->bytes -= question.n + result->n;
	map_take(&a->kept, question);
	buf_release(result);
}

static bool drop_oldest(struct answers *a)
{
	struct str question;
	void *result;
	size_t i = 0;

	if (!map_at(&a->kept, &i, &question, &result))
		return false;
	answers_drop(a, question);
	return true;
}

/* Forgets what was true before. */
static void catch_up(struct answers *a, uint64_t news)
{
	if (a->news == news)
		return;
	while (drop_oldest(a))
		;
	map_release(&a->kept);
	a->news = news;
}

void answers_put(struct answers *a, struct str question, struct str result, uint64_t news)
{
	struct buf *copy;
	size_t n = question.n + result.n;

	catch_up(a, news);
	answers_drop(a, question);
	if (!a->most || n > a->most_bytes)
		return;
	while (map_count(&a->kept) >= a->most || a->bytes + n > a->most_bytes)
		drop_oldest(a);
	copy = mem_new(sizeof(*copy));
	buf_add(copy, result);
	map_put(&a->kept, question, copy);
	a->bytes += n;
}

const struct buf *answers_get(struct answers *a, struct str question, uint64_t news)
{
	catch_up(a, news);
	return map_get(&a->kept, question);
}

void answers_release(struct answers *a)
{
	catch_up(a, a->news + 1);
	*a = (struct answers){ 0 };
}
