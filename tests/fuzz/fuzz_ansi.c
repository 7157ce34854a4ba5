#include "fuzz.h"
#include "wire/ansi.h"

/* What is left is for a person: no control characters, nothing new, and nothing more to strip. A
 * text without control characters stays as it is. */
static bool is_plain(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (((unsigned char)s.p[i] < ' ' && s.p[i] != '\t') || s.p[i] == 0x7f)
			return false;
	return true;
}

static void check(struct str text)
{
	struct buf once = BUF_INIT, twice = BUF_INIT;

	ansi_strip(&once, text);
	must(is_plain(buf_str(&once)));
	must(once.n <= text.n);
	if (is_plain(text))
		must_be(buf_str(&once), text);
	ansi_strip(&twice, buf_str(&once));
	must_be(buf_str(&twice), buf_str(&once));
	buf_release(&once);
	buf_release(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check(fuzz_input(data, size));
	return 0;
}
