"""Computes W(n) of docs/color-split.md: the number of white placements, summed over all colorings of a board.

    python3 docs/color-split/white.py 8 25

Rows and columns are numbered from 0 here. The page numbers them from 1 if n is odd, so its even rows are then the odd
rows of this program; W(n) is the same.

Up to n = 12, it counts the placements. From n = 13 on, it estimates W(n) by random walks and prints the standard error,
which takes about 15 seconds for n = 25.
"""

import random
import sys
from math import comb, sqrt

WALKS = 20_000  # for each class


def free_columns(n, row, columns, diagonals, antidiagonals):
    """The columns of `row` whose square is white and not attacked."""
    return [
        column
        for column in range(row % 2, n, 2)
        if not (columns >> column | diagonals >> (row - column + n) | antidiagonals >> (row + column)) & 1
    ]


def counted(n, row=0, surplus=0, taken=(0, 0, 0)):
    """W(n). Each row has a white queen or none; `surplus` counts the even rows with one, minus the odd rows."""
    if row == n:
        return int(surplus == n % 2)
    total = counted(n, row + 1, surplus, taken)
    for column in free_columns(n, row, *taken):
        total += counted(n, row + 1, surplus + (-1) ** row, with_queen(n, row, column, taken))
    return total


def with_queen(n, row, column, taken):
    columns, diagonals, antidiagonals = taken
    return columns | 1 << column, diagonals | 1 << (row - column + n), antidiagonals | 1 << (row + column)


def walk(n, rows):
    """An unbiased estimate of the number of placements on `rows`, with one queen each (Knuth 1975)."""
    ways, taken = 1, (0, 0, 0)
    for row in rows:
        free = free_columns(n, row, *taken)
        ways *= len(free)
        if not ways:
            break
        taken = with_queen(n, row, random.choice(free), taken)
    return ways


def estimated(n):
    """An estimate of W(n) and its standard error, from random sets of white rows in each class."""
    random.seed(n)
    even, odd = range(0, n, 2), range(1, n, 2)
    mean, variance = 0, 0
    for evens in range(n % 2, len(even) + 1):
        odds = evens - n % 2
        colorings = comb(len(even), evens) * comb(len(odd), odds)
        walks = [walk(n, sorted(random.sample(even, evens) + random.sample(odd, odds))) for _ in range(WALKS)]
        average = sum(walks) / WALKS
        mean += colorings * average
        variance += colorings**2 * sum((ways - average) ** 2 for ways in walks) / WALKS**2
    return mean, sqrt(variance)


first, last = map(int, sys.argv[1:])
for n in range(first, last + 1):
    if n <= 12:
        print(n, counted(n))
    else:
        mean, error = estimated(n)
        print(f"{n} {mean:.3e}, standard error {100 * error / mean:.1f} %", flush=True)
