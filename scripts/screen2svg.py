#!/usr/bin/env python3
"""Makes an SVG picture of a terminal screen: what `tmux capture-pane -e -p` prints, on standard
input. Every run of characters is placed by its cell, so that the widths of fonts do not matter."""

import re
import sys
import unicodedata
from xml.sax.saxutils import escape

CELL_W, CELL_H, FONT = 12, 25, 20
MARGIN = 16
FOREGROUND, BACKGROUND = "#e0e2ea", "#14161b"  # Neovim's own, dark
BASIC = "#14161b #ffc0b9 #b3f6c0 #fce094 #a6dbff #ffcaff #8cf8f7 #e0e2ea".split()
BRIGHT = "#4f5258 #ffc0b9 #b3f6c0 #fce094 #a6dbff #ffcaff #8cf8f7 #eef1f8".split()


def indexed(n):
    if n < 16:
        return (BASIC + BRIGHT)[n]
    if n >= 232:
        return "#" + f"{8 + 10 * (n - 232):02x}" * 3
    n -= 16
    levels = (0, 95, 135, 175, 215, 255)
    return f"#{levels[n // 36]:02x}{levels[n // 6 % 6]:02x}{levels[n % 6]:02x}"


def colour(codes):
    """The colour that follows a 38 or 48."""
    if codes.pop(0) == 5:
        return indexed(codes.pop(0))
    return "#" + "".join(f"{codes.pop(0):02x}" for _ in range(3))


def apply(style, sgr):
    codes = [int(c or 0) for c in re.split("[;:]", sgr)]
    while codes:
        code = codes.pop(0)
        if code == 0:
            style.clear()
        elif code in (1, 3, 4, 7):
            style[code] = True
        elif code in (22, 23, 24, 27):
            style.pop(code - 20 - (code == 22), None)
        elif code in (38, 48):
            style["fg" if code == 38 else "bg"] = colour(codes)
        elif code in (39, 49):
            style.pop("fg" if code == 39 else "bg", None)
        else:
            for first, key, table in ((30, "fg", BASIC), (40, "bg", BASIC), (90, "fg", BRIGHT)):
                if first <= code < first + 8:
                    style[key] = table[code - first]


def width(char):
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def runs(line, style):
    """Yields column, cells, text and style of each run; a wide character is a run of its own."""
    column = 0
    for sgr, text in re.findall(r"\x1b\[([\d;:]*)m|([^\x1b]+)", line):
        if not text:
            apply(style, sgr)
            continue
        for part in re.findall(r"[ -~]+|[^ -~]", text):
            cells = sum(map(width, part))
            yield column, cells, part, dict(style)
            column += cells


def draw(row, column, cells, text, style):
    x, y = MARGIN + column * CELL_W, MARGIN + row * CELL_H
    fg, bg = style.get("fg", FOREGROUND), style.get("bg")
    if style.get(7):
        fg, bg = bg or BACKGROUND, fg
    if bg:
        yield f'<rect x="{x}" y="{y}" width="{cells * CELL_W}" height="{CELL_H}" fill="{bg}"/>'
    if text.strip():
        weight = ' font-weight="bold"' if style.get(1) else ""
        slant = ' font-style="italic"' if style.get(3) else ""
        line = ' text-decoration="underline"' if style.get(4) else ""
        yield (
            f'<text x="{x}" y="{y + FONT - 1}" fill="{fg}"{weight}{slant}{line} '
            f'textLength="{cells * CELL_W}" xml:space="preserve">{escape(text)}</text>'
        )


def main():
    lines = sys.stdin.read().rstrip("\n").split("\n")
    style, shapes, columns = {}, [], 0
    for row, line in enumerate(lines):
        for run in runs(line, style):
            columns = max(columns, run[0] + run[1])
            shapes.extend(draw(row, *run))
    wide, high = columns * CELL_W + 2 * MARGIN, len(lines) * CELL_H + 2 * MARGIN
    print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high}"')
    print(f' font-family="DejaVu Sans Mono, Droid Sans Fallback, Symbola" font-size="{FONT}">')
    print(f'<rect width="100%" height="100%" rx="8" fill="{BACKGROUND}"/>')
    print("\n".join(shapes))
    print("</svg>")


main()
