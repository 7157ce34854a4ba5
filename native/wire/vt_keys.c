#include "vt.h"

/* Keys by name, and texts, as the bytes that a terminal sends for them. */
static const struct {
	const char *name, *bytes;
} named[] = {
	{ "CR", "\r" },		 { "Enter", "\r" },	    { "Return", "\r" },
	{ "Esc", "\x1b" },	 { "Tab", "\t" },	    { "S-Tab", "\x1b[Z" },
	{ "BS", "\x7f" },	 { "Space", " " },	    { "lt", "<" },
	{ "NL", "\n" },		 { "Del", "\x1b[3~" },	    { "Insert", "\x1b[2~" },
	{ "PageUp", "\x1b[5~" }, { "PageDown", "\x1b[6~" }, { "Home", "\x1b[H" },
	{ "End", "\x1b[F" },	 { "F1", "\x1bOP" },	    { "F2", "\x1bOQ" },
	{ "F3", "\x1bOR" },	 { "F4", "\x1bOS" },	    { "F5", "\x1b[15~" },
	{ "F6", "\x1b[17~" },	 { "F7", "\x1b[18~" },	    { "F8", "\x1b[19~" },
	{ "F9", "\x1b[20~" },	 { "F10", "\x1b[21~" },	    { "F11", "\x1b[23~" },
	{ "F12", "\x1b[24~" },
};

static const struct {
	const char *name;
	char last;
} arrows[] = { { "Up", 'A' }, { "Down", 'B' }, { "Right", 'C' }, { "Left", 'D' } };

static bool vt_named_key(struct buf *out, const struct vt *vt, struct str name)
{
	for (size_t i = 0; i < sizeof(arrows) / sizeof(*arrows); i++)
		if (str_same_word(name, arrows[i].name)) {
			buf_addf(out, "\x1b%c%c", vt->cursor_keys ? 'O' : '[', arrows[i].last);
			return true;
		}
	for (size_t i = 0; i < sizeof(named) / sizeof(*named); i++)
		if (str_same_word(name, named[i].name)) {
			buf_adds(out, named[i].bytes);
			return true;
		}
	return false;
}

/* Ctrl and one of "@" to "_", in either case, or the space bar. */
static bool vt_control_key(struct buf *out, struct str name)
{
	char c = name.n == 1 ? *name.p : str_same_word(name, "Space") ? '@' : '\0';

	if (c >= 'a' && c <= 'z')
		c = (char)(c - 'a' + 'A');
	if (c < '@' || c > '_')
		return false;
	buf_addc(out, (char)(c - '@'));
	return true;
}

bool vt_key(struct buf *out, const struct vt *vt, struct str name)
{
	struct buf key SCOPED(buf_release) = BUF_INIT;
	bool alt, known;

	if (name.n == 1) {
		buf_add(out, name);
		return true;
	}
	if (name.n < 3 || name.p[0] != '<' || name.p[name.n - 1] != '>')
		return false;
	name = str_sub(name, 1, name.n - 1);
	alt = str_skip(&name, STR("M-")) || str_skip(&name, STR("A-"));
	if (str_skip(&name, STR("C-")))
		known = vt_control_key(&key, name);
	else
		known = vt_named_key(&key, vt, name) || (alt && name.n == 1);
	if (known && alt)
		buf_addc(out, '\x1b');
	if (known)
		buf_add(out, key.n ? buf_str(&key) : name);
	return known;
}

/* Nothing that a terminal acts on may be in it, the end of the brackets least of all. */
static bool vt_key_is_plain(char c)
{
	return (unsigned char)c >= ' ' ? c != '\x7f' : c == '\t' || c == '\n' || c == '\r';
}

void vt_paste(struct buf *out, const struct vt *vt, struct str text)
{
	if (vt->paste)
		buf_adds(out, "\x1b[200~");
	for (size_t i = 0; i < text.n; i++)
		if (vt_key_is_plain(text.p[i]))
			buf_addc(out, text.p[i] == '\n' ? '\r' : text.p[i]);
	if (vt->paste)
		buf_adds(out, "\x1b[201~");
}
