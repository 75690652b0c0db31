"""Draws the two pictures of a coloring for docs/learn.md, and the table of products for README.

    python3 docs/learn/coloring.py      # writes coloring.svg and product.svg beside this file, and docs/split.svg

In the first two, white placements are above black ones, so that the pictures fit on the screen of a phone.
"""

from pathlib import Path

WIDTH = 360
EDGE = 16  # for the numbers of rows and columns
STYLE = """.picture{background:#fff}.paper{fill:#fff}
svg{font:14px system-ui,-apple-system,"Segoe UI",Roboto,"Liberation Sans","DejaVu Sans",sans-serif}text{fill:#1b2026}
.strong{font-weight:600}.number{text-anchor:middle}.light{fill:#f2e5cd}.dark{fill:#c9a77a}.row{fill:#1a7f37;fill-opacity:.22}
.frame{fill:none;stroke:#5d4630;stroke-width:1.5}.rule{stroke:#8b959f}
.w{fill:#fff;stroke:#2a2118;stroke-width:1.6}.b{fill:#23201c;stroke:#fffaf0;stroke-width:1.2}
@media(prefers-color-scheme:dark){.picture{background:#14181d}.paper{fill:#14181d}text{fill:#e8ecf0}}"""


def placements(n, rows, color, queens=()):
    """Yields the queens of each way to place one in each of `rows`, on squares of `color` (0 white, 1 black)."""
    if not rows:
        yield queens
        return
    row = rows[0]
    for column in range((row + color) % 2, n, 2):
        if all(column != c and abs(column - c) != row - r for r, c in queens):
            yield from placements(n, rows[1:], color, queens + ((row, column),))


def board(n, rows, queens, color, x, y, size):
    square = size / n
    dark = "".join(
        f"M{x + square * c:.4g} {y + square * r:.5g}h{square:.4g}v{square:.4g}h-{square:.4g}z"
        for r in range(n)
        for c in range(n)
        if (r + c) % 2
    )
    yield f'<rect x="{x}" y="{y}" width="{size}" height="{size}" class="light"/><path d="{dark}" class="dark"/>'
    for row in rows:
        yield f'<rect x="{x}" y="{y + square * row:.5g}" width="{size}" height="{square:.4g}" class="row"/>'
    for row, column in queens:
        cx, cy = x + square * (column + 0.5), y + square * (row + 0.5)
        yield f'<circle cx="{cx:.5g}" cy="{cy:.5g}" r="{square * 0.34:.4g}" class="{"wb"[color]}"/>'
    yield f'<rect x="{x}" y="{y}" width="{size}" height="{size}" class="frame"/>'
    for line in range(n):
        middle, small = square * (line + 0.5), f'class="number" font-size="{min(9, 0.68 * square):.3g}"'
        yield f'<text x="{x + middle:.5g}" y="{y - 4}" {small}>{line + 1}</text>'
        yield f'<text x="{x - 8}" y="{y + middle + 3:.5g}" {small}>{line + 1}</text>'


