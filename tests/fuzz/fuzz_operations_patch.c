#include "fuzz_operations.h"

/*
 * A patch of any number of files, carried out on a tree. The input: the patch, %%, the text of
 * file a.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str rest = fuzz_input(data, size), text = fuzz_section(&rest);
	struct operations ops = { 0 };
	struct err e = ERR_INIT;

	if (operations_from_patch(&ops, text, 3, NULL, fuzz_path, NULL, &e)) {
		fuzz_check_operations(&ops);
		for (size_t i = 0; i < ops.n; i++)
			must(ops.v[i].of == 3);
		fuzz_carry_out(&ops, rest, BATCH_CONFLICTS);
		fuzz_carry_out(&ops, rest, BATCH_KEEP_GOOD);
	} else {
		must_say(&e);
	}
	operations_release(&ops);
	return 0;
}
