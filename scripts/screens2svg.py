#!/usr/bin/env python3
"""Makes one animated SVG picture of several terminal screens:

    scripts/screens2svg.py DIRECTORY POSTER >picture.svg

Each file of the directory is a screen, in the order of their names: in its first line the seconds that
it stays, what was pressed, what that does, and the cursor as COLUMN,ROW, with tabs between them; behind
it what `tmux capture-pane -eNp` prints. POSTER is the number of the screen, from 1, that is seen where nothing moves: in a viewer that
knows no animations, or for who wants none.

Every run of characters is placed by its cell, so that the widths of fonts do not matter. A row that
several screens have is written once. The animation is CSS alone, which browsers also run in an <img>."""

import os
import re
import sys
import unicodedata
from xml.sax.saxutils import escape

CELL_W, CELL_H, FONT = 12, 25, 20
MARGIN, BAR = 16, 56
FOREGROUND, BACKGROUND = "#e0e2ea", "#14161b"  # Neovim's own, dark
BASIC = "#14161b #ffc0b9 #b3f6c0 #fce094 #a6dbff #ffcaff #8cf8f7 #e0e2ea".split()
BRIGHT = "#4f5258 #ffc0b9 #b3f6c0 #fce094 #a6dbff #ffcaff #8cf8f7 #eef1f8".split()
MONO = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
SANS = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif"


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
        elif code in (1, 2, 3, 4, 7):
            style[code] = True
        elif code == 22:
            style.pop(1, None)
            style.pop(2, None)
        elif code in (23, 24, 27):
            style.pop(code - 20, None)
        elif code in (38, 48):
            style["fg" if code == 38 else "bg"] = colour(codes)
        elif code in (39, 49):
            style.pop("fg" if code == 39 else "bg", None)
        else:
            for first, key, table in (
                (30, "fg", BASIC),
                (40, "bg", BASIC),
                (90, "fg", BRIGHT),
                (100, "bg", BRIGHT),
            ):
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


def draw(column, cells, text, style):
    x = column * CELL_W
    fg, bg = style.get("fg", FOREGROUND), style.get("bg")
    if style.get(7):
        fg, bg = bg or BACKGROUND, fg
    if bg:
        yield f'<rect x="{x}" width="{cells * CELL_W}" height="{CELL_H}" fill="{bg}"/>'
    look = "" if fg == FOREGROUND else f' fill="{fg}"'
    look += ' font-weight="bold"' if style.get(1) else ""
    look += ' opacity=".6"' if style.get(2) else ""
    look += ' font-style="italic"' if style.get(3) else ""
    look += ' text-decoration="underline"' if style.get(4) else ""
    # two blanks would be drawn as one, or not: what is between such is placed by itself
    for words in re.finditer(r"[^ ]+(?: [^ ]+)*", text):
        at = x + words.start() * CELL_W
        long = sum(map(width, words[0])) * CELL_W
        yield f'<text x="{at}" y="{FONT - 1}"{look} textLength="{long}">{escape(words[0])}</text>'


def caption(pressed, does, number, count, wide, y):
    """The line below the screen: a key, what it does, and how far the picture is."""
    x = MARGIN
    shapes = []
    if pressed:
        w = len(pressed) * CELL_W + 24
        shapes.append(
            f'<rect x="{x}" y="{y + 11}" width="{w}" height="34" rx="6" fill="#2c2e33" stroke="#4f5258"/>'
            f'<text x="{x + 12}" y="{y + 35}" fill="#fce094" font-weight="bold" '
            f'textLength="{w - 24}">{escape(pressed)}</text>'
        )
        x += w + 16
    shapes.append(
        f'<text x="{x}" y="{y + 35}" fill="#c4c6cd" font-family="{SANS}">{escape(does)}</text>'
    )
    for n in range(count):
        fill = "#fce094" if n <= number else "#4f5258"
        shapes.append(f'<circle cx="{wide - MARGIN - 12 * (count - n)}" cy="{y + 28}" r="3.5" fill="{fill}"/>')
    return "".join(shapes)


def read(path):
    head, screen = open(path, encoding="utf-8").read().split("\n", 1)
    seconds, pressed, does, cursor = head.split("\t")
    cursor = [int(part) for part in cursor.split(",")]
    return float(seconds), pressed, does, cursor, screen.rstrip("\n").split("\n")


def main():
    directory, poster = sys.argv[1], int(sys.argv[2]) - 1
    frames = [read(os.path.join(directory, name)) for name in sorted(os.listdir(directory))]
    total = sum(frame[0] for frame in frames)
    said = list(dict.fromkeys(frame[1:3] for frame in frames))
    rows, columns, high, shots = {}, 0, 0, []
    for *_, lines in frames:
        style, uses = {}, []
        for y, line in enumerate(lines):
            drawn = list(runs(line, style))
            columns = max([columns] + [c + n for c, n, _, _ in drawn])
            shape = "".join(s for run in drawn for s in draw(*run))
            if shape:
                uses.append((rows.setdefault(shape, len(rows)), y))
        high = max(high, len(lines))
        shots.append(uses)
    wide = columns * CELL_W + 2 * MARGIN
    bar = high * CELL_H + 2 * MARGIN
    print(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {bar + BAR}" width="{wide}" '
        f'height="{bar + BAR}" font-family="{MONO}" font-size="{FONT}" fill="{FOREGROUND}">'
    )
    print("<style>\n.f{visibility:hidden}")
    print(f"#f{poster}{{visibility:visible}}\n@media (prefers-reduced-motion:no-preference){{")
    begun = 0
    for number, frame in enumerate(frames):
        first, last = 100 * begun / total, 100 * (begun + frame[0]) / total
        begun += frame[0]
        hidden = "" if number == 0 else "0%{visibility:hidden}"
        over = "" if number == len(frames) - 1 else f"{last:.3f}%,100%{{visibility:hidden}}"
        print(
            f"@keyframes k{number}{{{hidden}{first:.3f}%{{visibility:visible}}{over}}}"
            f"#f{number}{{animation:k{number} {total:g}s step-end infinite}}"
        )
    print("}\n</style>")
    print(f'<rect width="100%" height="100%" rx="8" fill="{BACKGROUND}"/>')
    print(f'<path d="M0 {bar}H{wide}" stroke="#2c2e33"/>')
    print("<defs>")
    for shape, number in rows.items():
        print(f'<g id="r{number}">{shape}</g>')
    print("</defs>")
    for number, uses in enumerate(shots):
        _, pressed, does, (column, row), _ = frames[number]
        print(f'<g id="f{number}" class="f">')
        print("".join(f'<use href="#r{r}" x="{MARGIN}" y="{MARGIN + y * CELL_H}"/>' for r, y in uses))
        x, y = MARGIN + column * CELL_W, MARGIN + row * CELL_H
        print(f'<rect x="{x}" y="{y}" width="{CELL_W}" height="{CELL_H}" fill="{FOREGROUND}" opacity=".5"/>')
        print(caption(pressed, does, said.index((pressed, does)), len(said), wide, bar))
        print("</g>")
    print("</svg>")


main()
