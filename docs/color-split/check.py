"""Checks what docs/color-split.md says of small boards: the classes, the identity, the images, and the weights.

    python3 docs/color-split/check.py 10

It lists all boards up to the given size by plain backtracking, and compares them with what the page says. It shares no
code with the solver, and takes seconds up to n = 10 and a minute for n = 12.
"""

import sys
from collections import Counter, defaultdict
from itertools import product


def boards(n, queens=()):
    """Yields each board as the columns of its queens, row by row."""
    if len(queens) == n:
        yield queens
        return
    row = len(queens)
    for column in range(n):
        if all(column != c and abs(column - c) != row - r for r, c in enumerate(queens)):
            yield from boards(n, queens + (column,))


def half(n, lines, parity):
    """The lines of one parity, at half the resolution, as a bit set. They are numbered from 0 or, for odd n, from 1."""
    return sum(1 << line // 2 for line in lines if (line + n) % 2 == parity)


def coloring_of(queens):
    """The coloring (E, O; F, G) of a board."""
    n = len(queens)
    white = [(row, column) for row, column in enumerate(queens) if (row + column) % 2 == 0]
    rows, columns = [row for row, _ in white], [column for _, column in white]
    return half(n, rows, 0), half(n, rows, 1), half(n, columns, 0), half(n, columns, 1)


def placements(n, color):
    """The number of placements on a color, by the rows and columns of its queens."""
    found = Counter()

    def extend(row, queens):
        if row == n:
            found[frozenset(r for r, _ in queens), frozenset(c for _, c in queens)] += 1
            return
        extend(row + 1, queens)
        for column in range((row + color) % 2, n, 2):
            if all(column != c and abs(column - c) != row - r for r, c in queens):
                extend(row + 1, queens + [(row, column)])

    extend(0, [])
    return found


def check_identity(n, colorings):
    """Checks that f = White x Black for every coloring that a board has, and that all other products are 0."""
    white, black = placements(n, 0), placements(n, 1)
    everything = frozenset(range(n))
    products = Counter()
    for (rows, columns), count in white.items():
        others = black[everything - rows, everything - columns]
        if others:
            products[half(n, rows, 0), half(n, rows, 1), half(n, columns, 0), half(n, columns, 1)] = count * others
    assert products == colorings


def check_classes(n, colorings):
    for coloring in colorings:
        e, o, f, g = map(int.bit_count, coloring)
        assert e == f and o == g and o - e == n % 2


def check_images(n, colorings):
    for (E, O, F, G), count in colorings.items():
        for image in images(n, E, O, F, G):
            assert colorings[image] == count


def images(n, E, O, F, G):
    """The coloring's images under the two reflections, the half turn and the transposition."""
    evens, odds = n // 2, (n + 1) // 2
    if n % 2:
        reversed_rows, reversed_columns = (rev(E, evens), rev(O, odds)), (rev(F, evens), rev(G, odds))
        return [(E, O, *reversed_columns), (*reversed_rows, F, G), (*reversed_rows, *reversed_columns), (F, G, E, O)]
    no = lambda X: X ^ (1 << evens) - 1
    re = lambda X: rev(X, evens)
    return [
        (no(E), no(O), re(no(G)), re(no(F))),
        (re(no(O)), re(no(E)), no(F), no(G)),
        (re(O), re(E), re(G), re(F)),
        (F, G, E, O),
    ]


def rev(X, size):
    return sum(1 << size - 1 - i for i in range(size) if X >> i & 1)


def orbit_numbers(size, with_complement):
    """The rank s of each subset: a number for its orbit under reversal (and complement)."""
    numbers = {}
    for X in range(1 << size):
        orbit = {X, rev(X, size)}
        if with_complement:
            orbit |= {Y ^ (1 << size) - 1 for Y in orbit}
        numbers[X] = min(orbit)
    return numbers


def v(row_ranks, column_ranks):
    """The weight of a coloring that comes from transposition."""
    return 2 if column_ranks < row_ranks else int(column_ranks == row_ranks)


def check_weights(n, colorings):
    """Checks that the counts of the counted colorings, times their weights, add up to Q(n)."""
    by_rows = defaultdict(list)
    for (E, O, F, G), count in colorings.items():
        by_rows[E, O].append((F, G, count))
    counted = counted_odd if n % 2 else counted_even
    assert counted(n, by_rows) == sum(colorings.values())


def counted_even(n, by_rows):
    h = n // 2
    s = orbit_numbers(h, True)
    ranks = lambda A, B: (max(s[A], s[B]), min(s[A], s[B]))
    total = 0
    for E, O in product(range(1 << h), repeat=2):
        orbit = {(A, B) for A, B, _, _ in images(n, E, O, 0, 0)[:3]} | {(E, O)}
        if (E, O) == min(orbit):
            total += len(orbit) * sum(v(ranks(E, O), ranks(F, G)) * count for F, G, count in by_rows[E, O])
    return total


def counted_odd(n, by_rows):
    evens, odds = n // 2, (n + 1) // 2
    s_even, s_odd = orbit_numbers(evens, False), orbit_numbers(odds, False)
    ranks = lambda A, B: (s_odd[B], s_even[A])

    def row_weight(E, O):
        first, second = (O, E), (rev(O, odds), rev(E, evens))
        return 2 if first < second else int(first == second)

    def column_weight(G):
        return 2 if G < rev(G, odds) else int(G == rev(G, odds))

    return sum(
        row_weight(E, O) * column_weight(G) * v(ranks(E, O), ranks(F, G)) * count
        for (E, O), columns in by_rows.items()
        for F, G, count in columns
    )


for n in range(1, int(sys.argv[1]) + 1):
    colorings = Counter(map(coloring_of, boards(n)))
    for check in (check_classes, check_identity, check_images, check_weights):
        check(n, colorings)
    print(f"n = {n}: {sum(colorings.values())} boards, {len(colorings)} colorings above 0: classes, identity, images, weights agree")
