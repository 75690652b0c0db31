"""Counts the units of an audit again by listing all boards, without any code of the program.

    nqueens audit RUN --sample 100 --json | python3 docs/color-split/unit.py

docs/color-split.md and the README of this folder define the names. For n up to 12, this takes seconds.
"""

import json, re, sys
from itertools import combinations

audit = json.load(sys.stdin)
n = audit["size"]
evens, odds = n // 2, (n + 1) // 2


def boards(queens=()):
    if len(queens) == n:
        yield queens
    for column in range(n if len(queens) < n else 0):
        if all(column != c and abs(column - c) != len(queens) - row for row, c in enumerate(queens)):
            yield from boards(queens + (column,))


def part(lines, parity):  # of the rows or columns, which are numbered from 1 if n is odd
    return sum(1 << line // 2 for line in lines if (line + n) % 2 == parity)


def coloring(queens):  # E, O, F, G
    rows = [row for row in range(n) if (row + queens[row]) % 2 == 0]
    columns = [queens[row] for row in rows]
    return part(rows, 0), part(rows, 1), part(columns, 0), part(columns, 1)


def no(X):
    return X ^ (1 << odds) - 1


def rev(X, size):
    return sum(1 << size - 1 - i for i in range(size) if X >> i & 1)


def orbit(X, size):
    return min(X, rev(X, size)) if n % 2 else min(X, rev(X, size), no(X), no(rev(X, size)))


def s(X):
    X = orbit(X, odds)
    dense = X if 2 * X.bit_count() >= odds else no(X)
    return -sum((odds - d) * (dense & dense >> d).bit_count() for d in range(1, odds)), X


def ranks(A, B):
    return (s(B), orbit(A, evens)) if n % 2 else (max(s(A), s(B)), min(s(A), s(B)))


def weight(one, other):  # of one of two images, of which the smaller is counted for both
    return 2 if one < other else int(one == other)


def row_weight(E, O):
    if n % 2:
        return weight((O, E), (rev(O, odds), rev(E, evens)))
    images = {(O, E), (rev(E, evens), rev(O, odds)), (no(O), no(E)), (no(rev(E, evens)), no(rev(O, odds)))}
    one_class = [(B, A) for B, A in images if A.bit_count() == E.bit_count() and s(A) <= s(B)]
    counted = [(B, A) for B, A in one_class if 2 * A.bit_count() < evens or B <= no(B)]
    return len(images) if counted and (O, E) == min(counted) else 0


def column_weight(E, O, F, G):
    return weight(ranks(F, G), ranks(E, O)) * (weight(G, rev(G, odds)) if n % 2 else 1)


def sets(number, first, end):
    middle_first = sorted(range(evens), key=lambda row: abs(2 * row + 1 - evens))
    found = [sum(1 << row for row in rows) for rows in combinations(range(evens), number)]
    return sorted(found, key=lambda E: [E >> row & 1 for row in middle_first], reverse=True)[first:end]


colorings = [coloring(queens) for queens in boards()]
for unit in audit["sample"]:
    words = re.fullmatch(r"white even rows (\d+), odd ([0-9a-f]+), sets (\d+)\.\.(\d+)", unit["name"])
    own, odd = sets(int(words[1]), int(words[3]), int(words[4])), int(words[2], 16)
    here = [c for c in colorings if c[0] in own and c[1] == odd]
    count = sum(row_weight(E, O) * column_weight(E, O, F, G) for E, O, F, G in here)
    if count != int(unit["logged"]):
        sys.exit(f"unit {unit['unit']} ({unit['name']}) is {count}, and not {unit['logged']}")
print(f"n = {n}: {len(audit['sample'])} units agree")
