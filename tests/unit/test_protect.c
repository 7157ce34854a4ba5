// links: full
/* Many paths at once; what is said of one alone is in test_core.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <core/protect.h>

#include "disk_folder.h"

#define PLAIN 20

static const char *const odd[] = { ".git/config", "missing", "out/hostname", "locked", "build" };
#define ODD (sizeof(odd) / sizeof(*odd))

/* Whoever is not fine is asked alone, so that what is not known to be fine must not be called so.
 */
static void many_are_found_fine_as_each_alone_is(void **state)
{
	struct protect_look v[PLAIN + ODD + 1] = { 0 };
	char path[PLAIN + ODD][64];

	(void)state;
	mkdir(at(".git"), 0700);
	mkdir(at("build"), 0700);
	put(".git/config", "", 0600);
	put("locked", "", 0444);
	assert_int_equal(symlink("/etc", at("out")), 0);
	for (size_t i = 0; i < PLAIN + ODD; i++) {
		char name[32];

		snprintf(name, sizeof(name), "file%zu", i);
		if (i < PLAIN)
			put(name, "x", 0600);
		snprintf(path[i], sizeof(path[i]), "%s", at(i < PLAIN ? name : odd[i - PLAIN]));
		v[i] = (struct protect_look){ .root = root, .path = path[i] };
	}
	v[PLAIN + ODD].path = path[0]; /* of no project */
	protect_look_read(v, PLAIN + ODD + 1);
	for (size_t i = 0; i < PLAIN + ODD; i++)
		assert_int_equal(v[i].fine, protect_shows(root, path[i], ERR_IGNORED));
	assert_true(v[0].fine && !v[PLAIN + 2].fine && !v[PLAIN + ODD].fine);
	protect_look_write(v, PLAIN + ODD + 1);
	for (size_t i = 0; i < PLAIN + ODD + 1; i++)
		assert_int_equal(v[i].fine, i < PLAIN);
	assert_int_equal(v[0].st.size, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(many_are_found_fine_as_each_alone_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
