#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/map.h"
#include "gen.h"

/* The naive model: a list in order of insertion. */
struct pair {
	char key[8];
	size_t n;
	void *value;
};

static struct pair list[4000];
static size_t list_n;

static struct pair *list_find(struct str key)
{
	for (size_t i = 0; i < list_n; i++)
		if (str_eq((struct str){ list[i].key, list[i].n }, key))
			return &list[i];
	return NULL;
}

static void *list_put(struct str key, void *value)
{
	struct pair *p = list_find(key);
	void *was = p ? p->value : NULL;

	if (!p) {
		p = &list[list_n++];
		memcpy(p->key, key.p, key.n);
		p->n = key.n;
	}
	p->value = value;
	return was;
}

static void *list_take(struct str key)
{
	struct pair *p = list_find(key);
	void *was = p ? p->value : NULL;

	if (p) {
		list_n--;
		memmove(p, p + 1, (size_t)(list + list_n - p) * sizeof(*p));
	}
	return was;
}

static void assert_same(const struct map *m)
{
	struct str key;
	void *value;
	size_t seen = 0;

	assert_int_equal(map_count(m), list_n);
	for (size_t i = 0; map_at(m, &i, &key, &value); i++, seen++) {
		assert_text(key, ((struct str){ list[seen].key, list[seen].n }));
		assert_ptr_equal(value, list[seen].value);
	}
	assert_int_equal(seen, list_n);
}

static void does_as_a_list(void **state)
{
	struct gen g = { 31 };
	struct map m = MAP_INIT;
	size_t keys = 300;

	(void)state;
	for (size_t i = 0; i < 30000; i++) {
		char name[8];
		size_t n = (size_t)snprintf(name, sizeof(name), "k%zu", gen_below(&g, keys));
		struct str key = { name, gen_below(&g, 50) ? n : 0 };
		void *value = (void *)(i + 1);
		size_t what = gen_below(&g, 5);

		if (what < 2)
			assert_ptr_equal(map_put(&m, key, value), list_put(key, value));
		else if (what < 4)
			assert_ptr_equal(map_take(&m, key), list_take(key));
		else
			assert_ptr_equal(map_get(&m, key),
					 list_find(key) ? list_find(key)->value : NULL);
		if (i % 97 == 0)
			assert_same(&m);
	}
	assert_same(&m);
	map_release(&m);
	assert_null(map_get(&m, STR("k1")));
	assert_null(map_take(&m, STR("k1")));
	assert_int_equal(map_count(&m), 0);
}

static void keys_are_copied_and_hold_any_byte(void **state)
{
	struct map m = MAP_INIT;
	char key[] = "a\0b";
	int one, two;

	(void)state;
	map_put(&m, (struct str){ key, 3 }, &one);
	map_put(&m, (struct str){ key, 1 }, &two);
	key[0] = 'x';
	assert_ptr_equal(map_get(&m, STR("a\0b")), &one);
	assert_ptr_equal(map_get(&m, STR("a")), &two);
	map_release(&m);
}

/* Requests come and go while others wait: the table must not be made anew each time. */
static void coming_and_going_makes_no_tables(void **state)
{
	struct map m = MAP_INIT;
	char name[40];
	size_t waiting[] = { 1, 6, 7, 8, 15, 31, 63, 127, 128 };

	(void)state;
	for (size_t w = 0; w < sizeof(waiting) / sizeof(*waiting); w++) {
		size_t tables = 0;

		for (size_t i = 0; i < waiting[w]; i++) {
			snprintf(name, sizeof(name), "waits %zu", i);
			map_put(&m, str_of(name), name);
		}
		for (size_t i = 0; i < 1000; i++) {
			snprintf(name, sizeof(name), "%zu", i);
			map_put(&m, str_of(name), name);
			/* made anew, the table holds no removed entry */
			tables += m.n == map_count(&m);
			assert_ptr_equal(map_take(&m, str_of(name)), name);
		}
		assert_in_range(tables, 0, 2 + 1000 / (waiting[w] / 2 + 1));
		map_release(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(does_as_a_list),
		cmocka_unit_test(keys_are_copied_and_hold_any_byte),
		cmocka_unit_test(coming_and_going_makes_no_tables),
	};

	return cmocka_run_group_tests_name("map", tests, NULL, NULL);
}
