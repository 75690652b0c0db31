"""Counts the boards for n = 8 by the color split: 92. Then counts one coloring for n = 14: 4 x 6 = 24 boards."""

from collections import Counter
from itertools import combinations


def placements(n, rows, color, queens=()):
    """Yields the columns of each way to place a queen in each of `rows` on squares of `color`: 0 white, 1 black."""
    if not rows:
        yield frozenset(column for _, column in queens)
        return
    row = rows[0]
    for column in range((row + color) % 2, n, 2):
        if all(column != other and abs(column - other) != row - above for above, other in queens):
            yield from placements(n, rows[1:], color, queens + ((row, column),))


def count(n):
    boards = 0
    for size in range(n + 1):
        for white_rows in combinations(range(n), size):
            black_rows = [row for row in range(n) if row not in white_rows]
            white = Counter(placements(n, white_rows, 0))
            black = Counter(placements(n, black_rows, 1))
            for white_columns, ways in white.items():
                boards += ways * black[frozenset(range(n)) - white_columns]
    return boards


print(count(8))

white_rows = [1, 2, 5, 6, 7, 8, 11, 12]  # counted from 0
white_columns = frozenset([1, 2, 4, 6, 7, 9, 11, 12])
black_rows = [row for row in range(14) if row not in white_rows]
white = Counter(placements(14, white_rows, 0))[white_columns]
black = Counter(placements(14, black_rows, 1))[frozenset(range(14)) - white_columns]
print(f"{white} x {black} = {white * black}")