def draw(name, n, white_rows, only_columns, in_a_row, title):
    """Draws all products of a row coloring, or the one with `only_columns`. Rows and columns are numbered from 1."""
    white_rows = [row - 1 for row in white_rows]
    black_rows = [row for row in range(n) if row not in white_rows]
    sides = [list(placements(n, rows, color)) for color, rows in enumerate((white_rows, black_rows))]
    columns = lambda queens: {column for _, column in queens}
    sets = {tuple(sorted(columns(queens))) for queens in sides[0]}
    if only_columns:
        sets = {tuple(column - 1 for column in only_columns)}
    size = (WIDTH - 16) // in_a_row - EDGE - 4
    body, y, boards = [], 44, 0
    for white_columns in sorted(sets):
        black_columns = set(range(n)) - set(white_columns)
        fits = [
            [queens for queens in side if columns(queens) == wanted]
            for side, wanted in zip(sides, (set(white_columns), black_columns))
        ]
        if not all(fits):
            continue
        product = len(fits[0]) * len(fits[1])
        boards += product
        for color, (queens, rows) in enumerate(zip(fits, (white_rows, black_rows))):
            numbers = " ".join(str(column + 1) for column in sorted(columns(queens[0])))
            body.append(f'<text x="8" y="{y + 12}">{len(queens)} {("white", "black")[color]}: columns {numbers}</text>')
            y += 20
            for at, one in enumerate(queens):
                x = 8 + EDGE + at % in_a_row * (size + EDGE + 8)
                body += board(n, rows, one, color, x, y + EDGE + at // in_a_row * (size + EDGE), size)
            y += (len(queens) + in_a_row - 1) // in_a_row * (size + EDGE) + 12
        words = f"{len(fits[0])} x {len(fits[1])} = {product} boards"
        if not only_columns:
            words += f"; sum so far: {boards}"
        body.append(f'<text x="8" y="{y + 12}" class="strong">{words}</text>')
        body.append(f'<path d="M8 {y + 24}H{WIDTH - 8}" class="rule"/>')
        y += 36
    svg = (
        f'<svg class="picture" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y}" width="{WIDTH}" '
        f'height="{y}" role="img" aria-labelledby="title"><title id="title">{title}</title>\n<style>{STYLE}</style>\n'
        f'<rect width="{WIDTH}" height="{y}" class="paper"/><text x="8" y="24" class="strong">{title}</text>\n'
    )
    Path(__file__).with_name(name).write_text(svg + "\n".join(body) + "\n</svg>\n")


def plain_board(n, colors, x, y, size):
    """A board without numbers, whose queens on white squares are orange and whose queens on black squares are blue."""
    square = size / n
    dark = "".join(
        f"M{x + square * c:.5g} {y + square * r:.5g}h{square:.4g}v{square:.4g}h-{square:.4g}z"
        for r in range(n)
        for c in range(n)
        if (r + c) % 2
    )
    yield f'<rect x="{x}" y="{y}" width="{size}" height="{size}" class="light"/><path d="{dark}" class="dark"/>'
    for color, queens in colors:
        for row, column in queens:
            cx, cy = x + square * (column + 0.5), y + square * (row + 0.5)
            yield f'<circle cx="{cx:.5g}" cy="{cy:.5g}" r="{square * 0.38:.4g}" class="{"wb"[color]}"/>'
    yield f'<rect x="{x}" y="{y}" width="{size}" height="{size}" class="frame"/>'


TABLE_STYLE = """text{font:15px system-ui,-apple-system,"Segoe UI",Roboto,"Liberation Sans","DejaVu Sans",sans-serif}
text{fill:#1b2026;font-weight:600;text-anchor:middle}.sign{font-size:30px}.paper{fill:#fff}
.light{fill:#fff}.dark{fill:#ccd3da}.frame{fill:none;stroke:#5b6670;stroke-width:1.2}.rule{stroke:#8b959f;stroke-width:1.5}
.w{fill:#d9730d;stroke:#7a3f00;stroke-width:.8}.b{fill:#1f5fa8;stroke:#0c2f57;stroke-width:.8}
@media(prefers-color-scheme:dark){text{fill:#e8ecf0}.paper{fill:#14181d}.light{fill:#e9edf1}.dark{fill:#b3bcc6}}"""


def multiply(n, white_rows, white_columns):
    """A multiplication table: white placements at the top, black ones at the left, and their boards in the cells."""
    rows = [row - 1 for row in white_rows], [row for row in range(n) if row + 1 not in white_rows]
    columns = {column - 1 for column in white_columns}
    columns = columns, set(range(n)) - columns
    white, black = (
        [queens for queens in placements(n, rows[color], color) if {c for _, c in queens} == columns[color]]
        for color in (0, 1)
    )
    size, gap, left, top = 140, 20, 28, 52
    first = left + size + 2 * gap
    across = [first + at * (size + gap) for at in range(len(white))]
    down = [top + size + 2 * gap + at * (size + gap) for at in range(len(black))]
    right, bottom = across[-1] + size, down[-1] + size
    middle, side = (first + right) / 2, left + size / 2
    yield right + left, bottom + 56
    yield f'<text x="{middle}" y="30">{len(white)} ways to place the queens on white squares</text>'
    yield f'<text x="{side}" y="{top + 40}">{len(black)} ways to place</text>'
    yield f'<text x="{side}" y="{top + 60}">the queens on</text>'
    yield f'<text x="{side}" y="{top + 80}">black squares</text>'
    yield f'<text x="{side}" y="{top + 124}" class="sign">×</text>'
    yield f'<path d="M{first - gap} {top - 12}V{bottom}M{left - 12} {top + size + gap}H{right}" class="rule"/>'
    for x, queens in zip(across, white):
        yield from plain_board(n, [(0, queens)], x, top, size)
    for y, queens in zip(down, black):
        yield from plain_board(n, [(1, queens)], left, y, size)
        for x, others in zip(across, white):
            yield from plain_board(n, [(0, others), (1, queens)], x, y, size)
    product = f"{len(white)} × {len(black)} = {len(white) * len(black)} solutions for n = {n}"
    yield f'<text x="{middle}" y="{bottom + 34}">{product}</text>'


def draw_table(path, *choice):
    (width, height), *body = multiply(*choice)
    title = "A multiplication table of half boards: each cell is a solution"
    path.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width * 3 // 4}" height="{height * 3 // 4}" '
        f'role="img" aria-labelledby="title"><title id="title">{title}</title>\n<style>{TABLE_STYLE}</style>\n'
        f'<rect width="{width}" height="{height}" class="paper"/>\n' + "\n".join(body) + "\n</svg>\n"
    )


draw("coloring.svg", 8, [3, 4, 5, 6], None, 2, "n = 8, white rows 3 4 5 6")
white_columns = [2, 3, 5, 7, 8, 10, 12, 13]
draw("product.svg", 14, [2, 3, 6, 7, 8, 9, 12, 13], white_columns, 2, "n = 14, one choice of rows and columns")
draw_table(Path(__file__).resolve().parents[1] / "split.svg", 12, [1, 2, 6, 7, 11, 12], [3, 4, 5, 8, 9, 10])
