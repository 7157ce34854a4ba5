#include "vt.h"

#include <stdlib.h>

#define BEL 7
#define ESC 27

static void vt_set_mode(struct vt *vt, long mode, bool on)
{
	static const struct {
		int mode;
		unsigned bit;
	} mouse[] = { { 1000, 1 }, { 1002, 2 }, { 1003, 4 }, { 1006, 8 } };

	for (size_t i = 0; i < sizeof(mouse) / sizeof(*mouse); i++)
		if (mouse[i].mode == mode)
			vt->mouse = on ? vt->mouse | mouse[i].bit : vt->mouse & ~mouse[i].bit;
	if (mode == 2004)
		vt->paste = on;
	else if (mode == 1)
		vt->cursor_keys = on;
	else if (mode == 1049 || mode == 1047 || mode == 47)
		vt->alternate = on;
	else if (mode == 25)
		vt->hidden = !on;
	else if (mode == 1004)
		vt->focus = on;
}

/* As DECRQM reports it: 1 set, 2 reset, 0 not known. */
static int vt_mode_state(const struct vt *vt, long mode)
{
	bool on;

	switch (mode) {
	case 2004:
		on = vt->paste;
		break;
	case 1:
		on = vt->cursor_keys;
		break;
	case 1049:
		on = vt->alternate;
		break;
	case 25:
		on = !vt->hidden;
		break;
	case 1004:
		on = vt->focus;
		break;
	default:
		return 0;
	}
	return on ? 1 : 2;
}

static void vt_forget_modes(struct vt *vt)
{
	vt->paste = vt->cursor_keys = vt->alternate = vt->hidden = vt->focus = false;
	vt->mouse = 0;
}

/* "?1;2004h": each number of it. */
static void vt_set_modes(struct vt *vt, const char *numbers, bool on)
{
	char *end;

	for (;; numbers = end + 1) {
		vt_set_mode(vt, strtol(numbers, &end, 10), on);
		if (*end != ';')
			return;
	}
}

static void vt_answer_status(struct buf *answers, const char *what, long number)
{
	const char *private = *what == '?' ? "?" : "";

	if (number == 5)
		buf_adds(answers, "\x1b[0n");
	else if (number == 6)
		buf_addf(answers, "\x1b[%s1;1R", private);
}

/* `text` is what is between "CSI" and the final byte. */
static void vt_answer_csi(struct vt *vt, const char *text, size_t n, char last, struct buf *answers)
{
	bool marked = n && strchr("<=>?", *text);
	long number = strtol(text + marked, NULL, 10);

	if (last == 'c' && (!n || !strcmp(text, "0")))
		buf_adds(answers, "\x1b[?62;22c");
	else if (last == 'c' && *text == '>')
		buf_adds(answers, "\x1b[>1;10;0c");
	else if (last == 'q' && *text == '>')
		buf_adds(answers, "\x1bP>|oxide\x1b\\");
	else if (last == 'n')
		vt_answer_status(answers, text, number);
	else if (last == 'u' && *text == '?')
		buf_adds(answers, "\x1b[?0u");
	else if (last == 'p' && *text == '?' && text[n - 1] == '$')
		buf_addf(answers, "\x1b[?%ld;%d$y", number, vt_mode_state(vt, number));
	else if (last == 't' && number == 18 && vt->rows)
		buf_addf(answers, "\x1b[8;%u;%ut", vt->rows, vt->columns);
}

static void vt_end_csi(struct vt *vt, char last, struct buf *answers)
{
	if (vt->n >= VT_HELD)
		return;
	vt->held[vt->n] = '\0';
	if ((last == 'h' || last == 'l') && *vt->held == '?')
		vt_set_modes(vt, vt->held + 1, last == 'h');
	else if (last == 'p' && !strcmp(vt->held, "!"))
		vt_forget_modes(vt);
	else if (answers)
		vt_answer_csi(vt, vt->held, vt->n, last, answers);
}

/* A string is answered with the end that it had itself. */
static void vt_end_string(struct vt *vt, const char *end, struct buf *answers)
{
	if (!answers || vt->n >= VT_HELD)
		return;
	vt->held[vt->n] = '\0';
	if (vt->kind == ']' && !strcmp(vt->held, "10;?"))
		buf_addf(answers, "\x1b]10;rgb:ffff/ffff/ffff%s", end);
	else if (vt->kind == ']' && !strcmp(vt->held, "11;?"))
		buf_addf(answers, "\x1b]11;rgb:0000/0000/0000%s", end);
	else if (vt->kind == 'P' && !strncmp(vt->held, "+q", 2))
		buf_adds(answers, "\x1bP0+r\x1b\\");
	else if (vt->kind == 'P' && !strncmp(vt->held, "$q", 2))
		buf_adds(answers, "\x1bP0$r\x1b\\");
}

static void vt_hold(struct vt *vt, char c)
{
	if (vt->n < VT_HELD)
		vt->held[vt->n++] = c;
}

static void vt_after_escape(struct vt *vt, char c)
{
	vt->n = 0;
	if (c == '[') {
		vt->state = VT_CSI;
	} else if (strchr("]P_^X", c) && c) {
		vt->state = VT_STRING;
		vt->kind = c;
	} else if (c != ESC && (c < ' ' || c > '/')) { /* those come before the last byte */
		vt->state = VT_TEXT;
		if (c == 'c')
			vt_forget_modes(vt);
	}
}

static void vt_take_byte(struct vt *vt, char c, struct buf *answers)
{
	if (c == 24 || c == 26) { /* CAN, SUB: it is called off */
		vt->state = VT_TEXT;
		return;
	}
	switch (vt->state) {
	case VT_TEXT:
		break;
	case VT_ESCAPE:
		vt_after_escape(vt, c);
		break;
	case VT_CSI:
		if (c == ESC) {
			vt->state = VT_ESCAPE;
		} else if (c >= '@' && c <= '~') {
			vt->state = VT_TEXT;
			vt_end_csi(vt, c, answers);
		} else if (c >= ' ') {
			vt_hold(vt, c);
		}
		break;
	case VT_STRING:
		if (c == BEL)
			vt_end_string(vt, "\a", answers);
		if (c == BEL || c == ESC)
			vt->state = c == BEL ? VT_TEXT : VT_STRING_ESCAPE;
		else
			vt_hold(vt, c);
		break;
	case VT_STRING_ESCAPE:
		if (c == '\\')
			vt_end_string(vt, "\x1b\\", answers);
		vt->state = VT_TEXT;
		if (c != '\\')
			vt_after_escape(vt, c);
		break;
	}
}

void vt_feed(struct vt *vt, struct str output, struct buf *answers)
{
	const char *p = output.p, *end = p + output.n;

	while (p < end) {
		if (vt->state == VT_TEXT) {
			p = memchr(p, ESC, (size_t)(end - p));
			if (!p)
				return;
			p++;
			vt->state = VT_ESCAPE;
			continue;
		}
		vt_take_byte(vt, *p++, answers);
	}
}

void vt_reset(struct buf *out, const struct vt *vt)
{
	static const int mouse[] = { 1000, 1002, 1003, 1006 };

	if (vt->state != VT_TEXT)
		buf_addc(out, 24); /* what is not complete is called off */
	if (vt->paste)
		buf_adds(out, "\x1b[?2004l");
	if (vt->cursor_keys)
		buf_adds(out, "\x1b[?1l");
	if (vt->focus)
		buf_adds(out, "\x1b[?1004l");
	for (size_t i = 0; i < sizeof(mouse) / sizeof(*mouse); i++)
		if (vt->mouse & 1u << i)
			buf_addf(out, "\x1b[?%dl", mouse[i]);
	if (vt->alternate)
		buf_adds(out, "\x1b[?1049l");
	if (vt->hidden)
		buf_adds(out, "\x1b[?25h");
}
